#include "fem/discrete/lifting.hpp"

#include <algorithm>
#include <cmath>

#include "fem/discrete/assembly.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using testing::Oracle;
using testing::OracleProblem;
using testing::to_exact;

struct Stated {
  Problem problem;
  TensorGrid grid;
};

/// Sides from the bits of `fixed`: left, right, bottom, top.
Stated state(int fixed, double reaction, const GridGrading& grading, int level = 3) {
  Stated s;
  s.problem.width = 1.5;
  s.problem.height = 0.5;
  s.problem.gx = 2;
  s.problem.gy = 0.25;
  s.problem.reaction = reaction;
  for (const Side side : all_sides) {
    const bool dirichlet = fixed >> static_cast<int>(side) & 1;
    s.problem.boundary[side] = dirichlet ? BoundaryKind::dirichlet : BoundaryKind::neumann;
  }
  s.problem.source = [](const Point& p) { return 1 + p.x() * p.y(); };
  s.problem.dirichlet = [](const Point& p) { return std::exp(p.x()) * std::cos(3 * p.y()) - 0.25; };
  s.grid = make_hierarchy(1.5, 0.5, level, grading).back();
  return s;
}

Oracle oracle_of(const Stated& s) {
  OracleProblem p;
  p.widths_x = s.grid.x.width;
  p.widths_y = s.grid.y.width;
  p.gx = s.problem.gx;
  p.gy = s.problem.gy;
  p.c = s.problem.reaction;
  for (const Side side : all_sides) {
    p.dirichlet[std::size_t(side)] = s.problem.boundary[side] == BoundaryKind::dirichlet;
  }
  return Oracle(p);
}

template <class W>
Load<W> nodes_of(std::vector<W> load, const Stated& s) {
  return {unknown_nodes(s.grid, s.problem.boundary), s.grid.nx(), std::move(load)};
}

/// Zero inside, and on Neumann sides.
template <class W>
W boundary_value(const SideValues<W>& sides, const Stated& s, int i, int j) {
  const auto at = [&](Side side, int k) { return sides[std::size_t(side)][std::size_t(k)]; };
  const Boundary& boundary = s.problem.boundary;
  const auto fixed = [&](Side side) { return boundary[side] == BoundaryKind::dirichlet; };
  if (i == 0 && fixed(Side::left)) return at(Side::left, j);
  if (i == s.grid.nx() - 1 && fixed(Side::right)) return at(Side::right, j);
  if (j == 0 && fixed(Side::bottom)) return at(Side::bottom, i);
  if (j == s.grid.ny() - 1 && fixed(Side::top)) return at(Side::top, i);
  return W(0);
}

TEMPLATE_TEST_CASE("what is taken from the load is the matrix times the lifting", "[fem][lifting]",
                   double, DoubleDouble) {
  using W = TestType;
  const int fixed = GENERATE(range(1, 16));
  const double reaction = GENERATE(0.0, 1e-3, 50.0, 1e7);
  const GridGrading grading = GENERATE(GridGrading{}, GridGrading{0.1, {Side::right, Side::bottom}},
                                       GridGrading{0.02, {Side::left, Side::top}});
  CAPTURE(fixed, reaction, grading.nu);
  const Stated s = state(fixed, reaction, grading);
  const int nx = s.grid.nx(), ny = s.grid.ny();
  const Oracle oracle = oracle_of(s);
  const auto sides = side_values<W>(s.problem, s.grid);
  const Load<W> by_nodes = nodes_of(assemble_load<W>(s.problem, s.grid), s);
  const std::vector<W>& load = by_nodes.nodes();
  const Lifting<W> lifting(s.problem, s.grid, sides, by_nodes);
  Load<W> rest = by_nodes;
  lifting.subtract_image(rest);
  const std::vector<W>& left = rest.nodes();
  std::vector<W> w(load.size(), W(0));
  lifting.add_value(w, {0, s.grid.ny()});

  // A value of w is off by three roundoffs per node on the way from its side, and by those of a
  // few products and sums.
  const double u = std::is_same_v<W, double> ? 0x1p-53 : 0x1p-102;
  const double roundoffs = 3.0 * std::max(nx, ny) + 40;
  for (int node = 0; node < nx * ny; ++node) {
    CAPTURE(node);
    if (oracle.is_dirichlet(node)) {
      REQUIRE(static_cast<double>(w[std::size_t(node)])
              == static_cast<double>(boundary_value(sides, s, node % nx, node / nx)));
      continue;
    }
    Exact image = 0, size = abs(to_exact(load[std::size_t(node)]));
    for (int other = 0; other < nx * ny; ++other) {
      const Exact value = to_exact(w[std::size_t(other)]);
      image += oracle.entry(node, other) * value;
      size += oracle.magnitude(node, other) * abs(value);
    }
    const Exact taken = to_exact(load[std::size_t(node)]) - to_exact(left[std::size_t(node)]);
    REQUIRE(abs(Exact(taken - image)) <= Exact(roundoffs * u) * size);
  }
}

