#pragma once
// What a generated file needs that compiles operations of least squares for the host.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

// clang-format off
#include "gpu/launch/sparse_rows_host.hpp"

#include "gpu/compiled/least_squares_operations.hpp"
// clang-format on
