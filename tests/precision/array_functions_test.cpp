// Elementary functions of arrays: pairs of doubles for many arguments, 50 digits and more for those
// that hurt.
#include "precision/array_functions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <boost/math/constants/constants.hpp>

#include "precision/elementary.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::Wide;
using testing::WordSource;

using ArrayFunction = void (*)(std::span<const double>, double*);

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double value_of(ArrayFunction f, double x) {
  f({&x, 1}, &x);
  return x;
}
double power(double x, double exponent) {
  power_of({&x, 1}, {&exponent, 1}, &x);
  return x;
}

/// A unit in the last place of a number of this exponent, 1 <= |x| 2^-exponent < 2.
double unit(int exponent) {
  return std::ldexp(1.0, std::max(exponent - 52, -1074));
}
double units_off(double computed, const Exact& expected) {
  int exponent = 0;
  (void)frexp(expected, &exponent);
  return static_cast<double>(Exact(abs(computed - expected) / unit(exponent - 1)));
}
double units_off(double computed, DoubleDouble expected) {
  const double size = std::abs(expected.high);
  int exponent = std::ilogb(size);
  if (size == std::ldexp(1.0, exponent) && (expected.low < 0) == (expected.high > 0)) --exponent;
  return std::abs((expected - computed).high) / unit(exponent);
}

// log x = y + log(1 + d) for any y close to it, d = x e^-y - 1: near 1 without cancellation.
DoubleDouble pair_log(DoubleDouble x) {
  const double y = std::log(x.high);
  const DoubleDouble d =
      std::abs(y) < 1 ? (x - 1.0) + x * expm1(DoubleDouble(-y)) : x * exp(DoubleDouble(-y)) - 1.0;
  return y + (d - 0.5 * d * d);
}
DoubleDouble pair_sinh(DoubleDouble x) {
  const DoubleDouble E = expm1(x);
  return 0.5 * (E + E / (E + 1.0));
}

/// Most arguments of a range, evenly or by their exponents.
struct Measured {
  const char* name;
  ArrayFunction computed;
  DoubleDouble (*expected)(DoubleDouble);
  double first, last, bound;
  bool by_exponents;
};

TEST_CASE("elementary functions of arrays keep their bounds at many arguments",
          "[precision][array_functions]") {
  using D = DoubleDouble;
  static const D ln_2 = pair_log(2.0), ln_10 = pair_log(10.0);
  const auto sine = [](D x) { return sin(x); };
  const auto cosine = [](D x) { return cos(x); };
  const auto tangent = [](D x) { return sin(x) / cos(x); };
  const auto power_of_e = [](D x) { return exp(x); };
  const auto cosh = [](D x) { return 0.5 * (exp(x) + exp(-x)); };
  const auto tanh = [](D x) {
    const D E = expm1(x + x);
    return E / (E + 2.0);
  };
  const auto by_2 = [](D x) { return pair_log(x) / ln_2; };
  const auto by_10 = [](D x) { return pair_log(x) / ln_10; };
  const Measured m =
      GENERATE_COPY(values<Measured>({{"sin", sin_of, sine, -4, 4, 0.9, false},
                                      {"sin", sin_of, sine, 1e-200, 1000, 0.9, true},
                                      {"cos", cos_of, cosine, -4, 4, 0.9, false},
                                      {"cos", cos_of, cosine, 1e-200, 1000, 0.9, true},
                                      {"tan", tan_of, tangent, -4, 4, 4, false},
                                      {"exp", exp_of, power_of_e, -1, 1, 0.75, false},
                                      {"exp", exp_of, power_of_e, -600, 708, 0.75, false},
                                      {"sinh", sinh_of, pair_sinh, -3, 3, 4, false},
                                      {"sinh", sinh_of, pair_sinh, 1e-200, 700, 4, true},
                                      {"cosh", cosh_of, cosh, -3, 3, 4, false},
                                      {"cosh", cosh_of, cosh, 1e-200, 700, 4, true},
                                      {"tanh", tanh_of, tanh, -3, 3, 4, false},
                                      {"tanh", tanh_of, tanh, 1e-200, 300, 4, true},
                                      {"log", log_of, pair_log, 0.5, 2, 0.95, false},
                                      {"log", log_of, pair_log, 1e-250, 1e250, 0.95, true},
                                      {"log2", log2_of, by_2, 0.5, 2, 2, false},
                                      {"log2", log2_of, by_2, 1e-250, 1e250, 2, true},
                                      {"log10", log10_of, by_10, 0.5, 2, 2, false},
                                      {"log10", log10_of, by_10, 1e-250, 1e250, 2, true}}));
  CAPTURE(m.name, m.first, m.last);
  WordSource<double> source(53);
  std::vector<double> x(static_cast<std::size_t>(testing::samples()));
  for (double& v : x) {
    const double part =
        (source.integer(0, (1 << 30) - 1) + source.integer(0, 1 << 20) * 0x1p-20) * 0x1p-30;
    v = m.by_exponents ? std::exp((1 - part) * std::log(m.first) + part * std::log(m.last))
                       : m.first + part * (m.last - m.first);
  }
  std::vector<double> computed(x.size());
  m.computed(x, computed.data());
  double worst = 0, where = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double off = units_off(computed[k], m.expected(x[k]));
    if (off <= worst) continue;
    worst = off, where = x[k];
  }
  CAPTURE(where);
  REQUIRE(worst > 0.49);
  REQUIRE(worst <= m.bound);
}

