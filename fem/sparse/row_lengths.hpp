#pragma once
// How many entries the rows of a sparse matrix have.
//
// Tests.  tests/fem/sparse/analysis_test.cpp

#include <cstdint>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct RowLengths {
  std::int64_t least = 0, most = 0;
  double mean = 0;

  /// Rows of first to last entries.
  struct Range {
    std::int64_t first, last, rows;
  };
  std::vector<Range> histogram{};  ///< each length, if there are few; else 0, 1, 2, 3-4, 5-8, ...
};

RowLengths row_lengths(const SparsePattern& pattern);

}  // namespace ninefold
