// What the bounds of the other tests rest on: the measure of closeness in every format, and values
// that do what they are for.
#include "tests/support/bound.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using testing::fused_error;
using testing::InFormat;
using testing::loss;
using testing::random_values;
using testing::Range;
using testing::stored;
using testing::to_exact;
using testing::within;
using testing::within_error;

TEMPLATE_TEST_CASE("the value of a number is exact", "[support]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const double u = unit_roundoff<T>();
  const Arithmetic<T> sum = Arithmetic<T>(1) + Arithmetic<T>(2 * u);
  REQUIRE(to_exact(T(sum)) == Exact(1) + Exact(2 * u));
  REQUIRE(to_exact(T(-0.5)) == Exact(-0.5));
}

TEST_CASE("a result in a storage format may be off by half its last bit", "[support]") {
  const double u = Format<Half>::unit_roundoff;
  REQUIRE(within(Half(1), Exact(1 + u), 0, Exact(1)));
  REQUIRE_FALSE(within(Half(1), Exact(1 + 2.1 * u), 0, Exact(1)));
  REQUIRE_FALSE(within(Half(1 + 2 * u), Exact(1) + Exact(0.9 * u), 0, Exact(1)));
  // Subnormal numbers are multiples of 2^-24.
  REQUIRE(within(Half(0), Exact(0x1p-25), 0, Exact(1)));
  REQUIRE_FALSE(within(Half(0), Exact(0x1.1p-25), 0, Exact(1)));
  REQUIRE(stored<Half>(Exact(0x1p-20), Exact(0)) == Exact(0x1p-25));
  REQUIRE(stored<BFloat16>(Exact(1), Exact(0x1p-30))
          == Exact(0x1p-30) * Exact(1 + 0x1p-8) + 0x1p-8);
  REQUIRE(stored<double>(Exact(1), Exact(0x1p-30)) == Exact(0x1p-30));
  // An overflow is no result.
  REQUIRE_FALSE(within(Half(1e6), Exact(1e6), 1e9, Exact(1e6)));
}

TEST_CASE("the roundoffs of an operation are those of the format that is computed in",
          "[support]") {
  REQUIRE(loss<float>.fused == 1);
  REQUIRE(loss<Half>.quotient == 1);
  REQUIRE(loss<SoftFloat>.sum == 1);
  REQUIRE(loss<DoubleSingle>.sum == Approx(3).epsilon(1e-6));
  REQUIRE(loss<DoubleDouble>.product == 4);
  REQUIRE(loss<DoubleDouble>.quotient == Approx(15).epsilon(1e-6));
  // The sum of a product and a number costs no more than both operations.
  REQUIRE(loss<DoubleSingle>.fused >= loss<DoubleSingle>.product + loss<DoubleSingle>.sum);
  // One rounding of the result; a pair's product is off on its own, also where all cancels.
  REQUIRE(fused_error<double>(Exact(3), Exact(1)) == Exact(0x1p-53));
  REQUIRE(fused_error<Half>(Exact(3), Exact(1)) == Exact(0x1p-24));
  REQUIRE(fused_error<DoubleDouble>(Exact(3), Exact(0)) >= 12 * Exact(0x1p-106));
  const double u = Format<DoubleSingle>::unit_roundoff;
  REQUIRE(within(DoubleSingle(1.0F, 0x1p-46F), Exact(1), 4, Exact(1)));
  REQUIRE_FALSE(within(DoubleSingle(1.0F, 0x1p-46F), Exact(1), 3.9, Exact(1)));
  REQUIRE(within_error(DoubleSingle(1.0F), Exact(1), Exact(u)));
}

TEMPLATE_TEST_CASE("random values have all digits of their format", "[support]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const auto values = random_values<T>(1000, 3, Range::alike);
  // About half of the numbers in [1, 2) need the last bit or, of pairs, one of the last three.
  const auto needs_last_digits = [](const T& value) {
    const Exact scaled = to_exact(value) / Exact(8 * unit_roundoff<T>());
    return scaled != floor(scaled);
  };
  REQUIRE(std::count_if(values.begin(), values.end(), needs_last_digits) > 400);
  for (const T& value : values) REQUIRE((to_exact(value) >= 1 && to_exact(value) <= 1.07));
}

TEMPLATE_TEST_CASE("products of extreme values leave the range of storage formats", "[support]",
                   NINEFOLD_STORAGE_FORMATS) {
  const auto values = random_values<TestType>(10000, 4, Range::extreme);
  int infinite = 0, subnormal = 0, zero = 0;
  for (std::size_t k = 0; k + 1 < values.size(); ++k) {
    REQUIRE(std::isfinite(float(values[k])));
    const float product = TestType(values[k] * values[k + 1]);
    infinite += std::isinf(product);
    zero += product == 0;
    subnormal +=
        product != 0 && std::abs(product) < std::ldexp(1.0, Format<TestType>::min_exponent);
  }
  REQUIRE(subnormal > 10);
  REQUIRE(zero > 10);
  if (Format<TestType>::max_exponent < 100) REQUIRE(infinite > 10);
}

}  // namespace
}  // namespace ninefold
