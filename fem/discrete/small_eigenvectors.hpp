#pragma once
// Eigenvectors of small symmetric matrices, with the same bits on every machine.
//
// Why.  LAPACK's bits are those of the library that a system has in its place
// (gpu/direct/eigenvectors.hpp).  What multigrid's coarse levels are solved by must not depend on
// that: the bits of a whole solve would.
//
// Mathematics.  Of a symmetric positive C = F^T F the eigenvectors are the right singular vectors
// of F: its columns are rotated until they are orthogonal.  F is never multiplied with itself, so
// that vectors hold where the eigenvalues of C span as much as 1/u^2: those of the smallest ones
// are off by u times the root of the span, among each other, and by u from those of the largest.
//
// Rounding.  In double, in a fixed order.
//
// Cost.  About 70 n^3 operations: 1 ms for n = 31.
//
// Reference.  Golub, Van Loan, Matrix Computations, 4th edition, section 8.6.3 (one-sided Jacobi,
// after Hestenes); Demmel, Veselic, Jacobi's method is more accurate than QR, 1992.
// Tests.      tests/fem/discrete/small_eigenvectors_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/line_spectrum.hpp"

namespace ninefold {

/// The orthonormal right singular vectors of a rows x n matrix, n x n values, by ascending singular
/// values, none of which is zero; all column after column.  The matrix's values are lost.
void right_singular_vectors(int rows, int n, double* matrix, double* vectors);

/// The eigenvectors of a line, column after column, with (v, 2^-e M v) = 1, and their eigenvalues
/// (fem/discrete/line_spectrum.hpp).
struct LineBasis {
  int unknowns;
  std::vector<double> value, vectors;
};
LineBasis line_basis(const Line& line, const HeldEnds& held);

}  // namespace ninefold
