#pragma once
// Do the given data belong to the given solution?  Found by differencing at sample points.
//
// Mathematics.  At 1000 inner points, second derivatives by central differences of fourth order,
//
//     u'' = (-u(-2d) + 16 u(-d) - 30 u(0) + 16 u(d) - u(2d)) / (12 d^2) + O(d^4),
//
// and at 128 points of each side the normal derivative by the one-sided formula of fourth order.
// Each with six steps d, from 1/73 of the extent down to 2e-5: the disagreement of neighbouring
// steps, and of a step with all finer ones, is the estimate of its error, and the step of the least
// estimate is taken.  Steps that miss an oscillation or straddle a kink disagree: nothing is said
// there.
//
// Cost.  About 60 000 evaluations of the solution: some milliseconds for a formula.
//
// Tests.  tests/fem/problem/consistency_test.cpp

#include <string>
#include <vector>

#include "fem/problem/problems.hpp"

namespace ninefold {

/// One sentence for each of the source, the boundary values and the fluxes that does not belong to
/// problem.solution, with the worst point and both values there.  A difference counts as such if it
/// exceeds ten times the estimated error of the derivatives, 1e-6 of the largest term there and
/// 1e-9 of the largest anywhere; of boundary values 1e-6 of the solution.  Requires a solution.
std::vector<std::string> find_disagreements(const Problem& problem);

/// The value at a point; throws BadValue, with parameter, value and place, unless it is finite.
double finite_value(const Function& f, const Point& p, Parameter parameter);

/// Throws BadValue if a function of the problem is infinite or not a number at a sample point where
/// the computation needs it.
void require_finite_data(const Problem& problem);

}  // namespace ninefold
