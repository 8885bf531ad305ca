#pragma once
// A least squares problem as it is solved: one matrix over the other, scaled by powers of two.
//
// Mathematics.  K is A over sqrt(lambda) L over sqrt(rho) I, the last where there are bounds;
//
//     2^a K y = 2^c (b, 0, 0),    x = 2^(a - c) y
//
// 2^a brings the largest entry into [1, 2), 2^c the largest value of b and of the first gradient.
//
// Tests.  tests/solvers/least_squares/least_squares_test.cpp

#include <cstddef>
#include <optional>
#include <vector>

#include "solvers/least_squares/least_squares.hpp"

namespace ninefold {

/// A right-hand side, scaled by itself.
struct FittedRight {
  WideVector b{};
  int exponent = 0;                        ///< c
  std::optional<double> lower{}, upper{};  ///< of y
  double norm = 0;                         ///< |K'b|
};

struct LeastSquaresSystem {
  SparseMatrix K{}, transposed{};
  int matrix_exponent = 0;
  int first_bound = 0;  ///< of K's rows; all where there are no bounds
  double weight = 0;    ///< sqrt(rho), scaled as K
  bool has_bounds = false;
  std::vector<FittedRight> rights{};

  /// x of y, of right-hand side k.
  WideVector solution(const WideVector& y, std::size_t k) const;
};

// The parts of validate(const LeastSquaresProblem&).
void validate_matrices(const SparseMatrix& A, const SparseMatrix& L);
void validate_right(const SparseMatrix& A, const WideVector& b,
                    const std::optional<WideVector>& solution);

/// Of what is valid.  Throws std::invalid_argument as solve_least_squares(), and BadValue where a
/// format that is in use does not hold the entries.
LeastSquaresSystem least_squares_system(const SparseMatrix& A, const SparseMatrix& L,
                                        const std::vector<const WideVector*>& rights,
                                        const LeastSquaresOptions& options);

/// r = (b, 0, bounds) - K x in the units of the system, in double-double, and s = K'r.
struct WideGradient {
  WideVector r{}, s{};
};
WideGradient wide_gradient(const LeastSquaresSystem& system, std::size_t right,
                           const WideVector& y);

/// u | |K'|(|K||y| + |b|) | / |K'b|: about what rounding to a format leaves of a gradient.
double attainable_gradient(const LeastSquaresSystem& system, std::size_t right, const WideVector& y,
                           double unit_roundoff);

}  // namespace ninefold
