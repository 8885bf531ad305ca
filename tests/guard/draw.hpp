#pragma once
// Random numbers for configurations: the same with every library, from a seed.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ninefold::guard {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}

  /// Evenly in [0, 1).  Not std::uniform_real_distribution, whose results differ between libraries.
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  int integer(int low, int high) {
    return low + static_cast<int>(unit() * static_cast<double>(high - low + 1));
  }

  /// 10 to a power between these, of two digits: easy to read and to type.
  double power(double low, double high) {
    return std::stod(fmt::format("{:.1e}", std::pow(10.0, between(low, high))));
  }

  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(integer(0, static_cast<int>(values.size()) - 1))];
  }

  /// Each with its weight.
  template <class T>
  T weighted(const std::vector<std::pair<double, T>>& values) {
    double sum = 0;
    for (const auto& value : values) sum += value.first;
    double rest = unit() * sum;
    for (const auto& value : values) {
      rest -= value.first;
      if (rest < 0) return value.second;
    }
    return values.back().second;
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace ninefold::guard
