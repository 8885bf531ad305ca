#include "solvers/solver.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/paper_tests.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::check_same_solve;
using testing::n_differing_values;
using testing::refined;
using testing::stated;
using testing::Stated;
using testing::stretched;

Solver make_solver(const Stated& stated, const SolverOptions& options) {
  return Solver(prepare(stated.problem, stated.grids, options, BackendKind::host));
}

SolverOptions of_method(Method method, const std::string& precision = "double") {
  SolverOptions options;
  options.method = method;
  options.precision = precision_from_name(precision);
  return options;
}

/// One of each kind of solver, and formats whose range is narrow.
std::vector<SolverOptions> all_kinds() {
  SolverOptions preconditioned = of_method(Method::cg);
  preconditioned.preconditioner = Preconditioning::multigrid;
  preconditioned.start = Start::full_multigrid;
  SolverOptions started = of_method(Method::multigrid);
  started.start = Start::full_multigrid;
  SolverOptions flexible = refined("double", {"single"});
  flexible.refinement.variant = RefinementVariant::flexible_cg;
  SolverOptions guided = refined("double", {"single"});
  guided.method = Method::cg;
  guided.refinement.variant = RefinementVariant::residual_guided_cg;
  SolverOptions nested = refined("double", {"single"});
  nested.method = Method::full_multigrid;
  SolverOptions in_half = refined("double", {"half"});
  in_half.tolerance = 1e-6;
  SolverOptions software = of_method(Method::multigrid, "s36e11");
  software.tolerance = 1e-6;
  SolverOptions inner_software = refined("double", {"s20e8"});
  return {of_method(Method::multigrid),
          started,
          of_method(Method::cg),
          preconditioned,
          of_method(Method::fast_diagonalisation),
          of_method(Method::full_multigrid),
          of_method(Method::multigrid, "double-double"),
          refined("double", {"single"}),
          refined("double-double", {"double", "single"}),
          flexible,
          guided,
          nested,
          in_half,
          software,
          inner_software};
}

/// The same with a source of another size and shape, other boundary values, and another solution.
Problem other_data(const Problem& problem) {
  Problem other = problem;
  other.source = Function([](const Point& p) { return 1e-5 * std::exp(-400 * p.x() * p.y()); });
  other.dirichlet = constant(-3);
  other.solution = Function();
  return other;
}

TEST_CASE("a solver that stays has the bits of one that is made anew", "[solvers][solver]") {
  const Stated given = stretched(4);
  const Stated other{other_data(given.problem), given.grids};
  for (const SolverOptions& options : all_kinds()) {
    CAPTURE(testing::name_of(options), to_string(options.method),
            to_string(options.refinement.variant));
    Solver solver = make_solver(given, options);
    const Solved first = testing::solve_on_host(given, options);
    const Solved second = testing::solve_on_host(other, options);
    check_same_solve(solver.solve(), first);
    check_same_solve(solver.solve(), first);
    solver.set_data(other.problem);
    check_same_solve(solver.solve(), second);
    CHECK(n_differing_values(solver.current().solution, second.solution) == 0);
    solver.set_data(given.problem);
    const Solved again = solver.solve();
    check_same_solve(again, first);
    CHECK(again.report.memory_bytes >= solver.prepared().memory.backend);
    CHECK(again.report.smoother == first.report.smoother);
  }
}

/// A step of implicit Euler's method in 50 digits: (K + (c + rate) M) u = b + rate M before.
std::vector<Exact> exact_step(const testing::OracleProblem& stated, double rate,
                              const std::vector<Exact>& before) {
  const testing::Oracle system(stated);
  testing::OracleProblem of_mass = stated;
  of_mass.gx = of_mass.gy = 0;
  of_mass.c = 1;
  const testing::Oracle mass(of_mass);
  std::vector<Exact> after(before.size(), Exact(0));
  std::vector<int> unknowns;
  for (int node = 0; node < system.nodes(); ++node) {
    if (!system.is_dirichlet(node)) {
      unknowns.push_back(node);
    } else {
      after[std::size_t(node)] = system.boundary_value(node);
    }
  }
  testing::DenseMatrix matrix(int(unknowns.size()));
  std::vector<Exact> right;
  for (int p = 0; p < matrix.n; ++p) {
    const int row = unknowns[std::size_t(p)];
    Exact sum = system.load(row);
    for (int node = 0; node < system.nodes(); ++node) {
      sum += Exact(rate) * mass.entry(row, node) * before[std::size_t(node)];
      if (system.is_dirichlet(node)) sum -= system.entry(row, node) * after[std::size_t(node)];
    }
    right.push_back(sum);
    for (int q = 0; q < matrix.n; ++q) matrix(p, q) = system.entry(row, unknowns[std::size_t(q)]);
  }
  const std::vector<Exact> values = testing::cholesky_solve(std::move(matrix), std::move(right));
  for (std::size_t p = 0; p < unknowns.size(); ++p) after[std::size_t(unknowns[p])] = values[p];
  return after;
}

