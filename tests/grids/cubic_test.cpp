#include "grids/cubic.hpp"

#include <cmath>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::to_exact;

Line fine_line(double nu, int level) {
  return make_hierarchy(1.0, 1.0, level, {.nu = nu, .sides = {Side::left}}).back().x;
}

TEST_CASE("on equal cells cubic weights are those of the textbook", "[grids][cubic]") {
  const auto weights = cubic_weights<double>(fine_line(1.0, 4));
  REQUIRE(weights.size() == 8);
  const auto is = [](const CubicWeights<double>& w, double a, double b, double c, double d) {
    CHECK(w.before == a);
    CHECK(w.lower == b);
    CHECK(w.upper == c);
    CHECK(w.after == d);
  };
  for (std::size_t I = 1; I < 7; ++I) is(weights[I], -0.0625, 0.5625, 0.5625, -0.0625);
  // The fourth node within stands in the place of the one that is not there.
  is(weights[0], 0.0625, 0.3125, 0.9375, -0.3125);
  is(weights[7], -0.3125, 0.9375, 0.3125, 0.0625);
}

TEST_CASE("of three nodes the polynomial is quadratic", "[grids][cubic]") {
  const auto weights = cubic_weights<double>(fine_line(1.0, 2));
  REQUIRE(weights.size() == 2);
  CHECK(weights[0].before == 0);
  CHECK(weights[0].lower == 0.375);
  CHECK(weights[0].upper == 0.75);
  CHECK(weights[0].after == -0.125);
  CHECK(weights[1].after == 0);
}

// The nodal values of a cubic polynomial on a graded line; weights that add up to too much fall
// back to the linear one.
TEMPLATE_TEST_CASE("cubic polynomials are interpolated to a few roundoffs", "[grids][cubic]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using C = Arithmetic<typename InFormat<TestType>::T>;
  for (const double nu : {1.0, 0.8, 0.6}) {
    const Line fine = fine_line(nu, 5);
    const auto weights = cubic_weights<C>(fine);
    const int nodes = fine.cells() / 2 + 1;
    const auto place = [&](int fine_node) {
      Exact sum = 0;
      for (int k = 0; k < fine_node; ++k) sum += Exact(fine.width[std::size_t(k)]);
      return sum;
    };
    const auto p = [](const Exact& x) { return Exact(1 + x * (2 + x * (x - 3))); };
    for (int I = 0; I + 1 < nodes; ++I) {
      const CubicWeights<C> w = weights[std::size_t(I)];
      const Exact value = to_exact(w.before) * p(place(2 * cubic_before(I, nodes)))
                          + to_exact(w.lower) * p(place(2 * I))
                          + to_exact(w.upper) * p(place(2 * I + 2))
                          + to_exact(w.after) * p(place(2 * cubic_after(I, nodes)));
      const Exact error = abs(value - p(place(2 * I + 1)));
      CAPTURE(nu, I);
      // |p| <= 1.5; the weights' sizes add up to most_amplified at most, each off by 12 roundoffs.
      REQUIRE(error <= Exact(12 * 1.5 * most_amplified * unit_roundoff<C>()));
    }
  }
}

TEST_CASE("beside cells that differ much interpolation is linear", "[grids][cubic]") {
  const Line fine = make_line({1e-6, 1e-6, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  const auto weights = cubic_weights<double>(fine);
  for (const CubicWeights<double>& w : weights) {
    const double size =
        std::abs(w.before) + std::abs(w.lower) + std::abs(w.upper) + std::abs(w.after);
    CHECK(size <= most_amplified * (1 + 1e-15));
    CHECK(w.before + w.lower + w.upper + w.after == Catch::Approx(1).epsilon(1e-15));
  }
  CHECK(weights[1].before == 0);
  CHECK(weights[1].lower == 0.5);
  CHECK(weights[3].before != 0);
}

}  // namespace
}  // namespace ninefold
