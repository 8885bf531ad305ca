#pragma once
// Numbers of sMeE formats that are hard to round, and the oracle that rounds exact results.
//
// Mathematics.  Rounding in two steps, first to double and then to the format, is wrong only where
// the exact result lies next to, but not in, the middle between two numbers of the format.  Such
// products are found by number theory: for odd a the integer b = a^-1 r mod 2^k has
// a b = r mod 2^k, so that the product's last k bits are r, a middle more or less 1, 2 or 3.
// Quotients likewise: q b = s mod 2^k with a q of one bit more than the format has.
//
// Tests.  tests/precision/soft_float_test.cpp counts the samples for which two steps are wrong.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "tests/support/catch.hpp"

namespace ninefold::testing {

struct SoftName {
  int mantissa, exponent;

  int min_exponent() const { return exponent == 8 ? -126 : -1022; }
  int max_exponent() const { return exponent == 8 ? 127 : 1023; }
};

inline constexpr std::array soft_names{
    SoftName{10, 11}, SoftName{10, 8},  SoftName{17, 11}, SoftName{23, 8},  SoftName{23, 11},
    SoftName{24, 11}, SoftName{25, 11}, SoftName{28, 11}, SoftName{36, 11}, SoftName{44, 11},
    SoftName{51, 8},  SoftName{51, 11}, SoftName{52, 8},  SoftName{52, 11}};

/// The number of the format that is nearest to x, the even one if two are.  `Real` must hold x 2^n
/// for any n; a zero is returned as +0.
template <class Real>
double nearest(const SoftName& format, const Real& x) {
  if (x == 0) return 0;
  int exponent = 0;
  const Real fraction = frexp(Real(abs(x)), &exponent);  // in [1/2, 1)
  const int last_bit = std::max(exponent - 1, format.min_exponent()) - format.mantissa;
  const Real steps = ldexp(fraction, exponent - last_bit);
  auto whole = static_cast<std::uint64_t>(steps);  // at most 53 bits; towards zero
  const Real rest = steps - Real(whole);
  if (rest > Real(0.5) || (rest == Real(0.5) && whole % 2 == 1)) ++whole;
  double size = std::ldexp(static_cast<double>(whole), last_bit);
  if (size > std::ldexp(1.0, format.max_exponent()) * (2 - 0x1p-52)) size = INFINITY;
  return x < 0 ? -size : size;
}

class SoftSource {
 public:
  SoftSource(const SoftName& format, std::uint64_t seed)
      : format_(format), bits_(seed + 1000 * std::uint64_t{Catch::getSeed()}) {}

  int integer(int lowest, int highest) {
    return lowest + static_cast<int>(bits_() % (static_cast<std::uint64_t>(highest - lowest) + 1));
  }
  bool one_in(int n) { return integer(1, n) == 1; }