constexpr double rate = 8, reaction = 2;

/// The sides that are Dirichlet, left, right, bottom, top, in a problem with data of all kinds.
struct Stepped {
  testing::OracleProblem exact;
  Stated stated;
};
Stepped stepped(const std::array<bool, 4>& dirichlet) {
  const std::vector<double> x{0.125, 0.25, 0.5, 0.125}, y{0.25, 0.25, 0.0625, 0.4375};
  Stepped made;
  made.exact.widths_x = x;
  made.exact.widths_y = y;
  made.exact.gx = 0.5;
  made.exact.gy = 1;
  made.exact.c = reaction + rate;
  made.exact.dirichlet = dirichlet;
  made.exact.source = [](const Exact& at_x, const Exact& at_y) { return Exact(1 + at_x * at_y); };
  made.exact.boundary_value = [](const Exact& at_x, const Exact& at_y) {
    return Exact(2 - at_x + 3 * at_y * at_x);
  };
  Problem problem;
  problem.gx = 0.5;
  problem.reaction = reaction + rate;
  problem.source = [](const Point& p) { return 1 + p.x() * p.y(); };
  problem.dirichlet = [](const Point& p) { return 2 - p.x() + 3 * p.y() * p.x(); };
  for (const Side side : all_sides) {
    if (dirichlet[std::size_t(side)]) continue;
    problem.boundary[side] = BoundaryKind::neumann;
    made.exact.flux[std::size_t(side)] = [](const Exact& at_x, const Exact& at_y) {
      return Exact(at_x - at_y);
    };
    problem.flux[std::size_t(side)] = [](const Point& p) { return p.x() - p.y(); };
  }
  GridGrading widths;
  widths.x_widths = x;
  widths.y_widths = y;
  made.stated = {problem, make_hierarchy(1, 1, 2, widths)};
  return made;
}

double at_the_start(double x, double y) {
  return 2 - x + 3 * y * x + 20 * x * (1 - x) * y * (1 - y);
}

TEST_CASE("steps are those of implicit Euler's method", "[solvers][solver][steps]") {
  for (const auto& dirichlet : {std::array<bool, 4>{true, true, true, true},
                                {false, true, true, false},
                                {false, false, false, false}}) {
    const Stepped made = stepped(dirichlet);
    const TensorGrid& grid = made.stated.grids.back();
    std::vector<double> start;
    for (const double y : grid.y.from_start) {
      for (const double x : grid.x.from_start) start.push_back(at_the_start(x, y));
    }
    std::vector<Exact> expected(start.begin(), start.end());
    std::vector<SolverOptions> kinds = all_kinds();
    std::vector<Solver> solvers;
    for (SolverOptions& options : kinds) {
      options.tolerance = std::max(options.tolerance, 1e-8);
      solvers.push_back(make_solver(made.stated, options));
      solvers.back().set_solution(start);
    }
    for (int step = 0; step < 4; ++step) {
      expected = exact_step(made.exact, rate, expected);
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        CAPTURE(testing::name_of(kinds[k]), to_string(kinds[k].method), dirichlet, step);
        const Report report = solvers[k].step(rate);
        CAPTURE(report.remark);
        CHECK(report.outcome == Outcome::converged);
        const Solved now = solvers[k].current();
        CHECK(now.report.iterations == report.iterations);
        for (std::size_t node = 0; node < expected.size(); ++node) {
          CHECK(now.solution[node]
                == Approx(static_cast<double>(expected[node]))
                       .epsilon(100 * kinds[k].tolerance)
                       .margin(100 * kinds[k].tolerance));
        }
      }
    }
  }
}

