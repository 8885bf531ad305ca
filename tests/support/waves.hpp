#pragma once
// Waves by their definition, in long double, for tests of sums with them.

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "fem/discrete/line_spectrum.hpp"

namespace ninefold::testing {

inline constexpr Wave all_waves[] = {Wave::sine, Wave::cosine, Wave::quarter,
                                     Wave::reversed_quarter};

/// Wave k at unknown p of n cells, both from 0.
inline long double wave_at(Wave wave, int n, int k, int p) {
  constexpr long double pi = std::numbers::pi_v<long double>;
  const auto angle = [n](long long halves) {
    return pi * static_cast<long double>(halves % (4LL * n)) / (2 * n);
  };
  switch (wave) {
    case Wave::sine:
      return std::sin(angle(2LL * (k + 1) * (p + 1)));
    case Wave::cosine:
      return std::cos(angle(2LL * k * p));
    case Wave::quarter:
      return std::cos(angle((2LL * k + 1) * p));
    case Wave::reversed_quarter:
      return std::cos(angle((2LL * k + 1) * (n - 1 - p)));
    case Wave::computed:
      break;
  }
  throw std::logic_error("no wave");
}

}  // namespace ninefold::testing
