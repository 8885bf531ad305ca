#pragma once
// The powers of two that bring a system into the range of a number format.
//
// Mathematics.  The solver works on A' x' = b' with A' = 2^-matrix A, b' = 2^-load b and therefore
// x' = 2^(matrix - load) x.  Powers of two change no digit.  They bring the largest entries of A'
// and b' near one, so that squares of residuals stay inside the range of single precision even
// on the paper's test D, where the solution is of order 1e-24.
//
// x' then grows like the number of cells, about n^2/14 for n cells in each direction: 2^16 at level
// 10, more than half can hold.  The load is therefore scaled down further where an estimate of
// |x'| comes within a factor of 8 of the format's largest number.  It takes the smaller of two
// solutions of one-dimensional problems, each with the derivatives in the other direction left
// out and all data positive: two to three times too much for a smooth source between Dirichlet
// sides, more where data balance each other.
//
// The diagonal of A lies between its largest entry and a bound that holds on every grid: with
// widths a, b beside a node the one-dimensional couplings have the product
//
//     K M = (1/a + 1/b) (a + b)/3 = (a + b)^2 / (3 a b) >= 4/3,          1/3 on a Neumann side,
//
// and gx Kx My + gy Mx Ky >= 2 sqrt(gx gy (Kx Mx) (Ky My)), hence at least 8/3 sqrt(gx gy), half of
// that on Neumann sides and a quarter in corners between two.  Cells of aspect ratio r lead
// to diagonals that are r/2 times as large.  Where they meet square ones on one grid, that is the
// range which the format must have.
//
// Tests.  tests/fem/discrete/scaling_test.cpp

#include <string>
#include <vector>

#include "precision/parameter.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/load.hpp"
#include "fem/discrete/q1_element.hpp"
#include "fem/discrete/size_estimate.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

/// Binary exponents of the scaling above.
struct Scaling {
  int matrix = 0, load = 0;
  int solution() const { return load - matrix; }  ///< x = 2^solution() x'
};

/// The numbers that a format holds with all its digits: 2^min_exponent to 2^(max_exponent + 1).
struct FormatRange {
  std::string name;  ///< as the parameter's value
  int min_exponent, max_exponent;
  Parameter parameter = Parameter::precision;  ///< which states it, for messages
};

/// The scaling for a system with a load of this size and boundary values of zero
/// (fem/discrete/lifting.hpp) on `grid`, in `format`; W is double or DoubleDouble.  Throws BadValue
/// if data are not finite, if the solution leaves the range of double, or if the format's range
/// holds not both the largest and the smallest entry of the diagonal, or not both load and
/// solution.
template <class W>
Scaling choose_scaling(const Problem& problem, const TensorGrid& grid, const LoadSize& load,
                       const FormatRange& format);

/// Throws BadValue unless the format holds the scaled row sums, the integrals of c
/// phi, which the difference form stores by themselves: it would lose a reaction that underflows.
void require_row_sums(const Problem& problem, const TensorGrid& grid, const Scaling& scaling,
                      const FormatRange& format);

/// True if the format that rows are computed in holds all stiffnesses and masses by which
/// fem/matrix/factored_rows.hpp has the matrix, and their products with the reaction.
bool holds_factors(const Problem& problem, const TensorGrid& grid, const FormatRange& format);
/// Throws BadValue unless it does.
void require_factors(const Problem& problem, const TensorGrid& grid, const FormatRange& format);

/// The equation's coefficients times 2^-scaling.matrix, exact in both formats.
template <class W>
Coefficients<W> scaled_coefficients(const Problem& problem, const Scaling& scaling);

}  // namespace ninefold
