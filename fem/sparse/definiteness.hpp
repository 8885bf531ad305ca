#pragma once
// What can be said of the eigenvalues of a symmetric sparse matrix by looking at its entries.
//
// Mathematics.  By Gershgorin all eigenvalues lie in the union of [a_ii - r_i, a_ii + r_i], r_i the
// sum of |a_ij| beside the diagonal.  So A is definite if a_ii > r_i in all rows; and (Taussky) if
// a_ii >= r_i > 0 in all rows and >, in every connected part of the matrix, in one.  It is not if
// some a_ii <= 0, or some a_ij^2 >= a_ii a_jj: a minor of two rows would not be positive.  Between
// these it takes a factorisation or a solve to know.
//
// Rounding.  a_ii - r_i is summed in double-double; what is below 2^-90 of the sum counts as zero.
//
// Tests.  tests/fem/sparse/analysis_test.cpp

#include <cstdint>

#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct DiagonalFacts {
  int missing = 0, first_missing = -1;            ///< rows without a diagonal entry
  int not_positive = 0, first_not_positive = -1;  ///< of those that are there
  double smallest = 0, largest = 0;               ///< of those that are there

  bool is_positive() const { return missing == 0 && not_positive == 0; }
};

/// Requires a square matrix, which is not checked.
DiagonalFacts diagonal_facts(const SparseMatrix& A);

enum class Definite { yes, no, unknown };

struct DefinitenessFacts {
  Definite definite = Definite::unknown;
  int row = -1, column = -1;       ///< of the entries by which it is not
  int strict_rows = 0;             ///< a_ii > r_i
  int equal_rows = 0;              ///< a_ii = r_i
  int parts = 0;                   ///< connected parts of the matrix
  double lowest = 0, highest = 0;  ///< what bounds the eigenvalues
  double scaled_lowest = 0;        ///< the same of D^-1/2 A D^-1/2, D the diagonal
};

/// Requires a matrix that is symmetric, which is not checked; with a diagonal that is not positive
/// scaled_lowest is -infinity.
DefinitenessFacts definiteness_facts(const SparseMatrix& A);

}  // namespace ninefold
