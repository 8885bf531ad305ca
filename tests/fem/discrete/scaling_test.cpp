#include "fem/discrete/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/discrete/lifting.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/problem_cases.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::make_grid;
using testing::problem_cases;
using testing::ProblemCase;
using testing::stated;

const FormatRange half{"half", -14, 15};
const FormatRange single{"single", -126, 127};
const FormatRange wide{"double", -1022, 1023};

struct Chosen {
  Scaling scaling;
  double largest_load;
};

template <class W>
Scaling scaling_for(const Problem& problem, const TensorGrid& grid, const Load<W>& load,
                    const FormatRange& format) {
  return choose_scaling<W>(problem, grid, size_of_load(problem, grid, load), format);
}

template <class W>
Chosen choose(const Problem& problem, const TensorGrid& grid, const FormatRange& format) {
  Load<W> load = load_of<W>(problem, grid);
  const Lifting<W> lifting(problem, grid, side_values<W>(problem, grid), load);
  lifting.subtract_image(load);
  Chosen result{scaling_for(problem, grid, load, format), 0};
  const Box& unknowns = load.unknowns();
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) {
      result.largest_load =
          std::max(result.largest_load, std::abs(static_cast<double>(load.at(i, j))));
    }
  }
  return result;
}

/// The diagonal entries of all unknowns.
std::vector<double> diagonal(const ProblemCase& c, const TensorGrid& grid) {
  const auto x = node_couplings<double>(grid.x), y = node_couplings<double>(grid.y);
  const Box unknowns = unknown_nodes(grid, stated(c).boundary);
  std::vector<double> entries;
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) {
      entries.push_back(coupling(Coefficients<double>{c.gx, c.gy, c.c}, x[std::size_t(i)],
                                 y[std::size_t(j)], 0, 0));
    }
  }
  return entries;
}

TEST_CASE("scaling is by powers of two and brings the largest entries near one", "[fem][scaling]") {
  ProblemCase c = GENERATE(from_range(problem_cases()));
  const double factor = GENERATE(1.0, 1e-30, 1e30);
  c.gx *= factor;
  c.gy *= factor;
  c.c *= factor;
  CAPTURE(c.description, factor);
  const TensorGrid grid = make_grid(c, 4);
  const Problem problem = stated(c);
  const Chosen chosen = choose<double>(problem, grid, single);
  const Scaling scaling = chosen.scaling;
  REQUIRE(scaling.solution() == scaling.load - scaling.matrix);
  const auto g = scaled_coefficients<double>(problem, scaling);
  REQUIRE(std::ldexp(g.gx, scaling.matrix) == c.gx);
  REQUIRE(std::ldexp(g.gy, scaling.matrix) == c.gy);
  REQUIRE(std::ldexp(g.c, scaling.matrix) == c.c);
  const auto entries = diagonal(c, grid);
  const double largest =
      std::ldexp(*std::max_element(entries.begin(), entries.end()), -scaling.matrix);
  // The estimate takes the parts of an entry one by one, each at its largest place.
  REQUIRE(largest >= 1.0 / 16);
  REQUIRE(largest <= 16);
  REQUIRE(std::ldexp(chosen.largest_load, -scaling.load) >= 1);
  REQUIRE(std::ldexp(chosen.largest_load, -scaling.load) < 2);
  // What does not come near the range plays no part.
  const Scaling other = choose<double>(problem, grid, wide).scaling;
  REQUIRE(other.matrix == scaling.matrix);
  REQUIRE(other.load == scaling.load);
}

