#pragma once
// A matrix cut into parts of consecutive rows, one for each device, and what these would exchange.
//
// Mathematics.  Part p begins at the row before which the nearest number of entries to p/P of all
// lies.  In a product it receives the values of x that its rows need and other parts hold, each
// once, and sends what others need of its own.
//
// Reference.  Cevahir, Nukada, Matsuoka 2009, section 3.
//
// Tests.  tests/fem/sparse/analysis_test.cpp

#include <cstdint>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct RowPart {
  int first_row = 0, last_row = 0;  ///< first_row <= row < last_row
  std::int64_t entries = 0;
  std::int64_t received = 0, sent = 0;  ///< values of x; one that goes to two parts counts twice
};

/// P parts with about the same number of entries, which begin at multiples of `multiple` rows.
/// Throws std::invalid_argument unless 0 < P <= 1024 and the matrix is square.
std::vector<RowPart> row_parts(const SparsePattern& pattern, int P, int multiple = 1);

}  // namespace ninefold
