#include "grids/tensor_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "precision/bad_value.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using testing::exact_sum;
using testing::within;

/// The printed values have four digits.
constexpr double printed = 5.01e-4;

std::vector<Side> sides_of(int mask) {
  std::vector<Side> sides;
  for (const Side side : all_sides) {
    if (mask >> static_cast<int>(side) & 1) sides.push_back(side);
  }
  return sides;
}

TEST_CASE("a level has 2^l cells in each direction", "[grids][tensor_grid]") {
  const auto grids = make_hierarchy(2.0, 0.5, 6, {.nu = 0.3, .sides = {Side::left}});
  REQUIRE(grids.size() == 7);
  for (std::size_t l = 0; l < grids.size(); ++l) {
    REQUIRE(grids[l].nx() == (1 << l) + 1);
    REQUIRE(grids[l].ny() == (1 << l) + 1);
    REQUIRE(grids[l].x.from_start.size() == (1u << l) + 1);
    REQUIRE(grids[l].x.from_end.size() == (1u << l) + 1);
  }
}

TEST_CASE("a uniform grid of a power of two is exact", "[grids][tensor_grid]") {
  const TensorGrid grid = make_hierarchy(1.0, 0.25, 7).back();
  for (int i = 0; i <= 128; ++i) {
    REQUIRE(grid.x.from_start[std::size_t(i)] == i / 128.0);
    REQUIRE(grid.y.from_end[std::size_t(i)] == (128 - i) / 512.0);
  }
  REQUIRE(grid.h_min() == 0x1p-9);
  REQUIRE(grid.max_aspect_ratio() == 4);
}

// Each level adds one addition to a distance, two roundings to a width, and one more for the sum
// of the two halves of a cell: 4 per level, one for the comparison of sums.
TEST_CASE("hierarchies are nested and widths sum to distances and sizes, any set of refined sides",
          "[grids][tensor_grid]") {
  const int mask = GENERATE(range(0, 16));
  const double nu = GENERATE(1.0, 0.75, 0.25, 0.03125, 0.1);
  const double width = GENERATE(1.0, 1e-11, 3.7e4);
  CAPTURE(mask, nu, width);
  const int level = 6;
  const auto grids = make_hierarchy(width, 1.0, level, {.nu = nu, .sides = sides_of(mask)});
  for (std::size_t l = 0; l < grids.size(); ++l) {
    const double roundoffs = 4 * static_cast<double>(l) + 1;
    for (const bool in_x : {true, false}) {
      const Line& line = in_x ? grids[l].x : grids[l].y;
      const std::size_t n = std::size_t(line.cells());
      testing::Worst worst;
      for (std::size_t i = 0; i <= n; ++i) {
        const Exact start = exact_sum(line.width, 0, i), end = exact_sum(line.width, i, n);
        worst.add(within(line.from_start[i], start, roundoffs, start), int(i), 0);
        worst.add(within(line.from_end[i], end, roundoffs, end), int(i), 1);
      }
      REQUIRE(worst.value());
      REQUIRE(line.from_start[n] == (in_x ? width : 1.0));
      REQUIRE(line.from_end[0] == (in_x ? width : 1.0));
      REQUIRE(line.from_start[0] == 0);
      REQUIRE(line.from_end[n] == 0);
      if (l == 0) continue;
      const Line& coarse = in_x ? grids[l - 1].x : grids[l - 1].y;
      for (std::size_t i = 0; i < coarse.from_start.size(); ++i) {
        REQUIRE(line.from_start[2 * i] == coarse.from_start[i]);
        REQUIRE(line.from_end[2 * i] == coarse.from_end[i]);
      }
      for (std::size_t i = 0; i < coarse.width.size(); ++i) {
        REQUIRE(within(coarse.width[i], Exact(line.width[2 * i]) + Exact(line.width[2 * i + 1]), 3,
                       Exact(coarse.width[i])));
      }
    }
  }
}

