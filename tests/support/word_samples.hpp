#pragma once
// Random and adversarial machine numbers and pairs, and the worst error of an operation on them.
//
// Mathematics.  Errors that random digits never show need digits that are not random: powers of
// two and their neighbours, ties, long runs of zeros or ones, words far apart, subnormal words,
// operands that cancel.  An observed error is (|computed - exact| - slack) / (u^2 magnitude), where
// slack is the absolute term that underflow brings, as stated at the operation.
//
// Tests.  tests/precision/double_word_test.cpp: an operation without a bound is seen to have none.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "precision/double_word.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"

namespace ninefold::testing {

/// Holds the sum of any four doubles exactly, whatever their exponents.
using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<2300, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;

/// Samples per operation: NINEFOLD_SAMPLES of the environment, or 10^5.
inline long samples() {
  const char* text = std::getenv("NINEFOLD_SAMPLES");
  const long n = text ? std::atol(text) : 100000;
  REQUIRE(n > 0);
  return n;
}

/// Exponents to draw from, both included.
struct Exponents {
  int lowest, highest;
};

/// Near one: nothing underflows.
inline constexpr Exponents moderate{-20, 20};

/// From the smallest subnormal to the largest number.
template <Word F>
inline constexpr Exponents whole_range{
    std::numeric_limits<F>::min_exponent - std::numeric_limits<F>::digits,
    std::numeric_limits<F>::max_exponent - 1};

/// Half the samples near one, half of them anywhere.
template <Word F>
Exponents exponents(long k) {
  return k % 2 == 0 ? moderate : whole_range<F>;
}

/// The smallest subnormal number.
template <Word F>
inline constexpr F eta = std::numeric_limits<F>::denorm_min();

template <Word F>
class WordSource {
 public:
  explicit WordSource(std::uint64_t seed) : bits_(seed + 1000 * std::uint64_t{Catch::getSeed()}) {}

  int integer(int lowest, int highest) {
    return lowest + static_cast<int>(bits_() % (static_cast<std::uint64_t>(highest - lowest) + 1));
  }
  bool one_in(int n) { return integer(1, n) == 1; }

  /// A finite number of either sign; not zero, except through underflow.
  F word(Exponents exponents) {
    constexpr int p = std::numeric_limits<F>::digits;
    const std::uint64_t one = std::uint64_t{1} << (p - 1);
    std::uint64_t digits = bits_() % one;
    switch (integer(0, 7)) {
      case 0:
        digits = one_in(2) ? 0 : one - 1;
        break;
      case 1:  // next to a power of two
        digits = one_in(2) ? static_cast<std::uint64_t>(integer(1, 4))
                           : one - static_cast<std::uint64_t>(integer(2, 5));
        break;
      case 2:  // few leading digits
        digits &= ~((one >> integer(1, 5)) - 1);
        break;
      case 3:  // one bit
        digits = std::uint64_t{1} << integer(0, p - 2);
        break;
      default:
        break;
    }
    const int exponent = integer(exponents.lowest, exponents.highest);
    const F value = std::ldexp(static_cast<F>(one + digits), exponent - (p - 1));
    return one_in(2) ? value : -value;
  }

  /// A normalised pair with this high word.
  DoubleWord<F> pair_around(F high) {
    constexpr int p = std::numeric_limits<F>::digits;
    const int ulp = std::max(std::ilogb(high), std::numeric_limits<F>::min_exponent - 1) - (p - 1);
    F low = 0;
    switch (integer(0, 7)) {
      case 0:
        break;
      case 1:  // a tie, which goes to the even neighbour
        low = std::ldexp(F(one_in(2) ? 1 : -1), ulp - 1);
        break;
      case 2:  // close to a tie
        low = std::nextafter(std::ldexp(F(1), ulp - 1), F(0)) * F(one_in(2) ? 1 : -1);
        break;
      case 3:  // far below
        low = word({std::max(whole_range<F>.lowest, ulp - 4 * p),
                    std::max(whole_range<F>.lowest, ulp - 2)});
        break;
      case 4:  // at the end of the range
        low = eta<F> * static_cast<F>(integer(-9, 9));
        break;
      default:
        low = word({ulp - 3, ulp - 2});
        break;
    }
    const DoubleWord<F> result = DoubleWord<F>::normalise(high, low);
    return is_finite(result) ? result : DoubleWord<F>(high);
  }
  DoubleWord<F> pair(Exponents exponents) {
    const F high = word(exponents);
    return high == 0 ? DoubleWord<F>(high) : pair_around(high);
  }

