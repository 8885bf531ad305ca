#include "solvers/refinement/load_on_levels.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "precision/double_word.hpp"

#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/nested_operations.hpp"

#include "solvers/solve.hpp"
#include "solvers/solver.hpp"
#include "solvers/system/assembled_system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/paper_tests.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using testing::refined;
using testing::Stated;

SolverOptions full_multigrid() {
  SolverOptions options = refined("double", {"single"});
  options.method = Method::full_multigrid;
  options.tolerance = 1e-9;
  return options;
}

/// Of problems with a source of products, and values on all sides.
Load<double> load_with_image(const Stated& stated) {
  return lifted_load<double>(stated.problem, stated.grids.back(), nullptr).load;
}

Problem with_source(const Stated& stated, const Function& source) {
  Problem problem = stated.problem;
  problem.source = source;
  return problem;
}

}  // namespace

TEST_CASE("loads of levels are those restricted from level to level", "[solvers][nested]") {
  const Host on;
  const int exponent = GENERATE(0, -7);
  for (const Stated& stated : {testing::exponential(5), testing::stretched(5)}) {
    const Load<double> load = load_with_image(stated);
    const std::size_t terms = load.products().size();
    REQUIRE(terms > 0);
    const std::size_t first = 2;
    LoadOnLevels<Host, double> loads(on, stated.grids, first, stated.problem.boundary);
    loads.take({load.products(), exponent});
    REQUIRE(loads.terms() == terms);
    NodeVector<Host, double> finer(on, stated.grids.back().nx(), stated.grids.back().ny());
    Box box = unknown_nodes(stated.grids.back(), stated.problem.boundary);
    double largest = 0;
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) {
        finer.view()(i, j) = std::ldexp(load.at(i, j), exponent);
        double size = 0;
        for (const NodeProduct<double>& term : load.products()) {
          size += std::abs(term.x[std::size_t(i)] * term.y[std::size_t(j)]);
        }
        largest = std::max(largest, std::ldexp(size, exponent));
      }
    }
    for (std::size_t k = stated.grids.size() - 1; k > first; --k) {
      const TensorGrid &fine = stated.grids[k], &grid = stated.grids[k - 1];
      const auto wx = transfer_weights<double>(fine.x), wy = transfer_weights<double>(fine.y);
      const Box own = unknown_nodes(grid, stated.problem.boundary);
      NodeVector<Host, double> b(on, grid.nx(), grid.ny()), found(on, grid.nx(), grid.ny());
      restrict_residual<Host, double>(on, own, box, {wx.data(), wy.data()}, finer.view(), b.view());
      set_products<Host, double>(on, own, loads.on_level(k - 1 - first), PowerOfTwo(0),
                                 found.view());
      largest *= 4;  // shares of four nodes, at most
      for (int j = own.j0; j < own.j1; ++j) {
        for (int i = own.i0; i < own.i1; ++i) {
          // Of each level a dozen roundings, and of each product one or two.
          const double bound = (12.0 * double(stated.grids.size() - k) + 2.0 * double(terms) + 2)
                               * 0x1p-53 * largest;
          REQUIRE(std::abs(found.view()(i, j) - b.view()(i, j)) <= bound);
        }
      }
      finer = std::move(b);
      box = own;
    }
  }
}

TEST_CASE("loads of pairs of single are evaluated in these", "[solvers][nested]") {
  static_assert(std::is_same_v<LoadValue<DoubleSingle>, DoubleSingle>);
  static_assert(std::is_same_v<LoadValue<DoubleDouble>, DoubleDouble>);
  static_assert(std::is_same_v<LoadValue<float>, double>);
  const Host on;
  const Stated stated = testing::stretched(5);
  const Load<double> load = load_with_image(stated);
  const double terms = static_cast<double>(load.products().size());
  LoadOnLevels<Host, double> in_double(on, stated.grids, 1, stated.problem.boundary);
  LoadOnLevels<Host, double, DoubleSingle> in_pairs(on, stated.grids, 1, stated.problem.boundary);
  in_double.take({load.products(), 3});
  in_pairs.take({load.products(), 3});
  const TensorGrid& grid = stated.grids[3];
  const Box box = unknown_nodes(grid, stated.problem.boundary);
  const NodeVector<Host, DoubleSingle> b(on, grid.nx(), grid.ny());
  evaluate_load<Host, DoubleSingle>(on, box, in_pairs.on_level(2), b.view());
  const Products<double> exact = in_double.on_level(2);
  bool differs = false;
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      double size = 0;
      for (int k = 0; k < exact.terms; ++k) {
        size += std::abs(exact.x[k * exact.columns + i] * exact.y[k * exact.rows + j]);
      }
      // Two factors, half a roundoff each, a product, 4, and as many sums, 3 each.
      const double error = static_cast<double>(b.view()(i, j)) - exact.at(i, j);
      REQUIRE(std::abs(error) <= (1 + 4 + 3 * terms) * 1.001 * 0x1p-48 * size);
      differs = differs || error != 0;
    }
  }
  CHECK(differs);
  // Their lines are as many, and are held as long as a solve's.
  SolverOptions options = refined("double-single", {"single"});
  options.method = Method::full_multigrid;
  CHECK(testing::solve_on_host(stated, options).report.memory_bytes
        == forecast_memory(stated.problem, stated.grids, options, BackendKind::host).backend);
}

