#pragma once
// Software-rounded numbers: sMeE has M explicit mantissa bits and E exponent bits, chosen at run
// time, to try what hardware of that format would do.
//
// Mathematics.  M = 10 to 52 and E = 8 or 11, as IEEE 754 defines such formats: M + 1 significant
// bits, the exponents of float (E = 8) or of double (E = 11), subnormal numbers, infinities, NaN.
// s23e8 is float and s52e11 is double, bit for bit.
//
// Shape.  The value as a double, which holds every number of every such format.  The format is one
// for the whole process, set by a SoftFloat::Scope; outside of any it is s52e11.
//
// Cost.  Some integer operations more than the operation in double.  Products, quotients and roots
// take about ten times as long for M = 51, where every second double is a middle (see Rounding),
// and five times for M = 50; for M = 44 nothing of that is left.  Host only.
//
// Rounding.  Every operation gives the exact result rounded once, to nearest even.  It is computed
// in double, and the number of the format nearest to that is nearest to the exact result as well,
// unless the double lies in the middle between two numbers of the format.  Then the sign of what
// double lost decides, and evenness where it lost nothing.
//
// Tests.  tests/precision/soft_float_test.cpp

#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/error_free.hpp"
#include "precision/fused.hpp"
#include "precision/number.hpp"

namespace ninefold {

/// What rounding to sMeE needs.  "Bits" are those of a positive double as an integer, which has the
/// order of the values.
struct SoftFormat {
  int mantissa = 0, exponent = 0;
  std::uint64_t tail = 0;    ///< the bits that the format does not have
  std::uint64_t half = 0;    ///< half of the format's last bit; 0 for M = 52
  std::uint64_t middle = 0;  ///< the tail of a middle; for M = 52, without middles, what no tail is
  std::uint64_t lowest = 0;  ///< bits from which on `tail` is what is to be dropped
  std::uint64_t range = 0;   ///< from there to the middle between the largest number and the next
                             ///< power of two; for M = 52 to that power

  static constexpr bool is_possible(int mantissa_bits, int exponent_bits) {
    return mantissa_bits >= 10 && mantissa_bits <= 52
           && (exponent_bits == 8 || exponent_bits == 11);
  }

  /// Throws std::invalid_argument unless is_possible(mantissa_bits, exponent_bits).
  constexpr SoftFormat(int mantissa_bits, int exponent_bits)
      : mantissa(mantissa_bits), exponent(exponent_bits) {
    if (!is_possible(mantissa, exponent)) refuse(mantissa, exponent);
    tail = (std::uint64_t{1} << (52 - mantissa)) - 1;
    half = tail == 0 ? 0 : (tail + 1) / 2;
    middle = tail == 0 ? 1 : half;
    // With E = 11 the subnormal numbers of the format are subnormal doubles without the tail.
    lowest = exponent == 8 ? power_of_two(min_exponent()) : 0;
    range = power_of_two(max_exponent() + 1) - half - lowest;
  }

  constexpr int min_exponent() const { return exponent == 8 ? -126 : -1022; }
  constexpr int max_exponent() const { return exponent == 8 ? 127 : 1023; }
  double unit_roundoff() const { return std::ldexp(1.0, -mantissa - 1); }

 private:
  [[noreturn]] static void refuse(int mantissa, int exponent);
  static constexpr std::uint64_t power_of_two(int n) {
    return static_cast<std::uint64_t>(n + 1023) << 52;
  }
};

class SoftFloat {
 public:
  /// Sets the format while it lives, then restores the one before.  To be made and ended outside of
  /// parallel regions: the threads that start later all read it.  A SoftFloat must not outlive the
  /// scope in which it was computed, which is not checked.
  class Scope {
   public:
    /// Throws std::invalid_argument unless the mantissa has 10 to 52 bits, the exponent 8 or 11,
    /// and std::logic_error while another thread holds a scope.
    Scope(int mantissa, int exponent);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    SoftFormat before_;
  };

  /// Of the format in force.
  static int mantissa() { return format_.mantissa; }
  static int exponent() { return format_.exponent; }
  static double unit_roundoff() { return format_.unit_roundoff(); }

  SoftFloat() = default;  ///< Not initialised, as for float and double.

  /// The nearest number of the format.
  explicit SoftFloat(double x) : value_(rounded({x, 0})) {}
  explicit SoftFloat(float x) : SoftFloat(static_cast<double>(x)) {}
  template <SmallInteger I>
  explicit SoftFloat(I x) : SoftFloat(static_cast<double>(x)) {}
  template <Word F>
  explicit SoftFloat(const DoubleWord<F>& x) {
    value_ = is_finite(x) ? rounded(two_sum(double{x.high}, double{x.low})) : double{x.high};
  }

  /// Exact.
  explicit operator double() const { return value_; }
  /// The nearest float.
  explicit operator float() const { return static_cast<float>(value_); }
  /// Towards zero; requires that the result is an int, which is not checked.
  explicit operator int() const { return static_cast<int>(value_); }
  /// As from double.
  template <Word F>
  explicit operator DoubleWord<F>() const {
    return DoubleWord<F>(value_);
  }

