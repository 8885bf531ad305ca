#pragma once
// What a solution leaves of a sparse system, whatever format it was found in.
//
// Rounding.  b - A x is summed in double-double from the entries as they were given, by rows, in
// the order of columns; sizes in double.
//
// Tests.  tests/fem/sparse/sparse_rows_test.cpp

#include <span>
#include <vector>

#include "precision/double_word.hpp"

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

/// Values in more digits than a double has: that of row i is high[i] + low[i].
struct WideVector {
  std::vector<double> high{}, low{};  ///< `low` is empty where all of it is zero

  DoubleDouble operator[](std::size_t i) const {
    return low.empty() ? DoubleDouble(high[i]) : DoubleDouble(high[i]) + DoubleDouble(low[i]);
  }
};

/// All of r and b in units of 2^-exponent, in which the largest |b_i| is in [1, 2), so that no
/// square leaves the range of a double: ratios are what they are for.
struct SparseResidual {
  int exponent = 0;                ///< 0 if b is zero
  double norm = 0;                 ///< |b - A x| = |r|
  double scaled_square = 0;        ///< (r, D^-1 r), D the diagonal; not finite where that is zero
  double right_norm = 0;           ///< |b|; zero if all of it is
  double right_scaled_square = 0;  ///< (b, D^-1 b)
  double backward_error = 0;       ///< the largest |b - A x|_i / (|A||x| + |b|)_i (Oettli, Prager)
  double row_sizes = 0;            ///< | |A||x| + |b| |
  double energy_square = 0;        ///< x' A x, as (x, b) - (x, b - A x), x in its own units
};

/// Requires vectors of as many values as there are rows, which is not checked.  *r becomes b - A x
/// itself, in its own units, if it is asked for.
SparseResidual sparse_residual(const SparseMatrix& A, const WideVector& b, const WideVector& x,
                               WideVector* r = nullptr);

/// A x in double-double.
WideVector sparse_product(const SparseMatrix& A, const std::vector<double>& x);

}  // namespace ninefold
