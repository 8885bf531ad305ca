#pragma once
// What a generated file needs that compiles operations on vectors for a CUDA device,
// those of direct solvers and fused ones.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"

// clang-format off
#include "gpu/launch/launch_cuda.cuh"

#include "gpu/compiled/fused_on_cuda.cuh"
#include "gpu/compiled/tensor_inverse.hpp"
#include "gpu/compiled/vector_operations.hpp"
// clang-format on