TEST_CASE("a solution that does not move stays", "[solvers][solver][steps]") {
  for (const SolverOptions& options :
       {of_method(Method::multigrid), refined("double", {"single"})}) {
    Stated given = stretched(5);
    const Solved still = testing::solve_on_host(given, options);
    given.problem.reaction += rate;
    Solver solver = make_solver(given, options);
    solver.set_solution(still.solution);
    for (int step = 0; step < 3; ++step) {
      const Report report = solver.step(rate);
      CHECK(report.outcome == Outcome::converged);
      CHECK(report.iterations == 0);
      CHECK(report.history.front() <= options.tolerance);
    }
    CHECK(solver.current().errors->l2 == Approx(still.errors->l2).epsilon(1e-7));
  }
}

TEST_CASE("sources may change between steps", "[solvers][solver][steps]") {
  // From u = 0 the step is linear in the source, whatever has been solved before.
  for (const auto& dirichlet :
       {std::array<bool, 4>{true, true, true, true}, {false, false, false, false}}) {
    Stepped made = stepped(dirichlet);
    Problem& problem = made.stated.problem;
    problem.dirichlet = Function();
    problem.flux = {};
    Solver solver = make_solver(made.stated, {});
    const std::size_t nodes = solver.solve().solution.size();
    const auto step_with = [&](double factor) {
      problem.source = [=](const Point& p) { return factor * (1 + p.x() * p.y()); };
      solver.set_data(problem);
      solver.set_solution(std::vector<double>(nodes, 0.0));
      CHECK(solver.step(rate).outcome == Outcome::converged);
      return solver.current().solution;
    };
    const std::vector<double> once = step_with(1), twice = step_with(2);
    // Two steps, the source being taken away for the second, and another rate for the third.
    solver.set_data(made.stated.problem);
    (void)step_with(1);
    problem.source = constant(0);
    solver.set_data(problem);
    CHECK(solver.step(rate).outcome == Outcome::converged);
    CHECK(solver.step(rate / 2).outcome == Outcome::converged);
    testing::OracleProblem exact = made.exact;
    exact.boundary_value = {};
    exact.flux = {};
    std::vector<Exact> expected = exact_step(exact, rate, std::vector<Exact>(nodes, Exact(0)));
    for (std::size_t k = 0; k < nodes; ++k) {
      CHECK(once[k] == Approx(static_cast<double>(expected[k])).margin(1e-9));
      CHECK(twice[k] == Approx(2 * once[k]).margin(1e-9));
    }
    exact.source = {};
    expected = exact_step(exact, rate / 2, exact_step(exact, rate, expected));
    const std::vector<double> last = solver.current().solution;
    for (std::size_t k = 0; k < nodes; ++k) {
      CHECK(last[k] == Approx(static_cast<double>(expected[k])).margin(1e-9));
    }
  }
}

TEST_CASE("what cannot be stepped or solved is refused", "[solvers][solver]") {
  Stated given = testing::exponential(3);
  Solver still = make_solver(given, {});
  CHECK_THROWS_WITH(still.step(1), ContainsSubstring("rate 1") && ContainsSubstring("reaction, 0"));
  given.problem.reaction = 4;
  CHECK_THROWS_WITH(
      still.set_data(given.problem),
      ContainsSubstring("another reaction, 4 instead of 0") && ContainsSubstring("another Solver"));
  Problem other_sides = testing::exponential(3).problem;
  other_sides.boundary[Side::left] = BoundaryKind::neumann;
  CHECK_THROWS_WITH(still.set_data(other_sides),
                    ContainsSubstring("another kind of a side, neumann instead of dirichlet"));
  Solver solver = make_solver(given, {});
  CHECK_THROWS_WITH(solver.step(0), ContainsSubstring("rate 0"));
  CHECK_THROWS_WITH(solver.step(std::nan("")), ContainsSubstring("rate nan"));
  CHECK_THROWS_WITH(solver.step(5), ContainsSubstring("at most") && ContainsSubstring("4"));
  CHECK_THROWS_WITH(solver.set_solution(std::vector<double>(80)),
                    ContainsSubstring("80 values") && ContainsSubstring("9 x 9"));
  std::vector<double> start(81, 1.0);
  start[40] = std::nan("");
  CHECK_THROWS_WITH(solver.set_solution(start),
                    ContainsSubstring("not finite") && ContainsSubstring("node (4, 4)"));
  start[40] = 0;
  solver.set_solution(start);
  CHECK(solver.step(4).outcome == Outcome::converged);
  given.problem.dirichlet = constant(1);
  solver.set_data(given.problem);
  CHECK_THROWS_WITH(solver.step(4), ContainsSubstring("boundary values that have changed"));
  solver.set_solution(start);
  CHECK(solver.step(4).outcome == Outcome::converged);
}

