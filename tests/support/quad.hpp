#pragma once
// A number format of 113 bits and the exponents of long double, slow but for a few thousand nodes,
// and Gauss rules in it.
//
// Tests.  tests/support/direct_test.cpp

#include <cmath>
#include <vector>

namespace ninefold::testing {

__extension__ typedef __float128 Quad;

inline Quad size_of(Quad value) {
  return value < 0 ? -value : value;
}

struct QuadRule {
  std::vector<Quad> point, weight;  ///< on [0, 1]
};

/// The n-point Gauss rule: roots of the Legendre polynomial by Newton's method.
inline QuadRule quad_gauss(int n) {
  QuadRule rule;
  for (int k = n; k >= 1; --k) {
    Quad x = std::cos(3.14159265358979 * (k - 0.25) / (n + 0.5)), slope = 0;
    for (int step = 0; step < 10; ++step) {
      Quad before = 1, value = x;
      for (int m = 2; m <= n; ++m) {
        const Quad next = ((2 * m - 1) * x * value - (m - 1) * before) / m;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    rule.point.push_back((1 + x) / 2);
    rule.weight.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace ninefold::testing
