#pragma once
// Sparse matrices of any shape: what is made of them, and products in double-double.
//
// Tests.  tests/fem/sparse/rectangular_test.cpp

#include <optional>

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_residual.hpp"

namespace ninefold {

/// A', its rows in the order of A's columns.
SparseMatrix transposed(const SparseMatrix& A);

/// The rows of `lower`, each entry multiplied by `factor`, below those of `upper`.  Throws
/// std::invalid_argument unless both have as many columns, and fewer rows than max_sparse_rows in
/// all.
SparseMatrix stacked(SparseMatrix upper, const SparseMatrix& lower, double factor);

SparseMatrix identity_matrix(int n);

/// Differences of neighbours in an image of width x height values by rows, those in a row first,
/// then those in a column: a row of -1 and 1 for each.  A height of 1 is a sequence.  Throws
/// std::invalid_argument where there is no pair, or too many of them.
SparseMatrix difference_matrix(int width, int height);

/// The first row, or column, without an entry other than zero.
std::optional<int> first_empty_row(const SparseMatrix& A);
std::optional<int> first_empty_column(const SparseMatrix& A);

/// b - A x in double-double, of each row by ascending columns; an empty b is zero.
WideVector wide_residual(const SparseMatrix& A, const WideVector& b, const WideVector& x);

/// |A| x of sizes, in double, for sizes x.
std::vector<double> size_product(const SparseMatrix& A, const std::vector<double>& x);

/// The square root of the sum of squares; not finite where a value is not.
double norm_of(const WideVector& x);

}  // namespace ninefold
