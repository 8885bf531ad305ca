#include "precision/half.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::WordSource;

/// The definition of a 16-bit format: 1 sign bit, exponent bits, mantissa bits.
template <class T>
struct Definition;
template <>
struct Definition<Half> {
  static constexpr int mantissa = 10, min_exponent = -14;
};
template <>
struct Definition<BFloat16> {
  static constexpr int mantissa = 7, min_exponent = -126;
};

/// The non-negative finite values in order, hence by their bits, and 2^(max_exponent + 1) as the
/// one that infinity stands for.
template <class T>
const std::vector<double>& values() {
  static const std::vector<double> all = [] {
    constexpr int m = Definition<T>::mantissa, first = Definition<T>::min_exponent;
    std::vector<double> result;
    for (int k = 0; k < 1 << m; ++k) result.push_back(std::ldexp(k, first - m));
    for (int e = first; e <= 1 - first; ++e) {
      for (int k = 1 << m; k < 2 << m; ++k) result.push_back(std::ldexp(k, e - m));
    }
    result.push_back(std::ldexp(1.0, 2 - first));
    return result;
  }();
  return all;
}

/// The bits of infinity.
template <class T>
std::size_t infinite_bits() {
  return values<T>().size() - 1;
}

/// The bits nearest to high + low, by search; low decides in a middle only and there it may be of
/// any size.
template <class T>
std::uint16_t nearest_bits(double high, double low = 0) {
  if (std::isnan(high)) return 0x7fff;
  const std::vector<double>& all = values<T>();
  const double size = std::abs(high), outwards = high < 0 ? -low : low;
  // The first one that is not below.
  auto above =
      static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), size) - all.begin());
  above = std::min(above, infinite_bits<T>());
  std::size_t nearest = above;
  if (all[above] > size) {
    const double middle = (all[above] + all[above - 1]) / 2;  // exact
    const bool down = size < middle || (size == middle && outwards < 0)
                      || (size == middle && outwards == 0 && above % 2 == 1);
    nearest = down ? above - 1 : above;
  }
  return static_cast<std::uint16_t>(nearest | (std::signbit(high) ? 0x8000U : 0U));
}

/// The middles between neighbours, the last one being the smallest number that becomes infinite.
template <class T>
std::vector<double> middles() {
  std::vector<double> result;
  for (std::size_t k = 0; k < infinite_bits<T>(); ++k) {
    result.push_back((values<T>()[k] + values<T>()[k + 1]) / 2);
  }
  return result;
}

template <class T, class From>
void check(From x, std::uint16_t expected) {
  if (T(x).bits == expected) return;
  CAPTURE(x, expected, T(x).bits);
  FAIL("not the nearest");
}

/// Both signs of a number.
template <class T, class From>
void check_nearest(From x) {
  check<T>(x, nearest_bits<T>(x));
  check<T>(-x, nearest_bits<T>(-x));
}

TEMPLATE_TEST_CASE("every 16-bit number becomes its value and comes back", "[precision][half]",
                   Half, BFloat16) {
  const std::size_t infinite = infinite_bits<TestType>();
  REQUIRE(infinite == (std::is_same_v<TestType, Half> ? 0x7c00 : 0x7f80));
  for (std::uint32_t k = 0; k < 0x10000; ++k) {
    TestType x;
    x.bits = static_cast<std::uint16_t>(k);
    const float value = x;
    const std::size_t size = k & 0x7fff;
    CAPTURE(k, value);
    if (size > infinite) {
      if (std::bit_cast<std::uint32_t>(value) != 0x7fffffff) FAIL("not the NaN");
      if (TestType(value).bits != 0x7fff) FAIL("NaN does not come back");
      continue;
    }
    const double expected = size == infinite ? INFINITY : values<TestType>()[size];
    if (std::abs(value) != expected || std::signbit(value) != (k >= 0x8000)) FAIL("value");
    if (TestType(value).bits != k || TestType(double(value)).bits != k) FAIL("does not come back");
    if (static_cast<DoubleDouble>(x).high != value) FAIL("to a pair");
  }
  SUCCEED();
}

TEMPLATE_TEST_CASE("middles between 16-bit numbers and the floats beside them are rounded once",
                   "[precision][half]", Half, BFloat16) {
  for (const double middle : middles<TestType>()) {
    const auto x = static_cast<float>(middle);
    if (x != middle) FAIL("a middle that is no float");
    check_nearest<TestType>(x);
    check_nearest<TestType>(std::nextafter(x, 0.0F));
    check_nearest<TestType>(std::nextafter(x, INFINITY));
  }
}

TEMPLATE_TEST_CASE("floats of any size become the nearest 16-bit number", "[precision][half]", Half,
                   BFloat16) {
  WordSource<float> source(31);
  constexpr int first = Definition<TestType>::min_exponent, last = 1 - first;
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    check_nearest<TestType>(source.word(testing::whole_range<float>));
    check_nearest<TestType>(source.word({std::max(first - 15, -149), std::min(last + 2, 127)}));
  }
  check_nearest<TestType>(0.0F);
  check_nearest<TestType>(INFINITY);
  check_nearest<TestType>(std::numeric_limits<float>::max());
  check_nearest<TestType>(std::numeric_limits<float>::denorm_min());
  for (const std::uint32_t nan :
       {0x7fc00000U, 0x7f800001U, 0xffc00000U, 0x7fffffffU, 0xff801000U}) {
    check<TestType>(std::bit_cast<float>(nan), 0x7fff);
  }
}

