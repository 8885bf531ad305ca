#pragma once
// What a generated file needs that compiles operations with sparse rows for a CUDA device.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"

// clang-format off
#include "gpu/kernels/sparse_columns.cuh"
#include "gpu/kernels/sparse_rows.cuh"

#include "gpu/compiled/sparse_operations.hpp"
// clang-format on