TEST_CASE("scaling in double-double is that in double, and its coefficients are exact",
          "[fem][scaling]") {
  const ProblemCase c = GENERATE(from_range(problem_cases()));
  CAPTURE(c.description);
  const TensorGrid grid = make_grid(c, 3);
  const Problem problem = stated(c);
  const Chosen narrow = choose<double>(problem, grid, wide);
  const Chosen twice = choose<DoubleDouble>(problem, grid, {"double-double", -969, 1023});
  REQUIRE(twice.scaling.matrix == narrow.scaling.matrix);
  REQUIRE(twice.scaling.load == narrow.scaling.load);
  const auto g = scaled_coefficients<DoubleDouble>(problem, twice.scaling);
  const auto same = scaled_coefficients<double>(problem, twice.scaling);
  REQUIRE(g.gx == DoubleDouble(same.gx));
  REQUIRE(g.gy == DoubleDouble(same.gy));
  REQUIRE(g.c == DoubleDouble(same.c));
}

TEST_CASE("scaling without a load is that of the matrix", "[fem][scaling]") {
  const TensorGrid grid = make_hierarchy(1, 1, 2).back();
  const Problem problem = make_problem({}, 1, 1);
  const auto load = [](double middle) {
    std::vector<double> nodes(25, 0.0);
    nodes[12] = middle;
    return Load<double>(Box{1, 4, 1, 4}, 5, std::move(nodes));
  };
  REQUIRE(scaling_for(problem, grid, load(0), single).solution() == 0);
  for (const double value : {std::nan(""), double(INFINITY)}) {
    REQUIRE_THROWS_AS(scaling_for(problem, grid, load(value), single), std::invalid_argument);
  }
}

// Of a load by products some nodes are looked at; the largest are among them, and no end counts
// more than once.
TEST_CASE("the scaling of a load by products is that of its nodes", "[fem][scaling]") {
  const int level = 10;
  const TensorGrid grid = make_hierarchy(1, 1, level).back();
  Problem problem = make_problem({}, 1, 1);
  problem.source = constant(1);
  const auto step = [](const Point& p) { return p.left > 0.4 && p.left < 0.401 ? 1.0 : 0.0; };
  const std::string kind = GENERATE("a step", "a flux at the start", "a flux at the end");
  CAPTURE(kind);
  if (kind == "a step") {
    problem.dirichlet = step;
  } else {
    for (const Side side : all_sides) problem.boundary[side] = BoundaryKind::neumann;
    const bool start = kind == "a flux at the start";
    problem.boundary[start ? Side::right : Side::left] = BoundaryKind::dirichlet;
    problem.flux[std::size_t(start ? Side::left : Side::right)] = constant(3);
  }
  Load<double> products = load_of<double>(problem, grid);
  const Lifting<double> lifting(problem, grid, side_values<double>(problem, grid), products);
  lifting.subtract_image(products);
  REQUIRE_FALSE(products.by_nodes());
  std::vector<double> nodes(std::size_t(grid.nx()) * std::size_t(grid.ny()));
  const Box& unknowns = products.unknowns();
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) {
      nodes[std::size_t(j) * std::size_t(grid.nx()) + std::size_t(i)] = products.at(i, j);
    }
  }
  const Load<double> all(unknowns, grid.nx(), nodes);
  for (const FormatRange& format : {half, single}) {
    const Scaling by_products = scaling_for(problem, grid, products, format);
    const Scaling by_nodes = scaling_for(problem, grid, all, format);
    CHECK(std::abs(by_products.load - by_nodes.load) <= 1);
  }
}

TEST_CASE("data that are not finite between the nodes that are looked at are refused",
          "[fem][scaling]") {
  const TensorGrid grid = make_hierarchy(1, 1, 10).back();
  const Problem problem = make_problem({}, 1, 1);
  Load<double> load = load_of<double>(problem, grid);
  std::vector<double> x(std::size_t(grid.nx()), 0.0), y(std::size_t(grid.ny()), 1.0);
  x[517] = std::nan("");
  load.add({{x, y}});
  REQUIRE_THROWS_AS(scaling_for(problem, grid, load, single), std::invalid_argument);
}