/// Nine by nine nodes whose sides are all of one kind, a constant source, and c = 0 + rate.
Stated plain(BoundaryKind sides, double source) {
  Stated made;
  made.problem.reaction = rate;
  made.problem.source = constant(source);
  for (const Side side : all_sides) made.problem.boundary[side] = sides;
  made.grids = make_hierarchy(1, 1, 3, GridGrading());
  return made;
}

std::vector<double> alike(const Stated& stated, double value) {
  const TensorGrid& grid = stated.grids.back();
  return std::vector<double>(std::size_t(grid.nx()) * std::size_t(grid.ny()), value);
}

TEST_CASE("what was done before leaves nothing behind", "[solvers][solver][steps]") {
  for (const SolverOptions& options : all_kinds()) {
    CAPTURE(testing::name_of(options), to_string(options.method),
            to_string(options.refinement.variant));
    const Stated given = plain(BoundaryKind::dirichlet, 1);
    Solver used = make_solver(given, options), anew = make_solver(given, options);
    used.set_solution(alike(given, 1e6));  // another scaling
    CHECK(used.step(rate).outcome == Outcome::converged);
    (void)used.solve();
    (void)anew.solve();
    CHECK(used.step(rate).outcome == Outcome::converged);
    (void)anew.step(rate);
    CHECK(n_differing_values(used.current().solution, anew.current().solution) == 0);
    // A solution that is refused leaves what is there.
    const std::vector<double> before = used.current().solution;
    CHECK_THROWS_AS(used.set_solution(alike(given, 1.7e308)), std::exception);
    CHECK(n_differing_values(used.current().solution, before) == 0);
    CHECK(used.step(rate).outcome == Outcome::converged);
  }
}

TEST_CASE("steps of a constant are exact", "[solvers][solver][steps]") {
  // All sides Neumann: u' = f, whatever u was.
  for (const SolverOptions& options : all_kinds()) {
    CAPTURE(testing::name_of(options), to_string(options.method),
            to_string(options.refinement.variant));
    Stated given = plain(BoundaryKind::neumann, 1);
    Solver solver = make_solver(given, options);
    double expected = 1 / rate;  // of (rate M) u = M f
    CHECK(solver.solve().report.outcome == Outcome::converged);
    for (const double source : {1.0, 2.0, 2.0, 0.0}) {
      given.problem.source = constant(source);
      solver.set_data(given.problem);
      CHECK(solver.step(rate).outcome == Outcome::converged);
      expected += source / rate;
      for (const double value : solver.current().solution) {
        CHECK(value == Approx(expected).epsilon(10 * options.tolerance));
      }
    }
  }
}

TEST_CASE("where eigenvectors make all corrections reports name no smoother",
          "[solvers][solver][steps]") {
  const auto smoothers = [](int level, bool steps) {
    Stated given = plain(BoundaryKind::dirichlet, 1);
    given.grids = make_hierarchy(1.0, 1.0, level);
    Solver solver = make_solver(given, of_method(Method::full_multigrid));
    return steps ? solver.step(rate).smoother : solver.solve().report.smoother;
  };
  for (const bool steps : {false, true}) {
    CHECK(smoothers(5, steps).starts_with("none"));
    CHECK_FALSE(smoothers(7, steps).starts_with("none"));
  }
  CHECK(smoothers(8, false).starts_with("none"));  // by waves, as a step is not
  CHECK_FALSE(smoothers(8, true).starts_with("none"));
}

TEST_CASE("a step without a solution begins at zero", "[solvers][solver][steps]") {
  for (const SolverOptions& options :
       {of_method(Method::multigrid), of_method(Method::cg), refined("double", {"half"})}) {
    const Stepped made = stepped({true, false, true, false});
    Solver unset = make_solver(made.stated, options), at_zero = make_solver(made.stated, options);
    at_zero.set_solution(alike(made.stated, 0));
    CHECK(n_differing_values(unset.current().solution, at_zero.current().solution) == 0);
    CHECK(unset.current().report.outcome == Outcome::converged);
    CHECK(unset.step(rate).outcome == Outcome::converged);
    (void)at_zero.step(rate);
    CHECK(n_differing_values(unset.current().solution, at_zero.current().solution) == 0);
    CHECK(unset.current().solution[0] != 0);  // the boundary values hold
  }
}