// Multiples of pi/4, where sin and cos vanish or the reduction jumps, close to them, and what is
// reduced by integers: all exponents, the double that is closest to a multiple of pi/2.
TEST_CASE("sin, cos and tan of arrays keep their bounds at angles of any size",
          "[precision][array_functions]") {
  const Wide pi = boost::math::constants::pi<Wide>();
  std::vector<double> x{0x1.6ac5b262ca1ffp+849, 0x1p24, 0x1.0000000000001p24, 0x1.fffffffffffffp23,
                        std::numeric_limits<double>::max()};
  for (int k = 1; k < 300; ++k) {
    const auto near = static_cast<double>(Wide(k * pi / 4));
    x.insert(x.end(), {near, std::nextafter(near, 0.0), std::nextafter(near, infinity)});
  }
  WordSource<double> source(54);
  for (int k = 0; k < 600; ++k) x.push_back(source.word({18, 1023}));
  for (int k = 0; k < 200; ++k) {
    x.push_back(static_cast<double>(Wide(source.integer(1, 1 << 30) * pi / 2)));
  }
  double sine = 0, cosine = 0, tangent = 0;
  for (const double v : x) {
    CAPTURE(v);
    const Wide quarters = floor(Wide(v / (pi / 2) + 0.5));
    const auto r = static_cast<Exact>(Wide(v - quarters * (pi / 2)));
    const int quarter = static_cast<int>(Wide(quarters - 4 * floor(Wide(quarters / 4))));
    const Exact s = quarter % 2 == 0 ? sin(r) : cos(r), c = quarter % 2 == 0 ? cos(r) : sin(r);
    const Exact sin_x = quarter < 2 ? s : -s, cos_x = quarter % 3 == 0 ? c : -c;
    sine = std::max(sine, units_off(value_of(sin_of, v), sin_x));
    cosine = std::max(cosine, units_off(value_of(cos_of, v), cos_x));
    tangent = std::max(tangent, units_off(value_of(tan_of, v), Exact(sin_x / cos_x)));
  }
  REQUIRE(sine <= 0.9);
  REQUIRE(cosine <= 0.9);
  REQUIRE(tangent <= 4);
}

