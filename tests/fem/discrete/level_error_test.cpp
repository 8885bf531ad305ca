#include "fem/discrete/level_error.hpp"

#include <cmath>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/error_distribution.hpp"
#include "fem/discrete/gauss_rule.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

Bends same(double value) {
  return {value, value, value};
}

/// The square of the error's function, integrated over the four finer cells of a coarser one by a
/// rule that is exact for it, |K| = 1.
double integrated(const LevelErrorCell& cell, bool with_products) {
  const GaussRule<double> rule = gauss_rule<double>(4);
  const auto corner = [&](double x, double y) {
    return (1 - y) * ((1 - x) * cell.south_west + x * cell.south_east)
           + y * ((1 - x) * cell.north_west + x * cell.north_east);
  };
  double sum = 0;
  for (const double right : {0.0, 1.0}) {
    for (const double upper : {0.0, 1.0}) {
      const double t = right == 0 ? cell.x.share : 1 - cell.x.share;
      const double s = upper == 0 ? cell.y.share : 1 - cell.y.share;
      const double x0 = right * cell.x.share, y0 = upper * cell.y.share;
      for (std::size_t p = 0; p < 4; ++p) {
        for (std::size_t q = 0; q < 4; ++q) {
          const double x = rule.point[p], y = rule.point[q];
          const double n = corner(x0 + t * x, y0 + s * y);
          const double inside =
              cell.bend_x.mean() * t * t * x * (1 - x) + cell.bend_y.mean() * s * s * y * (1 - y);
          const double square =
              with_products ? (n + inside) * (n + inside) : n * n + inside * inside;
          sum += t * s * rule.weight[p] * rule.weight[q] * square;
        }
      }
    }
  }
  return sum;
}

TEST_CASE("the square of a level's error is integrated", "[discrete][estimate]") {
  for (const double share_x : {0.5, 0.125, 0.9}) {
    for (const double share_y : {0.5, 0.75}) {
      CAPTURE(share_x, share_y);
      const HalvedCell x = halved_cell(share_x), y = halved_cell(share_y);
      const LevelErrorCell even{3, 3, 3, 3, same(2), same(-5), x, y};
      CHECK(even.mean_square() == Approx(integrated(even, true)).epsilon(1e-13));
      const LevelErrorCell nodes{1, -2, 4, 0.5, same(0), same(0), x, y};
      CHECK(nodes.mean_square() == Approx(integrated(nodes, true)).epsilon(1e-13));
      const LevelErrorCell inside{0, 0, 0, 0, same(1.5), same(0.25), x, y};
      CHECK(inside.mean_square() == Approx(integrated(inside, true)).epsilon(1e-13));
      // The bends are even about each finer cell's middle, and what is left of n is odd.
      const LevelErrorCell all{1, -2, 4, 1, same(1.5), same(0.25), x, y};
      CHECK(all.mean_square() == Approx(integrated(all, true)).epsilon(1e-13));
      CHECK(std::abs(all.mean_square() - integrated(all, false)) > 1e-3);
      // Of bends that are not alike the squares are averaged.
      const LevelErrorCell uneven{0, 0, 0, 0, {4, 0, 0}, same(0), x, y};
      const LevelErrorCell as_large{0, 0, 0, 0, same(2), same(0), x, y};
      CHECK(uneven.mean_square() == Approx(as_large.mean_square()).epsilon(1e-13));
    }
  }
}

TEST_CASE("a quadratic function that is exact at all nodes has the error of its interpolation",
          "[discrete][estimate]") {
  const double share_x = 0.25, share_y = 0.5;
  const auto x_of = [&](int i) { return i / 2 + (i % 2 == 0 ? 0 : share_x); };
  const auto y_of = [&](int j) { return j / 2 + (j % 2 == 0 ? 0 : share_y); };
  const auto u = [](double x, double y) { return 3 * x * x - y * y + 2 * x * y + x; };
  const auto finer = [&](int i, int j) { return u(x_of(i), y_of(j)); };
  const auto coarser = [&](int i, int j) { return u(i, j); };
  const LevelErrorCell cell =
      level_error_in(finer, coarser, 1, 2, halved_cell(share_x), halved_cell(share_y));
  CHECK(cell.south_west == 0);
  CHECK(cell.north_east == 0);
  // -u_xx / 2 over cells that are 1 wide.
  CHECK(cell.bend_x.mean() == Approx(-3));
  CHECK(cell.bend_y.mean() == Approx(1));
  const auto moved = [&](int i, int j) { return finer(i, j) + 6; };
  CHECK(level_error_at(moved, coarser, 1, 2) == Approx(2));
}

TEST_CASE("errors are distributed to the nodes that cells touch", "[discrete][estimate]") {
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 2).back();  // 4 x 4 cells, 2 x 2 coarser ones
  std::vector<double> values(25, 0.0);
  const std::vector<double> coarser(9, 0.0);
  values[1 * 5 + 0] = 1;  // bends the left side of the lower left coarser cell
  const std::vector<double> found = error_distribution(grid, values, coarser);
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 5; ++i) {
      CAPTURE(i, j);
      CHECK((found[std::size_t(j * 5 + i)] > 0) == (i <= 2 && j <= 2));
    }
  }
  // c = 4 / 2, over a quarter of the square of it: (2/4)^2 / 30.
  // 4 on the left side along y, -2 on the middle line along x.
  CHECK(found[0] == Approx(std::sqrt((2.0 + 4.0) / 16 / 30 - 1.0 / 16 / 18)));
  CHECK_THROWS_AS(error_distribution(grid, values, values), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
