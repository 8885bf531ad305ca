// Pairs of machine numbers from words, integers and other pairs, and back; what is a pair's format.

#include <cmath>
#include <limits>
#include <type_traits>

#include "precision/double_word.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::eta;
using testing::exact;
using testing::Exponents;
using testing::kept;
using testing::moderate;
using testing::ObservedError;
using testing::Wide;
using testing::WordSource;

TEST_CASE("conversions between pairs and words round as stated", "[precision][double_word]") {
  WordSource<double> source(18);
  ObservedError<float> from_double("from double", 0.5), from_pair("from double-double", 1);
  const Exact half_eta = Exact(eta<float>) / 2;
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const DoubleDouble x = source.pair(k % 2 == 0 ? moderate : Exponents{-160, 130});
    CAPTURE(x.high, x.low);
    const DoubleSingle a(x.high), b(x);
    if (kept(a, abs(Exact(x.high)))) {
      from_double.add(a, exact(a) - Exact(x.high), abs(Exact(x.high)), half_eta, a, a);
    }
    if (!kept(b, abs(exact(x)))) continue;
    from_pair.add(b, exact(b) - exact(x), abs(exact(x)), half_eta, b, b);
    const DoubleDouble back = b;
    if (exact(back) != exact(b) || back.high + back.low != back.high) FAIL("to double-double");
    if (DoubleSingle(back) != b) FAIL("there and back");
    if (static_cast<double>(b) != static_cast<double>(exact(b))) FAIL("to double");
    if (static_cast<float>(b) != b.high) FAIL("to float");
    if (static_cast<double>(x) != x.high) FAIL("double-double to double");
    const float narrow = static_cast<float>(x);
    const Exact ulp = abs(exact(x)) * Exact(0x1p-24 * (1 + 0x1p-28)) + half_eta;
    if (std::isfinite(narrow) && abs(Exact(narrow) - exact(x)) > ulp) {
      FAIL("double-double to float");
    }
  }
  from_double.report();
  from_pair.report();
}

TEMPLATE_TEST_CASE("integers convert exactly, and back towards zero", "[precision][double_word]",
                   float, double) {
  using Pair = DoubleWord<TestType>;
  for (const int i : {0, 1, -1, 16777217, -16777217, std::numeric_limits<int>::max(),
                      std::numeric_limits<int>::min(), 2147483583}) {
    CAPTURE(i);
    REQUIRE(exact(Pair(i)) == i);
    REQUIRE(static_cast<int>(Pair(i)) == i);
    REQUIRE(Pair(1) + i - i == 1);
  }
  REQUIRE(exact(Pair(4294967295U)) == 4294967295U);
  const TestType tiny = std::ldexp(TestType(1), -80);
  REQUIRE(static_cast<int>(Pair(3, -tiny)) == 2);
  REQUIRE(static_cast<int>(Pair(3, tiny)) == 3);
  REQUIRE(static_cast<int>(Pair(-3, tiny)) == -2);
  REQUIRE(static_cast<int>(Pair(-3, -tiny)) == -3);
  REQUIRE(static_cast<int>(Pair(-tiny)) == 0);
  WordSource<TestType> source(19);
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    const Pair x = source.pair({-2, 29});
    CAPTURE(x.high, x.low);
    const int i = static_cast<int>(x);
    CAPTURE(i);
    if (i != trunc(Wide(x.high) + Wide(x.low))) FAIL("towards zero");
  }
  // A word of the pair's own type would round 2^24 + 1.
  REQUIRE(exact(Pair(1) * 16777217) == 16777217);
}

TEST_CASE("a pair needs its low word to be what it stands for", "[precision][double_word]") {
  static_assert(!std::is_aggregate_v<DoubleSingle>);
  static_assert(!std::is_convertible_v<double, DoubleSingle>);
  static_assert(
      std::is_convertible_v<float, DoubleSingle> && std::is_convertible_v<int, DoubleSingle>);
  static_assert(!std::is_convertible_v<DoubleDouble, DoubleSingle>);
  static_assert(std::is_convertible_v<DoubleSingle, DoubleDouble>);
  static_assert(!std::is_constructible_v<DoubleSingle, long long>);
  REQUIRE(DoubleSingle(0.1).low != 0);
  REQUIRE(testing::within(DoubleSingle(0.1), Exact(0.1), 1, Exact(0.1)));
  REQUIRE_FALSE(testing::within(DoubleSingle(0.1F), Exact(0.1), 1, Exact(0.1)));
}

TEMPLATE_TEST_CASE("the facts about a pair format follow from its words",
                   "[precision][double_word]", float, double) {
  using Pair = DoubleWord<TestType>;
  using Limits = std::numeric_limits<TestType>;
  constexpr double u = Format<TestType>::unit_roundoff;
  REQUIRE(Format<Pair>::unit_roundoff == u * u);
  REQUIRE(Format<Pair>::bits == 8 * sizeof(Pair));
  REQUIRE(Format<Pair>::max_exponent == Limits::max_exponent - 1);
  // Half of the smallest low word is u^2 of the smallest pair.
  REQUIRE(Exact(eta<TestType>) / 2
          == ldexp(Exact(Format<Pair>::unit_roundoff), Format<Pair>::min_exponent));
}

}  // namespace
}  // namespace ninefold