TEST_CASE("cells next to refined sides are split at nu/2 from the side and all others halved",
          "[grids][tensor_grid]") {
  const auto grids = make_hierarchy(1.0, 1.0, 3, {.nu = 0.5, .sides = {Side::right, Side::bottom}});
  REQUIRE(grids[1].x.width == std::vector<double>{0.75, 0.25});
  REQUIRE(grids[1].y.width == std::vector<double>{0.25, 0.75});
  REQUIRE(grids[2].x.width == std::vector<double>{0.375, 0.375, 0.1875, 0.0625});
  REQUIRE(
      grids[3].y.width
      == std::vector<double>{0.015625, 0.046875, 0.09375, 0.09375, 0.1875, 0.1875, 0.1875, 0.1875});
}

TEST_CASE("two opposite refined sides give a symmetric grid", "[grids][tensor_grid]") {
  const TensorGrid grid =
      make_hierarchy(1.0, 1.0, 5, {.nu = 0.2, .sides = {Side::left, Side::right}}).back();
  std::vector<double> mirrored(grid.x.width.rbegin(), grid.x.width.rend());
  REQUIRE(mirrored == grid.x.width);
  REQUIRE(grid.x.width.front() < grid.x.width[16]);
  REQUIRE(grid.y.width.front() == 0x1p-5);
}

struct Table {
  char test;
  double nu;
  std::array<double, 9> h_min, aspect_ratio;  // levels 2 to 10
};

TEST_CASE("smallest width and aspect ratio are those of the paper's tests E to I",
          "[grids][tensor_grid]") {
  const Table table = GENERATE(
      Table{'E',
            0.75,
            {1.406e-1, 5.273e-2, 1.978e-2, 7.416e-3, 2.781e-3, 1.043e-3, 3.911e-4, 1.466e-4,
             5.499e-5},
            {2.222, 2.963, 3.951, 5.267, 7.023, 9.364, 12.49, 16.65, 22.20}},
      Table{'F',
            0.5,
            {6.250e-2, 1.562e-2, 3.906e-3, 9.766e-4, 2.441e-4, 6.104e-5, 1.526e-5, 3.815e-6,
             9.537e-7},
            {6, 12, 24, 48, 96, 192, 384, 768, 1536}},
      Table{'G',
            0.25,
            {1.562e-2, 1.953e-3, 2.441e-4, 3.052e-5, 3.815e-6, 4.768e-7, 5.960e-8, 7.451e-9,
             9.313e-10},
            {28, 112, 448, 1792, 7168, 2.867e4, 1.147e5, 4.588e5, 1.835e6}},
      Table{'H',
            0.0625,
            {9.766e-4, 3.052e-5, 9.537e-7, 2.980e-8, 9.313e-10, 2.910e-11, 9.095e-13, 2.842e-14,
             8.882e-16},
            {496, 7936, 1.270e5, 2.032e6, 3.251e7, 5.201e8, 8.321e9, 1.331e11, 2.130e12}},
      Table{'I',
            0.03125,
            {2.441e-4, 3.815e-6, 5.960e-8, 9.313e-10, 1.455e-11, 2.274e-13, 3.553e-15, 5.551e-17,
             8.674e-19},
            {2016, 6.451e4, 2.064e6, 6.606e7, 2.114e9, 6.765e10, 2.165e12, 6.927e13, 2.217e15}});
  CAPTURE(table.test);
  const auto grids = make_hierarchy(1.0, 1.0, 10, {.nu = table.nu});
  for (std::size_t level = 2; level <= 10; ++level) {
    CAPTURE(level);
    const double h = grids[level].h_min(), ratio = grids[level].max_aspect_ratio();
    REQUIRE(std::abs(h - table.h_min[level - 2]) <= printed * h);
    REQUIRE(std::abs(ratio - table.aspect_ratio[level - 2]) <= printed * ratio);
    // The boundary cell shrinks by nu/2 per level; the widest cell is 1 - nu/2 once, then halved.
    const int l = static_cast<int>(level);
    REQUIRE(h == Approx(std::pow(table.nu / 2, l)).epsilon(1e-14));
    REQUIRE(ratio * h == Approx(std::ldexp(1 - table.nu / 2, 1 - l)).epsilon(1e-14));
  }
}

