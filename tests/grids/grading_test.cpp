#include "grids/grading.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/exact.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::exact_sum;
using testing::within;
using testing::Worst;

GridGrading geometric_to(std::vector<Side> sides, double ratio) {
  return {.sides = std::move(sides), .kind = Grading::geometric, .expansion_ratio = ratio};
}

GridGrading layers_at(std::vector<Side> sides, double layer_width) {
  return {.sides = std::move(sides), .kind = Grading::shishkin, .layer_width = layer_width};
}

GridGrading own(std::vector<double> x, std::vector<double> y) {
  return {.x_widths = std::move(x), .y_widths = std::move(y)};
}

/// The widths of the cells of 2^level cells, random and over many orders of magnitude.
std::vector<double> random_widths(int level, unsigned seed) {
  auto widths =
      testing::random_values<double>(std::size_t{1} << level, seed, testing::Range::hurtful);
  for (double& width : widths) width = std::abs(width);
  return widths;
}

std::vector<double> mirrored(const std::vector<double>& values) {
  return {values.rbegin(), values.rend()};
}

std::vector<Line> x_lines(const std::vector<TensorGrid>& grids) {
  std::vector<Line> lines;
  for (const TensorGrid& grid : grids) lines.push_back(grid.x);
  return lines;
}

/// Old nodes keep their distances bit by bit; a cell is as wide as the two that it becomes.  Each
/// of the three widths is off by `roundoffs` of its own at most, and the sum of the two is exact
/// here; the level below holds what the level above says within twice that.
void require_nested(const std::vector<Line>& lines, double roundoffs) {
  for (std::size_t l = 1; l < lines.size(); ++l) {
    CAPTURE(l);
    const Line &coarse = lines[l - 1], &fine = lines[l];
    REQUIRE(fine.width.size() == std::size_t{1} << l);
    REQUIRE(fine.from_start.size() == fine.width.size() + 1);
    REQUIRE(fine.from_end.size() == fine.width.size() + 1);
    Worst worst;
    bool same = true;
    for (std::size_t i = 0; i < coarse.from_start.size(); ++i) {
      same = same && fine.from_start[2 * i] == coarse.from_start[i]
             && fine.from_end[2 * i] == coarse.from_end[i];
    }
    REQUIRE(same);
    for (std::size_t i = 0; i < coarse.width.size(); ++i) {
      const Exact both = exact_sum(fine.width, 2 * i, 2 * i + 2);
      worst.add(within(coarse.width[i], both, 2 * roundoffs, both), static_cast<int>(i), 0);
    }
    REQUIRE(worst.value());
  }
}

/// Distances are the sums of the widths: each summand and the distance itself are within
/// `roundoffs` of what they stand for.
void require_sums(const Line& line, double roundoffs) {
  Worst worst;
  const std::size_t n = line.width.size();
  Exact start = 0, end = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    worst.add(within(line.from_start[i], start, 2 * roundoffs, start), static_cast<int>(i), 0);
    worst.add(within(line.from_end[n - i], end, 2 * roundoffs, end), static_cast<int>(n - i), 1);
    if (i == n) break;
    start += Exact(line.width[i]);
    end += Exact(line.width[n - 1 - i]);
  }
  REQUIRE(worst.value());
}

TEST_CASE("gradings have the names of the config file", "[grids][grading]") {
  REQUIRE(to_string(Grading::anisotropic) == "anisotropic");
  REQUIRE(to_string(Grading::geometric) == "geometric");
  REQUIRE(to_string(Grading::shishkin) == "shishkin");
}

