#include "precision/number.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Range;

static_assert(Number<float> && Number<double> && Number<Exact>);
static_assert(!Number<int*> && !Number<std::string>);
static_assert(std::same_as<Arithmetic<float>, float> && std::same_as<Arithmetic<Exact>, Exact>);
static_assert(std::same_as<Assembly<float>, double> && std::same_as<Assembly<double>, double>);

TEMPLATE_TEST_CASE("fused rounds once and a written product with sum rounds twice",
                   "[precision][number]", NINEFOLD_VALUE_TYPES) {
  // (1 + e)(1 - e) - 1 = -e^2: one rounding keeps it, two lose it.
  const TestType u = static_cast<TestType>(Format<TestType>::unit_roundoff);
  volatile TestType a = 1 + 2 * u, b = 1 - 2 * u, c = -1;  // volatile: computed at run time
  REQUIRE(fused(TestType(a), TestType(b), TestType(c)) == -4 * u * u);
  const TestType x = a, y = b, z = c;
  REQUIRE(x * y + z == 0);
}

TEMPLATE_TEST_CASE("fused of random values is the exact result rounded to nearest",
                   "[precision][number]", NINEFOLD_VALUE_TYPES) {
  const int seed = GENERATE(1, 2, 3);
  CAPTURE(seed);
  const auto v = testing::random_values<TestType>(3000, std::uint64_t(seed), Range::hurtful);
  for (std::size_t k = 0; k < v.size(); k += 3) {
    const Exact exact = Exact(v[k]) * Exact(v[k + 1]) + Exact(v[k + 2]);
    REQUIRE(fused(v[k], v[k + 1], v[k + 2]) == static_cast<TestType>(exact));
  }
}

TEMPLATE_TEST_CASE("the facts about a format are those of the type", "[precision][number]",
                   NINEFOLD_VALUE_TYPES) {
  using Limits = std::numeric_limits<TestType>;
  using F = Format<TestType>;
  REQUIRE(F::unit_roundoff == Limits::epsilon() / 2);
  REQUIRE(unit_roundoff<TestType>() == F::unit_roundoff);
  REQUIRE(F::bits == 8 * sizeof(TestType));
  REQUIRE(std::ldexp(1.0, F::min_exponent) == Limits::min());
  REQUIRE(F::max_exponent == Limits::max_exponent - 1);
  // u is half the distance from 1 to the next number: 1 + u is a tie and goes back to 1.
  volatile TestType one = 1;
  const TestType u = static_cast<TestType>(F::unit_roundoff);
  REQUIRE(TestType(one + u) == 1);
  REQUIRE(TestType(one + u * TestType(1.5)) > 1);
}

TEST_CASE("require throws the message if and only if the condition fails", "[precision][number]") {
  REQUIRE_NOTHROW(require(true, "never seen"));
  REQUIRE_THROWS_WITH(require(false, "field is 33 x 17"), "field is 33 x 17");
  REQUIRE_THROWS_AS(require(false, ""), std::invalid_argument);
}

TEST_CASE("the measure of closeness refuses what is too far, infinite or not a number",
          "[precision][support]") {
  const double u = Format<double>::unit_roundoff;
  REQUIRE(testing::within(1.0, Exact(1), 0, Exact(0)));
  REQUIRE(testing::within(1 + 2 * u, Exact(1), 2, Exact(1)));
  REQUIRE_FALSE(testing::within(1 + 4 * u, Exact(1), 3.9, Exact(1)));
  REQUIRE_FALSE(testing::within(1e-300, Exact(0), 10, Exact(0)));
  REQUIRE_FALSE(testing::within(std::nan(""), Exact(0), 10, Exact(1)));
  REQUIRE_FALSE(testing::within(INFINITY, Exact(0), 10, Exact(1)));
  testing::Worst worst;
  worst.add(testing::within(1.0, Exact(1), 1, Exact(1)), 0, 0);
  worst.add(testing::within(std::nan(""), Exact(1), 1, Exact(1)), 3, 4);
  worst.add(testing::within(1.0, Exact(1), 1, Exact(1)), 1, 0);
  REQUIRE_FALSE(worst.value());
  REQUIRE(worst.value().where == "node (3, 4):");
  REQUIRE(worst.count() == 3);
}

}  // namespace
}  // namespace ninefold
