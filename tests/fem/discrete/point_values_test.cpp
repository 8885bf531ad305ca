#include "fem/discrete/point_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "precision/double_word.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

double bilinear(double x, double y) {
  return 1 + 2 * x - 3 * y + 5 * x * y;
}

template <class F>
std::vector<double> at_nodes(const TensorGrid& grid, const F& f) {
  std::vector<double> values;
  for (const double y : grid.y.from_start) {
    for (const double x : grid.x.from_start) values.push_back(f(x, y));
  }
  return values;
}

std::vector<double> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<double> numbers(n);
  for (double& number : numbers) number = std::ldexp(generator(), -32);
  return numbers;
}

/// Uniform, narrow towards two sides (to 1e-14), wider by a factor from cell to cell, by widths.
std::vector<std::vector<TensorGrid>> hierarchies() {
  GridGrading geometric{.kind = Grading::geometric, .expansion_ratio = 1000};
  GridGrading own{.x_widths = {1.1, 0.1, 0.2, 0.6}, .y_widths = {0.7, 2.3}};
  return {make_hierarchy(2, 3, 5), make_hierarchy(2, 3, 6, {.nu = 0.01}),
          make_hierarchy(2, 3, 5, geometric), make_hierarchy(2, 3, 5, own)};
}

/// Of the rectangle of size 2 x 3: everywhere, and beside and on its sides.
std::vector<Position> places() {
  std::vector<Position> all{{0, 0}, {2, 0}, {0, 3}, {2, 3}, {1, 1.5}, {2, 1e-15}, {1e-300, 3}};
  const std::vector<double> numbers = random_numbers(400, 1);
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) {
    const Position p{2 * numbers[k], 3 * numbers[k + 1]};
    all.push_back(p);
    all.push_back({2 - p.x * p.x * p.x * 1e-9, p.y * p.y * p.y * 1e-6});
  }
  return all;
}

TEST_CASE("a bilinear function is reproduced at any place, to rounding", "[discrete][points]") {
  for (const auto& grids : hierarchies()) {
    const TensorGrid& grid = grids.back();
    const std::vector<double> u_h = at_nodes(grid, bilinear);
    const std::vector<Position> where = places();
    const std::vector<PointValue> values = point_values(Problem{}, grid, u_h, {}, where);
    REQUIRE(values.size() == where.size());
    for (std::size_t k = 0; k < where.size(); ++k) {
      CAPTURE(k, where[k].x, where[k].y);
      // Terms of up to 30, each rounded a few times.
      CHECK(std::abs(values[k].u - bilinear(where[k].x, where[k].y)) <= 5e-14);
      CHECK_FALSE(values[k].exact);
      CHECK_FALSE(values[k].error);
      CHECK_FALSE(values[k].change);
    }
  }
}

TEST_CASE("at a node there is its value", "[discrete][points]") {
  const TensorGrid grid = make_hierarchy(1, 1, 3).back();
  const std::vector<double> u_h = random_numbers(81, 2);
  std::vector<Position> nodes;
  for (const double y : grid.y.from_start) {
    for (const double x : grid.x.from_start) nodes.push_back({x, y});
  }
  const std::vector<PointValue> values = point_values(Problem{}, grid, u_h, {}, nodes);
  for (std::size_t k = 0; k < nodes.size(); ++k) CHECK(values[k].u == u_h[k]);
}

TEST_CASE("a layer of cells that coordinates cannot tell apart is found from its own side",
          "[discrete][points]") {
  // The last cell is 5.6e-17 wide; its neighbour's node is 1e-14 from the side, say.
  const TensorGrid grid = make_hierarchy(1, 1, 9, {.nu = 0.01, .sides = {Side::right}}).back();
  std::vector<double> u_h(static_cast<std::size_t>(grid.nx()) * 513, 0.0);
  const std::size_t last = static_cast<std::size_t>(grid.nx()) - 1;
  for (std::size_t j = 0; j < 513; ++j) {
    for (std::size_t i = 0; i <= last; ++i) {
      u_h[j * (last + 1) + i] = std::sqrt(grid.x.from_end[i]);
    }
  }
  const std::vector<Position> where{{1 - 0x1p-40, 0.5}, {1 - 0x1p-20, 0.5}, {1, 0.5}};
  const std::vector<PointValue> values = point_values(Problem{}, grid, u_h, {}, where);
  for (std::size_t k = 0; k < 2; ++k) {
    const double rest = 1 - where[k].x;
    std::size_t i = last;
    while (grid.x.from_end[i] < rest) --i;
    const double share = (grid.x.from_end[i] - rest) / grid.x.width[i];
    CHECK(values[k].u
          == Approx((1 - share) * std::sqrt(grid.x.from_end[i])
                    + share * std::sqrt(grid.x.from_end[i + 1]))
                 .epsilon(1e-12));
  }
  CHECK(values[2].u == 0);
}

