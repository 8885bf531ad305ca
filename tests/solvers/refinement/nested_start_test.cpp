// The level that full multigrid begins on, where waves solve it.
#include "solvers/refinement/nested_start.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/operations/row_operations.hpp"

#include "solvers/estimate/level_errors.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"
#include "solvers/solver.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"

namespace ninefold {
namespace {

TEST_CASE("full multigrid begins on equal cells of levels 8 to 10 that waves solve",
          "[solvers][nested]") {
  const auto suits = NestedStart<Host>::suits;
  const auto grid = [](int level) { return make_hierarchy(1.0, 1.0, level).back(); };
  const Boundary dirichlet;
  CHECK_FALSE(suits(grid(7), dirichlet));
  CHECK(suits(grid(8), dirichlet));
  CHECK(suits(grid(9), dirichlet));
  CHECK(suits(grid(10), dirichlet));
  CHECK_FALSE(suits(grid(11), dirichlet));
  const TensorGrid long_cells = make_hierarchy(1.0, 0.01, 8).back();
  CHECK(suits(long_cells, dirichlet));
  const TensorGrid graded = make_hierarchy(1.0, 1.0, 8, {0.75, {Side::right}}).back();
  CHECK_FALSE(suits(graded, dirichlet));
  Boundary natural;
  for (const Side side : all_sides) natural[side] = BoundaryKind::neumann;
  CHECK(suits(grid(8), natural));  // a constant is free
  natural[Side::left] = BoundaryKind::dirichlet;
  CHECK(suits(grid(8), natural));
}

TEST_CASE("waves leave a residual of rounding", "[solvers][nested]") {
  const Host host;
  const TensorGrid grid = make_hierarchy(1.0, 0.5, 8).back();
  Boundary boundary;
  boundary[Side::top] = GENERATE(BoundaryKind::dirichlet, BoundaryKind::neumann);
  boundary[Side::right] = BoundaryKind::neumann;
  const Coefficients<double> g{2, 0.5, GENERATE(0.0, 3.0)};
  if (g.c > 0) boundary[Side::left] = boundary[Side::bottom] = BoundaryKind::neumann;
  const Box box = unknown_nodes(grid, boundary);
  const Matrix<Host, double> A(host, grid, box, g, OperatorForm::difference,
                               OperatorStorage::factored);
  const NodeVector<Host, double> b(host, grid.nx(), grid.ny()), x(host, grid.nx(), grid.ny()),
      r(host, grid.nx(), grid.ny());
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) b.view()(i, j) = std::sin(3 * i + 7 * j) + 0.1;
  }
  NestedStart<Host>(host, grid, boundary, g).solve(b.view(), x.view());
  residual<Host, double>(host, A.view(), b.view(), x.view(), r.view());
  double largest = 0, size = 0;
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      largest = std::max(largest, std::abs(r.view()(i, j)));
      size = std::max(size, std::abs(x.view()(i, j)));
    }
  }
  // Sizes of a row's entries add up to less than 8; transforms of 2^8 cells err by about 8 u of the
  // largest value, there and back.
  CHECK(size > 100);
  CHECK(largest < 8 * 0x1p-53 * 16 * size);
  // Of nodes without unknowns it knows nothing.
  if (box.i0 > 0) CHECK(x.view()(0, 5) == 0);
  CHECK(x.view()(box.i0, box.j0) != 0);
}

// A b with a sum has no solution: what masses carry of it is left, and nothing else.
TEST_CASE("waves leave out a constant that is free", "[solvers][nested]") {
  const Host host;
  const TensorGrid grid = make_hierarchy(1.0, 0.5, 8).back();
  Boundary natural;
  for (const Side side : all_sides) natural[side] = BoundaryKind::neumann;
  const Coefficients<double> g{2, 0.5, 0};
  const Box box = unknown_nodes(grid, natural);
  const Matrix<Host, double> A(host, grid, box, g, OperatorForm::difference,
                               OperatorStorage::factored);
  const NodeVector<Host, double> b(host, grid.nx(), grid.ny()), x(host, grid.nx(), grid.ny()),
      r(host, grid.nx(), grid.ny());
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) b.view()(i, j) = 1 + std::sin(13.0 * i + 29.0 * j * j);
  }
  NestedStart<Host>(host, grid, natural, g).solve(b.view(), x.view());
  residual<Host, double>(host, A.view(), b.view(), x.view(), r.view());
  // Of a cell; nodes on sides have half of that, corners a quarter.
  const auto mass = [&](int i, int j) {
    return (i == 0 || i == grid.nx() - 1 ? 0.5 : 1) * (j == 0 || j == grid.ny() - 1 ? 0.5 : 1);
  };
  const double cells = (grid.nx() - 1.0) * (grid.ny() - 1.0);
  double sum = 0, mean = 0, size = 0;
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      sum += b.view()(i, j) / cells;
      mean += mass(i, j) * x.view()(i, j) / cells;
      size = std::max(size, std::abs(x.view()(i, j)));
    }
  }
  CHECK(sum > 0.5);
  CHECK(size > 1);
  const double rounding = 8 * 0x1p-53 * 16 * size;  // as above
  CHECK(std::abs(mean) < rounding);
  double largest = 0;
  for (int j = box.j0; j < box.j1; ++j) {
    for (int i = box.i0; i < box.i1; ++i) {
      largest = std::max(largest, std::abs(r.view()(i, j) - sum * mass(i, j)));
    }
  }
  CHECK(largest < rounding);
}

