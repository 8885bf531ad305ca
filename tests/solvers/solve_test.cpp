#include "solvers/solve.hpp"

#include <cmath>

#include <omp.h>

#include "fem/discrete/errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/same_bits.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

Solved solve_polynomial(const SolverOptions& options, int level, double width = 1.0) {
  return solve(make_problem({}, width, 1.0), make_hierarchy(width, 1.0, level), options,
               BackendKind::host);
}

SolverOptions with(Method method, Precision precision = Precision::double_,
                   OperatorForm form = OperatorForm::plain) {
  SolverOptions options;
  options.method = method;
  options.precision = precision;
  options.form = form;
  return options;
}

}  // namespace

TEST_CASE("CG takes the paper's iterations on the unit square", "[solvers][cg]") {
  const int expected[] = {42, 85, 171, 342};
  for (int level = 5; level <= 8; ++level) {
    const Solved solved = solve_polynomial(with(Method::cg), level);
    CAPTURE(level);
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(solved.report.iterations == expected[level - 5]);
    CHECK(solved.report.history.size() == static_cast<std::size_t>(expected[level - 5]) + 1);
  }
}

TEST_CASE("multigrid takes the paper's cycles and reaches the exact discrete error",
          "[solvers][multigrid]") {
  // rms errors of the exact discrete solutions, levels 5 to 8 (80-bit arithmetic).
  const double exact_rms[] = {2.607000747e-05, 6.613757945e-06, 1.666003722e-06, 4.181056693e-07};
  const Problem problem = make_problem({}, 1.0, 1.0);
  for (int level = 5; level <= 8; ++level) {
    const Solved solved = solve_polynomial(with(Method::multigrid), level);
    CAPTURE(level);
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(solved.report.iterations == 8);
    const Errors errors =
        measure_errors(problem, make_hierarchy(1.0, 1.0, level).back(), solved.solution);
    CHECK(errors.rms == Approx(exact_rms[level - 5]).epsilon(1e-7));
  }
}

TEST_CASE("every method agrees with the dense oracle on a problem with all kinds of data",
          "[solvers][oracle]") {
  ProblemOptions stated;
  stated.solution = "exp(x) * (1 + y^2)";
  stated.source = "3 * exp(x) * (1 + y^2) - 2 * exp(x) * (1 + y^2) - 0.5 * exp(x) * 2";
  stated.gx = 2.0;
  stated.gy = 0.5;
  stated.reaction = 3.0;
  stated.boundary[Side::right] = stated.boundary[Side::top] = BoundaryKind::neumann;
  stated.flux[static_cast<std::size_t>(Side::right)] = "2 * exp(x) * (1 + y^2)";
  stated.flux[static_cast<std::size_t>(Side::top)] = "0.5 * exp(x) * 2 * y";
  const double width = 0.75, height = 1.0;
  const Problem problem = make_problem(stated, width, height);
  CHECK(problem.remarks.empty());
  const auto grids = make_hierarchy(width, height, 3, {0.5, {Side::right, Side::bottom}});

  ninefold::testing::OracleProblem oracle;
  oracle.widths_x = grids.back().x.width;
  oracle.widths_y = grids.back().y.width;
  oracle.gx = 2;
  oracle.gy = Exact(0.5);
  oracle.c = 3;
  oracle.dirichlet = {true, false, true, false};
  oracle.boundary_value = [](const Exact& x, const Exact& y) -> Exact {
    return exp(x) * (1 + y * y);
  };
  oracle.source = [](const Exact& x, const Exact& y) -> Exact {
    return exp(x) * (1 + y * y) - exp(x);
  };
  oracle.flux[1] = [](const Exact& x, const Exact& y) -> Exact { return 2 * exp(x) * (1 + y * y); };
  oracle.flux[3] = [](const Exact& x, const Exact& y) -> Exact { return exp(x) * y; };
  const std::vector<Exact> exact = ninefold::testing::Oracle(oracle).solve();

  const auto check = [&](const SolverOptions& options, double tolerance) {
    const Solved solved = solve(problem, grids, options, BackendKind::host);
    CAPTURE(to_string(options.method), to_string(options.preconditioner), to_string(options.form),
            to_string(options.precision), to_string(options.multigrid.cycle));
    CHECK(solved.report.outcome == Outcome::converged);
    REQUIRE(solved.solution.size() == exact.size());
    double worst = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      worst = std::max(worst, std::abs(static_cast<double>(exact[k] - solved.solution[k])));
    }
    CHECK(worst < tolerance);
  };
  for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
    SolverOptions options = with(Method::cg, Precision::double_, form);
    options.tolerance = 1e-13;
    check(options, 1e-11);
    options.preconditioner = Preconditioning::jacobi;
    check(options, 1e-11);
    options.preconditioner = Preconditioning::multigrid;
    options.multigrid.smoother = Smoother::jacobi;
    options.multigrid.damping = 0.6;
    check(options, 1e-11);
    options.preconditioner = Preconditioning::none;
    options.method = Method::multigrid;
    options.tolerance = 1e-12;
    for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
      options.multigrid.cycle = cycle;
      options.multigrid.pre_smoothing = cycle == Cycle::v ? 0 : 2;
      options.multigrid.post_smoothing = 3;  // odd: the solution ends in the other vector
      check(options, 1e-9);
    }
    SolverOptions single = with(Method::multigrid, Precision::single_, form);
    single.tolerance = 1e-5;
    single.multigrid = options.multigrid;
    check(single, 2e-4);
  }
}

