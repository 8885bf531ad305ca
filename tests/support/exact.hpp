#pragma once
// Fifty decimal digits as a number format, and reproducible values to feed to operations.
//
// Mathematics.  Exact has 168 bits, against 53 of double and 106 of double-double.  A sum of
// products rounds at 2^-168, so what a test calls an error is the error of the code under test.
//
// Tests.  tests/support/bound_test.cpp, tests/precision/number_test.cpp

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "precision/number.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {

/// Without expression templates, so that `auto` and templates over T see one type.
using Exact = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>,
                                            boost::multiprecision::et_off>;

template <>
struct Format<Exact> {
  static constexpr std::string_view name = "exact";
  static constexpr double unit_roundoff = 0x1p-168;
};

namespace testing {

/// The value of a number of any format.
template <class T>
Exact to_exact(const T& x) {
  if constexpr (!std::same_as<T, Arithmetic<T>>) {
    return Exact(static_cast<Arithmetic<T>>(x));
  } else if constexpr (requires { x.high + x.low; }) {
    return Exact(x.high) + Exact(x.low);
  } else if constexpr (std::is_class_v<T> && !std::same_as<T, Exact>) {
    return Exact(static_cast<double>(x));
  } else {
    return Exact(x);
  }
}

/// What random values look like.  `tame`: evenly in [-1, 1].  `hurtful`: signs at random and
/// exponents evenly in 2^-20 ... 2^20, so that one term of a sum drowns the others; 2^-5 ... 2^5
/// for half, where sums of nine products are to stay below 2^16.  `alike`: in [1, 1 + 2^-10], so
/// that differences cancel; in [1, 1 + sqrt(u)] for formats that 2^-10 leaves too few digits.
/// `extreme`: as `hurtful`, with exponents whose products leave the range at its lower end, and
/// squares of products at its upper; for half with all its exponents.
enum class Range { tame, hurtful, alike, extreme };

/// The exponents that the numbers of a range have, both included.
struct ExponentRange {
  int lowest, highest;
};
template <class T>
ExponentRange exponents_of(Range range) {
  int largest = 1023;
  if constexpr (requires { Format<T>::max_exponent; }) {
    largest = Format<T>::max_exponent;
  } else if constexpr (requires { T::exponent(); }) {
    largest = T::exponent() == 8 ? 127 : 1023;
  }
  if (range == Range::extreme) {
    if (largest < 100) return {-largest - 10, largest - 1};
    return {-3 * largest / 5, 3 * largest / 10};
  }
  const int limit = std::min(20, largest / 3);
  return {-limit, limit};
}

/// n values that depend on `seed` and on Catch's --rng-seed only; CAPTURE the seed.
template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed, Range range = Range::tame) {
  std::mt19937_64 bits(seed + 1000 * std::uint64_t{Catch::getSeed()});
  // Not std::uniform_real_distribution, whose results differ between libraries.
  const auto unit = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  const ExponentRange exponents = exponents_of<T>(range);
  const int n_exponents = exponents.highest - exponents.lowest + 1;
  const double spread = std::max(0x1p-10, std::sqrt(unit_roundoff<T>()));
  std::vector<T> values(n);
  for (T& value : values) {
    double leading = 0;
    switch (range) {
      case Range::tame:
        leading = 2 * unit() - 1;
        break;
      case Range::hurtful:
      case Range::extreme: {
        const double mantissa = (unit() < 0.5 ? -1 : 1) * (1 + unit());
        leading = std::ldexp(mantissa, static_cast<int>(n_exponents * unit()) + exponents.lowest);
        break;
      }
      case Range::alike:
        leading = 1 + spread * unit();
        break;
    }
    value = static_cast<T>(leading);
    if (unit_roundoff<T>() < 0x1p-53) {  // digits that a double does not have
      const double rest = leading * 0x1p-53 * (2 * unit() - 1);
      value = static_cast<T>(value + static_cast<T>(rest));
    }
  }
  return values;
}

/// The sum of widths[first] to widths[last - 1].
inline Exact exact_sum(const std::vector<double>& widths, std::size_t first, std::size_t last) {
  Exact sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += Exact(widths[i]);
  return sum;
}

}  // namespace testing
}  // namespace ninefold

namespace boost::multiprecision {

/// a b + c.  In Boost's namespace, where the project's templates find it when T is Exact.
inline ninefold::Exact fused(const ninefold::Exact& a, const ninefold::Exact& b,
                             const ninefold::Exact& c) {
  return a * b + c;
}

}  // namespace boost::multiprecision