TEST_CASE("full multigrid corrects the last level in the format that was asked for",
          "[solvers][nested]") {
  const testing::Stated stated = testing::polynomial(GENERATE(8, 9, 10));
  SolverOptions options = testing::refined("double", {"single"});
  options.method = Method::full_multigrid;
  options.max_iterations = 1;
  options.tolerance = 1e-3;
  const Solved single = testing::solve_on_host(stated, options);
  CHECK(single.report.outcome == Outcome::converged);
  CHECK(single.report.memory_bytes
        == forecast_memory(stated.problem, stated.grids, options, BackendKind::host).backend);
  // A visit leaves what it does not find: less than h^2, and more than waves would.
  const double h = 1.0 / (stated.grids.back().nx() - 1);
  CHECK(single.report.true_residual_reduction < 0.1 * h * h);
  CHECK(single.report.true_residual_reduction > 0.01 * h * h);
}

TEST_CASE("full multigrid in double alone solves such a level at once, and corrects it if need be",
          "[solvers][nested]") {
  testing::Stated stated = testing::polynomial(GENERATE(8, 9, 10));
  const int which = GENERATE(0, 1, 2);
  if (which > 0) {
    ProblemOptions other;
    other.solution = which == 1 ? "exponential" : "cosine";
    other.reaction = which == 1 ? 2 : 0;
    other.boundary[Side::top] = other.boundary[Side::left] = BoundaryKind::neumann;
    if (which == 2)
      other.boundary[Side::bottom] = other.boundary[Side::right] = BoundaryKind::neumann;
    stated.problem = make_problem(other, 1, 1);
  }
  SolverOptions options;
  options.method = Method::full_multigrid;
  options.norm = StoppingNorm::residual;
  options.tolerance = 2e-10;
  const Solved once = testing::solve_on_host(stated, options);
  CHECK(once.report.outcome == Outcome::converged);
  CHECK(once.report.iterations == 1);
  CHECK(once.report.memory_bytes
        == forecast_memory(stated.problem, stated.grids, options, BackendKind::host).backend);
  // Rounding is left, a few times as much as corrections would leave.
  CHECK(once.report.true_residual_reduction < 2e-10);
  CHECK(once.report.true_residual_reduction > 1e-14);
  if (stated.grids.size() > 9) return;
  options.tolerance = once.report.true_residual_reduction / 2;
  const Solved corrected = testing::solve_on_host(stated, options);
  CHECK(corrected.report.outcome == Outcome::converged);
  CHECK(corrected.report.iterations == 2);
  // A solver that stays begins its next solve so, too.
  Solver solver(prepare(stated.problem, stated.grids, options, BackendKind::host));
  for (int k = 0; k < 2; ++k) {
    const Solved again = solver.solve();
    CHECK(std::ranges::equal(nodal_values(again).all_here(), nodal_values(corrected).all_here()));
  }
}

TEST_CASE("a level that is solved at once needs no correction to the discretisation error",
          "[solvers][nested][aim]") {
  testing::Stated stated = testing::polynomial(8);
  SolverOptions options;
  options.method = Method::full_multigrid;
  options.to_discretisation = true;
  const auto iterations = [&] {
    LevelSequence sequence;
    const EstimatedSolve found =
        sequence.solve(prepare(stated.problem, stated.grids, options, BackendKind::host), false);
    CAPTURE(found.solved.report.remark);
    CHECK(found.solved.report.outcome == Outcome::converged);
    CHECK(found.solved.solver_errors.value().algebraic.value()
          <= 0.1 * found.solved.level_errors.value().l2);
    return found.solved.report.iterations;
  };
  CHECK(iterations() == 1);
  // Where no side holds the solution it multiplies what rounding leaves.
  ProblemOptions natural;
  natural.solution = "cosine";
  natural.reaction = 1e-3;
  for (const Side side : all_sides) natural.boundary[side] = BoundaryKind::neumann;
  stated.problem = make_problem(natural, 1, 1);
  CHECK(iterations() == 2);
  natural.reaction = 0;  // a free constant is left out, and multiplies nothing
  stated.problem = make_problem(natural, 1, 1);
  CHECK(iterations() == 1);
}

}  // namespace
}  // namespace ninefold