TEST_CASE("the paper's test I is represented at the levels that absolute coordinates cannot hold",
          "[grids][tensor_grid]") {
  const int level = GENERATE(9, 10, 16);
  CAPTURE(level);
  const TensorGrid grid = make_hierarchy(1.0, 1.0, level, {.nu = 0.03125}).back();
  const std::size_t n = std::size_t(grid.x.cells());
  REQUIRE(grid.x.width[n - 1] == std::ldexp(1.0, -6 * level));
  REQUIRE(grid.x.from_end[n - 1] == std::ldexp(1.0, -6 * level));
  REQUIRE(grid.y.from_start[1] == std::ldexp(1.0, -6 * level));
  for (std::size_t i = 0; i < n; ++i) {
    if (!(grid.x.from_end[i] > grid.x.from_end[i + 1])) FAIL("distances to the end do not fall");
    if (!(grid.y.from_start[i] < grid.y.from_start[i + 1])) FAIL("distances do not grow");
  }
  if (level >= 10) REQUIRE(1.0 - grid.x.width[n - 1] == 1.0);  // what coordinates would see
}

TEST_CASE("make_line sums widths from both ends to the last digit", "[grids][tensor_grid]") {
  auto widths = testing::random_values<double>(1000, 7, testing::Range::hurtful);
  for (double& w : widths) w = std::abs(w);
  const Line line = make_line(widths);
  REQUIRE(line.width == widths);
  REQUIRE(line.cells() == 1000);
  REQUIRE(line.nodes() == 1001);
  for (std::size_t i = 0; i <= 1000; ++i) {
    const Exact start = exact_sum(widths, 0, i), end = exact_sum(widths, i, 1000);
    REQUIRE(within(line.from_start[i], start, 2, start));
    REQUIRE(within(line.from_end[i], end, 2, end));
  }
}

TEST_CASE("grids that cannot be are refused with the offending value", "[grids][tensor_grid]") {
  const double infinity = std::numeric_limits<double>::infinity();
  REQUIRE_THROWS_AS(make_hierarchy(1, 1, -1), BadValue);
  REQUIRE_THROWS_WITH(make_hierarchy(1, 1, 17), ContainsSubstring("17") && ContainsSubstring("16"));
  for (const double size : {0.0, -1.0, infinity, std::nan("")}) {
    REQUIRE_THROWS_AS(make_hierarchy(size, 1, 2), BadValue);
    REQUIRE_THROWS_AS(make_hierarchy(1, size, 2), BadValue);
    REQUIRE_THROWS_AS(make_line({1.0, size}), std::invalid_argument);
  }
  for (const double nu : {0.0, -0.5, 1.0001, infinity, std::nan("")}) {
    REQUIRE_THROWS_WITH(make_hierarchy(1, 1, 2, {.nu = nu}), ContainsSubstring("anisotropy"));
  }
  REQUIRE_THROWS_AS(make_line({}), std::invalid_argument);
  // All digits of small numbers are told.
  REQUIRE_THROWS_WITH(make_line({1.0, -1e-11}), StartsWith("a cell is -1e-11 wide"));
  REQUIRE_THROWS_WITH(make_hierarchy(-1e-11, 0.25, 2), ContainsSubstring("-1e-11 x 0.25"));
  REQUIRE_THROWS_WITH(make_hierarchy(1, 1, 12, {.nu = 1e-30}),
                      ContainsSubstring("smallest normal double"));
  REQUIRE_THROWS_WITH(make_hierarchy(1e-300, 1, 15, {.nu = 0.01}),
                      ContainsSubstring("smallest normal double"));
}

TEST_CASE("sides have the names of the config file", "[grids][tensor_grid]") {
  REQUIRE(to_string(Side::left) == "left");
  REQUIRE(to_string(Side::right) == "right");
  REQUIRE(to_string(Side::bottom) == "bottom");
  REQUIRE(to_string(Side::top) == "top");
}

}  // namespace
}  // namespace ninefold
