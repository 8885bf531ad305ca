#pragma once
// Eigenvectors of small symmetric matrices, with the same bits on every machine.
//
// Why.  LAPACK's bits are those of the library that a system has in its place
// (gpu/direct/eigenvectors.hpp).  What multigrid's coarse levels are solved by must not depend on
// that: the bits of a whole solve would.
//
// Rounding.  In double.  Rotations of Jacobi's, in a fixed order: the eigenvectors of C + E, |E| a
// few u |C|.
//
// Cost.  About 40 n^3 operations: 1 ms for n = 31.
//
// Reference.  Golub, Van Loan, Matrix Computations, 4th edition, algorithm 8.5.2 (cyclic Jacobi).
// Tests.      tests/fem/discrete/small_eigenvectors_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/line_spectrum.hpp"

namespace ninefold {

/// The n x n values of a symmetric matrix, column after column, become its orthonormal
/// eigenvectors, by ascending eigenvalues.
void diagonalise_small(int n, double* matrix);

/// The eigenvectors of a line, column after column, with (v, 2^-e M v) = 1, and their eigenvalues
/// (fem/discrete/line_spectrum.hpp).
struct LineBasis {
  int unknowns;
  std::vector<double> value, vectors;
};
LineBasis line_basis(const Line& line, const HeldEnds& held);

}  // namespace ninefold
