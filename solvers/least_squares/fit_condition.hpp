#pragma once
// How much of roundoff comes into a fit, by what CGLS has seen.
//
// Mathematics.  Where entries of K and b move by parts of u, the solution of min |K y - b| moves by
// about u kappa_fit of itself at most,
//
//     kappa_fit = kappa + kappa^2 |r| / (|K| |y|),    kappa = |K| |K^+|,    r = b - K y
//
// to first order.  The second term is what the residual adds: of data that are fitted badly, the
// square of the condition counts.  The ends of the spectrum are those of CGLS's coefficients
// (solvers/krylov/lanczos.hpp): kappa is a lower bound of the true one, and near it where CGLS has
// converged.
//
// Reference.  Wedin, BIT 13 (1973); Bjorck, Numerical Methods for Least Squares Problems, 1996,
// theorem 1.4.6.
// Tests.      tests/solvers/least_squares/fit_condition_test.cpp

#include <optional>

#include "precision/precision.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

struct FitCondition {
  std::optional<double> of_matrix{};  ///< kappa, at least; nothing where CGLS does not see it
  std::optional<double> of_fit{};     ///< kappa_fit by that
};

/// The largest kappa that CGLS tells in a format: beyond it the lowest eigenvalue of K'K is made by
/// rounding.
double largest_seen_condition(Precision works);

/// Of what CGLS, working in a format, has found; `residual` and `solution` are |r| and |y|.  Where
/// bounds have made the search begin anew, the matrix is that of those outside at the end, and the
/// coefficients are those since then.  Nothing unless the gradient has fallen by two digits in
/// their iterations.
FitCondition fit_condition(const CgCoefficients& found, const Report& report, Precision works,
                           double residual, double solution);

}  // namespace ninefold