TEST_CASE("multigrid converges independently of the level", "[solvers][multigrid]") {
  for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
    SolverOptions options = with(Method::multigrid);
    options.multigrid.cycle = cycle;
    options.tolerance = 1e-9;
    const int coarse = solve_polynomial(options, 4).report.iterations;
    const int fine = solve_polynomial(options, 8).report.iterations;
    CAPTURE(to_string(cycle), coarse, fine);
    CHECK(std::abs(fine - coarse) <= 1);
  }
}

TEST_CASE("the same bits come from any number of threads", "[solvers][threads]") {
  const int threads = omp_get_max_threads();
  for (const Method method : {Method::cg, Method::multigrid}) {
    omp_set_num_threads(1);
    const Solved one = solve_polynomial(with(method), 7);
    omp_set_num_threads(7);
    const Solved seven = solve_polynomial(with(method), 7);
    CHECK(testing::same_bits(one.solution, seven.solution));
    CHECK(testing::same_bits(one.report.history, seven.report.history));
  }
  omp_set_num_threads(threads);
}

TEST_CASE("scaling by powers of two keeps single precision inside its range", "[solvers][range]") {
  // Test D: the solution is of order 1e-24 and squares of residuals of 1e-36 without scaling.
  SolverOptions options = with(Method::cg, Precision::single_, OperatorForm::difference);
  options.tolerance = 1e-4;
  const double width = 1e-11;
  const Solved solved = solve_polynomial(options, 5, width);
  CHECK(solved.report.outcome == Outcome::converged);
  const Errors errors = measure_errors(make_problem({}, width, 1.0),
                                       make_hierarchy(width, 1.0, 5).back(), solved.solution);
  CHECK(errors.rms == Approx(2.881535650e-27).epsilon(0.01));
}

TEST_CASE("the difference form lets single precision follow the exact error",
          "[solvers][difference]") {
  SolverOptions options = with(Method::multigrid, Precision::single_);
  options.tolerance = 1e-3;
  const auto l2 = [&](OperatorForm form) {
    options.form = form;
    return measure_errors(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 8).back(),
                          solve_polynomial(options, 8).solution)
        .l2;
  };
  const double exact = 5.781632237e-07;
  CHECK(l2(OperatorForm::difference) == Approx(exact).epsilon(0.05));
  CHECK(l2(OperatorForm::plain) > 3 * exact);
}

TEST_CASE("a tolerance beyond the format stagnates, with the limit and a hint",
          "[solvers][outcome]") {
  for (const Method method : {Method::cg, Method::multigrid}) {
    const Report report = solve_polynomial(with(method, Precision::single_), 6).report;
    CAPTURE(to_string(method), report.remark);
    CHECK(report.outcome == Outcome::stagnated);
    CHECK(report.true_residual_reduction > 1e-6);
    CHECK_THAT(report.remark, ContainsSubstring("limit of single")
                                  && ContainsSubstring("solver.precision = \"double\""));
  }
}

