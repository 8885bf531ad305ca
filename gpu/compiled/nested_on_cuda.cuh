#pragma once
// What a generated file needs that compiles the operations of full multigrid for a CUDA device.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"

// clang-format off
#include "gpu/launch/launch_cuda.cuh"
#include "gpu/kernels/marching_sums.cuh"

#include "gpu/kernels/small_inverse.cuh"

#include "gpu/compiled/nested_operations.hpp"
#include "gpu/kernels/nested_operations.cuh"
// clang-format on