TEST_CASE("the exact solution is taken where it is known, from the nearer sides",
          "[discrete][points]") {
  const Problem problem = make_problem({}, 2, 3);
  const TensorGrid grid = make_hierarchy(2, 3, 3).back();
  const std::vector<double> u_h = at_nodes(grid, bilinear);
  const std::vector<Position> where{{0.3, 0.4}, {2 - 0x1p-50, 1}};
  const std::vector<PointValue> values = point_values(problem, grid, u_h, {}, where);
  CHECK(values[0].exact.value() == Approx(0.3 * 1.7 * 0.4 * 2.6).epsilon(1e-14));
  CHECK(values[1].exact.value() == Approx((2 - 0x1p-50) * 0x1p-50 * 2).epsilon(1e-14));
  for (const PointValue& value : values) {
    CHECK(value.error.value() == value.u - value.exact.value());
  }
}

TEST_CASE("the change from the coarser level is that of its own function", "[discrete][points]") {
  const std::vector<Position> where = places();
  for (const auto& grids : hierarchies()) {
    const TensorGrid &fine = grids[4], &coarse = grids[3];
    const std::vector<double> u = random_numbers(17 * 17, 3), before = random_numbers(81, 4);
    const auto finer = point_values(Problem{}, fine, u, before, where);
    const auto coarser = point_values(Problem{}, coarse, before, {}, where);
    for (std::size_t k = 0; k < where.size(); ++k) {
      CAPTURE(k, where[k].x, where[k].y);
      CHECK(finer[k].change.has_value());
      CHECK(finer[k].change.value() == Approx(finer[k].u - coarser[k].u).margin(1e-10));
    }
  }
}

TEST_CASE("double-double values have errors below the rounding of double", "[discrete][points]") {
  Problem problem;
  problem.solution = constant(1);
  const TensorGrid grid = make_hierarchy(1, 1, 2).back();
  const std::vector<DoubleDouble> u_h(25, DoubleDouble(1) + 1e-20);
  const std::vector<Position> where{{0.3, 0.4}, {0.9, 1.0 / 3}};
  for (const PointValue& value : point_values(problem, grid, u_h, {}, where)) {
    CHECK(value.u == 1);
    CHECK(value.error.value() == Approx(1e-20).epsilon(1e-10));
  }
}

TEST_CASE("many places have the values that each of them has alone", "[discrete][points]") {
  const TensorGrid grid = make_hierarchy(2, 3, 5).back();
  const std::vector<double> u_h = random_numbers(33 * 33, 5);
  std::vector<Position> where;
  while (where.size() < 5000) {
    for (const Position& place : places()) where.push_back(place);
  }
  const std::vector<PointValue> all = point_values(Problem{}, grid, u_h, {}, where);
  for (std::size_t k = 0; k < where.size(); k += 7) {
    const std::vector<PointValue> one =
        point_values(Problem{}, grid, u_h, {}, std::span(where).subspan(k, 1));
    CHECK(one[0].u == all[k].u);
  }
}

TEST_CASE("places are inside up to rounding, and others are refused", "[discrete][points]") {
  CHECK(is_inside({0, 0}, 1, 2));
  CHECK(is_inside({1, 2}, 1, 2));
  CHECK(is_inside({1 + 1e-13, -1e-13}, 1, 2));
  CHECK_FALSE(is_inside({1 + 1e-11, 1}, 1, 2));
  CHECK_FALSE(is_inside({0.5, 2.1}, 1, 2));
  CHECK_FALSE(is_inside({-0.1, 1}, 1, 2));
  CHECK_FALSE(is_inside({std::numeric_limits<double>::quiet_NaN(), 1}, 1, 2));
  CHECK_FALSE(is_inside({0, std::numeric_limits<double>::infinity()}, 1, 2));
  const TensorGrid grid = make_hierarchy(1, 1, 1).back();
  const std::vector<double> u_h{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<Position> outside{{0.5, 1.5}}, rounded{{1 + 1e-14, 1 + 1e-14}};
  const std::vector<double> few{1, 2, 3};
  CHECK_THROWS_AS(point_values(Problem{}, grid, u_h, {}, outside), std::invalid_argument);
  CHECK_THROWS_AS(point_values(Problem{}, grid, u_h, few, rounded), std::invalid_argument);
  CHECK_THROWS_AS(point_values(Problem{}, grid, std::vector<double>(4), {}, rounded),
                  std::invalid_argument);
  CHECK(point_values(Problem{}, grid, u_h, {}, rounded)[0].u == 8);
}

TEST_CASE("samples of a line have equal distances and end at its ends", "[discrete][points]") {
  const SampledLine line{{0.1, 0.7}, {0.7, 0.3}, 7};
  CHECK(length(line) == Approx(std::sqrt(0.52)));
  const std::vector<Position> samples = samples_of(line);
  REQUIRE(samples.size() == 7);
  CHECK(samples.front() == line.begin);
  CHECK(samples.back() == line.end);
  for (int k = 0; k < 7; ++k) {
    const Position& place = samples[static_cast<std::size_t>(k)];
    CHECK(distance_of(line, k) == Approx(std::hypot(place.x - 0.1, place.y - 0.7)).margin(1e-16));
    CHECK(distance_of(line, k) == Approx(k * std::sqrt(0.52) / 6).margin(1e-16));
  }
  for (const Position& place : samples_of({{1, 0}, {1, 0.3}, 11})) CHECK(place.x == 1);
}

}  // namespace
}  // namespace ninefold
