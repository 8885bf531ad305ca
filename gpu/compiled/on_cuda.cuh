#pragma once
// What a generated file needs that compiles operations for a CUDA device.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"

// clang-format off
#include "gpu/launch/launch_cuda.cuh"

#include "gpu/compiled/mixed_operations.hpp"
#include "gpu/compiled/operations.hpp"
#include "gpu/kernels/marching_sums.cuh"
// clang-format on
