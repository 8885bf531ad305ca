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

#include <optional>
#include <vector>

#include "precision/host_device.hpp"
#include "precision/larger.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold {

/// Gauss points per direction and cell.
inline constexpr int error_points = 3;

struct Errors {
  double l2 = 0, rms = 0, max = 0;
};

/// Binary exponents that are taken out of the errors, the cells' widths and their heights before
/// they are squared and added.
struct ErrorExponents {
  int error = 0, width = 0, height = 0;
};

/// What errors are computed from: a sum, of which the largest are a part.
struct ErrorSums {
  double l2;       ///< of squares at the Gauss points
  double squares;  ///< at the nodes
  double max;      ///< at the nodes, not scaled
  double largest;  ///< at nodes and Gauss points, not scaled

  ErrorSums() = default;
  HOST_DEVICE explicit ErrorSums(double zero) : l2(zero), squares(zero), max(zero), largest(zero) {}

  HOST_DEVICE friend ErrorSums operator+(const ErrorSums& a, const ErrorSums& b) {
    ErrorSums sum = a;
    sum.l2 = a.l2 + b.l2;
    sum.squares = a.squares + b.squares;
    sum.max = larger(a.max, b.max);
    sum.largest = larger(a.largest, b.largest);
    return sum;
  }
};

/// What must be taken out for sums of errors up to `largest` to stay inside the range of double;
/// nothing wherever the plain sums do.
std::optional<ErrorExponents> needed_exponents(double largest, const TensorGrid& grid);

/// The errors of all nodes and cells of a grid, from their sum.
Errors errors_of(const ErrorSums& sums, const ErrorExponents& out, const TensorGrid& grid);

/// The errors of nodal values `u_h` (k = j nx + i) on `grid`.  Throws std::invalid_argument if the
/// sizes differ or the problem has no analytic solution, BadValue if that is not finite at a point
/// and `u_h` is at all nodes.
template <class W>
Errors measure_errors(const Problem& problem, const TensorGrid& grid, const std::vector<W>& u_h);

/// The analytic solution at all nodes; same exceptions.
std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid);

}  // namespace ninefold
