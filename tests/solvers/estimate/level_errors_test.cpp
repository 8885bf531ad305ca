#include "solvers/estimate/level_errors.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "fem/discrete/errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

GridGrading graded(double nu) {
  GridGrading grading;
  grading.nu = nu;
  return grading;
}

Problem named(const std::string& solution, bool neumann = false) {
  ProblemOptions options;
  options.solution = solution;
  options.quadrature = 3;
  options.gy = 0.5;
  if (neumann) {
    for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  }
  return make_problem(options, 1.5, 1.0);
}

std::vector<TensorGrid> grids_of(int level, const GridGrading& grading) {
  return make_hierarchy(1.5, 1.0, level, grading);
}

/// Levels 1 to `last`, each with its own errors and what is told of them.
struct Told {
  Errors error;
  DiscretisationError estimate;
};
std::vector<Told> levels_of(const Problem& problem, const GridGrading& grading,
                            const SolverOptions& options, int last) {
  LevelSequence sequence;
  std::vector<Told> all;
  for (int level = 1; level <= last; ++level) {
    const auto grids = grids_of(level, grading);
    const EstimatedSolve found =
        sequence.solve(prepare(problem, grids, options, BackendKind::host), level < last);
    CHECK(found.remark.empty());
    CHECK((found.solved.values != nullptr) == false);  // it has been taken
    all.push_back(
        {measure_errors(problem, grids.back(), found.solved.solution), found.discretisation});
  }
  return all;
}

TEST_CASE("the discretisation error of a smooth solution is told within a few percent",
          "[solvers][estimate]") {
  const std::string name = GENERATE("polynomial", "sine", "exponential", "cosine");
  const double nu = GENERATE(1.0, 0.5, 1.0 / 64);
  const bool neumann = GENERATE(false, true);
  CAPTURE(name, nu, neumann);
  const std::vector<Told> all = levels_of(named(name, neumann), graded(nu), {}, 7);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& [error, estimate] = all[k];
    const int level = static_cast<int>(k) + 1;
    CAPTURE(level);
    if (level < first_estimated_level) CHECK_FALSE(estimate.l2);
    if (level >= 6) REQUIRE((estimate.l2 && estimate.rms && estimate.order));
    if (estimate.l2) CHECK(*estimate.l2 == Approx(error.l2).epsilon(level < 6 ? 0.2 : 0.01));
    if (estimate.rms) CHECK(*estimate.rms == Approx(error.rms).epsilon(level < 6 ? 0.2 : 0.03));
    if (level == 7) CHECK(*estimate.order == Approx(2).margin(0.01));
  }
}

TEST_CASE("of layers and peaks nothing is told before their order is observed",
          "[solvers][estimate]") {
  const std::string name = GENERATE("boundary_layer", "peak");
  const double nu = GENERATE(1.0, 0.75, 1.0 / 64);
  CAPTURE(name, nu);
  const std::vector<Told> all = levels_of(named(name), graded(nu), {}, 9);
  for (std::size_t k = 0; k < all.size(); ++k) {
    CAPTURE(k + 1);
    if (name == "boundary_layer" && nu == 1 && k + 1 < 6) CHECK_FALSE(all[k].estimate.l2);
    if (all[k].estimate.l2) {
      CHECK(*all[k].estimate.l2 > 0.5 * all[k].error.l2);
      CHECK(*all[k].estimate.l2 < 2 * all[k].error.l2);
    }
  }
  REQUIRE(all.back().estimate.l2);
  CHECK(*all.back().estimate.l2 == Approx(all.back().error.l2).epsilon(0.05));
}

TEST_CASE("a level that stands alone has the estimate of one in a row", "[solvers][estimate]") {
  const Problem problem = named("sine");
  const GridGrading grading = graded(0.5);
  std::vector<SolverOptions> kinds(4);
  kinds[0].method = Method::full_multigrid;
  kinds[1] = testing::refined("double", {"single"});
  kinds[2].precision = Precision::double_double;
  kinds[3].precision = precision_from_name("s30e11");
  kinds[3].tolerance = 1e-6;
  for (const SolverOptions& options : kinds) {
    CAPTURE(testing::name_of(options));
    const std::vector<Told> all = levels_of(problem, grading, options, 5);
    LevelSequence alone;
    const EstimatedSolve found =
        alone.solve(prepare(problem, grids_of(5, grading), options, BackendKind::host), false);
    REQUIRE(found.discretisation.l2);
    CHECK(*found.discretisation.l2 == *all.back().estimate.l2);
    CHECK(found.discretisation.rms == all.back().estimate.rms);
    CHECK(found.discretisation.order == all.back().estimate.order);
  }
}