TEST_CASE("too strong relaxation diverges, and says so", "[solvers][outcome]") {
  SolverOptions options = with(Method::multigrid);
  options.multigrid.damping = 1.9;
  const Report report = solve_polynomial(options, 5).report;
  CHECK(report.outcome == Outcome::diverged);
  CHECK_THAT(report.remark, ContainsSubstring("multigrid.damping"));
}

TEST_CASE("an overflow ends as not finite", "[solvers][outcome]") {
  SolverOptions options = with(Method::multigrid, Precision::single_);
  options.multigrid.damping = 1.9;
  options.multigrid.pre_smoothing = options.multigrid.post_smoothing = 1000;
  CHECK(solve_polynomial(options, 4).report.outcome == Outcome::not_finite);
}

TEST_CASE("the step limit is an outcome of its own", "[solvers][outcome]") {
  for (const Method method : {Method::cg, Method::multigrid}) {
    SolverOptions options = with(method);
    options.max_iterations = 3;
    const Report report = solve_polynomial(options, 6).report;
    CHECK(report.outcome == Outcome::step_limit);
    CHECK(report.iterations == 3);
  }
}

TEST_CASE("every method solves level 1 with boundary data", "[solvers][oracle]") {
  ProblemOptions stated;
  stated.solution = "exponential";
  for (const bool neumann : {false, true}) {
    if (neumann) stated.boundary[Side::right] = BoundaryKind::neumann;
    const Problem problem = make_problem(stated, 1.0, 1.0);
    const auto grids = make_hierarchy(1.0, 1.0, 1);
    SolverOptions cg = with(Method::cg);
    cg.tolerance = 1e-14;
    const Solved reference = solve(problem, grids, cg, BackendKind::host);
    CHECK(measure_errors(problem, grids.back(), reference.solution).max < 0.03);
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      const Solved solved = solve(problem, grids, with(Method::multigrid, Precision::double_, form),
                                  BackendKind::host);
      CHECK(solved.report.outcome == Outcome::converged);
      CHECK(solved.report.iterations == 1);
      for (std::size_t k = 0; k < 9; ++k) {
        CHECK(solved.solution[k] == Approx(reference.solution[k]).epsilon(1e-13));
      }
    }
  }
}

TEST_CASE("CG whose recursion drifts from the truth says so", "[solvers][outcome]") {
  // Where the format attains the tolerance, a drift of less than a digit is success with a remark;
  SolverOptions options = with(Method::cg, Precision::single_);
  options.tolerance = 2e-6;
  const Report drifted = solve_polynomial(options, 3).report;
  CHECK(drifted.attainable_reduction <= options.tolerance);
  CHECK(drifted.outcome == Outcome::converged);
  CHECK(drifted.true_residual_reduction <= 10 * options.tolerance);
  // where it does not, meeting the tolerance by the recursion alone is none.
  const Report beyond = solve_polynomial(options, 6).report;
  CHECK(beyond.residual_reduction <= options.tolerance);
  CHECK(beyond.attainable_reduction > options.tolerance);
  CHECK(beyond.outcome == Outcome::stagnated);
  CHECK_THAT(beyond.remark, ContainsSubstring("limit of single"));
}

TEST_CASE("a problem and grids that do not belong together are refused", "[solvers][refusal]") {
  const auto grids = make_hierarchy(1.0, 1.0, 3);
  CHECK_THROWS_WITH(solve(make_problem({}, 2.0, 1.0), grids, {}, BackendKind::host),
                    ContainsSubstring("on 2 x 1, the grids cover 1 x 1"));
  Problem problem = make_problem({}, 1.0, 1.0);
  for (const Side side : all_sides) problem.boundary[side] = BoundaryKind::neumann;
  CHECK_THROWS_WITH(solve(problem, grids, {}, BackendKind::host),
                    ContainsSubstring("do not balance"));
  problem = make_problem({}, 1.0, 1.0);
  problem.source = {};
  CHECK_THROWS_WITH(solve(problem, grids, {}, BackendKind::host), ContainsSubstring("no source"));
}

