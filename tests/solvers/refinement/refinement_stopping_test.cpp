// When the inner solves of mixed precision stop, and how many iterations that leads to.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solvers/refinement/steps_needed.hpp"
#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using testing::polynomial;
using testing::refined;
using testing::solve_on_host;
using testing::Stated;

TEST_CASE("stages of a cascade stop each by its own rule", "[solvers][refinement][cascade]") {
  SolverOptions options = refined("double-double", {"double", "single"});
  options.tolerance = 1e-24;
  options.refinement.stop = {{3, {}}, {2, {}}};
  const Report counted = solve_on_host(polynomial(5), options).report;
  CHECK(counted.outcome == Outcome::converged);
  for (const int cycles : counted.inner_history) CHECK(cycles == 3 * 2);
  options.refinement.stop = {{2, {}}, {1, {}}};
  const Report fewer = solve_on_host(polynomial(5), options).report;
  CHECK(fewer.outcome == Outcome::converged);
  for (const int cycles : fewer.inner_history) CHECK(cycles == 2 * 1);
  CHECK(fewer.iterations > counted.iterations);
}

TEST_CASE("two cycles in single are as good as two in double", "[solvers][refinement]") {
  for (int level = 4; level <= 8; ++level) {
    SolverOptions options = refined("double", {"single"});
    options.multigrid.smoother = Smoother::jacobi;
    const Report mixed = solve_on_host(polynomial(level), options).report;
    options.refinement = {};
    const Report native = solve_on_host(polynomial(level), options).report;
    CAPTURE(level);
    CHECK(native.iterations == 8);
    CHECK(mixed.iterations == 4);
    CHECK(mixed.inner_iterations == 8);
    CHECK(mixed.residual_reduction == Approx(native.residual_reduction).epsilon(0.05));
  }
}

TEST_CASE("flexible CG ends where its own residual says no more, before that leaves the range",
          "[solvers][refinement][stopping]") {
  SolverOptions options = refined("half", {"half"});
  options.refinement.variant = RefinementVariant::flexible_cg;
  for (const double tolerance : {6e-2, 1e-2, 1e-3}) {
    options.tolerance = tolerance;
    const Solved solved = solve_on_host(polynomial(5), options);
    CAPTURE(tolerance, solved.report.remark);
    CHECK((solved.report.outcome == Outcome::stagnated
           || solved.report.outcome == Outcome::converged));
    CHECK(solved.report.true_residual_reduction < 0.06);
    REQUIRE(solved.errors.has_value());
    CHECK(solved.errors->l2 < 1.1 * 3.70079e-05);
  }
}

TEST_CASE("inner solves that know the tolerance stop at it", "[solvers][refinement][stopping]") {
  const Stated stated = polynomial(5);
  const auto run = [&](Method method, const InnerStop& stop, bool stop_at_tolerance) {
    SolverOptions options = refined("double", {"single"});
    options.method = method;
    options.refinement.stop = {stop};
    options.refinement.stop_at_tolerance = stop_at_tolerance;
    const Report report = solve_on_host(stated, options).report;
    CAPTURE(report.remark);
    CHECK(report.outcome == Outcome::converged);
    CHECK(report.true_residual_reduction <= options.tolerance);
    return report;
  };
  // Multigrid: as many cycles as double alone takes, however they are divided.
  for (const InnerStop& stop : {InnerStop{3, {}}, InnerStop{5, {}}, InnerStop{{}, 2.0},
                                InnerStop{{}, 3.0}, InnerStop{{}, 4.0}, InnerStop{6, 3.0}}) {
    CAPTURE(stop.iterations.value_or(0), stop.digits.value_or(0));
    CHECK(run(Method::multigrid, stop, true).inner_iterations == 8);
  }
  CHECK(run(Method::multigrid, {3, {}}, false).inner_iterations == 9);
  CHECK(run(Method::multigrid, {5, {}}, false).inner_iterations == 10);
  // CG: the same steps but for the last, which is shorter.
  const Report whole = run(Method::cg, {{}, 3.0}, false);
  const Report shorter = run(Method::cg, {{}, 3.0}, true);
  REQUIRE(whole.iterations == shorter.iterations);
  for (std::size_t k = 0; k + 1 < whole.inner_history.size(); ++k) {
    CHECK(whole.inner_history[k] == shorter.inner_history[k]);
  }
  CHECK(shorter.inner_history.back() < whole.inner_history.back());
}

