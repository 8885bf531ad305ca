#include "fem/discrete/gauss_rule.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "precision/double_word.hpp"

namespace ninefold {

template <class W>
GaussRule<W> gauss_rule(int n) {
  using std::sqrt;
  // Points and weights on [-1, 1].
  GaussRule<W> rule;
  switch (n) {
    case 1:
      rule = {{W(0)}, {W(2)}};
      break;
    case 2: {
      const W outer = sqrt(W(1) / 3.0);
      rule = {{-outer, outer}, {W(1), W(1)}};
      break;
    }
    case 3: {
      const W outer = sqrt(W(6) / 10.0);
      const W w_outer = W(5) / 9.0, w_middle = W(8) / 9.0;
      rule = {{-outer, W(0), outer}, {w_outer, w_middle, w_outer}};
      break;
    }
    case 4: {
      const W part = W(2) / 7.0 * sqrt(W(12) / 10.0);
      const W inner = sqrt(W(3) / 7.0 - part), outer = sqrt(W(3) / 7.0 + part);
      const W w_inner = (18.0 + sqrt(W(30))) / 36.0, w_outer = (18.0 - sqrt(W(30))) / 36.0;
      rule = {{-outer, -inner, inner, outer}, {w_outer, w_inner, w_inner, w_outer}};
      break;
    }
    case 5: {
      const W part = 2.0 * sqrt(W(10) / 7.0);
      const W inner = sqrt(5.0 - part) / 3.0, outer = sqrt(5.0 + part) / 3.0;
      const W w_inner = (322.0 + 13.0 * sqrt(W(70))) / 900.0;
      const W w_outer = (322.0 - 13.0 * sqrt(W(70))) / 900.0;
      rule = {{-outer, -inner, W(0), inner, outer},
              {w_outer, w_inner, W(128) / 225.0, w_inner, w_outer}};
      break;
    }
    default:
      throw std::invalid_argument("a Gauss rule of " + std::to_string(n)
                                  + " points was asked for; 1 to 5 are possible");
  }
  for (W& point : rule.point) point = 0.5 * (1.0 + point);
  for (W& weight : rule.weight) weight *= 0.5;
  return rule;
}

template GaussRule<double> gauss_rule(int);
template GaussRule<DoubleDouble> gauss_rule(int);

}  // namespace ninefold
