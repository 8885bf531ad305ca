#include "experiments/support/plans.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("a plan has the levels and the solver, and what the command line says",
          "[experiments][plans]") {
  ExperimentOptions options;
  options.backend = "host";
  options.output = "somewhere";
  SolverOptions solver;
  solver.tolerance = 1e-7;
  const Plan plan = experiment_plan("one", options, {3, 5}, solver);
  const Configuration& c = plan.configuration;
  REQUIRE(plan.name == "one");
  REQUIRE(plan.varied.empty());
  REQUIRE(c.first_level == 3);
  REQUIRE(c.last_level == 5);
  REQUIRE(c.solver.tolerance == 1e-7);
  REQUIRE(c.backend == "host");
  REQUIRE(c.output.directory == "somewhere");
}

TEST_CASE("what a plan varies is told as its configuration has it", "[experiments][plans]") {
  SolverOptions solver;
  solver.precision = Precision::double_single;
  solver.form = OperatorForm::plain;
  solver.multigrid.pre_smoothing = 4;
  solver.tolerance = 1e-7;
  Plan plan = experiment_plan("one", {}, {3, 5}, solver);
  tell_varied(plan, {"solver.precision", "operator.form", "multigrid.pre_smoothing"});
  tell_varied(plan, {"solver.tolerance", "domain.width"});
  REQUIRE(plan.varied
          == Options{{"solver.precision", "double-single"},
                     {"operator.form", "plain"},
                     {"multigrid.pre_smoothing", "4"},
                     {"solver.tolerance", "1e-07"},
                     {"domain.width", "1.0"}});
}
