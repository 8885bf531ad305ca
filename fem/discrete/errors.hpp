#pragma once
// The error of a finite element function against the analytic solution.
//
// Mathematics.  l2: square root of the integral of (u_h - u)^2, 3 x 3 Gauss points per cell, u_h
// bilinear; rms: root mean square over all nodes, boundary included; max: largest nodal error.
//
// Rounding.  In the format W of u_h, double or DoubleDouble, whatever the solver ran in (u itself
// in double if the problem knows it in double only); once u has been subtracted, in double.  Sums
// run along a row, then over rows, independent of the number of threads.  Where squares would leave
// the range of double, all is added once more with a power of two taken out.
//
// Reference.  Goeddeke, Strzodka, Turek 2007: l2 in tables 2, 7, 8, 9; rms in tables 1, A1-A6.
// Tests.      tests/fem/discrete/errors_test.cpp, tests/fem/discrete/wide_assembly_test.cpp,
// tests/fem/discrete/dealii_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold {

/// Gauss points per direction and cell.
inline constexpr int error_points = 3;

struct Errors {
  double l2 = 0, rms = 0, max = 0;
};

/// The errors of nodal values `u_h` (k = j nx + i) on `grid`.  Throws std::invalid_argument if the
/// sizes differ or the problem has no analytic solution, BadValue if that is not finite at a point
/// and `u_h` is at all nodes.
template <class W>
Errors measure_errors(const Problem& problem, const TensorGrid& grid, const std::vector<W>& u_h);

/// The analytic solution at all nodes; same exceptions.
std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid);

}  // namespace ninefold
