#include "precision/soft_float.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/soft_samples.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::nearest;
using testing::soft_names;
using testing::SoftName;
using testing::SoftSource;
using testing::Wide;

/// Holds a b + c for any doubles.
using Widest = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<4400, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)
         || (std::isnan(a) && std::isnan(b));
}

/// Compares results of one operation with exact ones, in all formats.
class Comparison {
 public:
  explicit Comparison(std::string operation) : operation_(std::move(operation)) {}

  /// `in_double` is the operation in double: it tells what exact numbers do not, infinities, NaN
  /// and the sign of zero.  exact() is called for finite operands with a finite result only.
  template <class Exactly>
  void add(const SoftName& format, SoftFloat computed, double in_double, bool is_exact,
           Exactly exact, double a, double b = 0, double c = 0) {
    ++count_;
    double expected = in_double;
    if (is_exact) {
      expected = std::copysign(nearest(format, exact()), in_double);
      if (!same(std::copysign(nearest(format, Exact(in_double)), in_double), expected)) ++twice_;
    }
    const auto result = static_cast<double>(computed);
    if (same(result, expected)) return;
    char text[300];
    std::snprintf(text, sizeof(text), "s%de%d: %s of %a, %a, %a: %a, should be %a", format.mantissa,
                  format.exponent, operation_.c_str(), a, b, c, result, expected);
    FAIL(text);
  }

  /// Requires that rounding to double and then to the format would have been seen to be wrong.
  void report() const {
    std::printf("%-5s %9ld samples; two roundings would be wrong in %ld\n", operation_.c_str(),
                count_, twice_);
    REQUIRE(twice_ > count_ / 1000);
  }

 private:
  std::string operation_;
  long count_ = 0, twice_ = 0;
};

/// Calls f(format, source, n) in the scope of each format with its share of the samples.
template <class F>
void for_formats(std::uint64_t seed, F f) {
  for (const SoftName& format : soft_names) {
    const SoftFloat::Scope scope(format.mantissa, format.exponent);
    SoftSource source(format, seed);
    const long n = testing::samples() / static_cast<long>(soft_names.size()) + 1;
    for (long k = 0; k < n; ++k) f(format, source);
  }
}

/// A number of the format, as which it must be taken without change.
SoftFloat soft(double x) {
  const SoftFloat result(x);
  if (!same(static_cast<double>(result), x)) FAIL(x << " changed");
  return result;
}

TEST_CASE("sums and differences are rounded once", "[precision][soft_float]") {
  Comparison sum("a + b"), difference("a - b");
  for_formats(41, [&](const SoftName& format, SoftSource& source) {
    double a = source.number(), b = source.cut(source.addend(a));
    if (source.one_in(2)) std::swap(a, b);
    const bool finite = std::isfinite(a) && std::isfinite(b);
    const SoftFloat x = soft(a), y = soft(b);
    sum.add(
        format, x + y, a + b, finite, [&] { return Wide(a) + Wide(b); }, a, b);
    difference.add(
        format, x - y, a - b, finite, [&] { return Wide(a) - Wide(b); }, a, b);
  });
  sum.report();
  difference.report();
}

TEST_CASE("products are rounded once", "[precision][soft_float]") {
  Comparison product("a * b");
  for_formats(42, [&](const SoftName& format, SoftSource& source) {
    const auto [a, b] = source.factors();
    const bool finite = std::isfinite(a) && std::isfinite(b);
    product.add(
        format, soft(a) * soft(b), a * b, finite, [&] { return Exact(a) * b; }, a, b);
  });
  product.report();
}

// Quotients and roots in 168 bits: of operands of 53 bits they are 2^-110 away from a middle at
// least, if not in it, and middles are exact.
TEST_CASE("quotients are rounded once", "[precision][soft_float]") {
  Comparison quotient("a / b");
  for_formats(43, [&](const SoftName& format, SoftSource& source) {
    const auto [a, b] = source.ratio();
    const bool finite = std::isfinite(a) && std::isfinite(b) && b != 0;
    quotient.add(
        format, soft(a) / soft(b), a / b, finite, [&] { return Exact(a) / b; }, a, b);
  });
  quotient.report();
}

TEST_CASE("square roots are rounded once", "[precision][soft_float]") {
  Comparison root("sqrt");
  for_formats(44, [&](const SoftName& format, SoftSource& source) {
    double a = std::abs(source.number());
    if (source.one_in(3)) a = source.cut(a * a);
    if (source.one_in(100)) a = -a;
    const bool finite = std::isfinite(a) && a >= 0;
    root.add(
        format, sqrt(soft(a)), std::sqrt(a), finite, [&] { return sqrt(Exact(a)); }, a);
  });
  root.report();
}

