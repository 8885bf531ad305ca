#pragma once
// A singular matrix: second differences on a ring, whose rows have sums of zero.

#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold::testing {

inline SparseMatrix ring(int n) {
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) {
    entries.push_back({i, i, 2});
    entries.push_back({i, (i + 1) % n, -1});
    entries.push_back({i, (i + n - 1) % n, -1});
  }
  return assemble_sparse(n, n, entries);
}

}  // namespace ninefold::testing
