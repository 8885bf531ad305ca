#pragma once
// The named analytic solutions, with their derivatives.
//
// Mathematics.  On [0, X] x [0, Y]; l, r, b, t are a point's distances to the four sides.
//
//     polynomial       l r b t
//     sine             sin(pi x/X) sin(pi y/Y)
//     boundary_layer   l/X (1 - exp(-r/(eps X)))  t/Y (1 - exp(-b/(eps Y))),    eps = 0.02
//     peak             exp(-(x - 0.6 X)^2/(s X)^2 - (y - 0.4 Y)^2/(s Y)^2),     s = 0.05
//     exponential      exp(x/X) cos(y/Y)
//     cosine           cos(pi x/X) cos(pi y/Y)
//
// Rounding.  A value keeps its relative accuracy next to the sides on which it vanishes, however
// close the point: that needs the distances, not x and y.  All functions have a form in
// double-double: the same formulas with the same parameters (0.02, 0.05, 0.6 and 0.4 as double has
// them), on the rectangle whose sides are l + r and b + t.
//
// Tests.  tests/fem/problem/problems_test.cpp (values and derivatives against 50 digits),
// tests/fem/discrete/wide_assembly_test.cpp

#include <optional>
#include <string>
#include <vector>

#include "fem/problem/problems.hpp"

namespace ninefold {

/// A function with its first derivatives and the second ones that the Laplacian needs.
struct AnalyticSolution {
  Function u, ux, uy, uxx, uyy;
};

/// The solution of this name on [0, width] x [0, height], or nothing if there is none.
std::optional<AnalyticSolution> analytic_solution(const std::string& name, double width,
                                                  double height);

}  // namespace ninefold