// Between Dirichlet sides the estimate is up to three times too large, and rounds up to a power of
// two: at most 2^3 are given away.  It knows no signs: the fluxes add to the source there, which
// they balance here, and the reaction alone gives 1 + 2 pi^2 times too much: 2^6.
TEST_CASE("the scaled solution stays below the largest number of half, and not far below",
          "[fem][scaling]") {
  const ProblemCase c = GENERATE(
      ProblemCase{.description = "uniform"}, ProblemCase{.description = "narrow", .width = 1e-11},
      ProblemCase{.description = "sine", .gx = 3, .gy = 0.2, .solution = "sine"},
      ProblemCase{.description = "fluxes", .dirichlet = {true, false, true, false}},
      ProblemCase{.description = "reaction",
                  .dirichlet = {false, false, false, false},
                  .c = 1,
                  .solution = "cosine"},
      ProblemCase{.description = "boundary values", .gx = 2, .solution = "exponential"},
      ProblemCase{.description = "stretched", .grading = {0.5}});
  const int level = GENERATE(2, 5, 8, 10);
  CAPTURE(c.description, level);
  const Problem problem = stated(c);
  const TensorGrid grid = make_grid(c, level);
  if (c.description == "stretched" && level == 10) {
    REQUIRE_THROWS_WITH(choose<double>(problem, grid, half),
                        ContainsSubstring("load and solution"));
    return;  // 2^14 between cells and 2^12 of their areas
  }
  const Chosen chosen = choose<double>(problem, grid, half);
  // What is solved for has no boundary values.
  const Lifting<double> lifting(problem, grid, side_values<double>(problem, grid),
                                load_of<double>(problem, grid));
  const std::vector<double> u = nodal_solution(problem, grid);
  double largest = 0;
  for (int j = 0; j < grid.ny(); ++j) {
    for (int i = 0; i < grid.nx(); ++i) {
      const double w = lifting.largest() > 0 ? lifting.value(i, j) : 0.0;
      largest = std::max(largest, std::abs(u[std::size_t(j * grid.nx() + i)] - w));
    }
  }
  const double scaled = std::ldexp(largest, -chosen.scaling.solution());
  const double load = std::ldexp(chosen.largest_load, -chosen.scaling.load);
  REQUIRE(scaled <= 0x1p12);
  REQUIRE(load < 2);
  REQUIRE(load >= 0x1p-14);
  const bool all_dirichlet = c.dirichlet == std::array<bool, 4>{true, true, true, true};
  if (load < 1) REQUIRE(scaled >= (all_dirichlet ? 0x1p9 : 0x1p6));
}

TEST_CASE("no diagonal entry is smaller than 8/3 sqrt(gx gy), half at a Neumann side",
          "[fem][scaling]") {
  const ProblemCase c = GENERATE(from_range(problem_cases()));
  const int level = GENERATE(1, 4, 7);
  CAPTURE(c.description, level);
  const auto entries = diagonal(c, make_grid(c, level));
  double bound = 8.0 / 3 * std::sqrt(c.gx * c.gy) * (1 - 1e-14);
  if (!c.dirichlet[0] || !c.dirichlet[1]) bound /= 2;
  if (!c.dirichlet[2] || !c.dirichlet[3]) bound /= 2;
  const double smallest = *std::min_element(entries.begin(), entries.end());
  REQUIRE(smallest >= bound);
  // Reached on a uniform square.
  if (c.description == "uniform") REQUIRE(smallest <= bound * (1 + 1e-13));
}