TEST_CASE("inner solves take the iterations or gain the digits that are asked for",
          "[solvers][refinement][stopping]") {
  const Stated stated = polynomial(5);
  SolverOptions options = refined("double", {"single"});
  const auto run = [&](Method method, const InnerStop& stop) {
    options.method = method;
    options.refinement.stop = {stop};
    const Report report = solve_on_host(stated, options).report;
    CHECK(report.outcome == Outcome::converged);
    return report;
  };
  for (const Method method : {Method::multigrid, Method::cg}) {
    for (const int count : {20, 40, method == Method::multigrid ? 1 : 100}) {
      CAPTURE(to_string(method), count);
      // CG may end for good before.
      for (const int inner : run(method, {count, {}}).inner_history) {
        if (method == Method::multigrid) CHECK(inner == count);
        CHECK(inner <= count);
      }
    }
    for (const double digits : {1.0, 2.5}) {
      const Report report = run(method, {{}, digits});
      CAPTURE(to_string(method), digits);
      for (std::size_t k = 1; k < report.history.size(); ++k) {
        // Rounding the matrix to single changes a residual by 2^-24 of |A||c|, little beside this.
        CHECK(report.history[k] <= 1.01 * std::pow(10.0, -digits) * report.history[k - 1]);
      }
    }
    // Both: whichever comes first.
    const Report both = run(method, {4, 2.0}), few = run(method, {4, {}});
    for (const int inner : both.inner_history) CHECK(inner <= 4);
    CHECK(both.inner_iterations <= few.inner_iterations);
  }
}

TEST_CASE("residual-guided CG spares iterations that plain refinement repeats",
          "[solvers][refinement][guided]") {
  const auto run = [](int level, const std::string& inner, RefinementVariant variant) {
    SolverOptions options = refined("double", {inner});
    options.method = Method::cg;
    options.refinement.variant = variant;
    const Report report = solve_on_host(polynomial(level), options).report;
    CAPTURE(level, inner, to_string(variant), report.remark);
    CHECK(report.outcome == Outcome::converged);
    return report.inner_iterations;
  };
  for (int level = 4; level <= 7; ++level) {
    CAPTURE(level);
    CHECK(run(level, "single", RefinementVariant::residual_guided_cg)
          < 0.9 * run(level, "single", RefinementVariant::refinement));
  }
  // Where the recurrence of a storage format has lost the residual, the directions are given up:
  // then it is no better, and not much worse.
  for (const std::string inner : {"half", "bfloat16"}) {
    for (int level = 3; level <= 6; ++level) {
      CAPTURE(level, inner);
      CHECK(run(level, inner, RefinementVariant::residual_guided_cg)
            < 1.5 * run(level, inner, RefinementVariant::refinement));
    }
  }
}

/// Thin cells beside Neumann sides, which single hardly holds: CG in single gains little.
Stated thin_at_neumann(int level) {
  ProblemOptions options;
  for (const Side side : {Side::left, Side::bottom, Side::top}) {
    options.boundary[side] = BoundaryKind::neumann;
  }
  return {make_problem(options, 1, 1),
          make_hierarchy(1, 1, level, {0.1, {Side::left, Side::bottom}})};
}

TEST_CASE("inner solves that only digits end are limited in all by ten times max_iterations",
          "[solvers][refinement][stopping]") {
  const int most = 200;
  for (const auto variant : {RefinementVariant::refinement, RefinementVariant::residual_guided_cg,
                             RefinementVariant::flexible_cg}) {
    SolverOptions options = refined("double", {"single"});
    options.method = Method::cg;
    options.max_iterations = most;
    options.refinement.stop = {{{}, 2.0}};
    options.refinement.variant = variant;
    const Report report = solve_on_host(thin_at_neumann(6), options).report;
    CAPTURE(to_string(variant), to_string(report.outcome), report.remark);
    CHECK((report.outcome == Outcome::step_limit || report.outcome == Outcome::stagnated));
    CHECK(report.iterations < most);
    // The last solve may have begun just below the limit.
    CHECK(report.inner_iterations >= inner_iterations_factor * most);
    CHECK(report.inner_iterations < (inner_iterations_factor + 1) * most);
    if (report.outcome == Outcome::step_limit) {
      CHECK_THAT(report.remark, Catch::Matchers::ContainsSubstring(
                                    " inner iterations, 10 times solver.max_iterations, reached"));
    }
  }
}