TEST_CASE("loads near the ends of the range are scaled before they grow", "[solvers][nested]") {
  const Host on;
  const auto grids = make_hierarchy(1.0, 1.0, 6);
  const auto n = static_cast<std::size_t>(grids.back().nx());
  LoadOnLevels<Host, double> loads(on, grids, 1, Boundary{});
  for (const int size : {-1000, 1000}) {
    const double x = std::ldexp(1.0, size);
    const int exponent = -2 * size;  // which brings them to one
    loads.take({{{std::vector<double>(n, x), std::vector<double>(n, x)}}, exponent});
    const Products<double> coarse = loads.on_level(0);
    CHECK(coarse.at(1, 1) == 32.0 * 32.0);  // of nodes' shares in each direction
  }
}

TEST_CASE("more products than a load may have are refused", "[solvers][nested]") {
  const Host on;
  const auto grids = make_hierarchy(1.0, 1.0, 3);
  LoadOnLevels<Host, double> loads(on, grids, 1, Boundary{});
  const NodeProduct<double> term{std::vector<double>(9, 1.0), std::vector<double>(9, 1.0)};
  loads.take({{max_load_products, term}, 0});
  CHECK(loads.terms() == max_load_products);
  CHECK_THROWS_AS(loads.take({{max_load_products + 1, term}, 0}), std::invalid_argument);
}

// Level 8 is the first that has two levels with loads of their own below it.
TEST_CASE("full multigrid takes loads of products, and others, one after the other",
          "[solvers][nested][solver]") {
  const Stated stated = testing::polynomial(8);
  Solver solver(prepare(stated.problem, stated.grids, full_multigrid(), BackendKind::host));
  ProblemOptions sine;
  sine.solution = "sine";
  const Problem one = testing::problem_on(sine, 8, {}).problem,
                many = testing::exponential(8).problem;
  const Problem none = with_source(
      stated, Function([](const Point& p) { return std::sin(3 * p.x() * p.y()) + p.y(); }));
  for (const Problem* const problem : {&stated.problem, &one, &none, &many, &stated.problem}) {
    solver.set_data(*problem);
    const Solved solved = solver.solve();
    CHECK(solved.report.outcome == Outcome::converged);
    testing::check_same_solve(solved,
                              solve(*problem, stated.grids, full_multigrid(), BackendKind::host));
  }
}

TEST_CASE("a load that is evaluated on each level leads where its values do", "[solvers][nested]") {
  const Stated stated = testing::polynomial(8);
  // The same source, whose products nobody knows.
  const Problem by_nodes = with_source(
      stated, Function([source = stated.problem.source](const Point& p) { return source(p); }));
  SolverOptions options = full_multigrid();
  options.max_iterations = 1;
  const auto run = [&](const Problem& problem) {
    return solve(problem, stated.grids, options, BackendKind::host);
  };
  const Solved evaluated = run(stated.problem), restricted = run(by_nodes);
  REQUIRE(evaluated.report.iterations == 1);
  double largest = 0, apart = 0;
  for (std::size_t k = 0; k < evaluated.solution.size(); ++k) {
    largest = std::max(largest, std::abs(restricted.solution[k]));
    apart = std::max(apart, std::abs(evaluated.solution[k] - restricted.solution[k]));
  }
  CHECK(largest > 0.05);
  // Loads that differ by their rounding, of corrections that are rounded to single.
  CHECK(apart <= 1e-9 * largest);
  // 10 bytes a node to restrict, 2 to evaluate, on all levels: of some 60.
  CHECK(static_cast<double>(evaluated.report.work.bytes)
        < 0.95 * static_cast<double>(restricted.report.work.bytes));
}

}  // namespace ninefold