  friend SoftFloat operator+(SoftFloat a, SoftFloat b) {
    return of(rounded(two_sum(a.value_, b.value_)));
  }
  friend SoftFloat operator-(SoftFloat a, SoftFloat b) { return a + -b; }
  friend SoftFloat operator*(SoftFloat a, SoftFloat b) {
    const double product = a.value_ * b.value_;
    return of(rounded(product, [&] { return error_sign(a.value_, b.value_, -product, 0); }));
  }
  friend SoftFloat operator/(SoftFloat a, SoftFloat b) {
    const double quotient = a.value_ / b.value_;
    return of(rounded(quotient, [&] {
      const double rest = error_sign(-quotient, b.value_, a.value_, 0);
      return b.value_ < 0 ? -rest : rest;
    }));
  }
  /// a b + c, rounded once.
  friend SoftFloat fused(SoftFloat a, SoftFloat b, SoftFloat c) {
    const double result = ninefold::fused(a.value_, b.value_, c.value_);
    return of(rounded(result, [&] { return error_sign(a.value_, b.value_, c.value_, -result); }));
  }
  friend SoftFloat sqrt(SoftFloat a) {
    const double root = std::sqrt(a.value_);
    return of(rounded(root, [&] { return error_sign(-root, root, a.value_, 0); }));
  }

  /// Exact.
  friend SoftFloat operator-(SoftFloat a) { return of(-a.value_); }
  friend SoftFloat abs(SoftFloat a) { return of(std::abs(a.value_)); }

  friend bool operator==(SoftFloat a, SoftFloat b) = default;
  friend auto operator<=>(SoftFloat a, SoftFloat b) = default;

  friend bool is_finite(SoftFloat a) { return a.value_ - a.value_ == 0; }
  friend bool is_nan(SoftFloat a) { return a.value_ != a.value_; }

  SoftFloat& operator+=(SoftFloat b) { return *this = *this + b; }
  SoftFloat& operator-=(SoftFloat b) { return *this = *this - b; }
  SoftFloat& operator*=(SoftFloat b) { return *this = *this * b; }
  SoftFloat& operator/=(SoftFloat b) { return *this = *this / b; }

 private:
  static SoftFloat of(double number_of_the_format) {
    SoftFloat result;
    result.value_ = number_of_the_format;
    return result;
  }

  /// x.value + x.error rounded to the format, where x.value is the double nearest to the sum.
  /// Without a branch for middles: half of all sums of two numbers of one size are middles.
  static double rounded(Rounded<double> x) {
    const auto bits = std::bit_cast<std::uint64_t>(x.value);
    if (is_outside(bits)) [[unlikely]] {
      return x.value == 0 || x.value - x.value != 0 ? x.value : rounded_outside(x.value, x.error);
    }
    return std::bit_cast<double>(rounded_middle(bits, x.error));
  }

  /// The same with an error of which error() gives the sign; it is called where that is needed.
  template <class Error>
  static double rounded(double x, Error error) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    if (is_outside(bits)) [[unlikely]] {
      return x == 0 || x - x != 0 ? x : rounded_outside(x, error());
    }
    if ((bits & format_.tail) == format_.middle) [[unlikely]] {
      return std::bit_cast<double>(rounded_middle(bits, error()));
    }
    return std::bit_cast<double>((bits + format_.half) & ~format_.tail);
  }

  static bool is_outside(std::uint64_t bits) {
    return (bits & ~sign) - format_.lowest >= format_.range;
  }

  /// The bits rounded; in a middle away from zero if the error says so, or evenness.
  static std::uint64_t rounded_middle(std::uint64_t bits, double error) {
    const auto error_bits = std::bit_cast<std::uint64_t>(error);
    const std::uint64_t outwards = ~(error_bits ^ bits) >> 63;
    const std::uint64_t odd = (bits & (format_.tail + 1)) != 0;
    const std::uint64_t away = (error_bits & ~sign) == 0 ? odd : outwards;
    return (bits + (format_.tail >> 1) + (away & format_.tail & 1)) & ~format_.tail;
  }

  /// The same for finite results that are subnormal for E = 8, or overflow.
  static double rounded_outside(double x, double error);

  /// A number with the sign of x y + z + w, zero if that is zero, for finite operands; requires
  /// that not two of the three terms are smaller than the third by a factor of 2^400.
  static double error_sign(double x, double y, double z, double w);

  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  static SoftFormat format_;

  double value_;
};

/// A format known at run time only: SoftFloat::unit_roundoff(), and facts() in
/// precision/precision.hpp.
template <>
struct Format<SoftFloat> {
  static constexpr std::string_view name = "soft";
  static constexpr int bits = 64;
};

template <>
inline double unit_roundoff<SoftFloat>() {
  return SoftFloat::unit_roundoff();
}

static_assert(std::is_trivially_copyable_v<SoftFloat> && sizeof(SoftFloat) == 8);
static_assert(Number<SoftFloat>);

}  // namespace ninefold