TEST_CASE("a solution that decays leaves no format's range", "[solvers][solver][steps]") {
  // By 40 binary orders, which squares in half and single have not got.
  SolverOptions in_half = refined("single", {"half"});
  for (SolverOptions options : {of_method(Method::multigrid, "single"), in_half,
                                of_method(Method::cg, "single"), of_method(Method::multigrid)}) {
    options.tolerance = 1e-4;
    CAPTURE(testing::name_of(options), to_string(options.method));
    const Stated given = plain(BoundaryKind::dirichlet, 0);
    Solver solver = make_solver(given, options);
    solver.set_solution(alike(given, 1));
    // The lowest eigenvector of the step remains, with the same factor for each of them.
    double before = 0, factor = 0;
    for (int step = 0; step < 24; ++step) {
      const Report report = solver.step(rate);
      CAPTURE(step, report.remark);
      CHECK(report.outcome == Outcome::converged);
      const double now = solver.current().solution[40];
      if (step == 8) factor = now / before;
      if (step > 8) CHECK(now / before == Approx(factor).epsilon(2e-3));
      before = now;
    }
    CHECK(before > 0);
    CHECK(before < 1e-12);
  }
}

TEST_CASE("a start that is worse than zero is left", "[solvers][solver][steps]") {
  // The load and the solution before cancel: |b| is small, and the residual of the start is not.
  Stated given = plain(BoundaryKind::neumann, -rate);
  const Problem& problem = given.problem;
  const TensorGrid& grid = given.grids.back();
  for (const SolverOptions& options :
       {of_method(Method::multigrid), of_method(Method::cg), refined("double", {"single"})}) {
    Solver solver = make_solver(given, options);
    std::vector<double> start = alike(given, 1);
    start[40] += 1e-3;
    solver.set_solution(start);
    const Report report = solver.step(problem.reaction);
    CAPTURE(testing::name_of(options), report.remark);
    CHECK(report.outcome == Outcome::converged);
    CHECK(report.history.front() <= 1);
    // (K + rate M) u = rate M (start - 1): its integral is that of the peak.
    double sum = 0;
    const std::vector<double> mx = lumped_masses<double>(grid.x),
                              my = lumped_masses<double>(grid.y);
    const std::vector<double> values = solver.current().solution;
    for (std::size_t j = 0; j < my.size(); ++j) {
      for (std::size_t i = 0; i < mx.size(); ++i) sum += mx[i] * my[j] * values[j * mx.size() + i];
    }
    CHECK(sum == Approx(1e-3 / 64).epsilon(1e-6));
  }
}

TEST_CASE("a solver takes the memory that was forecast", "[solvers][solver]") {
  for (const SolverOptions& options : all_kinds()) {
    CAPTURE(testing::name_of(options), to_string(options.method),
            to_string(options.refinement.variant));
    const Stated given = stretched(6);
    Solver solver = make_solver(given, options);
    const std::size_t first = solver.solve().report.memory_bytes;
    CHECK(first == solver.prepared().memory.backend);
    CHECK(solver.solve().report.memory_bytes == first);
    solver.set_data(other_data(given.problem));
    CHECK(solver.solve().report.memory_bytes == first);
  }
}

TEST_CASE("conjugate gradients that remember forget at the next solve", "[solvers][solver]") {
  // A constant is free, so that zero is a solution of the homogeneous system.
  Stated given = plain(BoundaryKind::neumann, 0);
  given.problem.reaction = 0;
  given.problem.source = Function([](const Point& p) { return p.x() - 0.5; });
  for (const char* const inner : {"half", "bfloat16", "single"}) {
    SolverOptions guided = refined("double", {inner});
    guided.method = Method::cg;
    guided.refinement.variant = RefinementVariant::residual_guided_cg;
    CAPTURE(inner);
    Solver solver = make_solver(given, guided);
    const Solved first = solver.solve();
    CHECK(first.report.outcome == Outcome::converged);
    check_same_solve(solver.solve(), first);
    check_same_solve(first, testing::solve_on_host(given, guided));
  }
}

}  // namespace
}  // namespace ninefold
