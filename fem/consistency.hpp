#pragma once
// Do the given data belong to the given solution?  Found by differencing at sample points.
//
// Mathematics.  At 25 inner points, second derivatives by central differences of fourth order,
//
//     u'' = (-u(-2d) + 16 u(-d) - 30 u(0) + 16 u(d) - u(2d)) / (12 d^2) + O(d^4),   d =
//     extent/1024,
//
// and at five points of each side the normal derivative by the one-sided formula of fourth order.
// With a length scale of 1/50 of the extent both are good to about 1e-6 of the largest term.
//
// Tests.  tests/fem/problems_test.cpp

#include <string>
#include <vector>

#include "fem/problems.hpp"

namespace ninefold {

/// One sentence for each of the source, the boundary values and the fluxes that does not belong to
/// problem.solution, with the worst point and both values there.  A difference counts as such from
/// 1e-4 of the largest term of the equation at any sample point.  Requires a solution.
std::vector<std::string> find_disagreements(const Problem& problem);

/// Throws std::invalid_argument, naming the config key, if a function of the problem is infinite or
/// not a number at a sample point where the computation needs it.
void require_finite_data(const Problem& problem);

}  // namespace ninefold