TEST_CASE("inner iterations that are asked for are not limited in all",
          "[solvers][refinement][stopping]") {
  SolverOptions options = refined("double", {"single"});
  options.method = Method::cg;
  options.tolerance = 1e-8;
  options.max_iterations = 4;
  options.refinement.stop = {{60, {}}};
  const Report report = solve_on_host(polynomial(5), options).report;
  CHECK(report.outcome == Outcome::converged);
  CHECK(report.inner_iterations > inner_iterations_factor * options.max_iterations);
}

TEST_CASE("residual-guided CG corrects where its iterations in low precision gain nothing",
          "[solvers][refinement][guided]") {
  SolverOptions options = refined("double", {"single"});
  options.method = Method::cg;
  options.max_iterations = 5000;
  options.refinement.stop = {{{}, 2.0}};
  options.refinement.variant = RefinementVariant::residual_guided_cg;
  const Report report = solve_on_host(thin_at_neumann(5), options).report;
  int given_up = 0;
  for (const int inner : report.inner_history) {
    given_up += inner >= 1000 && inner < options.max_iterations;
  }
  CHECK(given_up > 0);
}

TEST_CASE("as many steps are made at once as are needed in any case", "[solvers][refinement]") {
  CHECK(steps_needed(1e-6, 1e-10, 64, 3) == 3);  // two would leave 2.4e-10
  CHECK(steps_needed(2e-8, 1e-10, 64, 3) == 2);
  CHECK(steps_needed(1.25e-8, 1e-10, 64, 3) == 1);  // one may gain 128 times
  CHECK(steps_needed(1.3e-8, 1e-10, 64, 3) == 2);
  CHECK(steps_needed(4.0e-7, 1e-10, 64, 3) == 2);  // and two 4096 times
  CHECK(steps_needed(4.2e-7, 1e-10, 64, 3) == 3);
  CHECK(steps_needed(1e-6, 1e-10, 64, 2) == 2);
  CHECK(steps_needed(1e-6, 1e-10, 64, 1) == 1);
  CHECK(steps_needed(1e-6, 0, 64, 3) == 3);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(steps_needed(1e-6, 1e-10, infinity, 3) == 1);
  CHECK(steps_needed(std::nan(""), 1e-10, 64, 3) == 1);
}

// Of full multigrid, whose corrections gain so much at most.
TEST_CASE("steps that are made at once are those that are looked at", "[solvers][refinement]") {
  const Stated stated = polynomial(7);
  SolverOptions options = refined("double", {"single"});
  options.method = Method::full_multigrid;
  options.tolerance = 1e-11;
  const Report whole = solve_on_host(stated, options).report;
  CHECK(whole.outcome == Outcome::converged);
  REQUIRE(whole.iterations >= 5);
  CHECK(whole.history.size() == static_cast<std::size_t>(whole.iterations) + 1);
  CHECK(whole.inner_history.size() == static_cast<std::size_t>(whole.iterations));
  for (int count = 1; count < whole.iterations; ++count) {
    CAPTURE(count);
    options.max_iterations = count;
    const Report fewer = solve_on_host(stated, options).report;
    CHECK(fewer.outcome == Outcome::step_limit);
    CHECK(fewer.iterations == count);
    for (std::size_t k = 0; k < fewer.history.size(); ++k) {
      CHECK(fewer.history[k] == whole.history[k]);
    }
    CHECK(fewer.residual_reduction == fewer.true_residual_reduction);
  }
  // None is made beyond the first that meets the tolerance.
  const std::size_t last = whole.history.size() - 1;
  CHECK(whole.history[last] <= 1e-11);
  CHECK(whole.history[last - 1] > 1e-11);
  options.max_iterations = 100;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    options.tolerance = tolerance;
    const Report report = solve_on_host(stated, options).report;
    CHECK(report.history.back() <= tolerance);
    CHECK(report.history[report.history.size() - 2] > tolerance);
  }
}

}  // namespace
}  // namespace ninefold