TEST_CASE("a grid too stretched for the format is refused in words, and no other",
          "[fem][scaling]") {
  ProblemCase c{.description = "stretched", .grading = {0.03125}};
  const auto smallest = [&](const TensorGrid& grid, const Scaling& scaling) {
    const auto entries = diagonal(c, grid);
    return std::ldexp(*std::min_element(entries.begin(), entries.end()), -scaling.matrix);
  };
  int refused = 0;
  for (int level = 1; level <= 5; ++level) {
    CAPTURE(level);
    const TensorGrid grid = make_grid(c, level);
    const Scaling scaling = choose<double>(stated(c), grid, single).scaling;
    REQUIRE(smallest(grid, scaling) >= 0x1p-126);
    if (smallest(grid, scaling) >= 0x1p-14) {
      REQUIRE_NOTHROW(choose<double>(stated(c), grid, half));
    } else {
      ++refused;
      REQUIRE_THROWS_AS(choose<double>(stated(c), grid, half), std::invalid_argument);
    }
  }
  REQUIRE(refused > 0);
  REQUIRE(refused < 5);
  REQUIRE_THROWS_WITH(
      choose<double>(stated(c), make_grid(c, 5), half),
      ContainsSubstring("solver.precision = \"half\"")
          && ContainsSubstring("aspect ratios of up to") && ContainsSubstring("33 x 33")
          && ContainsSubstring("and 2^14 is possible") && ContainsSubstring("milder grading"));
  // Cells that are all as narrow are no obstacle: the matrix is then scaled as a whole.
  c = {.description = "narrow", .width = 1e-11};
  REQUIRE_NOTHROW(choose<double>(stated(c), make_grid(c, 5), half));
}

TEST_CASE("a reaction that the difference form would lose is refused there", "[fem][scaling]") {
  ProblemCase c{.description = "reaction", .c = 2.0};
  const auto check = [&](int level, const FormatRange& range) {
    const TensorGrid grid = make_grid(c, level);
    require_row_sums(stated(c), grid, choose<double>(stated(c), grid, range).scaling, range);
  };
  // Of the matrix, whose entries are near 1, the integrals are 2 h^2 = 2^(1 - 2 level).
  REQUIRE_NOTHROW(check(6, half));
  REQUIRE_THROWS_WITH(check(8, half),
                      ContainsSubstring("operator.form = \"difference\"")
                          && ContainsSubstring("\"half\"") && ContainsSubstring("257 x 257")
                          && ContainsSubstring("2^-14") && ContainsSubstring("plain"));
  REQUIRE_NOTHROW(check(8, single));

  // Cells that are thin at a Neumann side leave no choice of the form.
  ProblemCase thin{.description = "thin cells at a Neumann side",
                   .grading = {0.3, {Side::left}},
                   .dirichlet = {false, true, true, true},
                   .c = 1e-40};
  const TensorGrid grid = make_grid(thin, 6);
  const Scaling scaling = choose<double>(stated(thin), grid, single).scaling;
  REQUIRE_THROWS_WITH(require_row_sums(stated(thin), grid, scaling, single),
                      ContainsSubstring("solver.precision = \"single\"")
                          && ContainsSubstring("which thin cells need")
                          && !ContainsSubstring("plain"));

  c.c = 0;  // nothing to lose
  REQUIRE_NOTHROW(check(8, half));
}

TEST_CASE("a load that vanishes beside its solution is refused", "[fem][scaling]") {
  const FormatRange tiny{"s10e4", -6, 7};
  ProblemCase c{.description = "uniform"};
  REQUIRE_NOTHROW(choose<double>(stated(c), make_grid(c, 5), tiny));
  REQUIRE_THROWS_WITH(
      choose<double>(stated(c), make_grid(c, 8), tiny),
      ContainsSubstring("solver.precision = \"s10e4\"") && ContainsSubstring("257 x 257")
          && ContainsSubstring("and 2^10 is possible") && ContainsSubstring("fewer levels"));
}

TEST_CASE("a solution beyond the range of double is refused", "[fem][scaling]") {
  ProblemOptions options;
  options.solution = "";
  options.source = "1e200";
  options.gx = options.gy = 1e-200;
  const Problem problem = make_problem(options, 1, 1);
  REQUIRE_THROWS_WITH(choose<double>(problem, make_hierarchy(1, 1, 3).back(), wide),
                      ContainsSubstring("leaves the range of double"));
}

}  // namespace
}  // namespace ninefold