TEST_CASE("a lifting knows its sizes", "[fem][lifting]") {
  const int fixed = GENERATE(1, 3, 5, 7, 15);
  const double reaction = GENERATE(0.0, 50.0);
  CAPTURE(fixed, reaction);
  const Stated s = state(fixed, reaction, {0.2, {Side::right}});
  const auto sides = side_values<double>(s.problem, s.grid);
  const Lifting<double> lifting(s.problem, s.grid, sides, load_of<double>(s.problem, s.grid));
  const int nx = s.grid.nx(), ny = s.grid.ny();
  double largest = 0, at_boundary = 0, square = 0;
  const auto share = [](const Line& line, int i) {
    return ((i > 0 ? line.width[std::size_t(i - 1)] : 0.0)
            + (i < line.cells() ? line.width[std::size_t(i)] : 0.0))
           / 2;
  };
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const double w = lifting.value(i, j);
      largest = std::max(largest, std::abs(w));
      at_boundary = std::max(at_boundary, std::abs(boundary_value(sides, s, i, j)));
      square += share(s.grid.x, i) * share(s.grid.y, j) * w * w;
    }
  }
  REQUIRE(lifting.largest() >= largest);
  REQUIRE(lifting.largest_boundary_value() == at_boundary);
  REQUIRE(lifting.l2() == Approx(std::sqrt(square)).epsilon(1e-12));
}

TEST_CASE("zero boundary values leave the load as it is", "[fem][lifting]") {
  Stated s = state(15, 0, {});
  s.problem.dirichlet = {};
  const Load<double> load = nodes_of(assemble_load<double>(s.problem, s.grid), s);
  const Lifting<double> lifting(s.problem, s.grid, side_values<double>(s.problem, s.grid), load);
  REQUIRE(lifting.empty());
  auto left = load;
  lifting.subtract_image(left);
  REQUIRE(left.nodes() == load.nodes());
}

TEST_CASE("without a Dirichlet side the lifting balances the load", "[fem][lifting]") {
  const double reaction = GENERATE(0.0, 1e-8, 3.0);
  CAPTURE(reaction);
  Stated s = state(0, reaction, {0.3, {Side::left}});
  const bool by_products = GENERATE(false, true);
  CAPTURE(by_products);
  if (by_products) s.problem.source = sum_of({{0.7, constant(3)}, {0.1, constant(2)}});
  const Load<double> load = by_products ? load_of<double>(s.problem, s.grid)
                                        : nodes_of(assemble_load<double>(s.problem, s.grid), s);
  REQUIRE(load.by_nodes() != by_products);
  const Lifting<double> lifting(s.problem, s.grid, side_values<double>(s.problem, s.grid), load);
  REQUIRE(has_free_constant(s.problem) == (reaction == 0));
  auto left = load;
  lifting.subtract_image(left);
  double before = 0, sum = 0, size = 0;
  for (int j = 0; j < s.grid.ny(); ++j) {
    for (int i = 0; i < s.grid.nx(); ++i) {
      before += load.at(i, j);
      sum += left.at(i, j);
      size += std::abs(load.at(i, j)) + std::abs(left.at(i, j));
    }
  }
  REQUIRE(std::abs(sum) <= 1e-15 * size);
  const double area = 1.5 * 0.5;
  REQUIRE(lifting.value(3, 5) == Approx(reaction == 0 ? 0.0 : before / area / reaction));
}

}  // namespace
}  // namespace ninefold
