#pragma once
// What a generated file needs that compiles operations of direct solvers for a CUDA device.
//
// The launch primitives come first: they are found by the operations' definitions.

// clang-format off
#include "gpu/launch/launch_cuda.cuh"

#include "gpu/compiled/tensor_inverse.hpp"
// clang-format on
