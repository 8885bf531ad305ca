#pragma once
// Fifty decimal digits as a number format, and reproducible values to feed to operations.
//
// Mathematics.  Exact has 168 bits: next to float and double it is exact.  A sum of products of
// doubles rounds at 2^-168, so what a test calls an error is the error of the code under test.
//
// Tests.  tests/precision/number_test.cpp

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <catch2/catch.hpp>

#include "precision/number.hpp"

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

/// What random values look like.  `tame`: evenly in [-1, 1].  `hurtful`: signs at random and
/// exponents evenly in 2^-20 ... 2^20, so that one term of a sum drowns the others.  `alike`: in
/// [1, 1 + 2^-10], so that differences cancel.
enum class Range { tame, hurtful, alike };

/// n values that depend on `seed` and on Catch's --rng-seed only; CAPTURE the seed.
template <class T>
std::vector<T> random_values(std::size_t n, std::uint64_t seed, Range range = Range::tame) {
  std::mt19937_64 bits(seed + 1000 * std::uint64_t{Catch::rngSeed()});
  // Not std::uniform_real_distribution, whose results differ between libraries.
  const auto unit = [&] { return static_cast<double>(bits() >> 11) * 0x1p-53; };
  std::vector<T> values(n);
  for (T& value : values) {
    switch (range) {
      case Range::tame:
        value = static_cast<T>(2 * unit() - 1);
        break;
      case Range::hurtful: {
        const double mantissa = (unit() < 0.5 ? -1 : 1) * (1 + unit());
        value = static_cast<T>(std::ldexp(mantissa, static_cast<int>(41 * unit()) - 20));
        break;
      }
      case Range::alike:
        value = static_cast<T>(1 + 0x1p-10 * unit());
        break;
    }
  }
  return values;
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