TEST_CASE("powers of arrays keep their bound", "[precision][array_functions]") {
  WordSource<double> source(55);
  const long n = testing::samples() / 50;  // the oracle is slow
  for (long k = 0; k < n; ++k) {
    const double x = std::abs(
        source.word(k % 2 == 0 ? testing::Exponents{-1, 1} : testing::whole_range<double>));
    const double exponent = source.word({-8, k % 4 == 0 ? 10 : 2});
    const Exact at = exponent * log(Exact(x)), expected = exp(at);
    CAPTURE(x, exponent, at);
    const double computed = power(x, exponent);
    if (at > 709.7 || at < -745) {
      REQUIRE((at > 0 ? computed > 1.7e308 : computed <= 0x1p-1074));
    } else {
      REQUIRE(units_off(computed, expected) <= 2 + std::abs(static_cast<double>(at)) / 8);
    }
  }
  REQUIRE(power(-3, 3) == Catch::Approx(-27).epsilon(1e-15));
  REQUIRE(power(-2, -2) == 0.25);
  REQUIRE(std::isnan(power(-2, 0.5)));
  for (const double x : {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, infinity, -infinity, not_a_number}) {
    for (const double e : {0.0, 1.0, -1.0, 2.0, 3.0, infinity, -infinity, not_a_number}) {
      CAPTURE(x, e);
      const double computed = power(x, e), expected = std::pow(x, e);
      REQUIRE((std::isnan(expected) ? std::isnan(computed) : computed == expected));
    }
  }
}

TEST_CASE("elementary functions of arrays at the ends of their ranges and beyond",
          "[precision][array_functions]") {
  const auto is_negative_zero = [](double x) { return x == 0 && std::signbit(x); };
  for (const ArrayFunction f :
       {sin_of, cos_of, tan_of, exp_of, sinh_of, cosh_of, tanh_of, log_of, log2_of, log10_of}) {
    REQUIRE(std::isnan(value_of(f, not_a_number)));
    REQUIRE(std::isnan(value_of(f, -not_a_number)));
  }
  for (const ArrayFunction f : {sin_of, cos_of, tan_of}) {
    REQUIRE(std::isnan(value_of(f, infinity)));
    REQUIRE(std::isnan(value_of(f, -infinity)));
  }
  for (const ArrayFunction f : {sin_of, tan_of, sinh_of, tanh_of}) {
    REQUIRE(is_negative_zero(value_of(f, -0.0)));
    REQUIRE_FALSE(is_negative_zero(value_of(f, 0.0)));
    REQUIRE(value_of(f, 0x1p-1074) == 0x1p-1074);
    REQUIRE(value_of(f, -0x1p-1030) == -0x1p-1030);
  }
  for (const ArrayFunction f : {cos_of, exp_of, cosh_of}) REQUIRE(value_of(f, -0.0) == 1);

  for (const double x : {-708.5, -720.0, -744.4, 708.5, 709.78}) {
    CAPTURE(x);
    REQUIRE(units_off(value_of(exp_of, x), Exact(exp(Exact(x)))) <= 1);
  }
  REQUIRE(value_of(exp_of, 709.79) == infinity);
  REQUIRE(value_of(exp_of, infinity) == infinity);
  REQUIRE(value_of(exp_of, -746) == 0);
  REQUIRE(value_of(exp_of, -infinity) == 0);
  for (const double x : {708.5, 710.4}) {
    REQUIRE(units_off(value_of(sinh_of, -x), Exact(-exp(Exact(x)) / 2)) <= 4);
    REQUIRE(units_off(value_of(cosh_of, -x), Exact(exp(Exact(x)) / 2)) <= 4);
  }
  REQUIRE(value_of(sinh_of, -711) == -infinity);
  REQUIRE(value_of(cosh_of, -infinity) == infinity);
  REQUIRE(value_of(tanh_of, infinity) == 1);
  REQUIRE(value_of(tanh_of, -20.5) == -1);

  for (const ArrayFunction f : {log_of, log2_of, log10_of}) {
    REQUIRE(value_of(f, 0.0) == -infinity);
    REQUIRE(value_of(f, -0.0) == -infinity);
    REQUIRE(value_of(f, infinity) == infinity);
    REQUIRE(std::isnan(value_of(f, -1)));
    REQUIRE(std::isnan(value_of(f, -0x1p-1074)));
    REQUIRE(std::isnan(value_of(f, -infinity)));
    REQUIRE(value_of(f, 1) == 0);
  }
  for (const double x : {0x1p-1074, 0x1.8p-1060, 0x1p-1022, std::numeric_limits<double>::max()}) {
    REQUIRE(units_off(value_of(log_of, x), Exact(log(Exact(x)))) <= 0.95);
  }
  for (int k = -1074; k < 1024; ++k) REQUIRE(value_of(log2_of, std::ldexp(1.0, k)) == k);
  double ten = 1;
  for (int k = 0; k <= 22; ++k, ten *= 10) REQUIRE(value_of(log10_of, ten) == k);
}

