#pragma once
// How much of roundoff comes into a fit, by what CGLS has seen.
//
// Mathematics.  Where entries of K and b move by parts of u, the solution of min |K y - b| moves by
// about u kappa_fit of itself at most,
//
//     kappa_fit = kappa + kappa^2 (|A| |b - A y| + |K| |r_rest|) / (|K|^2 |y|)
//     kappa = |K| |K^+|,    K = A over rows that regularise or bound, r = b - K y
//
// to first order.  The second term is what the residual adds: of data that are fitted badly, the
// square of the condition counts.  The ends of the spectrum are those of CGLS's coefficients
// (solvers/krylov/lanczos.hpp): kappa is a lower bound of the true one, and near it where CGLS has
// converged.  |A| is at most |K|, and sqrt(|A|_1 |A|_inf).
//
// A gradient s that is left leaves (K'K)^-1 s of y, at most
//
//     kappa^2 |s| / |K|^2
//
// by the true kappa, and mostly much less.  Where that is not small, y may be far from the
// solution, and kappa from the true one, whatever roundoff does.
//
// Reference.  Wedin, BIT 13 (1973); Bjorck, Numerical Methods for Least Squares Problems, 1996,
// theorem 1.4.6.
// Tests.      tests/solvers/least_squares/fit_condition_test.cpp

#include <limits>
#include <optional>

#include "precision/precision.hpp"

#include "fem/sparse/sparse_matrix.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

struct FitCondition {
  std::optional<double> of_matrix{};   ///< kappa, at least; nothing where CGLS does not see it
  std::optional<double> of_fit{};      ///< kappa_fit by that
  std::optional<double> unfinished{};  ///< of y, what the gradient may have left, by that
  bool has_fallen = true;              ///< the gradient, by two digits, so that something is seen
};

/// What a y leaves: Euclidean norms, K in any units.
struct LeftOfFit {
  double data = 0;                                                ///< |b - A y|
  double rest = 0;                                                ///< |r| of K's other rows
  double gradient = 0;                                            ///< |K'r|
  double solution = 0;                                            ///< |y|
  double largest_of_A = std::numeric_limits<double>::infinity();  ///< |A| is at most that
};

/// The largest kappa that CGLS tells in a format: beyond it the lowest eigenvalue of K'K is made by
/// rounding.
double largest_seen_condition(Precision works);

/// Of what CGLS, working in a format, has found.  Where bounds have made the search begin anew, the
/// matrix is that of those outside at the end, and the coefficients are those since then.  Nothing
/// unless the gradient has fallen by two digits in their iterations.
FitCondition fit_condition(const CgCoefficients& found, const Report& report, Precision works,
                           const LeftOfFit& left);

/// sqrt(|A|_1 |A|_inf) >= |A| of the first so many rows of a matrix.
double two_norm_bound(const SparseMatrix& K, int rows);

}  // namespace ninefold
