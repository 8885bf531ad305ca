#pragma once
// Gauss quadrature on [0, 1].
//
// Rounding.  Computed in the format W from small integers, so in double-double points within 6u^2
// of one and weights within 10u^2 of themselves.
//
// Reference.  Abramowitz and Stegun, Handbook of Mathematical Functions, table 25.4.
// Tests.      tests/fem/discrete/assembly_test.cpp, tests/fem/discrete/wide_assembly_test.cpp

#include <vector>

namespace ninefold {

template <class W>
struct GaussRule {
  std::vector<W> point, weight;
};

/// The rule of n = 1 to 5 points, for W = double and DoubleDouble; throws std::invalid_argument for
/// another n.
template <class W>
GaussRule<W> gauss_rule(int n);

}  // namespace ninefold
