#include "precision/elementary.hpp"

#include <cmath>

#include <boost/math/constants/constants.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::eta;
using testing::exact;
using testing::Exponents;
using testing::ObservedError;
using testing::WordSource;

/// e^x - 1; the oracle's own cancellation leaves 128 bits.
Exact exact_expm1(const Exact& x) {
  if (abs(x) > ldexp(Exact(1), -40)) return exp(x) - 1;
  return x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)));
}

/// What a function is measured with: arguments of either sign and these exponents, up to `largest`.
struct Measured {
  const char* name;
  DoubleDouble (*computed)(DoubleDouble);
  Exact (*exact)(const Exact&);
  Exponents exponents;
  double smallest, largest;
  double bound;  ///< in u^2
  Exact slack;
};

std::vector<Measured> measured() {
  const auto ex = [](const Exact& x) -> Exact { return exp(x); };
  const auto sine = [](const Exact& x) -> Exact { return sin(x); };
  const auto cosine = [](const Exact& x) -> Exact { return cos(x); };
  const Exact none = 0, far = ldexp(Exact(1), -128), smallest = Exact(eta<double>);
  return {{"exp", exp, ex, {-60, 2}, 0, 5, 7, none},
          {"exp, whole range", exp, ex, {3, 9}, 5, 700, 7, smallest},
          {"expm1, |x| <= 0.34", expm1, exact_expm1, {-300, -2}, 0, 0.34, 6, none},
          {"expm1", expm1, exact_expm1, {-2, 9}, 0.34, 700, 20, none},
          {"sin, |x| <= 0.78", sin, sine, {-300, -1}, 0, 0.78, 5, none},
          {"sin", sin, sine, {-1, 9}, 0.78, 1000, 12, far},
          {"cos, |x| <= 0.78", cos, cosine, {-300, -1}, 0, 0.78, 7, none},
          {"cos", cos, cosine, {-1, 9}, 0.78, 1000, 12, far}};
}

TEST_CASE("elementary functions of pairs keep their bounds", "[precision][elementary]") {
  WordSource<double> source(31);
  const long n = testing::samples() / 20;  // the oracle is slow
  for (const Measured& m : measured()) {
    ObservedError<double> observed(m.name, m.bound);
    for (long k = 0; k < n; ++k) {
      const DoubleDouble x = source.pair(m.exponents);
      if (std::abs(x.high) < m.smallest || std::abs(x.high) > m.largest) continue;
      const DoubleDouble computed = m.computed(x);
      const Exact expected = m.exact(exact(x));
      observed.add(computed, exact(computed) - expected, abs(expected), m.slack, x, x);
    }
    observed.report();
  }
}

// Half multiples of pi, where sin and cos cancel to nothing, and of ln 2, where the reduction
// jumps.
TEST_CASE("elementary functions keep their bounds at the places of their reductions",
          "[precision][elementary]") {
  const Exact pi = boost::math::constants::pi<Exact>(), ln_2 = log(Exact(2));
  const auto nearest = [](const Exact& x) {
    const double high = static_cast<double>(x);
    return DoubleDouble(high, static_cast<double>(Exact(x - high)));
  };
  ObservedError<double> sine("sin near k pi/4", 12), cosine("cos near k pi/4", 12);
  ObservedError<double> exponential("exp near k ln(2)/2", 7), less_one("expm1 near k ln(2)/2", 20);
  const Exact slack = ldexp(Exact(1), -128);
  for (int k = -630; k <= 630; ++k) {
    for (const double shift : {0.0, 0x1p-60, -0x1p-60, 0x1p-104, -0x1p-104, 0x1p-20, -0x1p-20}) {
      const DoubleDouble x = nearest(k * pi / 4 + shift), y = nearest(k * ln_2 / 2 + shift);
      const Exact s = sin(exact(x)), c = cos(exact(x)), e = exp(exact(y));
      sine.add(sin(x), exact(sin(x)) - s, abs(s), slack, x, x);
      cosine.add(cos(x), exact(cos(x)) - c, abs(c), slack, x, x);
      exponential.add(exp(y), exact(exp(y)) - e, e, 0, y, y);
      const Exact f = exact_expm1(exact(y));
      less_one.add(expm1(y), exact(expm1(y)) - f, abs(f), 0, y, y);
    }
  }
  sine.report();
  cosine.report();
  exponential.report();
  less_one.report();
}

TEST_CASE("elementary functions at zero, at the ends of the range and beyond",
          "[precision][elementary]") {
  const DoubleDouble zero(0), infinite(INFINITY), nan(NAN);
  REQUIRE(exp(zero) == DoubleDouble(1));
  REQUIRE(expm1(zero) == zero);
  REQUIRE(sin(zero) == zero);
  REQUIRE(cos(zero) == DoubleDouble(1));

  REQUIRE(is_finite(exp(DoubleDouble(709.5))));
  for (const double x : {709.79, 710.5, 1e300, double(INFINITY)}) {
    REQUIRE_FALSE(is_finite(exp(DoubleDouble(x))));
    REQUIRE_FALSE(is_finite(expm1(DoubleDouble(x))));
  }
  REQUIRE(exp(DoubleDouble(-745)).high == eta<double>);
  for (const double x : {-747.0, -1e300, -double(INFINITY)}) {
    REQUIRE(exp(DoubleDouble(x)) == zero);
    REQUIRE(expm1(DoubleDouble(x)) == DoubleDouble(-1));
  }
  for (const double x : {1000.5, -1e300, double(INFINITY)}) {
    REQUIRE(is_nan(sin(DoubleDouble(x))));
    REQUIRE(is_nan(cos(DoubleDouble(x))));
  }
  for (const auto& f : {exp, expm1, sin, cos}) REQUIRE(is_nan(f(nan)));
}

TEST_CASE("wide_pi is the nearest pair to pi", "[precision][elementary]") {
  const Exact pi = boost::math::constants::pi<Exact>();
  REQUIRE(wide_pi.high == static_cast<double>(pi));
  REQUIRE(wide_pi.low == static_cast<double>(Exact(pi - wide_pi.high)));
}

}  // namespace
}  // namespace ninefold
