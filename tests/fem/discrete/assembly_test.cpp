#include "fem/discrete/assembly.hpp"

#include <cmath>
#include <stdexcept>
#include <type_traits>

#include <omp.h>

#include "fem/discrete/gauss_rule.hpp"
#include "fem/discrete/load.hpp"

#include "gpu/operations/row_operations.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/problem_cases.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::for_oracle;
using testing::make_grid;
using testing::Oracle;
using testing::problem_cases;
using testing::ProblemCase;
using testing::stated;
using testing::within;
using testing::Worst;

/// The project's matrix, assembled on the host.
template <class T>
struct Assembled {
  std::vector<T> storage;
  NineBand<T> view{};

  Assembled(const ProblemCase& c, const TensorGrid& grid, OperatorForm form)
      : storage(9 * std::size_t(grid.nx() * grid.ny()), T(-77)) {
    for (int m = 0; m < 9; ++m) view.band[m] = storage.data() + m * grid.nx() * grid.ny();
    view.nx = grid.nx();
    view.ny = grid.ny();
    view.form = form;
    view.unknowns = unknown_nodes(grid, stated(c).boundary);
    const auto x = node_couplings<double>(grid.x), y = node_couplings<double>(grid.y);
    assemble_bands(Host(), Coefficients<double>{c.gx, c.gy, c.c}, x.data(), y.data(), view);
  }
  T entry(int node, int s, int t) const { return view.band[3 * (t + 1) + s + 1][node]; }
};

// An entry: 1/h 1, sum 1; h/6 1 or (h+h)/3 2; their product 1, the coefficient 1; two sums: 9 in
// double, as the mass term has one less on the sums and one more on the factors.  Then one rounding
// to T.  The row sum: two lumped masses of 1 each, two products.
TEMPLATE_TEST_CASE("the assembled matrix agrees with the oracle entry by entry", "[fem][assembly]",
                   NINEFOLD_VALUE_TYPES) {
  const ProblemCase c = GENERATE(from_range(problem_cases()));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const int level = GENERATE(1, 3);
  if (c.quadrature != 2) return;  // of no influence on the matrix
  CAPTURE(c.description, to_string(form), level);
  const TensorGrid grid = make_grid(c, level);
  const Oracle oracle(for_oracle(c, grid, false));
  const Assembled<TestType> A(c, grid, form);
  const double roundoffs = 10 * 0x1p-53 / Format<TestType>::unit_roundoff + 1;
  const int nx = grid.nx(), ny = grid.ny();
  Worst worst;
  for (int node = 0; node < nx * ny; ++node) {
    const int i = node % nx, j = node / nx;
    for (int t = -1; t <= 1; ++t) {
      for (int s = -1; s <= 1; ++s) {
        CAPTURE(i, j, s, t);
        const TestType computed = A.entry(node, s, t);
        const bool inside = i + s >= 0 && i + s < nx && j + t >= 0 && j + t < ny;
        const bool centre = s == 0 && t == 0;
        if (oracle.is_dirichlet(node)) {
          REQUIRE(computed == (centre ? 1 : 0));
        } else if (!inside) {
          REQUIRE(computed == 0);
        } else if (centre && form == OperatorForm::difference) {
          Exact sum = 0;
          for (int other = 0; other < nx * ny; ++other) sum += oracle.entry(node, other);
          if (c.c == 0) REQUIRE(computed == 0);
          // Summing the entries costs the oracle 1e-50 of their size.
          if (c.c > 0) worst.add(within(computed, sum, roundoffs, sum), i, j);
        } else {
          const int other = node + t * nx + s;
          worst.add(
              within(computed, oracle.entry(node, other), roundoffs, oracle.magnitude(node, other)),
              i, j);
        }
      }
    }
  }
  REQUIRE(worst.value());
}

TEST_CASE("the assembled matrix is symmetric to the last bit", "[fem][assembly]") {
  const ProblemCase c = GENERATE(from_range(problem_cases()));
  CAPTURE(c.description);
  const TensorGrid grid = make_grid(c, 4);
  const Assembled<double> A(c, grid, OperatorForm::plain);
  for (int j = A.view.unknowns.j0; j < A.view.unknowns.j1; ++j) {
    for (int i = A.view.unknowns.i0; i < A.view.unknowns.i1; ++i) {
      for (int m = 0; m < 9; ++m) {
        const int s = m % 3 - 1, t = m / 3 - 1;
        if (!A.view.unknowns.contains(i + s, j + t)) continue;
        const int here = j * grid.nx() + i, there = here + t * grid.nx() + s;
        REQUIRE(A.entry(here, s, t) == A.entry(there, -s, -t));
      }
    }
  }
}