TEST_CASE("estimates have the units of the problem, however small they are",
          "[solvers][estimate]") {
  const auto scaled = [](double factor) {
    Problem problem;
    problem.source = Function([factor](const Point& p) { return factor * (p.x() + p.y()); });
    LevelSequence sequence;
    const auto grids = make_hierarchy(1.0, 1.0, 5);
    return sequence.solve(prepare(problem, grids, {}, BackendKind::host), false).discretisation;
  };
  const DiscretisationError one = scaled(1), tiny = scaled(0x1p-900);
  REQUIRE((one.l2 && tiny.l2));
  CHECK(*tiny.l2 == Approx(std::ldexp(*one.l2, -900)).epsilon(1e-12));
  CHECK(*tiny.order == Approx(*one.order).epsilon(1e-12));
}

TEST_CASE("what cannot be compared is said, and solved all the same", "[solvers][estimate]") {
  const Problem problem = named("exponential");
  SolverOptions hard;
  hard.method = Method::cg;
  hard.max_iterations = 3;
  LevelSequence sequence;
  const auto solve_level = [&](int level, const SolverOptions& options) {
    return sequence.solve(prepare(problem, grids_of(level, {}), options, BackendKind::host), true);
  };
  const EstimatedSolve first = solve_level(5, hard);
  CHECK(first.solved.report.outcome == Outcome::step_limit);
  CHECK_FALSE(first.discretisation.l2);
  const EstimatedSolve second = solve_level(6, {});
  CHECK(second.solved.report.outcome == Outcome::converged);
  CHECK(second.remark.empty());
  CHECK_FALSE(second.discretisation.l2);
  for (int level = 7; level <= 9; ++level) {
    const EstimatedSolve later = solve_level(level, {});
    CHECK(later.remark.empty());
    CHECK(later.discretisation.l2.has_value() == (level == 9));
  }
}

TEST_CASE("only a level's own coarser one is compared with it", "[solvers][estimate]") {
  const Problem problem = named("sine");
  const auto solved = [&](int level, const Neighbours& neighbours) {
    return solve(prepare(problem, grids_of(level, {}), {}, BackendKind::host), neighbours);
  };
  const auto values = solved(3, {{}, true}).values;
  REQUIRE(values);
  CHECK(solved(4, {values, false}).level_errors);
  CHECK_FALSE(solved(4, {}).level_errors);
  CHECK_THROWS_WITH(solved(5, {values, false}), ContainsSubstring("next coarser level's"));
}

TEST_CASE("errors fall at an order, or nothing is told", "[solvers][estimate]") {
  const auto last_of = [](const std::vector<double>& told, double most_change) {
    FallingError error(most_change);
    std::optional<double> last;
    for (const double e : told) last = error.next(e);
    return last;
  };
  CHECK(last_of({16, 4, 1}, 2.5) == 1);
  CHECK(last_of({9, 3, 1}, 2.5) == 1);
  CHECK_FALSE(last_of({4, 1}, 2.5));        // one fall alone
  CHECK_FALSE(last_of({4, 2, 1}, 2.5));     // too slow
  CHECK_FALSE(last_of({4, 4, 1}, 2.5));     // all at once
  CHECK_FALSE(last_of({60, 6, 1}, 2.5));    // too fast
  CHECK_FALSE(last_of({12, 4, 1}, 1.25));   // not evenly
  CHECK_FALSE(last_of({1, 0.25, 0}, 2.5));  // no error at all
  CHECK_FALSE(last_of({1, std::nan(""), 1}, 2.5));
  FallingError error(2.5);
  CHECK_FALSE(error.order());
  (void)error.next(8);
  (void)error.next(1);
  CHECK(*error.order() == 3);
}

}  // namespace
}  // namespace ninefold