TEST_CASE("elementary functions of arrays do not depend on what is beside, nor on the place",
          "[precision][array_functions]") {
  WordSource<double> source(56);
  std::vector<double> x(321);
  for (double& v : x)
    v = source.word(source.one_in(4) ? testing::Exponents{-20, 40} : testing::moderate);
  for (const ArrayFunction f :
       {sin_of, cos_of, tan_of, exp_of, sinh_of, cosh_of, tanh_of, log_of, log2_of, log10_of}) {
    std::vector<double> all(x.size()), in_place = x;
    f(x, all.data());
    f(in_place, in_place.data());
    for (std::size_t k = 0; k < x.size(); ++k) {
      CAPTURE(x[k]);
      const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v); };
      REQUIRE(bits(all[k]) == bits(in_place[k]));
      REQUIRE(bits(all[k]) == bits(value_of(f, x[k])));
    }
  }
}

// No library and no compiler decides these; they are no results to aim at.
TEST_CASE("elementary functions of arrays have these bits on every machine",
          "[precision][array_functions]") {
  REQUIRE(value_of(sin_of, 0.1) == 0x1.98eaecb8bcb2cp-4);
  REQUIRE(value_of(sin_of, 0x1.b88d2fceb9fd8p-1) == 0x1.842a991cc1998p-1);
  REQUIRE(value_of(sin_of, 22.0) == -0x1.220a29f6eb9f4p-7);
  REQUIRE(value_of(sin_of, 1e22) == -0x1.b453ab76bf397p-1);
  REQUIRE(value_of(cos_of, 0.1) == 0x1.fd712f9a817c1p-1);
  REQUIRE(value_of(cos_of, -0x1.80f212f854ee6p-1) == 0x1.75fac0bb9128p-1);
  REQUIRE(value_of(cos_of, 1e300) == -0x1.2699022adc4c1p-1);
  REQUIRE(value_of(tan_of, 0x1.8b2fb15117518p-1) == 0x1.f24f3e6b18394p-1);
  REQUIRE(value_of(tan_of, -1e10) == 0x1.1de000f443f5p-1);
  REQUIRE(value_of(exp_of, 0.1) == 0x1.1aec7b35a00d4p+0);
  REQUIRE(value_of(exp_of, -700.25) == 0x1.af5fe9a485c8ep-1011);
  REQUIRE(value_of(exp_of, -740.0) == 0x1.54p-1068);
  REQUIRE(value_of(sinh_of, 0x1.ece225bf2751p-3) == 0x1.f1a7b81e0e89ap-3);
  REQUIRE(value_of(cosh_of, 0x1.be7a2b63b5ed6p+0) == 0x1.794c57e78896ap+1);
  REQUIRE(value_of(tanh_of, 0x1.fcf8428828eap-4) == 0x1.fa5dc23c74e7dp-4);
  REQUIRE(value_of(log_of, 0.1) == -0x1.26bb1bbb55515p+1);
  REQUIRE(value_of(log_of, 0x1.6889054b244cbp-1) == -0x1.67270e993ce9p-2);
  REQUIRE(value_of(log_of, 1e-320) == -0x1.7069e3078e52dp+9);
  REQUIRE(value_of(log2_of, 0x1.6847fbd2789f6p+0) == 0x1.f8cf9ea83eabp-2);
  REQUIRE(value_of(log10_of, 0x1.69e22a6fc78d7p-1) == -0x1.34a2d849914ffp-3);
  REQUIRE(power(1.1, 123.4) == 0x1.f4bef1e0a391fp+16);
  REQUIRE(power(2, 0.5) == 0x1.6a09e667f3bcdp+0);
}

}  // namespace
}  // namespace ninefold
