#include "solvers/estimate/precision_forecast.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "solvers/estimate/level_errors.hpp"
#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

Problem named_problem(const std::string& name) {
  ProblemOptions options;
  options.solution = name;
  options.quadrature = 3;
  return make_problem(options, 1.0, 1.0);
}

std::vector<TensorGrid> refined_grids(int level, double nu) {
  GridGrading grading;
  grading.nu = nu;
  return make_hierarchy(1.0, 1.0, level, grading);
}

TEST_CASE("pilots foresee the discretisation error and the rounding of finer levels",
          "[solvers][estimate]") {
  const std::string name = GENERATE("polynomial", "sine");
  const double nu = GENERATE(1.0, 0.5);
  const bool plain = GENERATE(false, true);
  CAPTURE(name, nu, plain);
  constexpr int finest = 9;
  const Problem problem = named_problem(name);
  const auto grids = refined_grids(finest, nu);
  const PrecisionPath path{Precision::single_, {}, plain};
  const PrecisionForecast forecast(problem, grids, {}, BackendKind::host);
  CHECK(forecast.is_resolved());
  CHECK(forecast.last_pilot() == pilot_level);
  const auto trend = forecast.trend(path);
  REQUIRE(trend);
  CHECK(trend->growth == Approx(plain ? 4 : 1).epsilon(0.3));

  SolverOptions options;
  options.method = Method::full_multigrid;
  options.to_discretisation = true;
  LevelSequence sequence;
  const EstimatedSolve solved =
      sequence.solve(prepare(problem, grids, with_path(options, path), BackendKind::host), false);
  REQUIRE(solved.solved.solver_errors->rounding);
  const double found = *solved.solved.solver_errors->rounding;
  CHECK(trend->at(finest) > found / 3);
  CHECK(trend->at(finest) < found * 3);
  const double error =
      measure_errors(problem, grids.back(),
                     solve(prepare(problem, grids, {}, BackendKind::host)).solution)
          .l2;
  CHECK(forecast.discretisation(finest) == Approx(error).epsilon(0.05));
}

TEST_CASE("of a grid that is coarser than pilots the level itself is solved",
          "[solvers][estimate]") {
  const PrecisionForecast forecast(named_problem("sine"), refined_grids(3, 1.0), {},
                                   BackendKind::host);
  CHECK(forecast.first_pilot() == 1);
  CHECK(forecast.last_pilot() == 3);
  CHECK_FALSE(forecast.is_resolved());
  CHECK(forecast.discretisation(3) > 0);
  CHECK(forecast.trend({Precision::single_, {}, false}));
}

TEST_CASE("rounding leaves no more than all that is left, and all where it ends the iteration",
          "[solvers][estimate]") {
  CHECK(left_by_rounding(2.0, 3.0, false) == 2.0);
  CHECK(left_by_rounding(2.0, 3.0, true) == 3.0);
  CHECK(left_by_rounding(4.0, 1.0, false) == 1.0);
  CHECK(left_by_rounding(4.0, 1.0, true) == 1.0);
  CHECK(left_by_rounding(4.0, {}, true) == 4.0);
  CHECK_FALSE(left_by_rounding({}, 1.0, true));
}

TEST_CASE("times are foreseen from two coarse levels, or one, or not at all",
          "[solvers][estimate]") {
  const PrecisionPath path{Precision::double_, Precision::single_, false};
  constexpr double rate = 1e10;
  const auto seconds = [&](int level) {
    const PrecisionForecast forecast(named_problem("sine"), refined_grids(level, 1.0), {},
                                     BackendKind::host);
    const auto time = forecast.time(path, rate);
    return time ? time->at(level) : 0;
  };
  CHECK(seconds(1) == 0);
  for (const int level : {2, 3, 5}) CHECK(seconds(level) > 0);
  const PrecisionForecast forecast(named_problem("sine"), refined_grids(8, 1.0), {},
                                   BackendKind::host);
  CHECK(forecast.time(path, rate)->at(12) > forecast.time(path, rate)->at(8));
}

TEST_CASE("double-double is foreseen from double", "[solvers][estimate]") {
  const PrecisionForecast forecast(named_problem("sine"), refined_grids(6, 1.0), {},
                                   BackendKind::host);
  const auto wide = forecast.trend({Precision::double_, Precision::single_, false});
  const auto widest = forecast.trend({Precision::double_double, Precision::single_, false});
  REQUIRE((wide && widest));
  const double u = facts(Precision::double_double).unit_roundoff * 0x1p53;
  CHECK(widest->at(8) == Approx(wide->at(8) * u));
}