TEST_CASE("fused is rounded once", "[precision][soft_float]") {
  Comparison all("fused");
  for_formats(45, [&](const SoftName& format, SoftSource& source) {
    const auto [a, b] = source.factors();
    const double c = source.third(a, b);
    const bool finite = std::isfinite(a) && std::isfinite(b) && std::isfinite(c);
    all.add(
        format, fused(soft(a), soft(b), soft(c)), std::fma(a, b, c), finite,
        [&] { return Widest(a) * Widest(b) + Widest(c); }, a, b, c);
  });
  all.report();
}

TEST_CASE("what is converted is rounded once", "[precision][soft_float]") {
  Comparison from_double("double"), from_pair("pair");
  testing::WordSource<double> words(46);
  for_formats(46, [&](const SoftName& format, SoftSource& source) {
    const double a = source.number();
    double x = words.word(testing::whole_range<double>), low = 0;
    if (std::isfinite(a) && source.one_in(2)) {  // a middle, and traces beside it
      const int exponent = std::max(a == 0 ? -2000 : std::ilogb(a), format.min_exponent());
      x = a + std::ldexp(1.0, exponent - format.mantissa - 1);
      low =
          std::ldexp(source.integer(-1, 1), source.integer(-1074, std::max(exponent - 60, -1074)));
    }
    const DoubleDouble pair = DoubleDouble::normalise(x, low);
    from_double.add(
        format, SoftFloat(x), x, std::isfinite(x), [&] { return Exact(x); }, x);
    from_pair.add(
        format, SoftFloat(pair), pair.high, is_finite(pair),
        [&] { return Wide(pair.high) + Wide(pair.low); }, pair.high, pair.low);
    const auto single = static_cast<float>(x);
    if (!same(double(SoftFloat(single)), double(SoftFloat(double(single))))) FAIL("float");
  });
  from_pair.report();
}

TEST_CASE("conversions of single values", "[precision][soft_float]") {
  const SoftFloat::Scope scope(10, 8);
  REQUIRE(static_cast<double>(SoftFloat(2049)) == 2048);
  REQUIRE(static_cast<double>(SoftFloat(-2051)) == -2052);
  REQUIRE(static_cast<int>(SoftFloat(-2.75)) == -2);
  REQUIRE(static_cast<double>(SoftFloat(DoubleSingle(2049))) == 2048);
  REQUIRE(static_cast<double>(SoftFloat(DoubleSingle(2049, 0x1p-20F))) == 2050);
  REQUIRE(static_cast<double>(SoftFloat(DoubleDouble(INFINITY, NAN))) == INFINITY);
  REQUIRE(static_cast<DoubleDouble>(SoftFloat(0.1)) == DoubleDouble(0x1.998p-4));
  const SoftFloat::Scope wide(40, 11);
  REQUIRE(static_cast<float>(SoftFloat(0.1)) == 0.1F);
  REQUIRE(static_cast<double>(static_cast<DoubleSingle>(SoftFloat(0.1))) == 0x1.999999999ap-4);
  REQUIRE(is_nan(SoftFloat(NAN)));
}

/// Every operation of SoftFloat on the bits of the hardware's F.
template <Word F>
void compare_with_hardware(int mantissa, int exponent) {
  using Bits = std::conditional_t<std::is_same_v<F, float>, std::uint32_t, std::uint64_t>;
  const SoftFloat::Scope scope(mantissa, exponent);
  std::mt19937_64 random(47 + 1000 * std::uint64_t{Catch::getSeed()});
  testing::WordSource<F> source(47);
  const auto number = [&]() -> F {
    switch (source.integer(0, 3)) {
      case 0:
        return std::bit_cast<F>(static_cast<Bits>(random()));
      case 1:
        return source.word(testing::whole_range<F>);
      default:
        return source.word(testing::moderate);
    }
  };
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const F a = number(), b = number(), c = source.one_in(2) ? number() : -a * b;
    const SoftFloat x(a), y(b), z(c);
    const auto check = [&](const char* operation, SoftFloat computed, F expected) {
      if (same(static_cast<double>(computed), static_cast<double>(expected))) return;
      CAPTURE(operation, a, b, c, static_cast<double>(computed), expected);
      FAIL("other bits than the hardware's");
    };
    check("+", x + y, a + b);
    check("-", x - y, a - b);
    check("*", x * y, a * b);
    check("/", x / y, a / b);
    check("fused", fused(x, y, z), std::fma(a, b, c));
    check("sqrt", sqrt(x), std::sqrt(a));
    check("float", SoftFloat(static_cast<double>(a) * b),
          static_cast<F>(static_cast<double>(a) * b));
    check("back", SoftFloat(static_cast<F>(x)), a);
    if ((x < y) != (a < b) || (x >= y) != (a >= b) || (x == y) != (a == b)) FAIL("comparison");
  }
  SUCCEED();
}

