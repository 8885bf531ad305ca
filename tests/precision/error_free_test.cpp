#include "precision/error_free.hpp"

#include <cmath>
#include <limits>

#include "experiments/measure/probe/compared_operations.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/types.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::eta;
using testing::exponents;
using testing::moderate;
using testing::whole_range;
using testing::Wide;
using testing::WordSource;

TEMPLATE_TEST_CASE("two_sum loses nothing", "[precision][error_free]", NINEFOLD_VALUE_TYPES) {
  using F = TestType;
  WordSource<F> source(1);
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const F a = source.word(exponents<F>(k));
    const F b = source.partner(DoubleWord<F>(a), exponents<F>(k)).high;
    const Wide exact = Wide(a) + Wide(b);
    const Rounded<F> s = two_sum(a, b);
    CAPTURE(a, b, s.value, s.error);
    if (!std::isfinite(static_cast<F>(exact))) {
      if (std::isfinite(s.value)) FAIL("overflow went unseen");
      continue;
    }
    if (s.value != static_cast<F>(exact)) FAIL("not rounded to nearest");
    if (std::max(std::abs(a), std::abs(b)) == std::numeric_limits<F>::max()) continue;
    if (Wide(s.value) + Wide(s.error) != exact) FAIL("not exact");
    const F larger = std::abs(a) < std::abs(b) ? b : a, smaller = std::abs(a) < std::abs(b) ? a : b;
    const Rounded<F> q = quick_two_sum(larger, smaller);
    if (q.value != s.value || q.error != s.error) FAIL("quick_two_sum differs");
  }
  SUCCEED();
}

TEMPLATE_TEST_CASE("quick_two_sum is exact for equal exponents and for zero in front",
                   "[precision][error_free]", NINEFOLD_VALUE_TYPES) {
  using F = TestType;
  WordSource<F> source(2);
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const int exponent = source.integer(-20, 20);
    const F a = source.word({exponent, exponent}), b = source.word({exponent, exponent});
    const Rounded<F> s = quick_two_sum(a, b);
    CAPTURE(a, b, s.value, s.error);
    if (Wide(s.value) + Wide(s.error) != Wide(a) + Wide(b)) FAIL("not exact");
  }
  const Rounded<F> s = quick_two_sum(F(0), F(3));
  REQUIRE((s.value == 3 && s.error == 0));
}

TEMPLATE_TEST_CASE("both forms of two_product lose nothing above the stated size",
                   "[precision][error_free]", NINEFOLD_VALUE_TYPES) {
  using F = TestType;
  using Limits = std::numeric_limits<F>;
  // e_a + e_b >= e_min + p - 1, where subnormal numbers have the exponent e_min.
  const int e_min = Limits::min_exponent - 1;
  const auto exponent = [=](F x) { return std::max(std::ilogb(x), e_min); };
  const Wide splits_below = ldexp(Wide(1), Limits::max_exponent - 1 - (Limits::digits + 1) / 2);
  WordSource<F> source(3);
  long exact_ones = 0, at_the_limit = 0;
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const F a = source.word(exponents<F>(k));
    F b = source.word(exponents<F>(k));
    const int limit = e_min + Limits::digits - 1 - exponent(a);
    if (k % 8 == 1 && limit >= whole_range<F>.lowest && limit + 1 <= whole_range<F>.highest) {
      b = source.word({limit - 1, limit + 1});
    }
    const Wide exact = Wide(a) * Wide(b);
    const Rounded<F> p = two_product(a, b), q = two_product_by_splitting(a, b);
    CAPTURE(a, b, p.value, p.error, q.value, q.error);
    if (!std::isfinite(static_cast<F>(exact))) {
      if (std::isfinite(p.value) || std::isfinite(q.value)) FAIL("overflow went unseen");
      continue;
    }
    if (p.value != static_cast<F>(exact) || q.value != p.value) FAIL("not rounded to nearest");
    const bool splits = abs(Wide(a)) < splits_below && abs(Wide(b)) < splits_below
                        && abs(exact) < ldexp(Wide(1), Limits::max_exponent - 1);
    if (exponent(a) + exponent(b) >= e_min + Limits::digits - 1) {
      ++exact_ones;
      if (exponent(a) + exponent(b) == e_min + Limits::digits - 1) ++at_the_limit;
      if (Wide(p.value) + Wide(p.error) != exact) FAIL("not exact");
      if (splits && q.error != p.error) FAIL("splitting is not exact");
    } else {
      if (abs(Wide(p.value) + Wide(p.error) - exact) > Wide(eta<F>) / 2) {
        FAIL("underflow costs more than half of the smallest number");
      }
    }
    if (!splits && std::isfinite(q.error) && Wide(q.value) + Wide(q.error) != exact) {
      FAIL("a split that overflowed gave finite nonsense");
    }
  }
  REQUIRE(exact_ones > testing::samples() / 2);
  REQUIRE(at_the_limit > testing::samples() / 100);
}

TEMPLATE_TEST_CASE("a split number is the sum of two that multiply exactly",
                   "[precision][error_free]", NINEFOLD_VALUE_TYPES) {
  using F = TestType;
  constexpr int p = std::numeric_limits<F>::digits;
  const auto bits = [](F x) {  // from the first to the last that is set
    int exponent = 0;
    auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(x), &exponent), p));
    int n = mantissa == 0 ? 0 : p;
    for (; mantissa != 0 && mantissa % 2 == 0; mantissa /= 2) --n;
    return n;
  };
  WordSource<F> source(4);
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const F a = source.word(moderate);
    const Rounded<F> s = split(a);
    CAPTURE(a, s.value, s.error);
    if (Wide(s.value) + Wide(s.error) != Wide(a)) FAIL("not exact");
    if (bits(s.value) > p / 2 || bits(s.error) > p / 2) FAIL("a half has too many bits");
  }
  SUCCEED();
}

TEMPLATE_TEST_CASE("infinities and NaN stay what they are in error-free transformations",
                   "[precision][error_free]", NINEFOLD_VALUE_TYPES) {
  using F = TestType;
  using Limits = std::numeric_limits<F>;
  for (const F bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    for (const F other : {F(0), F(1), -Limits::max(), eta<F>, bad}) {
      CAPTURE(bad, other);
      REQUIRE_FALSE(std::isfinite(two_sum(bad, other).value));
      REQUIRE_FALSE(std::isfinite(two_sum(other, bad).value));
      REQUIRE_FALSE(std::isfinite(quick_two_sum(bad, other).value));
      REQUIRE_FALSE(std::isfinite(two_product(bad, other).value));
      REQUIRE_FALSE(std::isfinite(two_product_by_splitting(other, bad).value));
    }
  }
}

}  // namespace
}  // namespace ninefold