TEST_CASE("bits are those of the formats on both sides of the answer", "[solvers][estimate]") {
  // half leaves 0.02 roundoffs, single 0.03, double 0.004, and an iteration that they end as much
  const FormatRounding half{0x1p-11, 0.02 * 0x1p-11}, single{0x1p-24, 0.03 * 0x1p-24},
      wide{0x1p-53, 0.004 * 0x1p-53};
  const double both = std::sqrt(2.0);
  CHECK_FALSE(needed_bits({}, 1e-3));
  CHECK(*needed_bits({half, single, wide}, both * 0.02 * 0x1p-8) == Approx(8));
  CHECK(*needed_bits({wide, single, half}, both * 0.03 * 0x1p-16) == Approx(16));
  CHECK(*needed_bits({half, single, wide}, both * 0.03 * 0x1p-40) == Approx(40));
  CHECK(*needed_bits({half, single, wide}, both * 0.004 * 0x1p-60) == Approx(60));
  // What has been measured to be enough is enough.
  CHECK(*needed_bits({half, single, wide}, 0.004 * 0x1p-53) == Approx(53));
  CHECK(*needed_bits({half, single, wide}, 0.02 * 0x1p-11) == Approx(11));
  // A narrower one that leaves less by chance promises nothing.
  CHECK(*needed_bits({{0x1p-8, 1e-9}, half, single}, both * 0.03 * 0x1p-16) == Approx(16));
}

TEST_CASE("a software format of the bits foreseen is enough, one of three bits less is not",
          "[solvers][estimate]") {
  const int level = GENERATE(5, 6);
  const double fraction = GENERATE(0.05, 0.01);
  const Problem problem = named_problem("polynomial");
  const auto grids = refined_grids(level, 1.0);
  const PrecisionForecast forecast(problem, grids, {}, BackendKind::host);
  std::vector<FormatRounding> measured;
  for (const Precision format : {Precision::half, Precision::single_, Precision::double_}) {
    const auto trend = forecast.trend({format, {}, false});
    REQUIRE(trend);
    measured.push_back({facts(format).unit_roundoff, trend->at(level)});
  }
  const auto bits = needed_bits(measured, fraction * forecast.discretisation(level));
  REQUIRE(bits);
  const int needed = static_cast<int>(std::ceil(*bits));
  const auto outcome = [&](int of_mantissa) {
    SolverOptions options;
    options.method = Method::full_multigrid;
    options.to_discretisation = true;
    options.fraction = fraction;
    options.precision = Precision::soft(of_mantissa - 1, 8);
    LevelSequence sequence;
    return sequence.solve(prepare(problem, grids, options, BackendKind::host), false)
        .solved.report.outcome;
  };
  CAPTURE(level, fraction, *bits);
  CHECK(outcome(needed) == Outcome::converged);
  CHECK(outcome(needed - 3) == Outcome::stagnated);
}

TEST_CASE("what a path leaves open is decided by the grid", "[solvers][estimate]") {
  SolverOptions options;
  options.form = OperatorForm::plain;
  options.refinement.inner = {Precision::half};
  const SolverOptions chosen = with_path(options, {Precision::double_, Precision::single_, false});
  CHECK(chosen.precision == Precision::double_);
  CHECK(chosen.refinement.inner == std::vector{Precision::single_});
  CHECK_FALSE(chosen.form);
  CHECK(to_words({Precision::double_, Precision::single_, false}) == "double over single");
  CHECK(to_words({Precision::half, {}, true}) == "half, plain form");
}

TEST_CASE("pairs of singles come before doubles where these are slow", "[solvers][estimate]") {
  const auto words = [](double speed) {
    std::string text;
    for (const PrecisionPath& path : automatic_paths(speed)) text += to_words(path) + "; ";
    return text;
  };
  CHECK(words(0.5)
        == "single; double over single; double; double-double over single; "
           "double-double over double; ");
  CHECK(words(1.0 / 64)
        == "single; double-single over single; double over single; double; "
           "double-double over single; double-double over double; ");
  CHECK(double_speed_of("9.0") == 0.5);
  CHECK(double_speed_of("8.9") < slow_double);
  CHECK(double_speed_of("7.5") < slow_double);
  CHECK(double_speed_of("") == 0.5);
}

}  // namespace
}  // namespace ninefold
