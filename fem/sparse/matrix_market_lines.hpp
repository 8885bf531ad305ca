#pragma once
// The lines of a Matrix Market file as entries, in the order in which they stand.
//
// Tests.  tests/fem/sparse/matrix_market_test.cpp

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct MatrixMarketLines {
  std::string header{};  ///< "coordinate real symmetric"
  bool dense = false, symmetric = false;
  bool upper = false;  ///< a symmetric file that holds the upper triangle
  std::int64_t n_rows = 0, n_columns = 0, stated_entries = 0;
  std::size_t sizes_line = 0;
  std::vector<std::vector<SparseEntry>> pieces{};  ///< not mirrored
  std::int64_t rounded = 0;                        ///< integers that no double is

  std::int64_t entries() const;
};

/// Throws std::invalid_argument, naming file, line and value, for what is refused.
MatrixMarketLines parse_matrix_market_lines(std::string_view text, const std::string& name);

}  // namespace ninefold
