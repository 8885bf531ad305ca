#include "experiments/support/solver_paths.hpp"

#include "experiments/program/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;

namespace {

const SolverPath alone{Precision::double_}, pair{Precision::double_, {Precision::single_}},
    cascade{Precision::double_double, {Precision::double_, Precision::half}},
    soft{Precision::double_, {Precision::soft(16, 8)}};

}  // namespace

TEST_CASE("a path is named by its formats, the outer one first", "[experiments][solver-paths]") {
  REQUIRE(to_string(alone) == "double");
  REQUIRE(to_string(pair) == "double:single");
  REQUIRE(to_string(cascade) == "double-double:double:half");
  REQUIRE_FALSE(alone.mixed());
  REQUIRE(cascade.mixed());
  REQUIRE(runs_on_device(cascade));
  REQUIRE_FALSE(runs_on_device(soft));
}

TEST_CASE("the plan of a path says what it varies", "[experiments][solver-paths]") {
  ExperimentOptions options;
  options.backend = "host";
  options.output = "somewhere";
  const PathSolve solve{.form = OperatorForm::plain, .tolerance = 1e-7, .most_iterations = 9};
  const Plan plan = plan_path(cascade, solve, options, {3, 5});
  REQUIRE(plan.name == "double-double:double:half");
  REQUIRE(plan.varied
          == Options{{"solver.precision", "double-double"},
                     {"operator.form", "plain"},
                     {"refinement.inner_precision", "none"},
                     {"refinement.cascade", "double, half"}});
  const Configuration& c = plan.configuration;
  REQUIRE(c.solver.refinement.inner == cascade.inner);
  REQUIRE(c.solver.refinement.inner_form == OperatorForm::plain);
  REQUIRE(c.solver.tolerance == 1e-7);
  REQUIRE(c.solver.max_iterations == 9);
  REQUIRE(c.first_level == 3);
  REQUIRE(c.last_level == 5);
  REQUIRE(plan_path(pair, solve, options, {3, 5}).varied[2].second == "single");
  REQUIRE(plan_path(pair, solve, options, {3, 5}).varied[3].second == "none");
}

TEST_CASE("mixed precision goes at least as deep as its outer format alone",
          "[experiments][solver-paths]") {
  ExperimentOptions options;
  const auto solver = [&](const SolverPath& path) {
    return plan_path(path, {}, options, {2, 2}).configuration.solver;
  };
  const SolverOptions single = solver(pair), native = solver(alone);
  REQUIRE(forecast_memory(9, single, BackendKind::host).backend
          < forecast_memory(9, native, BackendKind::host).backend);
  REQUIRE(finest_that_fits(3, native, BackendKind::host) == 3);
  REQUIRE(finest_that_fits(15, single, BackendKind::host)
          >= finest_that_fits(15, native, BackendKind::host));
}

TEST_CASE("a median of times is that of the first where there is no time for more",
          "[experiments][solver-paths]") {
  const TemporaryDirectory folder;
  ExperimentOptions options;
  options.backend = "host";
  options.output = folder.path();
  const Plan plan = plan_path(pair, {}, options, {3, 3});
  LevelResult first = run_plans({plan}).runs.front().levels.front();
  first.solve_seconds = 1000;
  REQUIRE(median_solve_seconds(plan, first, 0.1) == 1000);
  first.solve_seconds = 1e-12;  // an outlier
  const double median = median_solve_seconds(plan, first, 0.2);
  REQUIRE(median > 1e-9);
  REQUIRE(median < 0.2);
}
