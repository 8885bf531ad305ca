#pragma once
// Whether a sparse matrix is symmetric, and how far from it.
//
// Tests.  tests/fem/sparse/analysis_test.cpp

#include <cstdint>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct SymmetryFacts {
  std::int64_t unmatched = 0;  ///< entries (i, j) without an entry (j, i)
  std::int64_t unequal = 0;    ///< entries whose counterpart has another value; without one it is 0
  std::int64_t below = 0, above = 0;  ///< entries beside the diagonal
  double largest_difference = 0;      ///< of |a_ij - a_ji|
  double largest_entry = 0;           ///< of |a_ij|
  int row = -1, column = -1;          ///< of the largest difference; the first one by rows

  bool pattern() const { return unmatched == 0; }
  bool values() const { return unequal == 0; }
  bool one_triangle() const { return (below == 0) != (above == 0); }
  double relative_difference() const {
    return largest_entry > 0 ? largest_difference / largest_entry : 0.0;
  }
};

/// Requires a square matrix, which is not checked.
SymmetryFacts symmetry_facts(const SparseMatrix& A);

}  // namespace ninefold
