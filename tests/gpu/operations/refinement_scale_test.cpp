// The factors by which residuals are scaled before they are rounded, against their definition in 50
// digits.
#include <cmath>
#include <limits>
#include <vector>

#include "gpu/operations/mixed_operations.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::same_bits;
using testing::to_exact;

/// Squares of all sizes that the format has, next to powers of two among them.
template <class C>
std::vector<C> squares() {
  int lowest = -1000;
  if constexpr (std::same_as<C, SoftFloat>) {
    if (SoftFloat::exponent() == 8) lowest = -120;
  } else if (Format<C>::max_exponent < 200) {
    lowest = -120;
  }
  std::vector<C> all;
  const auto mantissas = testing::random_values<C>(40, 3);
  for (std::size_t k = 0; k < mantissas.size(); ++k) {
    const C size = mantissas[k] < C(0) ? -mantissas[k] : mantissas[k];
    const int exponent = lowest + static_cast<int>(k) * (-2 * lowest) / 40;
    all.push_back((size + C(1)) * static_cast<C>(std::ldexp(1.0, exponent)));
  }
  const double next = 1 + std::max(2 * unit_roundoff<C>(), 0x1p-52);
  for (const double power : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
    for (const double value : {power, power * next, power / next}) {
      all.push_back(static_cast<C>(value));
    }
  }
  return all;
}

TEMPLATE_TEST_CASE("the scale is the power of two nearest to the norm", "[gpu][mixed]",
                   NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using C = typename InFormat<TestType>::T;
  for (const C& square : squares<C>()) {
    RefinementState<C> state{square, C(-1), C(-2)};
    set_scale(Host(), RefinementScaling::power_of_two, 0, &state);
    CAPTURE(static_cast<double>(square), static_cast<double>(state.down));
    REQUIRE(same_bits(state.square, square));
    int exponent = 0;
    REQUIRE(std::frexp(static_cast<double>(state.down), &exponent) == 0.5);
    REQUIRE(to_exact(state.down) * to_exact(state.up) == 1);
    // The scaled norm is between the roots of 1/2 and of 2; its square is compared, and may have
    // been rounded to double before.
    const Exact scaled = to_exact(square) * to_exact(state.down) * to_exact(state.down);
    REQUIRE(scaled >= Exact(0.5) * (1 - Exact(0x1p-53)));
    REQUIRE(scaled <= Exact(2));
  }
}

TEMPLATE_TEST_CASE("the scale of a norm is its inverse", "[gpu][mixed]",
                   NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using C = typename InFormat<TestType>::T;
  for (const C& square : squares<C>()) {
    RefinementState<C> state{square, C(-1), C(-2)};
    set_scale(Host(), RefinementScaling::norm, 0, &state);
    CAPTURE(static_cast<double>(square), static_cast<double>(state.down));
    REQUIRE(same_bits(state.square, square));
    // In double: the square 1 (its root half of it), the root 1, the quotient 1; then to C.
    const Exact u(0x1p-53), of_format(unit_roundoff<C>()), norm = sqrt(to_exact(square));
    REQUIRE(abs(to_exact(state.up) / norm - 1) <= 2 * u + of_format);
    REQUIRE(abs(to_exact(state.down) * norm - 1) <= 3 * u + of_format);
  }
}

TEMPLATE_TEST_CASE("the scaled norm is near the power of two that is asked for", "[gpu][mixed]",
                   NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using C = typename InFormat<TestType>::T;
  for (const auto scaling : {RefinementScaling::power_of_two, RefinementScaling::norm}) {
    for (const int exponent : {-9, -1, 1, 12}) {
      for (const double square : {1e-12, 0.3, 5e9}) {
        CAPTURE(int(scaling), exponent, square);
        RefinementState<C> unit{static_cast<C>(square), C(-1), C(-2)}, state = unit;
        set_scale(Host(), scaling, 0, &unit);
        set_scale(Host(), scaling, exponent, &state);
        const auto power = static_cast<C>(std::ldexp(1.0, exponent));
        REQUIRE(same_bits(state.down, unit.down * power));
        REQUIRE(same_bits(state.up, unit.up / power));
      }
    }
  }
}

TEMPLATE_TEST_CASE("over-correction multiplies what corrections are multiplied by, and no more",
                   "[gpu][mixed]", NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using C = typename InFormat<TestType>::T;
  for (const auto scaling : {RefinementScaling::power_of_two, RefinementScaling::norm}) {
    for (const double square : {1e-12, 0.3, 5e9}) {
      CAPTURE(int(scaling), square);
      const C start = static_cast<C>(square);
      RefinementState<C> plain{start, C(-1), C(-2)}, over = plain;
      set_scale(Host(), scaling, 3, &plain);
      over.square = C(77);
      over.corrections = 2;
      begin_scales(Host(), &start, &over);
      CHECK(over.square == start);
      const OverCorrections times{3, {1.125, 1, 0.75}};
      // From the first one on again after the last, and whenever a refinement begins.
      const double expected[] = {1.125, 1, 0.75, 1.125, 1, 1.125, 1};
      for (int k = 0; k < 7; ++k) {
        CAPTURE(k);
        if (k == 5) begin_scales(Host(), &over.square, &over);
        set_scale(Host(), scaling, 3, &over, times);
        CHECK(same_bits(over.down, plain.down));
        // In double: one product; then both to C.
        const Exact u(0x1p-53), of_format(unit_roundoff<C>());
        CHECK(abs(to_exact(over.up) / to_exact(plain.up) / Exact(expected[k]) - 1)
              <= 2 * u + 3 * of_format);
      }
    }
  }
}

TEMPLATE_TEST_CASE("a norm that is zero or not finite leaves the scale", "[gpu][mixed]",
                   NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using C = typename InFormat<TestType>::T;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto scaling : {RefinementScaling::power_of_two, RefinementScaling::norm}) {
    for (const double square : {0.0, -0.0, infinity, -infinity, std::nan("")}) {
      RefinementState<C> state{static_cast<C>(square), C(0.75), C(-3)};
      set_scale(Host(), scaling, 4, &state);
      CAPTURE(int(scaling), square);
      CHECK(state.down == C(0.75));
      CHECK(state.up == C(-3));
    }
  }
}

}  // namespace
}  // namespace ninefold