TEST_CASE("s23e8 is float and s52e11 is double, bit for bit", "[precision][soft_float]") {
  compare_with_hardware<float>(23, 8);
  compare_with_hardware<double>(52, 11);
}

TEST_CASE("signs, absolute values, comparisons and assignments", "[precision][soft_float]") {
  const SoftFloat::Scope scope(17, 11);
  const SoftFloat a(3), b(-7), nan(NAN);
  REQUIRE(-a == SoftFloat(-3));
  REQUIRE(abs(b) == SoftFloat(7));
  REQUIRE(std::signbit(static_cast<double>(-SoftFloat(0))));
  REQUIRE((b < a && b <= a && a > b && a >= b && a != b && a == a));
  REQUIRE_FALSE((nan < a || nan > a || nan == nan));
  REQUIRE(is_finite(a));
  REQUIRE_FALSE(is_finite(a / SoftFloat(0)));
  REQUIRE_FALSE(is_finite(nan));
  const auto after = [a](auto change) {
    SoftFloat x = a;
    change(x);
    return x;
  };
  REQUIRE(after([b](SoftFloat& x) { x += b; }) == a + b);
  REQUIRE(after([b](SoftFloat& x) { x -= b; }) == a - b);
  REQUIRE(after([b](SoftFloat& x) { x *= b; }) == a * b);
  REQUIRE(after([b](SoftFloat& x) { x /= b; }) == a / b);
  static_assert(
      !std::is_convertible_v<double, SoftFloat> && !std::is_convertible_v<SoftFloat, double>);
  static_assert(std::is_trivially_default_constructible_v<SoftFloat>);
}

TEST_CASE("a scope sets the format for all threads and restores the one before",
          "[precision][soft_float]") {
  REQUIRE(SoftFloat::mantissa() == 52);
  REQUIRE(SoftFloat::exponent() == 11);
  {
    const SoftFloat::Scope outer(28, 11);
    REQUIRE(unit_roundoff<SoftFloat>() == 0x1p-29);
    {
      const SoftFloat::Scope inner(10, 8);
      REQUIRE(SoftFloat::mantissa() == 10);
      REQUIRE(SoftFloat::exponent() == 8);
      REQUIRE(SoftFloat(1) + SoftFloat(0x1p-11) == SoftFloat(1));
      REQUIRE(SoftFloat(0x1p127) * SoftFloat(2) == SoftFloat(INFINITY));
    }
    REQUIRE(SoftFloat::mantissa() == 28);
    REQUIRE(SoftFloat(1) + SoftFloat(0x1p-28) > SoftFloat(1));
    std::vector<double> third(64);
#pragma omp parallel for num_threads(4)
    for (std::size_t k = 0; k < third.size(); ++k) third[k] = double(SoftFloat(1) / SoftFloat(3));
    for (const double x : third) REQUIRE(x == 0x1.5555555p-2);
  }
  REQUIRE(SoftFloat::mantissa() == 52);
  static_assert(!std::is_copy_constructible_v<SoftFloat::Scope>);
  static_assert(!std::is_copy_assignable_v<SoftFloat::Scope>);
}

TEST_CASE("a second thread is refused while a format is in force", "[precision][soft_float]") {
  const auto refused = [] {
    bool thrown = false;
    std::thread([&] {
      try {
        const SoftFloat::Scope scope(20, 8);
      } catch (const std::logic_error&) {
        thrown = true;
      }
    }).join();
    return thrown;
  };
  {
    const SoftFloat::Scope scope(17, 11);
    REQUIRE(refused());
    REQUIRE(SoftFloat::mantissa() == 17);
  }
  REQUIRE_FALSE(refused());
  REQUIRE(SoftFloat::mantissa() == 52);
}

TEST_CASE("formats that there are not are refused with those that there are",
          "[precision][soft_float]") {
  for (const auto& [m, e] : {SoftName{9, 11}, SoftName{53, 11}, SoftName{28, 9}, SoftName{28, 5},
                             SoftName{-1, 8}, SoftName{0, 0}}) {
    CAPTURE(m, e);
    REQUIRE_THROWS_AS(SoftFloat::Scope(m, e), std::invalid_argument);
    REQUIRE(SoftFloat::mantissa() == 52);
  }
  REQUIRE_THROWS_WITH(SoftFloat::Scope(9, 11),
                      "s9e11 is no software format: sMeE has M = 10 to 52 mantissa bits and E = 8 "
                      "or 11 exponent bits");
  for (int m = 10; m <= 52; ++m) {
    const SoftFloat::Scope narrow(m, 8), wide(m, 11);
    REQUIRE(SoftFloat::unit_roundoff() == std::ldexp(1.0, -m - 1));
  }
}

}  // namespace
}  // namespace ninefold