// Node i of n is X (g^(i/n) - 1) / (g - 1) from the refined side.  In long double, with 2^-64 for a
// rounding, logarithm, exponents and functions lose less than (4 + 3 log g) 2^-64 of the result,
// which for log g <= 81 is below 1/8 of a unit roundoff of double; the product with X and the last
// rounding make it less than 2.
TEST_CASE("geometric nodes are where the formula puts them", "[grids][grading]") {
  const double ratio = GENERATE(1.0, 1.0 + 0x1p-52, 1.0001, 2.0, 100.0, 1e8, 1e35);
  const double length = GENERATE(1.0, 3.7e4, 1e-11);
  const int level = GENERATE(1, 2, 7);
  CAPTURE(ratio, length, level);
  const Line line = make_hierarchy(length, 1.0, level, geometric_to({Side::left}, ratio)).back().x;
  const int n = 1 << level;
  REQUIRE(line.cells() == n);
  const Exact g(ratio), X(length);
  const auto distance = [&](int i) {
    if (ratio == 1.0) return Exact(X * i / n);
    return Exact(X * (pow(g, Exact(i) / n) - 1) / (g - 1));
  };
  Worst worst;
  for (int i = 0; i <= n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    worst.add(within(line.from_start[k], distance(i), 2, distance(i)), i, 0);
    const Exact rest = X - distance(i);
    worst.add(within(line.from_end[k], rest, 2, rest), i, 1);
    if (i == n) break;
    const Exact width = distance(i + 1) - distance(i);
    worst.add(within(line.width[k], width, 2, width), i, 2);
  }
  REQUIRE(worst.value());
  REQUIRE(line.from_start.back() == length);
  REQUIRE(line.from_end.front() == length);
  REQUIRE(line.from_start.front() == 0);
  REQUIRE(line.from_end.back() == 0);
}

TEST_CASE("the last geometric cell is about the expansion ratio times as wide as the first",
          "[grids][grading]") {
  const Line line = make_hierarchy(1.0, 1.0, 10, geometric_to({Side::left}, 1000.0)).back().x;
  // g^(1 - 1/n), to the roundings of two widths.
  REQUIRE(line.width.back() / line.width.front()
          == Approx(std::pow(1000.0, 1.0 - 1.0 / 1024)).epsilon(1e-14));
}

TEST_CASE("geometric levels are nested and their distances sums of their widths",
          "[grids][grading]") {
  const auto sides = GENERATE(values<std::vector<Side>>(
      {{Side::left}, {Side::right}, {Side::left, Side::right}, {Side::bottom}}));
  const double ratio = GENERATE(1.0, 3.0, 1e6);
  CAPTURE(sides.size(), ratio);
  const auto grids = make_hierarchy(0.7, 1.0, 8, geometric_to(sides, ratio));
  // 2 roundings for a width or a distance, one more for the half of a symmetric direction.
  require_nested(x_lines(grids), 3);
  for (const TensorGrid& grid : grids) require_sums(grid.x, 3);
}

TEST_CASE("a grading refined at the other side is the mirror image, at both sides symmetric",
          "[grids][grading]") {
  const bool layered = GENERATE(false, true);
  const auto make = [&](std::vector<Side> sides) {
    return make_hierarchy(
               0.3, 0.3, 5,
               layered ? layers_at(std::move(sides), 0.1) : geometric_to(std::move(sides), 50))
        .back();
  };
  const TensorGrid left = make({Side::left, Side::top}), right = make({Side::right, Side::bottom});
  REQUIRE(left.x.width == mirrored(right.x.width));
  REQUIRE(left.x.from_start == mirrored(right.x.from_end));
  REQUIRE(left.x.from_end == mirrored(right.x.from_start));
  REQUIRE(left.y.width == right.x.width);
  REQUIRE(right.y.from_start == left.x.from_start);
  REQUIRE(left.x.width.front() < left.x.width.back());

  const Line both = make({Side::left, Side::right}).x;
  REQUIRE(both.width == mirrored(both.width));
  REQUIRE(both.from_start == mirrored(both.from_end));
  REQUIRE(both.from_start[16] == 0.15);
  REQUIRE(both.width[0] < both.width[16]);
  const Line none = make({Side::top}).x;
  REQUIRE(none.width == std::vector<double>(32, 0.3 / 32));
}

TEST_CASE("a Shishkin layer at one side holds half of the cells, from level 1 on",
          "[grids][grading]") {
  const auto grids = make_hierarchy(1.0, 4.0, 6, layers_at({Side::right, Side::bottom}, 0.125));
  REQUIRE(grids[0].x.width == std::vector<double>{1.0});
  REQUIRE(grids[1].x.width == std::vector<double>{0.875, 0.125});
  REQUIRE(grids[1].y.width == std::vector<double>{0.5, 3.5});
  REQUIRE(grids[2].x.width == std::vector<double>{0.4375, 0.4375, 0.0625, 0.0625});
  for (std::size_t i = 0; i < 32; ++i) {
    REQUIRE(grids[6].x.width[i] == 0.875 / 32);
    REQUIRE(grids[6].x.width[32 + i] == 0.125 / 32);
    REQUIRE(grids[6].y.width[i] == 0.5 / 32);
    REQUIRE(grids[6].y.width[32 + i] == 3.5 / 32);
  }
}