TEST_CASE("a uniform square has the stencil 8/3 and -1/3", "[fem][assembly]") {
  const ProblemCase c{.description = "uniform"};
  const TensorGrid grid = make_grid(c, 5);
  const Assembled<double> A(c, grid, OperatorForm::plain);
  const int node = 7 * grid.nx() + 11;
  for (int m = 0; m < 9; ++m) {
    const double expected = m == 4 ? 8.0 / 3 : -1.0 / 3;
    REQUIRE(std::abs(A.view.band[m][node] - expected) <= 10 * 0x1p-53 * 2);
  }
}

/// Roundings of a load entry at this level, derived in tests/README.md.
double load_roundoffs(int level) {
  return 12 * level + 50;
}

TEST_CASE("the load agrees with the oracle entry by entry", "[fem][assembly]") {
  const ProblemCase c = GENERATE(from_range(problem_cases()));
  const int level = GENERATE(1, 3, 5);
  CAPTURE(c.description, level);
  const TensorGrid grid = make_grid(c, level);
  if (level == 5 && c.quadrature != 2) return;
  const auto load = assemble_load<double>(stated(c), grid);
  REQUIRE(load.size() == std::size_t(grid.nx() * grid.ny()));
  const Load<double> by_products = load_of<double>(stated(c), grid);
  REQUIRE_FALSE(by_products.by_nodes());
  auto data = for_oracle(c, grid, false), absolute = for_oracle(c, grid, true);
  data.with_matrix = absolute.with_matrix = false;
  const Oracle oracle(data), size(absolute);
  Worst worst;
  for (int node = 0; node < oracle.nodes(); ++node) {
    const double b = load[std::size_t(node)];
    if (oracle.is_dirichlet(node)) {
      REQUIRE(b == 0);
    } else {
      const int i = node % grid.nx(), j = node / grid.nx();
      worst.add(within(b, oracle.load(node), load_roundoffs(level), size.load(node)), i, j);
      worst.add(
          within(by_products.at(i, j), oracle.load(node), load_roundoffs(level), size.load(node)),
          i, j);
    }
  }
  REQUIRE(worst.value());
}

TEST_CASE("the load of the paper's problem is the exact integral with two points",
          "[fem][assembly]") {
  const double nu = GENERATE(1.0, 0.25);
  ProblemCase c{.description = "paper", .grading = {nu}};
  const TensorGrid grid = make_grid(c, 3);
  const auto load = assemble_load<double>(stated(c), grid);
  c.quadrature = 4;  // the oracle integrates degree 7 exactly
  const Oracle oracle(for_oracle(c, grid, false));
  for (int node = 0; node < oracle.nodes(); ++node) {
    if (oracle.is_dirichlet(node)) continue;
    REQUIRE(
        within(load[std::size_t(node)], oracle.load(node), load_roundoffs(3), oracle.load(node)));
  }
}

TEST_CASE("the load does not depend on the number of threads", "[fem][assembly]") {
  const int before = omp_get_max_threads();
  const ProblemCase c = problem_cases()[4];
  const TensorGrid grid = make_grid(c, 6);
  const Problem problem = stated(c);
  omp_set_num_threads(1);
  const auto one = assemble_load<double>(problem, grid);
  omp_set_num_threads(7);
  const auto seven = assemble_load<double>(problem, grid);
  omp_set_num_threads(before);
  REQUIRE(one == seven);
}

TEST_CASE("unknowns are all nodes but those on Dirichlet sides", "[fem][assembly]") {
  const int mask = GENERATE(range(0, 16));
  CAPTURE(mask);
  ProblemCase c{.description = "sides", .c = 1.0};
  for (std::size_t side = 0; side < 4; ++side) c.dirichlet[side] = mask >> side & 1;
  const TensorGrid grid = make_grid(c, 2);
  const Oracle oracle(for_oracle(c, grid, false));
  const Box box = unknown_nodes(grid, stated(c).boundary);
  for (int node = 0; node < 25; ++node) {
    REQUIRE(box.contains(node % 5, node / 5) == !oracle.is_dirichlet(node));
  }
}

