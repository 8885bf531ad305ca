// Which changes are small, and which only look so.
#include "solvers/judgement/change_watch.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"

namespace ninefold {
namespace {

using testing::Judged;
using testing::Stated;

/// An iteration of one number, with the solution 1: a step leaves `factor` of the error and adds
/// `noise` with either sign in turn.
struct Model {
  double factor, x, noise;
  int steps = 0;

  void step() {
    const double sign = steps % 2 == 0 ? 1 : -1;
    x = 1 - factor * (1 - x) + sign * noise;
    ++steps;
  }

  std::optional<double> confirm(double tolerance, std::optional<Outcome> outcome = {}) {
    const double from = x;
    step();
    return confirm_change(
        std::abs(x - from), tolerance, 0x1p-53, outcome, [this] { step(); },
        [&] { return std::abs(x - from); });
  }
};

TEST_CASE("a change is small only if further ones do not add up", "[solvers][change]") {
  Model fast{0.3, 1 + 1e-6, 0};
  const std::optional<double> change = fast.confirm(1e-6);
  REQUIRE(change);
  CHECK(fast.steps == 1 + confirming_steps);
  CHECK(*change >= 0.7e-6);
  CHECK(std::abs(fast.x - 1) <= *change);

  // The same change of an error a thousand times as large.
  Model slow{0.999, 1 + 1e-3, 0};
  CHECK_FALSE(slow.confirm(1e-6));
  CHECK(slow.steps == 1 + confirming_steps);
  // Also under the noise of rounding, unless that is larger than what four steps add up to.
  Model hidden{0.999, 1 + 1e-3, 2e-7};
  CHECK_FALSE(hidden.confirm(1e-6, Outcome::stagnated));

  Model noise{0.1, 1, 5e-6};
  CHECK(noise.confirm(1e-6, Outcome::stagnated));
  Model going_on{0.1, 1, 5e-6};
  CHECK_FALSE(going_on.confirm(1e-6));
  CHECK(going_on.steps == 1);
}

TEST_CASE("a change of nothing, of no number or of most of the solution is not small",
          "[solvers][change]") {
  CHECK_FALSE(is_small_change(0, 1e-6, 0, {}));
  CHECK_FALSE(is_small_change(std::numeric_limits<double>::quiet_NaN(), 1e-6, 0, {}));
  CHECK_FALSE(is_small_change(0.04, 0.1, 0, {}));
  CHECK(is_small_change(0.03, 0.1, 0, {}));
  // Not what chance makes smaller than a roundoff.
  for (const double change : {1e-9, 5e-8, 5.9e-8}) {
    CAPTURE(change);
    CHECK_FALSE(is_small_change(change, 1e-10, 0x1p-24, Outcome::stagnated));
    CHECK(is_small_change(change, 1e-9, 0x1p-24, Outcome::stagnated));
    CHECK_FALSE(is_small_change(change, 1e-9, 0x1p-24, {}));
  }
  int steps = 0;
  const auto lost = [] { return std::numeric_limits<double>::quiet_NaN(); };
  CHECK_FALSE(confirm_change(
      1e-7, 1e-6, 0, {}, [&] { ++steps; }, lost));
  CHECK(steps == confirming_steps);
}

TEST_CASE("a trend falls until four changes have not", "[solvers][change]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double flat : {0.71e-3, 1.0, nan}) {
    CAPTURE(flat);
    ChangeTrend trend;
    CHECK(trend.falls(1e-2));
    CHECK(trend.falls(1e-3));
    for (int k = 0; k < 3; ++k) CHECK(trend.falls(flat));
    CHECK_FALSE(trend.falls(flat));
    CHECK_FALSE(trend.falls(flat));
    CHECK(trend.falls(0.6e-3));  // after all
  }
  ChangeTrend still;
  CHECK(still.falls(0));
  for (int k = 0; k < 3; ++k) CHECK(still.falls(0));
  CHECK_FALSE(still.falls(0));
}

/// Rows 2e-15 apart move together, held by others 2e-9 away: cycles reduce that error by less than
/// a thousandth, and change 5e-5 of the solution where 0.2 is missing.
TEST_CASE("an error that falls slowly is not taken for one that is gone", "[solvers][change]") {
  GridGrading own;
  own.x_widths = {9e-17, 6.8e-18, 4.1e-15, 9e-08, 3.6e-17, 0.13, 1.4e-17, 8e-08};
  own.y_widths = {1.3e-06, 0.059, 1.6e-12, 0.081, 1.9e-09, 2.2e-15, 1.5e-07, 0.041};
  double width = 0, height = 0;
  for (const double w : own.x_widths) width += w;
  for (const double w : own.y_widths) height += w;
  ProblemOptions peak;
  peak.solution = "peak";
  peak.gx = 1700;
  peak.gy = 4e-4;
  peak.reaction = 5.3e5;
  const Stated s{make_problem(peak, width, height), make_hierarchy(width, height, 3, own)};
  SolverOptions options = testing::solved_by(Method::multigrid, Preconditioning::none, 5e-7);
  options.form = OperatorForm::difference;
  options.multigrid.cycle = Cycle::v;
  options.multigrid.post_smoothing = 0;
  options.max_iterations = 400;
  for (const bool mixed : {false, true}) {
    if (mixed) {
      options.refinement.inner = {Precision::double_};
      options.refinement.stop = {InnerStop{{}, 5}};
    }
    const Judged judged = testing::judge(s, options);
    CAPTURE(mixed, judged.report.remark, judged.error);
    CHECK((judged.report.outcome != Outcome::converged || judged.error <= 5e-4));
    CHECK(judged.report.outcome != Outcome::not_finite);
  }
}

/// bfloat16 rounds away what holds the columns of thin cells, so that corrections in it leave an
/// error of 0.3 as it is.
TEST_CASE("what stages do not see is not taken for what is not there", "[solvers][change]") {
  ProblemOptions stated;
  stated.solution = "cosine";
  stated.boundary[Side::left] = stated.boundary[Side::right] = BoundaryKind::neumann;
  const Stated s{make_problem(stated, 1, 1000), make_hierarchy(1, 1000, 5, {0.42, {Side::left}})};
  SolverOptions options = testing::solved_by(Method::multigrid, Preconditioning::none, 1e-4);
  options.precision = Precision::single_;
  options.refinement.inner = {Precision::bfloat16};
  options.refinement.stop = {InnerStop{2, {}}};
  options.multigrid.cycle = Cycle::w;
  options.multigrid.smoother = Smoother::adi_trigs;
  options.multigrid.line_order = LineOrder::sequential;
  options.multigrid.pre_smoothing = 1;
  options.multigrid.post_smoothing = 3;
  const auto check = [&](OperatorForm form, OperatorStorage storage) {
    options.refinement.inner_form = form;
    options.refinement.inner_storage = {storage};
    const Judged judged = testing::judge(s, options);
    CAPTURE(to_string(form), to_string(storage), judged.report.remark, judged.error);
    CHECK((judged.report.outcome != Outcome::converged || judged.error <= promise(1e-4)));
  };
  check(OperatorForm::plain, OperatorStorage::stored);
  check(OperatorForm::difference, OperatorStorage::stored);
  check(OperatorForm::difference, OperatorStorage::factored);
}

ProblemOptions free_on_all_sides(const std::string& solution, const std::string& source) {
  ProblemOptions options = testing::formula(solution, source);
  for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  return options;
}

/// The bound knows no more than the smallest eigenvalue.
TEST_CASE("where nothing holds constants, changes tell", "[solvers][change]") {
  const auto check = [](const Stated& s, const SolverOptions& options) {
    const Judged judged = testing::judge(s, options);
    CAPTURE(judged.report.remark, judged.error);
    CHECK(judged.report.outcome == Outcome::converged);
    CHECK(judged.report.judged_by_change);  // not without
    CHECK(judged.error <= 10 * options.tolerance);
  };
  ProblemOptions sine = free_on_all_sides("", "");
  sine.solution = "sine";
  SolverOptions half = testing::solved_by(Method::multigrid, Preconditioning::none, 0.05);
  half.precision = Precision::half;
  half.form = OperatorForm::difference;
  half.multigrid.cycle = Cycle::w;
  half.multigrid.pre_smoothing = 1;
  half.multigrid.post_smoothing = 3;
  check(testing::problem_on(sine, 5, {0.92, {Side::bottom, Side::top}}), half);

  GridGrading grading;
  grading.kind = Grading::geometric;
  grading.expansion_ratio = 1.9;
  grading.sides = {Side::left, Side::right, Side::bottom, Side::top};
  SolverOptions cg = testing::solved_by(Method::cg, Preconditioning::jacobi, 1e-4);
  cg.precision = Precision::single_;
  cg.storage = OperatorStorage::factored;
  const ProblemOptions cosine = free_on_all_sides("", "cos(pi*x/width)");
  check({make_problem(cosine, 1, 1000), make_hierarchy(1, 1000, 4, grading)}, cg);
}

/// Without the roundoff every other one of these would be called converged.
TEST_CASE("changes below a roundoff do not decide by chance", "[solvers][change]") {
  ProblemOptions options;
  options.solution = "exponential";
  options.boundary[Side::right] = BoundaryKind::neumann;
  SolverOptions single = testing::solved_by(Method::multigrid);
  single.precision = Precision::single_;
  SolverOptions cg = testing::solved_by(Method::cg, Preconditioning::multigrid);
  cg.precision = Precision::single_;
  for (SolverOptions* solver : {&single, &cg}) {
    for (int level = 3; level <= 6; ++level) {
      const Stated s = testing::problem_on(options, level, {0.03, {Side::right}});
      CAPTURE(to_string(solver->method), level);
      solver->tolerance = 1e-10;
      CHECK(testing::judge(s, *solver).report.outcome == Outcome::stagnated);
    }
  }
}

/// The residual is rounding from the first step on, but for one step in between that is not slow.
TEST_CASE("nothing is given up before a look at what its last step has changed",
          "[solvers][change]") {
  ProblemOptions options;
  options.solution = "exponential";
  options.boundary[Side::right] = BoundaryKind::neumann;
  const testing::Stated s = testing::problem_on(options, 6, {0.001, {Side::right}});
  SolverOptions refined = testing::solved_by(Method::multigrid);
  refined.refinement.inner = {Precision::double_};
  const testing::Judged judged = testing::judge(s, refined);
  CHECK(judged.report.outcome == Outcome::converged);
  CHECK(judged.error <= promise(refined.tolerance));
}

TEST_CASE("what the last steps leave no time to confirm ends by the number of steps",
          "[solvers][change]") {
  // Stored entries lose these cells, but the solution is right and its changes still fall.
  ProblemOptions options = testing::formula("", "cos(pi*x/width)");
  options.gx = 0.16;
  options.gy = 16;
  for (const Side side : {Side::left, Side::bottom, Side::top}) {
    testing::make_neumann(options, side, "");
  }
  const testing::Stated s{
      make_problem(options, 1, 1000),
      make_hierarchy(1, 1000, 3, {0.0012, {Side::left, Side::bottom, Side::top}})};
  SolverOptions pairs = testing::solved_by(Method::multigrid, Preconditioning::none, 1e-8);
  pairs.precision = Precision::double_single;
  pairs.storage = OperatorStorage::stored;
  for (const int most : {295, 297, 299, 300}) {
    CAPTURE(most);
    pairs.max_iterations = most;
    const testing::Judged judged = testing::judge(s, pairs);
    CAPTURE(judged.error, judged.report.iterations, judged.report.remark);
    CHECK(judged.report.outcome == Outcome::step_limit);
  }
}

TEST_CASE("stages of a cascade that gain nothing are given up soon", "[solvers][change]") {
  // Nested without an end of their own, with a format that is lost beside a side 1000 high.
  ProblemOptions harmonic = testing::formula("sin(0.001*x)*exp(0.001*y)", "0");
  testing::make_neumann(harmonic, Side::left, "-0.001*cos(0.001*x)*exp(0.001*y)");
  testing::make_neumann(harmonic, Side::right, "0.001*cos(0.001*x)*exp(0.001*y)");
  const Stated s{make_problem(harmonic, 1, 1000), make_hierarchy(1, 1000, 3, {})};
  SolverOptions options = testing::solved_by(Method::cg, Preconditioning::jacobi, 5e-7);
  options.max_iterations = 100;
  options.refinement.inner.assign(3, Precision::bfloat16);
  options.refinement.stop_at_tolerance = true;
  const Judged judged = testing::judge(s, options);
  CHECK(judged.report.outcome != Outcome::converged);
  CHECK(judged.report.inner_iterations <= judged.report.iterations * 20 * 20 * 100);
}

}  // namespace
}  // namespace ninefold