TEST_CASE("an exception of a user's function arrives at the caller", "[solvers][refusal]") {
  Problem problem = make_problem({}, 1.0, 1.0);
  const auto grids = make_hierarchy(1.0, 1.0, 6);
  const Function thrower = [](const Point& p) -> double {
    if (p.left > 0.5) throw std::runtime_error("beyond the middle");
    return 1.0;
  };
  problem.source = thrower;
  CHECK_THROWS_WITH(solve(problem, grids, {}, BackendKind::host), "beyond the middle");
  problem.solution = thrower;
  const std::vector<double> zero(65 * 65, 0.0);
  CHECK_THROWS_WITH(measure_errors(problem, grids.back(), zero), "beyond the middle");
  CHECK_THROWS_WITH(nodal_solution(problem, grids.back()), "beyond the middle");
}

TEST_CASE("a problem without data is solved by zero at once", "[solvers][outcome]") {
  ProblemOptions stated;
  stated.solution = "";
  stated.source = "0";
  const Problem problem = make_problem(stated, 1.0, 1.0);
  for (const Method method : {Method::cg, Method::multigrid}) {
    const Solved solved =
        solve(problem, make_hierarchy(1.0, 1.0, 3), with(method), BackendKind::host);
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(solved.report.iterations == 0);
    CHECK(solved.solution == std::vector<double>(81, 0.0));
  }
}

TEST_CASE("the memory forecast is what a solve holds", "[solvers][memory]") {
  for (const Precision precision : {Precision::single_, Precision::double_}) {
    for (const int level : {1, 3, 6}) {
      SolverOptions options = with(Method::multigrid, precision);
      options.tolerance = 1e-2;
      const auto check = [&] {
        CAPTURE(to_string(options.method), to_string(options.preconditioner), level);
        CHECK(solve_polynomial(options, level).report.memory_bytes
              == forecast_memory(level, options, BackendKind::host).backend);
      };
      check();
      options.method = Method::cg;
      for (const auto preconditioner :
           {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
        options.preconditioner = preconditioner;
        check();
      }
    }
  }
}

TEST_CASE("double multigrid at level 13 fits the memory of five vectors and all bands plus 5 %",
          "[solvers][memory]") {
  double nodes_of_all_levels = 0;
  for (int l = 1; l <= 13; ++l) nodes_of_all_levels += std::pow(std::ldexp(1.0, l) + 1, 2);
  const double nodes = std::pow(8193.0, 2);
  const double forecast =
      static_cast<double>(forecast_memory(13, with(Method::multigrid), BackendKind::cuda).backend);
  CHECK(forecast <= 1.05 * 8 * (5 * nodes + 9 * nodes_of_all_levels));
}

TEST_CASE("a level beyond memory is refused with both numbers", "[solvers][memory]") {
  const MemoryForecast forecast{std::size_t{1} << 50, 0};
  CHECK_THROWS_WITH(require_memory(forecast, BackendKind::host),
                    ContainsSubstring("1048576.00 GiB") && ContainsSubstring("grid.levels"));
}

TEST_CASE("whether a constant is free is the problem's to say, not the scaled matrix's",
          "[solvers][cg]") {
  const auto bytes = [](double reaction) {
    ProblemOptions stated;
    stated.solution = "";
    stated.source = "x < 0.5 ? 1 : -1";
    for (const Side side : all_sides) stated.boundary[side] = BoundaryKind::neumann;
    stated.gx = stated.gy = 1e10;
    stated.reaction = reaction;
    SolverOptions options = with(Method::cg);
    options.norm = StoppingNorm::residual;
    options.tolerance = 1e-30;
    options.max_iterations = 2;
    const Report report =
        solve(make_problem(stated, 1, 1), make_hierarchy(1, 1, 4), options, BackendKind::host)
            .report;
    CHECK(report.iterations == 2);
    return report.work.bytes;
  };
  // Less than the smallest number once it is scaled.
  CHECK(bytes(1e-320) == bytes(1e-3));
  CHECK(bytes(1e-320) < bytes(0));
}