  /// A pair that meets `a` in a sum: of any size, as large, or cancelling some or all digits.
  DoubleWord<F> partner(DoubleWord<F> a, Exponents exponents) {
    constexpr int p = std::numeric_limits<F>::digits;
    if (a.high == 0) return pair(exponents);
    const int exponent = std::ilogb(a.high);
    switch (integer(0, 4)) {
      case 0: {  // words that just meet
        const auto within = [&](int e) {
          return std::clamp(e, exponents.lowest, exponents.highest);
        };
        return pair({within(exponent - 2 * p - 3), within(exponent + 3)});
      }
      case 1:  // the same high word or a neighbour, other low word
        return pair_around(one_in(2) ? -a.high : -std::nextafter(a.high, F(one_in(2) ? 0 : 2)));
      case 2:  // only the low words differ, a little
        return DoubleWord<F>::normalise(-a.high, one_in(4) ? -a.low : -std::nextafter(a.low, F(0)));
      case 3:  // about twice or half of the other
        return pair_around(-std::ldexp(a.high, one_in(2) ? -1 : exponent < 100 ? 1 : 0));
      default:
        return pair(exponents);
    }
  }

 private:
  std::mt19937_64 bits_;
};

/// The exact value of a pair, up to 2^-168 of it.
template <Word F>
Exact exact(DoubleWord<F> x) {
  return Exact(x.high) + Exact(x.low);
}

/// The sizes above which an operation may lose a finite result.
template <Word F>
const Exact& too_large() {
  static const Exact limit = ldexp(Exact(1), Format<F>::max_exponent - 1);
  return limit;
}

/// False if the result is lost, which is right only if something is too large; FAILs otherwise.
template <Word F>
bool kept(DoubleWord<F> computed, const Exact& largest) {
  if (is_finite(computed)) return true;
  if (largest < too_large<F>()) FAIL("a finite result was lost");
  return false;
}

/// The worst error of one operation, in u^2 of the magnitude, against its bound.
template <Word F>
class ObservedError {
 public:
  ObservedError(std::string operation, double bound)
      : operation_(std::move(operation)), bound_(bound) {}

  /// The message is shown if the error exceeds the bound, the first time only.
  void add(DoubleWord<F> computed, const Exact& error, const Exact& magnitude, const Exact& slack,
           DoubleWord<F> a, DoubleWord<F> b) {
    ++count_;
    static const Exact unit(Format<DoubleWord<F>>::unit_roundoff);
    const Exact excess = abs(error) - slack;
    double ratio = 0;
    if (excess > 0) ratio = magnitude > 0 ? static_cast<double>(excess / (magnitude * unit)) : 1e99;
    const bool normal = computed.high + computed.low == computed.high;
    if (normal && ratio <= worst_) return;
    if (!normal) ratio = 1e99;
    worst_ = ratio;
    char text[200];
    std::snprintf(text, sizeof(text), "of {%a, %a} and {%a, %a}: {%a, %a}", double(a.high),
                  double(a.low), double(b.high), double(b.low), double(computed.high),
                  double(computed.low));
    where_ = text;
  }

  double worst() const { return worst_; }

  /// Prints the row of the table and requires the bound.
  void report() const {
    std::printf("%-14s %-34s %9ld samples, worst %8.5f, bound %8.5f u^2\n",
                std::string(Format<DoubleWord<F>>::name).c_str(), operation_.c_str(), count_,
                worst_, bound_);
    INFO(operation_ << ' ' << where_);
    REQUIRE(count_ > 0);
    REQUIRE(worst_ <= bound_);
  }

 private:
  std::string operation_, where_;
  double bound_, worst_ = 0;
  long count_ = 0;
};

}  // namespace ninefold::testing