TEST_CASE("the values of a side are the Dirichlet data, and a Neumann side has none",
          "[fem][assembly]") {
  const ProblemCase c = problem_cases()[8];
  const TensorGrid grid = make_grid(c, 3);
  const Oracle oracle(for_oracle(c, grid, false));
  const SideValues<double> values = side_values<double>(stated(c), grid);
  for (const Side side : all_sides) {
    CAPTURE(to_string(side));
    const std::vector<double>& g = values[std::size_t(side)];
    if (stated(c).boundary[side] == BoundaryKind::neumann) {
      REQUIRE(g.empty());
      continue;
    }
    REQUIRE(g.size() == 9);
    for (int k = 0; k < 9; ++k) {
      const int node = side == Side::left     ? 9 * k
                       : side == Side::right  ? 9 * k + 8
                       : side == Side::bottom ? k
                                              : 72 + k;
      CAPTURE(node);
      // Each distance 3 per level, the functions and their product 5.
      const Exact u = oracle.boundary_value(node);
      REQUIRE(within(g[std::size_t(k)], u, 6 * 3 + 5, u));
    }
  }
  for (const auto& g : side_values<double>(stated({.description = "homogeneous"}), grid)) {
    REQUIRE(g.size() == 9);
  }
}

// The oracle eliminates Dirichlet values and solves by Cholesky; the project keeps the couplings.
// Terms: the load's error, 9 + 1 for the entries, 1 for the rounded x, 11 for the row product.
TEST_CASE("the oracle's solution solves the assembled system, also with inhomogeneous data",
          "[fem][assembly]") {
  const ProblemCase c = GENERATE(from_range(problem_cases()));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  CAPTURE(c.description, to_string(form));
  const int level = 3;
  const TensorGrid grid = make_grid(c, level);
  const Oracle oracle(for_oracle(c, grid, false)), size(for_oracle(c, grid, true));
  const auto exact = oracle.solve();
  const int nx = grid.nx(), n = oracle.nodes();
  std::vector<double> memory(std::size_t(n + 2 * (nx + 1)), 0.0), r(std::size_t(n), 0.0);
  const Field<double> x{memory.data() + nx + 1, nx, grid.ny()};
  for (int k = 0; k < n; ++k) x.data[k] = static_cast<double>(exact[std::size_t(k)]);
  const auto load = assemble_load<double>(stated(c), grid);
  const Assembled<double> A(c, grid, form);
  const NineBand<const double> rows = A.view;
  residual(Host(), rows, Field<const double>{load.data(), nx, grid.ny()}, x,
           Field<double>{r.data(), nx, grid.ny()});
  Worst worst;
  for (int row = 0; row < n; ++row) {
    if (oracle.is_dirichlet(row)) continue;
    Exact products = 0;
    for (int k = 0; k < n; ++k) {
      products += oracle.magnitude(row, k) * abs(exact[std::size_t(k)]);
    }
    const Exact bound = load_roundoffs(level) * size.load(row) + 22 * products;
    worst.add(within(r[std::size_t(row)], 0, 1, bound), row % nx, row / nx);
  }
  REQUIRE(worst.value());
}

// Double-double: a quotient 3, a square root half of its argument's and 25/8, see double_word.hpp;
// at worst five points: 5 + 2 sqrt(10/7) 3.5, its root 4.9, a third of it 7.9; 1 + p, half of that:
// 5.5 of one.  Weights: 322 - 13 sqrt(70) 4.6, the quotient 7.6, the half 9.6.
TEMPLATE_TEST_CASE("Gauss rules of one to five points are exact to a few roundoffs",
                   "[fem][assembly]", double, DoubleDouble) {
  const int n = GENERATE(1, 2, 3, 4, 5);
  CAPTURE(n);
  constexpr bool wide = std::is_same_v<TestType, DoubleDouble>;
  const GaussRule<TestType> rule = gauss_rule<TestType>(n);
  const auto exact = testing::exact_gauss(n);
  REQUIRE(rule.point.size() == std::size_t(n));
  REQUIRE(rule.weight.size() == std::size_t(n));
  for (std::size_t k = 0; k < rule.point.size(); ++k) {
    REQUIRE(within(rule.point[k], exact.point[k], wide ? 6 : 3, 1));
    REQUIRE(within(rule.weight[k], exact.weight[k], wide ? 10 : 6, exact.weight[k]));
  }
  REQUIRE_THROWS_AS(gauss_rule<TestType>(0), std::invalid_argument);
  REQUIRE_THROWS_AS(gauss_rule<TestType>(6), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
