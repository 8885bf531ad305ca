// The operations that judge a solution, on Host, against 50 digits.
#include "gpu/operations/measure_operations.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/support/catch.hpp"
#include "tests/support/operation_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::loss;
using testing::NodeValues;
using testing::Sample;
using testing::sum_roundoffs;
using testing::to_exact;
using testing::within_error;
using testing::Worst;

/// Weights between 2^-20 and 1.
struct Weights {
  std::vector<double> stiff_x, mass_x, stiff_y, mass_y;

  Weights(int nx, int ny)
      : stiff_x(values(nx, 1)),
        mass_x(values(nx, 2)),
        stiff_y(values(ny, 3)),
        mass_y(values(ny, 4)) {}

  static std::vector<double> values(int n, std::uint64_t seed) {
    std::vector<double> v = testing::random_values<double>(std::size_t(n), seed);
    for (double& value : v)
      value = std::ldexp(1 + std::abs(value), static_cast<int>(-10 + 9 * value));
    return v;
  }
  NodeWeights view() const {
    return {stiff_x.data(), mass_x.data(), stiff_y.data(), mass_y.data()};
  }
  Exact at(int i, int j) const {
    const auto x = std::size_t(i), y = std::size_t(j);
    return Exact(stiff_x[x]) * mass_y[y] + Exact(mass_x[x]) * stiff_y[y];
  }
  Exact mass(int i, int j) const { return Exact(mass_x[std::size_t(i)]) * mass_y[std::size_t(j)]; }
};

constexpr double u_of_sums = 0x1p-53;

TEMPLATE_TEST_CASE("weighted squares of residuals are those of 50 digits", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  const Weights weights(s.c.nx, s.c.ny);
  Exact exact = 0, error = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact r = s.residual(i, j), wrong = s.residual_error(i, j), w = weights.at(i, j);
    exact += r * r / w;
    error += (2 * abs(r) * wrong + wrong * wrong) / w;
    magnitude += (abs(r) + wrong) * (abs(r) + wrong) / w;
  });
  // The weight, the quotient, the product, the residual as a double, and the sum.
  error += Exact((sum_roundoffs<double> + 8) * u_of_sums) * magnitude;
  double result = -77;
  weighted_residual_square<Host, T>(Host(), s.A.view(), s.b.view(), s.x.view(), weights.view(),
                                    &result);
  REQUIRE(within_error(result, exact, error));
}

TEMPLATE_TEST_CASE("sizes in a row and their weighted squares are those of 50 digits",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s(testing::Signs::dominant);
  CAPTURE_SAMPLE(s);
  const Weights weights(s.c.nx, s.c.ny);
  const NodeValues<T> before = s.y;
  rounding_of_rows(Host(), s.A.view(), s.b.view(), s.x.view(), s.y.view());
  Worst worst;
  Exact exact = 0, error = 0;
  s.for_box([&](int i, int j) {
    const Exact sum = abs(s.b.exact(i, j)) + s.A.row(s.x, i, j).magnitude;
    // Ten products and sums, in difference form a difference before.
    const double roundoffs = 10 * (loss<T>.product + loss<T>.sum) + loss<T>.sum;
    const Exact wrong = Exact(roundoffs * s.u) * sum, w = weights.at(i, j);
    worst.add(within_error(s.y(i, j), sum, wrong), i, j);
    exact += sum * sum / w;
    error += (2 * sum * wrong + wrong * wrong) / w;
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
  error += Exact((sum_roundoffs<double> + 8) * u_of_sums) * (exact + error);
  double result = -77;
  weighted_rounding_square<Host, T>(Host(), s.A.view(), s.b.view(), s.x.view(), weights.view(),
                                    &result);
  REQUIRE(within_error(result, exact, error));
}

TEMPLATE_TEST_CASE("sizes of vectors are those of 50 digits", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  const Weights weights(s.c.nx, s.c.ny);
  Exact square = 0, most = 0;
  s.for_box([&](int i, int j) {
    const Exact x = s.x.exact(i, j);
    square += weights.mass(i, j) * x * x;
    if (abs(x) > most) most = abs(x);
  });
  double result = -77;
  mass_square<Host, T>(Host(), s.box, s.x.view(), weights.view(), &result);
  REQUIRE(within_error(result, square, Exact((sum_roundoffs<double> + 8) * u_of_sums) * square));
  Largest largest_one(-77);
  largest<Host, T>(Host(), s.box, s.x.view(), &largest_one);
  REQUIRE(within_error(largest_one.value, most, Exact(u_of_sums) * most));
}

TEMPLATE_TEST_CASE("remove_mean leaves values without a sum", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<T> before = s.x;
  Exact sum = 0, size = 0;
  int n = 0;
  s.for_box([&](int i, int j) {
    sum += s.x.exact(i, j);
    size += abs(s.x.exact(i, j));
    ++n;
  });
  Arithmetic<T> scratch(-77);
  remove_mean(Host(), s.box, s.x.view(), &scratch);
  const double u = s.u;
  testing::Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = before.exact(i, j) - sum / n;
    // The sum, the share and the product of both, then the difference, then storage.
    const Exact of_mean = Exact((sum_roundoffs<T> + 3 * loss<T>.product) * u) * size / n;
    const Exact error = of_mean + Exact(loss<T>.sum * u) * (abs(exact) + of_mean);
    worst.add(within_error(s.x(i, j), exact, testing::stored<T>(exact, error)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.x.differs_only_in(s.box, before));
}

TEST_CASE("the largest value of many rows and of NaN is found", "[gpu][operations]") {
  const auto [nx, ny] = GENERATE(std::array{4099, 3}, std::array{3, 4201});
  NodeValues<double> x(nx, ny, 5, testing::Range::tame);
  const Box all{0, nx, 0, ny};
  Largest result(-1);
  x.view()(nx - 1, ny / 2) = -1e300;
  largest<Host, double>(Host(), all, x.view(), &result);
  REQUIRE(result.value == 1e300);
  x.view()(nx / 2, 1) = std::numeric_limits<double>::quiet_NaN();
  largest<Host, double>(Host(), all, x.view(), &result);
  REQUIRE(std::isnan(result.value));
}

TEST_CASE("measures refuse boxes that leave the grid", "[gpu][operations]") {
  NodeValues<double> x(5, 5);
  const Weights weights(5, 5);
  double sum = 0;
  Largest most(0);
  REQUIRE_THROWS_AS((largest<Host, double>(Host(), Box{0, 6, 0, 5}, x.view(), &most)),
                    std::invalid_argument);
  REQUIRE_THROWS_AS(
      (mass_square<Host, double>(Host(), {0, 5, 2, 2}, x.view(), weights.view(), &sum)),
      std::invalid_argument);
  REQUIRE_THROWS_AS((remove_mean(Host(), Box{0, 5, 0, 6}, x.view(), &sum)), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
