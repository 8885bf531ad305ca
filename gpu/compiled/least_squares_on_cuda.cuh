#pragma once
// What a generated file needs that compiles operations of least squares for a CUDA device.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"

// clang-format off
#include "gpu/kernels/cgls_rows.cuh"
#include "gpu/kernels/resident_cgls.cuh"
#include "gpu/kernels/sparse_columns.cuh"

#include "gpu/compiled/least_squares_operations.hpp"
// clang-format on