TEST_CASE("Shishkin layers at both sides hold a quarter of the cells each, and level 1 is halved",
          "[grids][grading]") {
  const auto grids = make_hierarchy(1.0, 1.0, 5, layers_at({Side::left, Side::right}, 0.0625));
  REQUIRE(grids[1].x.width == std::vector<double>{0.5, 0.5});
  REQUIRE(grids[2].x.width == std::vector<double>{0.0625, 0.4375, 0.4375, 0.0625});
  for (std::size_t i = 0; i < 8; ++i) {
    REQUIRE(grids[5].x.width[i] == 0.0625 / 8);
    REQUIRE(grids[5].x.width[8 + i] == 0.4375 / 8);
    REQUIRE(grids[5].x.width[16 + i] == 0.4375 / 8);
    REQUIRE(grids[5].x.width[24 + i] == 0.0625 / 8);
  }
  REQUIRE(grids[5].y.width == std::vector<double>(32, 0x1p-5));
}

// The fraction's complement and two products round once each; then a level adds one addition.
TEST_CASE("Shishkin levels are nested and their distances sums of their widths",
          "[grids][grading]") {
  const auto sides =
      GENERATE(values<std::vector<Side>>({{Side::left}, {Side::right}, {Side::left, Side::right}}));
  const double layer = GENERATE(0.25, 0.1, 1e-7);
  CAPTURE(sides.size(), layer);
  const auto grids = make_hierarchy(0.7, 1.0, 8, layers_at(sides, layer));
  require_nested(x_lines(grids), 2);
  for (const TensorGrid& grid : grids) require_sums(grid.x, 3);
  const Line& finest = grids.back().x;
  const Exact exact = Exact(layer) * Exact(0.7) / (sides.size() == 1 ? 128 : 64);
  const bool from_left = sides.front() == Side::left;
  REQUIRE(within(from_left ? finest.width.front() : finest.width.back(), exact, 2, exact));
}

TEST_CASE("the largest layers make the grid uniform", "[grids][grading]") {
  const std::vector<double> uniform(16, 0x1p-4);
  const auto width_with = [](std::vector<Side> sides) {
    const double layer = widest_layer(sides.size() == 2);
    return make_hierarchy(1.0, 1.0, 4, layers_at(std::move(sides), layer)).back().x.width;
  };
  REQUIRE(width_with({Side::left}) == uniform);
  REQUIRE(width_with({Side::left, Side::right}) == uniform);
}

TEST_CASE(
    "own widths are the cells of their level, joined on coarser ones and halved on finer ones",
    "[grids][grading]") {
  const auto grids = make_hierarchy(15.0, 3.0, 3, own({1, 2, 4, 8}, {1, 2}));
  REQUIRE(grids[0].x.width == std::vector<double>{15});
  REQUIRE(grids[1].x.width == std::vector<double>{3, 12});
  REQUIRE(grids[2].x.width == std::vector<double>{1, 2, 4, 8});
  REQUIRE(grids[3].x.width == std::vector<double>{0.5, 0.5, 1, 1, 2, 2, 4, 4});
  REQUIRE(grids[3].x.from_start == std::vector<double>{0, 0.5, 1, 2, 3, 5, 7, 11, 15});
  REQUIRE(grids[2].x.from_end == std::vector<double>{15, 14, 12, 8, 0});
  REQUIRE(grids[1].y.width == std::vector<double>{1, 2});
  REQUIRE(grids[2].y.width == std::vector<double>{0.5, 0.5, 1, 1});
  // A coarser hierarchy is the beginning of a finer one.
  const auto coarse = make_hierarchy(15.0, 3.0, 1, own({1, 2, 4, 8}, {1, 2}));
  REQUIRE(coarse.size() == 2);
  REQUIRE(coarse[1].x.width == grids[1].x.width);
  REQUIRE(coarse[1].x.from_start == grids[1].x.from_start);
}

