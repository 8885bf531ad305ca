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

#include "precision/double_word.hpp"

#include "grids/slabs.hpp"
#include "grids/tensor_grid.hpp"

#include "fem/discrete/error_norms.hpp"
#include "fem/discrete/nodal_values.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

/// The errors of nodal values on `grid`.  Throws std::invalid_argument if the sizes differ or the
/// problem has no analytic solution, BadValue if that is not finite at a point and `u_h` is at all
/// nodes.
Errors measure_errors(const Problem& problem, const TensorGrid& grid,
                      const NodalValues<double>& u_h);
Errors measure_errors(const Problem& problem, const TensorGrid& grid,
                      const NodalValues<DoubleDouble>& u_h);

/// The l2 norm of the analytic solution, as an error of zero; same exceptions.
double measure_solution(const Problem& problem, const TensorGrid& grid);

/// The analytic solution at the nodes of these rows.  Throws std::invalid_argument if there is
/// none.
std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid,
                                   const RowRange& rows);
/// At all nodes.
std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid);

}  // namespace ninefold