TEMPLATE_TEST_CASE("doubles are rounded once, not to float first", "[precision][half]", Half,
                   BFloat16) {
  WordSource<double> source(32);
  int twice = 0;
  const auto check_double = [&](double x) {
    check_nearest<TestType>(x);
    if (TestType(static_cast<float>(x)).bits != nearest_bits<TestType>(x)) ++twice;
  };
  for (const double middle : middles<TestType>()) {
    check_double(middle);
    check_double(std::nextafter(middle, 0.0));
    check_double(std::nextafter(middle, INFINITY));
    check_double(middle * (1 - 0x1p-26));
    check_double(middle * (1 + 0x1p-24));
  }
  // Rounded twice, half of the neighbours would be wrong.
  REQUIRE(twice > static_cast<int>(infinite_bits<TestType>()) / 2);
  constexpr int first = Definition<TestType>::min_exponent;
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    check_double(source.word(testing::whole_range<double>));
    check_double(source.word({first - 15, 3 - first}));
  }
  for (const double x : {0.0, double(INFINITY), 0x1p-1074, 0x1p-150, 0x1p-149, 0x1.ffffffp127,
                         0x1.ffffffefffffep127, 0x1p128, std::numeric_limits<double>::max()}) {
    check_double(x);
  }
  check<TestType>(std::nan(""), 0x7fff);
}

TEMPLATE_TEST_CASE("pairs are rounded once to 16 bits", "[precision][half]", Half, BFloat16) {
  WordSource<float> source(33);
  const auto check_pair = [](auto x) {
    if (TestType(x).bits == nearest_bits<TestType>(x.high, x.low)) return;
    CAPTURE(x.high, x.low, TestType(x).bits);
    FAIL("not the nearest");
  };
  for (const double middle : middles<TestType>()) {
    for (const double low : {0x1p-1074, -0x1p-1074, middle * 0x1p-53, middle * -0x1p-54, 0.0}) {
      check_pair(DoubleDouble::normalise(middle, low));
      check_pair(DoubleDouble::normalise(-middle, low));
    }
    for (const float low : {0x1p-149F, -0x1p-149F, 0.0F}) {
      check_pair(DoubleSingle::normalise(static_cast<float>(middle), low));
    }
  }
  constexpr int first = Definition<TestType>::min_exponent;
  for (long k = 0, n = testing::samples(); k < n; ++k) {
    check_pair(source.pair({std::max(first - 15, -149), std::min(3 - first, 127)}));
  }
  check_pair(DoubleSingle(INFINITY));
  check_pair(DoubleDouble(-INFINITY, NAN));  // the low word means nothing there
  check_pair(DoubleDouble(NAN, 0.0));
}

TEST_CASE("some 16-bit numbers as the standards have them", "[precision][half]") {
  REQUIRE(Half(0.1).bits == 0x2e66);
  REQUIRE(Half(-1).bits == 0xbc00);
  REQUIRE(float(Half(65504)) == 65504);
  REQUIRE(float(Half(65519)) == 65504);
  REQUIRE(float(Half(65520)) == INFINITY);
  REQUIRE(float(Half(-65520)) == -INFINITY);
  REQUIRE(float(Half(2049)) == 2048);
  REQUIRE(float(Half(2051)) == 2052);
  REQUIRE(float(Half(0x1p-25F)) == 0);
  REQUIRE(float(Half(0x1.000002p-25F)) == 0x1p-24F);
  REQUIRE(BFloat16(0.1).bits == 0x3dcd);
  REQUIRE(BFloat16(-1).bits == 0xbf80);
  REQUIRE(float(BFloat16(257)) == 256);
  REQUIRE(float(BFloat16(259)) == 260);
  REQUIRE(float(BFloat16(std::numeric_limits<int>::max())) == 0x1p31F);
  REQUIRE(float(BFloat16(0x1p-134F)) == 0);
}

TEMPLATE_TEST_CASE("16-bit numbers are computed with as floats and stored where that is written",
                   "[precision][half]", Half, BFloat16) {
  using T = TestType;
  static_assert(std::is_same_v<Arithmetic<T>, float> && std::is_same_v<Assembly<T>, double>);
  static_assert(std::is_convertible_v<T, float> && !std::is_convertible_v<float, T>);
  static_assert(!std::is_convertible_v<double, T> && !std::is_convertible_v<int, T>);
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>);
  const T a(3), b(7);
  static_assert(std::is_same_v<decltype(a * b), float>);
  static_assert(std::is_same_v<decltype(fused(a, b, a)), float>);
  REQUIRE(a / b == 3.0F / 7.0F);
  REQUIRE(fused(a, b, 0.1F) == std::fma(3.0F, 7.0F, 0.1F));
  REQUIRE(a < b);
  REQUIRE(static_cast<double>(a) == 3);
}

TEMPLATE_TEST_CASE("the facts about a 16-bit format follow from its values", "[precision][half]",
                   Half, BFloat16) {
  using F = Format<TestType>;
  REQUIRE(F::unit_roundoff == std::ldexp(1.0, -Definition<TestType>::mantissa - 1));
  REQUIRE(unit_roundoff<TestType>() == F::unit_roundoff);
  REQUIRE(F::bits == 16);
  REQUIRE(F::min_exponent == Definition<TestType>::min_exponent);
  REQUIRE(std::ilogb(values<TestType>()[infinite_bits<TestType>() - 1]) == F::max_exponent);
  // 1 + u is a tie and goes back to 1.
  REQUIRE(TestType(1 + F::unit_roundoff) == 1);
  REQUIRE(TestType(1 + 1.01 * F::unit_roundoff) > 1);
}

}  // namespace
}  // namespace ninefold