  /// A finite number of about this exponent, of either sign; what is too small for the format is
  /// cut off, to zero at last.
  double number(int exponent) {
    const int m = format_.mantissa;
    const std::uint64_t one = std::uint64_t{1} << m;
    std::uint64_t digits = bits_() % one;
    switch (integer(0, 7)) {
      case 0:
        digits = one_in(2) ? 0 : one - 1;
        break;
      case 1:  // next to a power of two
        digits = one_in(2) ? std::uint64_t(integer(1, 4)) : one - std::uint64_t(integer(2, 5));
        break;
      case 2:  // few leading digits
        digits &= ~((one >> integer(1, 5)) - 1);
        break;
      case 3:  // one bit
        digits = std::uint64_t{1} << integer(0, m - 1);
        break;
      default:
        break;
    }
    return composed(one + digits, exponent - m);
  }
  /// Of any exponent, most of them moderate; sometimes zero, infinite, NaN or the largest.
  double number() {
    if (one_in(50)) return one_in(2) ? largest() : -largest();
    if (one_in(100)) {
      const double unusual[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
      return unusual[integer(0, 4)];
    }
    return one_in(2) ? number(integer(-20, 20)) : number(any_exponent());
  }
  /// From below the smallest subnormal number to the largest.
  int any_exponent() {
    const int lowest = format_.min_exponent() - format_.mantissa - 2;
    switch (integer(0, 3)) {
      case 0:
        return integer(lowest, format_.min_exponent() + 60);
      case 1:
        return integer(format_.max_exponent() - 60, format_.max_exponent());
      default:
        return integer(lowest, format_.max_exponent());
    }
  }

  /// A number that meets `a` in a sum: cancelling, just overlapping, half of its last bit, any.
  double addend(double a) {
    if (a == 0 || !std::isfinite(a)) return number();
    const int exponent = std::ilogb(a), m = format_.mantissa;
    const auto near = [&](int difference) {
      return number(std::clamp(exponent + difference, format_.min_exponent() - m - 1,
                               format_.max_exponent()));
    };
    switch (integer(0, 5)) {
      case 0: {  // the neighbour or the same
        return one_in(4) ? -a : -beside(a);
      }
      case 1:
        return near(integer(-m - 3, -m));
      case 2:
        return near(integer(-54 - m, -50));
      case 3:
        return one_in(2) ? number() : beside(range_end() - a);
      default:
        return near(integer(-m - 2, m + 2));
    }
  }

  struct Pair {
    double a, b;
  };

  /// Two factors; the product is next to a middle, at an end of the range, or any.
  Pair factors() {
    if (one_in(3)) return {number(), number()};
    if (one_in(3)) {
      const double a = number(any_exponent());
      return {a, a == 0 ? number() : beside(range_end() / a)};
    }
    const int m = format_.mantissa;
    // a b = middle + s in the last k bits.
    const int k = integer(m, m + 1);
    const std::uint64_t a = odd(), s = std::uint64_t(integer(0, 6)) - 3;
    const std::uint64_t b = (inverse(a) * ((std::uint64_t{1} << (k - 1)) + s)) & mask(k);
    return {composed(a, integer(-20, 20) - m), composed(b, integer(-20, 20) - m)};
  }

  /// Dividend and divisor; quotients next to a middle, or at an end of the range, or any.
  Pair ratio() {
    const int m = format_.mantissa;
    if (one_in(4)) return {number(), number()};
    if (one_in(3)) {
      const double b = number(any_exponent());
      return {beside(range_end() * b), b};
    }
    // q b = a 2^(m+2) + s with q of m + 2 bits: the quotient a 2^(m+2) / b is q less s / b.
    const std::uint64_t b = odd(), s = std::uint64_t(integer(0, 6)) - 3;
    const std::uint64_t q = (inverse(b) * s) & mask(m + 2);
    const std::uint64_t a = high_part(q, b, m + 2);
    return {composed(a, integer(-20, 20) - m), composed(b, integer(-20, 20) - m)};
  }

  /// The third operand of fused: of any size, cancelling, or a trace that turns a tie.
  double third(double a, double b) {
    const double product = a * b;
    if (product == 0 || !std::isfinite(product)) return number();
    const int exponent = std::ilogb(product);
    const auto at = [&](int e) {
      return number(
          std::clamp(e, format_.min_exponent() - format_.mantissa, format_.max_exponent()));
    };
    switch (integer(0, 4)) {
      case 0:
        return -cut(product);
      case 1:
        return at(exponent - integer(50, 120));
      case 2:
        return at(one_in(2) ? format_.min_exponent() - format_.mantissa : exponent - 1000);
      case 3:
        return one_in(2) ? number() : beside(range_end() - product);
      default:
        return at(exponent + integer(-60, 60));
    }
  }

  /// x without the digits that the format does not have; zero if it is too large.
  double cut(double x) const {
    if (x == 0 || !std::isfinite(x)) return x;
    const int last_bit = std::max(std::ilogb(x), format_.min_exponent()) - format_.mantissa;
    const double result = std::ldexp(std::trunc(std::ldexp(x, -last_bit)), last_bit);
    return std::abs(result) <= largest() ? result : 0;
  }

 private:
  static std::uint64_t mask(int k) { return (std::uint64_t{1} << k) - 1; }

  std::uint64_t odd() { return (bits_() & mask(format_.mantissa)) | mask(1) | top(); }
  std::uint64_t top() const { return std::uint64_t{1} << format_.mantissa; }

  /// Modulo 2^64, of an odd number, by Newton's method.
  static std::uint64_t inverse(std::uint64_t a) {
    std::uint64_t x = a;
    for (int k = 0; k < 6; ++k) x *= 2 - a * x;
    return x;
  }

  /// q b / 2^k, rounded to nearest.
  static std::uint64_t high_part(std::uint64_t q, std::uint64_t b, int k) {
    const boost::multiprecision::uint128_t product = boost::multiprecision::uint128_t(q) * b;
    return static_cast<std::uint64_t>((product + (std::uint64_t{1} << (k - 1))) >> k);
  }

  double largest() const {
    return std::ldexp(2 - std::ldexp(1.0, -format_.mantissa), format_.max_exponent());
  }

  /// The largest number, or some halves of the smallest one; of either sign.
  double range_end() {
    const int half_bit = format_.min_exponent() - format_.mantissa - 1;
    const double end = one_in(2) ? largest() : std::ldexp(integer(1, 99), half_bit);
    return one_in(2) ? end : -end;
  }

  /// A number of the format close to x; not a finite one if x is none.
  double beside(double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    const int exponent = std::max(std::ilogb(x), format_.min_exponent());
    return cut(cut(x) + std::ldexp(integer(-2, 2), exponent - format_.mantissa));
  }

  double composed(std::uint64_t digits, int last_bit) {
    const int missing = std::max(0, format_.min_exponent() - format_.mantissa - last_bit);
    digits = missing > 60 ? 0 : digits >> missing;
    const double value = std::ldexp(static_cast<double>(digits), last_bit + missing);
    return one_in(2) ? value : -value;
  }

  SoftName format_;
  std::mt19937_64 bits_;
};

}  // namespace ninefold::testing
