#include <cmath>

#include <omp.h>

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/discrete/load.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/exact_problems.hpp"
#include "tests/support/problem_cases.hpp"

// Bounds in units of u^2 = 2^-106; see tests/README.md.

namespace ninefold {
namespace {

using testing::exact_problem;
using testing::make_grid;
using testing::Oracle;
using testing::OracleProblem;
using testing::ProblemCase;
using testing::stated;
using testing::within;
using testing::Worst;

std::vector<ProblemCase> cases() {
  std::vector<ProblemCase> all(6);
  all[0] = {.description = "uniform"};
  all[1] = {.description = "nu = 0.03125", .grading = {0.03125}};
  all[2] = {.description = "narrow", .width = 1e-11};
  all[3] = {.description = "widths that add up to another length",
            .width = 0.7,
            .height = 3,
            .grading = {0.3, {all_sides.begin(), all_sides.end()}},
            .gx = 2.5,
            .gy = 0.3,
            .c = 1.7,
            .quadrature = 3};
  all[4] = {.description = "two Neumann sides",
            .grading = {0.5},
            .dirichlet = {true, false, false, true},
            .gx = 0.7,
            .gy = 4};
  all[5] = {.description = "four Neumann sides",
            .width = 1.3,
            .grading = {0.03125},
            .dirichlet = {false, false, false, false},
            .c = 0.9};
  return all;
}

/// Roundings of a distance inside a cell: those of the node 2, of a Gauss point with up to three
/// points 18 of itself (81 with five), product 2, sum 3.
constexpr int distance_roundoffs = 25;

/// Roundings of a value from its four distances: each, and the sum of two, times the size; inner
/// arguments and functions 60 per direction; products, coefficients and sums 14.
constexpr int value_roundoffs(int distance) {
  return 2 * (distance + 3) + 2 * 60 + 14;
}

/// Weights 12 each and their product 4, shapes 20 each and their product 4, two more products 8,
/// 13 additions 39; the value.
constexpr int wide_load_roundoffs = 119 + value_roundoffs(distance_roundoffs);

TEST_CASE("distances in double-double are the sums of the widths", "[fem][wide]") {
  std::vector<Line> lines;
  for (const ProblemCase& c : cases()) {
    const TensorGrid grid = make_grid(c, 10);
    lines.push_back(grid.x);
    lines.push_back(grid.y);
  }
  auto widths = testing::random_values<double>(20000, 5, testing::Range::hurtful);
  for (double& w : widths) w = std::abs(w);
  lines.push_back(make_line(widths));
  for (const Line& line : lines) {
    const auto d = distances<DoubleDouble>(line);
    const std::size_t n = line.width.size();
    REQUIRE(d.from_start.size() == n + 1);
    REQUIRE(d.from_end.size() == n + 1);
    REQUIRE(d.from_start[0] == DoubleDouble(0));
    REQUIRE(d.from_end[n] == DoubleDouble(0));
    Worst worst;
    Exact start = 0, end = 0;
    for (std::size_t i = 0; i < n; ++i) {
      start += Exact(line.width[i]);
      end += Exact(line.width[n - 1 - i]);
      worst.add(within(d.from_start[i + 1], start, 2, start), static_cast<int>(i), 0);
      worst.add(within(d.from_end[n - 1 - i], end, 2, end), static_cast<int>(i), 1);
    }
    REQUIRE(worst.value());
    REQUIRE(distances<double>(line).from_start == line.from_start);
    REQUIRE(distances<double>(line).from_end == line.from_end);
  }
}

// 1/h 3, sum 3; (h + h)/3 6; their product 4, the coefficient 4, two sums 6: 26.  The row sum: two
// lumped masses of 6, two products of 4.
TEST_CASE("couplings in double-double agree with the oracle entry by entry", "[fem][wide]") {
  const ProblemCase c = GENERATE(from_range(cases()));
  const int level = GENERATE(1, 3);
  CAPTURE(c.description, level);
  const TensorGrid grid = make_grid(c, level);
  OracleProblem p = exact_problem(c, grid, false);
  p.source = nullptr;
  p.with_matrix = true;
  const Oracle oracle(p);
  const auto x = node_couplings<DoubleDouble>(grid.x), y = node_couplings<DoubleDouble>(grid.y);
  const Coefficients<DoubleDouble> g{c.gx, c.gy, c.c};
  const int nx = grid.nx(), ny = grid.ny();
  Worst entries, sums;
  for (int node = 0; node < nx * ny; ++node) {
    const int i = node % nx, j = node / nx;
    Exact sum = 0;
    for (int t = -1; t <= 1; ++t) {
      for (int s = -1; s <= 1; ++s) {
        if (i + s < 0 || i + s >= nx || j + t < 0 || j + t >= ny) continue;
        const int other = node + t * nx + s;
        const DoubleDouble entry = coupling(g, x[std::size_t(i)], y[std::size_t(j)], s, t);
        entries.add(within(entry, oracle.entry(node, other), 26, oracle.magnitude(node, other)), i,
                    j);
        sum += oracle.entry(node, other);
      }
    }
    const DoubleDouble computed = row_sum(g, x[std::size_t(i)], y[std::size_t(j)]);
    if (c.c == 0) {
      REQUIRE(computed == DoubleDouble(0));
    } else {
      sums.add(within(computed, sum, 20, sum), i, j);
    }
  }
  REQUIRE(entries.value());
  REQUIRE(sums.value());
}

TEST_CASE("the load in double-double agrees with the oracle for all named solutions",
          "[fem][wide]") {
  ProblemCase c = GENERATE(from_range(cases()));
  c.solution = GENERATE_COPY(from_range(problem_names()));
  const int level = GENERATE(1, 4);
  CAPTURE(c.description, c.solution, level);
  const TensorGrid grid = make_grid(c, level);
  const Problem problem = stated(c);
  REQUIRE(has_wide_data(problem));
  const auto load = assemble_load<DoubleDouble>(problem, grid);
  const Load<DoubleDouble> by_products = load_of<DoubleDouble>(problem, grid);
  REQUIRE_FALSE(by_products.by_nodes());
  const Oracle oracle(exact_problem(c, grid, false)), size(exact_problem(c, grid, true));
  Worst worst;
  for (int node = 0; node < oracle.nodes(); ++node) {
    const DoubleDouble b = load[std::size_t(node)];
    if (oracle.is_dirichlet(node)) {
      REQUIRE(b == DoubleDouble(0));
    } else {
      const int i = node % grid.nx(), j = node / grid.nx();
      worst.add(within(b, oracle.load(node), wide_load_roundoffs, size.load(node)), i, j);
      worst.add(
          within(by_products.at(i, j), oracle.load(node), wide_load_roundoffs, size.load(node)), i,
          j);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(worst.count() > 0);
}

// With five points the outermost have lost 78 u^2 of their distance to the end of the cell.
TEST_CASE("the load in double-double keeps its digits with one to five points", "[fem][wide]") {
  ProblemCase c = cases()[3];
  c.quadrature = GENERATE(1, 2, 4, 5);
  CAPTURE(c.quadrature);
  const TensorGrid grid = make_grid(c, 3);
  const auto load = assemble_load<DoubleDouble>(stated(c), grid);
  const Oracle oracle(exact_problem(c, grid, false)), size(exact_problem(c, grid, true));
  const int roundoffs = 28 + 168 + 8 + 87 + value_roundoffs(86);
  Worst worst;
  for (int node = 0; node < oracle.nodes(); ++node) {
    if (oracle.is_dirichlet(node)) continue;
    worst.add(within(load[std::size_t(node)], oracle.load(node), roundoffs, size.load(node)),
              node % grid.nx(), node / grid.nx());
  }
  REQUIRE(worst.value());
}

TEST_CASE("boundary values in double-double agree with the named solutions", "[fem][wide]") {
  ProblemCase c = GENERATE(from_range(cases()));
  c.solution = GENERATE_COPY(from_range(problem_names()));
  CAPTURE(c.description, c.solution);
  const TensorGrid grid = make_grid(c, 5);
  const SideValues<DoubleDouble> values = side_values<DoubleDouble>(stated(c), grid);
  const Oracle oracle(exact_problem(c, grid, false)), size(exact_problem(c, grid, true));
  const int nx = grid.nx(), ny = grid.ny();
  Worst worst;
  for (const Side side : all_sides) {
    const std::vector<DoubleDouble>& g = values[std::size_t(side)];
    const bool upright = side == Side::left || side == Side::right;
    for (int k = 0; k < int(g.size()); ++k) {
      const int i = upright ? (side == Side::left ? 0 : nx - 1) : k;
      const int j = upright ? k : (side == Side::bottom ? 0 : ny - 1);
      const int node = j * nx + i;
      REQUIRE(oracle.is_dirichlet(node));
      Exact u = oracle.boundary_value(node), magnitude = size.boundary_value(node);
      // 50 digits of pi leave sin(pi) at 1e-50.
      if (c.solution == "sine" && abs(u) < Exact(1e-48)) u = 0;
      worst.add(within(g[std::size_t(k)], u, value_roundoffs(2), magnitude), i, j);
    }
  }
  REQUIRE(worst.value());
}

TEST_CASE("the load in double-double does not depend on the number of threads", "[fem][wide]") {
  const int before = omp_get_max_threads();
  const ProblemCase c = cases()[4];
  const TensorGrid grid = make_grid(c, 6);
  omp_set_num_threads(1);
  const auto one = assemble_load<DoubleDouble>(stated(c), grid);
  omp_set_num_threads(7);
  const auto seven = assemble_load<DoubleDouble>(stated(c), grid);
  omp_set_num_threads(before);
  REQUIRE(one == seven);
}

TEST_CASE("whether data are known in double-double can be asked", "[fem][wide]") {
  ProblemOptions options;
  REQUIRE(has_wide_data(make_problem(options, 1, 1)));
  options.boundary[Side::top] = BoundaryKind::neumann;
  Problem problem = make_problem(options, 1, 1);
  REQUIRE(has_wide_data(problem));

  const auto one = [](const Point&) { return 1.0; };
  Problem changed = problem;
  changed.source = one;
  REQUIRE_FALSE(has_wide_data(changed));
  changed = problem;
  changed.dirichlet = one;
  REQUIRE_FALSE(has_wide_data(changed));
  changed.dirichlet = {};  // zero
  REQUIRE(has_wide_data(changed));
  changed.flux[std::size_t(Side::top)] = one;
  REQUIRE_FALSE(has_wide_data(changed));
  changed.flux[std::size_t(Side::top)] = {};
  changed.flux[std::size_t(Side::left)] = one;  // a Dirichlet side, which has no flux
  REQUIRE(has_wide_data(changed));
  changed.solution = one;  // no part of the system
  REQUIRE(has_wide_data(changed));

  options = {};
  options.solution = "x*y";
  options.source = "0";
  REQUIRE_FALSE(has_wide_data(make_problem(options, 1, 1)));
}

// A function that took the place of a named one must not leave the named one's other form behind.
TEST_CASE("functions of double alone are evaluated at the rounded point", "[fem][wide]") {
  const TensorGrid grid = make_hierarchy(1, 1, 4, {0.3}).back();
  Problem problem = make_problem({}, 1, 1);
  problem.source = [](const Point& p) { return std::exp(p.left) * p.top; };
  problem.dirichlet = [](const Point& p) { return p.left / 3 + p.top; };
  Problem same = problem;
  const auto rounded = [](const WidePoint& p) {
    return Point{static_cast<double>(p.left), static_cast<double>(p.right),
                 static_cast<double>(p.bottom), static_cast<double>(p.top)};
  };
  same.source = Function(problem.source, [=](const WidePoint& p) -> DoubleDouble {
    return std::exp(rounded(p).left) * rounded(p).top;
  });
  same.dirichlet = Function(problem.dirichlet, [=](const WidePoint& p) -> DoubleDouble {
    return rounded(p).left / 3 + rounded(p).top;
  });
  REQUIRE_FALSE(has_wide_data(problem));
  REQUIRE(has_wide_data(same));
  REQUIRE(assemble_load<DoubleDouble>(problem, grid) == assemble_load<DoubleDouble>(same, grid));
  REQUIRE(side_values<DoubleDouble>(problem, grid) == side_values<DoubleDouble>(same, grid));
}

// What is integrated in double-double although the values are of double: sums and weights.
TEST_CASE("a source of double alone loses only its own digits", "[fem][wide]") {
  const ProblemCase c = cases()[1];
  const TensorGrid grid = make_grid(c, 4);
  Problem problem = stated(c);
  problem.source = [](const Point&) { return 0.1; };
  OracleProblem p = exact_problem(c, grid, false);
  p.source = [](const Exact&, const Exact&) { return Exact(0.1); };
  const Oracle oracle(p);
  const auto load = assemble_load<DoubleDouble>(problem, grid);
  Worst worst;
  for (int node = 0; node < oracle.nodes(); ++node) {
    if (oracle.is_dirichlet(node)) continue;
    worst.add(within(load[std::size_t(node)], oracle.load(node), 119, oracle.load(node)),
              node % grid.nx(), node / grid.nx());
  }
  REQUIRE(worst.value());
}

// Values that are as near as those of a solve in double-double at a level that no machine holds: in
// double the errors would come out wrong in all digits.
TEST_CASE("errors of values in double-double are exact to the digits of double", "[fem][wide]") {
  ProblemCase c = GENERATE(from_range(cases()));
  c.solution = GENERATE("polynomial", "exponential");
  CAPTURE(c.description, c.solution);
  const TensorGrid grid = make_grid(c, 4);
  const OracleProblem p = exact_problem(c, grid, false), q = exact_problem(c, grid, true);
  const Oracle oracle(p);
  const auto noise = testing::random_values<double>(std::size_t(oracle.nodes()), 7);
  std::vector<DoubleDouble> u_h;
  std::vector<Exact> values, sizes;
  Exact squares = 0, max = 0, nodal_size = 0;
  // Interpolation: per direction a weight, 1 - t and 18 of the Gauss point, product, sum: 2 * 30.
  const int interpolation = 60, solution = value_roundoffs(distance_roundoffs);
  for (int node = 0; node < oracle.nodes(); ++node) {
    const Exact u = oracle.boundary_value(node);
    const Exact near = u * (1 + Exact(1e-18) * noise[std::size_t(node)]);
    const double high = static_cast<double>(near);
    u_h.emplace_back(high, static_cast<double>(Exact(near - high)));
    values.push_back(Exact(u_h.back()));
    const Exact error = abs(Exact(values.back() - u));
    squares += error * error;
    if (error > max) max = error;
    sizes.push_back(interpolation * abs(values.back()));
    const Exact size = sizes.back()
                       + solution
                             * q.boundary_value(oracle.x()[std::size_t(node % grid.nx())],
                                                oracle.y()[std::size_t(node / grid.nx())]);
    if (size > nodal_size) nodal_size = size;
  }
  const Exact rms = sqrt(Exact(squares / oracle.nodes()));
  const Exact l2 = oracle.l2_distance(values, p.boundary_value);
  const Exact l2_size = oracle.l2_distance(sizes, [&](const Exact& x, const Exact& y) -> Exact {
    return -solution * q.boundary_value(x, y);
  });
  const Errors errors = measure_errors(stated(c), grid, u_h);
  const int sums = grid.nx() + grid.ny() + 20;  // in double, as in fem/errors_test
  const Exact finer = ldexp(Exact(1), -53);     // u^2 in units of u
  REQUIRE(within(errors.l2, l2, 1, Exact(l2_size * finer + sums * l2)));
  REQUIRE(within(errors.rms, rms, 1, Exact(nodal_size * finer + sums * rms)));
  REQUIRE(within(errors.max, max, 1, Exact(nodal_size * finer + 2 * max)));
}

}  // namespace
}  // namespace ninefold