// A joined width is one rounding of an exact sum (LongSum adds u^2), on every level, and so is a
// distance.
TEST_CASE("joining and halving own widths keeps all their digits", "[grids][grading]") {
  const auto widths = random_widths(9, 5);
  const auto lines = own_lines(widths, 11);
  REQUIRE(lines.size() == 12);
  REQUIRE(lines[9].width == widths);
  for (int l = 0; l <= 11; ++l) {
    CAPTURE(l);
    const Line& line = lines[static_cast<std::size_t>(l)];
    Worst worst;
    if (l <= 9) {
      const std::size_t group = widths.size() >> l;
      for (std::size_t i = 0; i < line.width.size(); ++i) {
        const Exact sum = exact_sum(widths, i * group, (i + 1) * group);
        worst.add(within(line.width[i], sum, 1 + 0x1p-50, sum), static_cast<int>(i), 0);
      }
      REQUIRE(worst.value());
    } else {
      bool halved = true;
      for (std::size_t i = 0; i < line.width.size(); ++i) {
        halved = halved && line.width[i] == std::ldexp(widths[i >> (l - 9)], 9 - l);
      }
      REQUIRE(halved);
    }
    REQUIRE(line.from_start.back() == line.from_end.front());
  }
  require_nested(lines, 1);
  for (const std::size_t l : {std::size_t{9}, std::size_t{11}}) require_sums(lines[l], 1);
}

TEST_CASE("a direction without own widths follows the grading", "[grids][grading]") {
  GridGrading grading = geometric_to({Side::right, Side::bottom}, 10);
  const auto graded = make_hierarchy(3.0, 1.0, 4, grading);
  grading.x_widths = {1, 2};
  const auto grids = make_hierarchy(3.0, 1.0, 4, grading);
  REQUIRE(grids.back().y.width == graded.back().y.width);
  REQUIRE(grids.back().x.width.front() == 0.125);
  REQUIRE(grids.back().x.width.back() == 0.25);
}

TEST_CASE("the size stated beside own widths agrees to twelve digits", "[grids][grading]") {
  const auto grids = make_hierarchy(3.0 * (1 + 0.9e-12), 1.0, 2, own({1, 2}, {}));
  REQUIRE(grids.back().x.from_start.back() == 3.0);
  REQUIRE_THROWS_WITH(make_hierarchy(3.0 * (1 + 1.1e-12), 1.0, 2, own({1, 2}, {})),
                      ContainsSubstring("add up to 3"));
  REQUIRE_THROWS_WITH(make_hierarchy(1.0, 2.0, 2, own({}, {1, 2})),
                      ContainsSubstring("in y") && ContainsSubstring("the rectangle is 2"));
}

TEST_CASE("gradings that cannot be are refused", "[grids][grading]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto make = [](const GridGrading& grading, int level = 3) {
    return make_hierarchy(1.0, 1.0, level, grading);
  };
  for (const double ratio : {0.5, 0.0, -2.0, infinity, std::nan("")}) {
    REQUIRE_THROWS_WITH(make(geometric_to({Side::left}, ratio)),
                        ContainsSubstring("expansion ratio"));
  }
  for (const double layer : {0.0, -0.1, 0.51, infinity, std::nan("")}) {
    REQUIRE_THROWS_WITH(make(layers_at({Side::left}, layer)), ContainsSubstring("at most 0.5"));
  }
  REQUIRE_THROWS_WITH(make(layers_at({Side::bottom, Side::top}, 0.3)),
                      ContainsSubstring("in y") && ContainsSubstring("at most 0.25"));
  REQUIRE_THROWS_WITH(make(layers_at({Side::left}, 1e-307), 5),
                      ContainsSubstring("smallest normal double"));
  REQUIRE_THROWS_WITH(make(geometric_to({Side::left}, 1e308), 12),
                      ContainsSubstring("smallest normal double"));
  REQUIRE_THROWS_WITH(make(own({0.25, 0.25, 0.5}, {})), ContainsSubstring("3 cell widths"));
  REQUIRE_THROWS_WITH(make(own({1.0}, {})), ContainsSubstring("1 cell widths"));
  REQUIRE_THROWS_AS(make(own({1.5, -0.5}, {})), std::invalid_argument);
  REQUIRE_THROWS_WITH(own_lines(std::vector<double>(std::size_t{1} << 17, 1.0), 3),
                      ContainsSubstring("131072 cell widths") && ContainsSubstring("65536"));
  REQUIRE_THROWS_WITH(own_lines({1.0, 0x1p-1022}, 2), ContainsSubstring("smallest normal double"));
  REQUIRE_THROWS_WITH(own_lines({1e308, 1e308}, 1), ContainsSubstring("more than a double holds"));
}

}  // namespace
}  // namespace ninefold
