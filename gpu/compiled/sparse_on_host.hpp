#pragma once
// What a generated file needs that compiles operations with sparse rows for the host.
//
// The launch primitives come first: they are found by the operations' definitions.

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

// clang-format off
#include "gpu/launch/sparse_rows_host.hpp"

#include "gpu/compiled/sparse_operations.hpp"
// clang-format on
