#pragma once
// How far from the discrete solution an x can be whose residual is known: a bound that no cell size
// defeats.
//
// Mathematics.  With e = x - A^-1 b and r = b - A x the energy of the error is e.Ae = r.A^-1 r, and
// A is bounded from below by a diagonal matrix W with
//
//     w(i,j) = (gx d(i) m(j) + gy m(i) d(j)) / 3 + c m(i) m(j) / 9,      A >= W,
//
// m the lumped masses of the two directions, so that
//
//     |e|_A  <=  eta = sqrt(sum r^2 / w).
//
// Proof.  M >= m/3 in one dimension, cell by cell.  K >= diag(d) with d = (K z)/z for every
// positive z, since K has no positive entry beside its diagonal; z = sqrt(s), s the distance to the
// nearest Dirichlet end, gives Hardy's inequality, d(i) = (h + h') / ((z'+z)(z'+z_i)(z_i+z) z_i)
// about m(i)/(4 s^2), with z, z' at the neighbours and h, h' the cells between.  Sums and products
// of such orders keep them (Horn, Johnson, Topics in Matrix Analysis, 4.2).
//
// From there, with lambda the smallest eigenvalue of the differential operator, whose elements are
// conforming,
//
//     |e|_L2 <= eta / sqrt(lambda),       max |e| <= eta sqrt(G),
//
// G not less than the largest diagonal entry of A^-1.  In lengths scaled by 1/sqrt(g), where the
// rectangle is a x b and h the longer side of the smallest cell, that is the Green's function next
// to its pole, logarithmic (in a corner between Neumann sides four times that of the plane), and
// the mean over the rectangle's shorter extent:
//
//     G = (1 + 2 log(1 + min(a,b)/h) / pi + R) / sqrt(gx gy),
//
// R the 1-D part: the least of l/l' over the directions with a Dirichlet side, l being that one's
// extent (a quarter of it between two) and l' the other's; without any,
//     1/(c a b) + max(a/b, b/a)/3.
// This is verified, not proved: tests/fem/discrete/error_bound_test.cpp compares it with A^-1.
// Where it is less, G is the largest at a node of 9 / (c m_i m_j), of 3 (K^-1)_ii / (gx m_j), as
// in (gx K x M)^-1, and the same of the other direction; (K^-1)_ii is the distance to the only
// Dirichlet end, or the product of both distances over the extent.
//
// Why.  |r| / |r0| says nothing where cells differ by orders of magnitude: the rows of thin cells
// dominate both.  1/w is small there, as the solution's response to such rows is.
//
// Where no side is Dirichlet and c = 0, e and r have no mean, and lambda takes the place of c.
//
// Tests.  tests/fem/discrete/error_bound_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold {

/// The numbers of the bound for one grid, for coefficients times 2^-exponent.
struct ErrorBoundWeights {
  // w(i,j) = stiff_x[i] mass_y[j] + mass_x[i] stiff_y[j], at unknowns.
  std::vector<double> stiff_x, mass_x, stiff_y, mass_y;
  double to_l2 = 0;       ///< 1 / sqrt(lambda)
  double to_largest = 0;  ///< sqrt(G)
};

ErrorBoundWeights error_bound_weights(const Problem& problem, const TensorGrid& grid,
                                      int exponent = 0);

/// How many times larger the entries beside the smoothest function v, the product of what the two
/// directions hold least, are than what they make of it: (v |A| v) / (v A v), about 4 / h^2 over
/// the smallest eigenvalue where g = 1.  If this times the roundoff of entries that are rounded one
/// by one is far above one, the matrix that is held may be another one, indefinite, even: strong
/// couplings along x between Neumann sides add nothing to what y holds weakly.
///
/// Cost.  That of the nodes in one direction.
double entries_over_hold(const Problem& problem, const TensorGrid& grid);

/// True if the grid has cells that are thin for where they are: thinner than a quarter of the
/// distance to the nearest Dirichlet side of their direction (of its length if there is none) over
/// the number of cells.  The differences of x across such cells are lost in its rounding: the
/// residual of the best x in a format may be as large as u |x| over their width, although its error
/// is not.  Cells that are thin because they lie at a Dirichlet side do no harm.
bool has_detached_thin_cells(const Boundary& boundary, const TensorGrid& grid);

}  // namespace ninefold
