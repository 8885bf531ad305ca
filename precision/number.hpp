#pragma once
// What a value type must offer to be used as a number format by grids, operators and solvers.
//
// Mathematics.  Only +, -, *, / and fused(a, b, c) occur in the operations; each is correctly
// rounded on host and device, which is what makes their results equal to the last bit.
//
// Tests.  tests/precision/number_test.cpp

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"

namespace ninefold {

template <class T>
concept Number = std::copyable<T> && requires(T a, T b, T c) {
  { a + b } -> std::convertible_to<T>;
  { a - b } -> std::convertible_to<T>;
  { a* b } -> std::convertible_to<T>;
  { a / b } -> std::convertible_to<T>;
  { fused(a, b, c) } -> std::convertible_to<T>;
  { a < b } -> std::convertible_to<bool>;
};

/// Facts about a number format: its name in a config file, its unit roundoff u (for the formats of
/// the hardware half the distance from 1 to the next larger number; for pairs see
/// precision/double_word.hpp), the bits it occupies, and its range as powers of two.
template <class T>
struct Format;

template <>
struct Format<float> {
  static constexpr std::string_view name = "single";
  static constexpr double unit_roundoff = 0x1p-24;
  static constexpr int bits = 32;
  static constexpr int min_exponent = -126, max_exponent = 127;
};

template <>
struct Format<double> {
  static constexpr std::string_view name = "double";
  static constexpr double unit_roundoff = 0x1p-53;
  static constexpr int bits = 64;
  static constexpr int min_exponent = -1022, max_exponent = 1023;
};

/// The formats that a solver can run in, in order of precision.
enum class Precision { single_, double_ };

/// The name used in config files and tables: "single", "double".
inline std::string_view to_string(Precision p) {
  return p == Precision::single_ ? Format<float>::name : Format<double>::name;
}

/// Calls f.template operator()<T>() with the value type that p names.
template <class F>
decltype(auto) with_format(Precision p, F&& f) {
  return p == Precision::single_ ? f.template operator()<float>() : f.template operator()<double>();
}

/// Throws std::invalid_argument with `message` unless `condition` holds; never compiled out.
inline void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace ninefold
