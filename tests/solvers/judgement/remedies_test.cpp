// Remedies of solves that stagnate at a format's limit, diverge, or correct in too narrow a format:
// each works on the case whose remark names it.
#include <functional>
#include <string>

#include <fmt/format.h>

#include "solvers/judgement/remarks.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using testing::formula;
using testing::judge;
using testing::Judged;
using testing::make_neumann;
using testing::problem_on;
using testing::solved_by;
using testing::Stated;

SolverOptions in_format(const char* precision, double tolerance) {
  SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, tolerance);
  options.precision = precision_from_name(precision);
  return options;
}

/// With more rounding than the default has.
SolverOptions in_plain_form(SolverOptions options) {
  options.form = OperatorForm::plain;
  return options;
}

using Change = std::function<void(SolverOptions&)>;

/// The solve ends so, with these words; changed as they say, it converges.
void check_remedy(const Stated& s, SolverOptions options, Outcome outcome, const std::string& words,
                  const Change& change) {
  const Judged lost = judge(s, options);
  CAPTURE(words, lost.report.remark);
  CHECK(lost.report.outcome == outcome);
  CHECK_THAT(lost.report.remark, ContainsSubstring(words));
  change(options);
  const Judged found = judge(s, options);
  CAPTURE(found.report.remark);
  CHECK(found.report.outcome == Outcome::converged);
  CHECK(found.error <= promise(options.tolerance));
}

Change to_format(const char* precision, const char* inner = "") {
  const std::string outer_name = precision, inner_name = inner;
  return [=](SolverOptions& options) {
    options.precision = precision_from_name(outer_name);
    options.refinement.inner.clear();
    if (!inner_name.empty()) options.refinement.inner = {precision_from_name(inner_name)};
  };
}

/// All sides Neumann: the reaction alone holds the constant.
Stated held_by(const std::string& reaction) {
  const std::string u = "(cos(pi*x)*cos(pi*y)+1)";
  ProblemOptions options = formula(u, "2*pi^2*cos(pi*x)*cos(pi*y)+" + reaction + "*" + u);
  options.reaction = std::stod(reaction);
  for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  return problem_on(options, 4, {});
}

TEST_CASE("at a format's limit the first format that suffices is named", "[solvers][remarks]") {
  struct Case {
    const char* format;
    int level;
    double tolerance;
    const char *words, *wider, *inner;
  };
  const Case c = GENERATE(
      Case{"half", 4, 1e-4, "use solver.precision = \"single\"", "single", ""},
      Case{"half", 4, 1e-8, "use solver.precision = \"double\"", "double", ""},
      Case{"bfloat16", 3, 1e-3, "use solver.precision = \"single\"", "single", ""},
      Case{"single", 5, 1e-8, "use solver.precision = \"double\"", "double", ""},
      Case{"single", 5, 1e-8, "with refinement.inner_precision = \"single\"", "double", "single"},
      Case{"single", 5, 1e-15, "use solver.precision = \"double-double\"", "double-double", ""},
      Case{"double-single", 6, 5e-13, "use solver.precision = \"double\"", "double", ""},
      Case{"double", 5, 1e-16, "use solver.precision = \"double-double\"", "double-double", ""},
      Case{"double", 5, 1e-16, "with refinement.inner_precision = \"double\"", "double-double",
           "double"},
      Case{"s44e11", 5, 1e-15, "use solver.precision = \"double-double\"", "double-double", ""},
      Case{"s30e11", 5, 1e-10, "use at least 41 mantissa bits in solver.precision", "s41e11", ""},
      Case{"s23e8", 5, 1e-8, "use at least 34 mantissa bits in solver.precision", "s34e8", ""});
  CAPTURE(c.format, c.tolerance);
  check_remedy(problem_on({}, c.level, {}), in_plain_form(in_format(c.format, c.tolerance)),
               Outcome::stagnated, c.words, to_format(c.wider, c.inner));
}

TEST_CASE("a larger tolerance is named where it is met", "[solvers][remarks]") {
  for (const char* format : {"single", "double-single", "s30e11", "double"}) {
    const SolverOptions options = in_format(format, 1e-33);
    const Stated s = problem_on({}, 4, {});
    const Report lost = judge(s, options).report;
    CAPTURE(format);
    check_remedy(s, options, Outcome::stagnated, "a larger solver.tolerance",
                 [&](SolverOptions& o) { o.tolerance = 2 * lost.attainable_reduction; });
  }
  // Not where the rounding of the format is most of the solution.
  CHECK_THAT(judge(problem_on({}, 4, {}), in_format("bfloat16", 1e-2)).report.remark,
             ContainsSubstring("single") && !ContainsSubstring("tolerance"));
}

TEST_CASE("where a format does not hold the matrix, another one or fewer levels do",
          "[solvers][remarks]") {
  const SolverOptions options = in_plain_form(in_format("half", 1e-2));
  const Stated fine = problem_on({}, 7, {});
  const Report lost = solve(fine.problem, fine.grids, options, BackendKind::host).report;
  CHECK(lost.outcome == Outcome::stagnated);
  CHECK_THAT(lost.remark,
             ContainsSubstring("does not hold this matrix; use solver.precision = \"single\" or "
                               "fewer levels"));
  const SolverOptions single = in_format("single", 1e-2);
  CHECK(solve(fine.problem, fine.grids, single, BackendKind::host).report.outcome
        == Outcome::converged);
  CHECK(judge(problem_on({}, 4, {}), options).report.outcome == Outcome::converged);
}

TEST_CASE("where the bound of the error stays above the promise, a wider format lowers it",
          "[solvers][remarks]") {
  SECTION("conjugate gradients") {
    SolverOptions options = in_plain_form(solved_by(Method::cg, Preconditioning::jacobi));
    options.refinement.inner = {Precision::single_};
    check_remedy(held_by("3e-7"), options, Outcome::stagnated,
                 "of the solution; use solver.precision = \"double-double\"",
                 [](SolverOptions& o) { o.precision = Precision::double_double; });
  }
  SECTION("multigrid") {
    SolverOptions options = in_format("half", 1e-1);
    options.multigrid.smoother = Smoother::jacobi;
    check_remedy(problem_on({}, 6, {}), options, Outcome::stagnated,
                 "of the solution; use solver.precision = \"single\"", to_format("single"));
  }
}

TEST_CASE("what diverges by its damping converges with less of it, or by conjugate gradients",
          "[solvers][remarks]") {
  const Stated s = problem_on({}, 5, {});
  SolverOptions options = solved_by(Method::multigrid);
  options.multigrid.damping = 1.9;
  const std::string words =
      "grew without bound: reduce multigrid.damping, or use solver.method = \"cg\"";
  check_remedy(s, options, Outcome::diverged, words,
               [](SolverOptions& o) { o.multigrid.damping = 1.0; });
  check_remedy(s, options, Outcome::diverged, words,
               [](SolverOptions& o) { o.method = Method::cg; });
  options.refinement.inner = {Precision::single_};
  check_remedy(s, options, Outcome::diverged, "grow without bound: reduce multigrid.damping",
               [](SolverOptions& o) { o.multigrid.damping = 1.0; });
}

TEST_CASE("what diverges or stagnates by its smoother converges with the one that suits",
          "[solvers][remarks]") {
  const Stated s = problem_on({}, 5, {0.1});
  SolverOptions options = solved_by(Method::multigrid);
  options.multigrid.smoother = Smoother::tridi;
  options.multigrid.line_direction = LineDirection::x;
  options.multigrid.damping = 1.9;
  const Change suit = [](SolverOptions& o) {
    o.multigrid.smoother = Smoother::automatic;
    o.multigrid.line_direction = {};
    o.multigrid.damping = {};
  };
  const std::string words =
      "use multigrid.smoother = \"auto\" without multigrid.damping and line_direction, which takes";
  check_remedy(s, options, Outcome::diverged, words, suit);
  options.refinement.inner = {Precision::single_};
  check_remedy(s, options, Outcome::diverged, words, suit);

  const std::string takes = "use multigrid.smoother = \"auto\", which takes adi-trigs";
  options = in_format("single", 1e-4);
  options.multigrid.smoother = Smoother::jacobi;
  check_remedy(problem_on({}, 4, {0.2}), options, Outcome::stagnated,
               "the method does not suit the problem; " + takes, suit);
  options = in_format("bfloat16", 1e-1);
  options.multigrid.smoother = Smoother::jacobi;
  check_remedy(problem_on({}, 4, {0.3}), options, Outcome::stagnated, takes, suit);
  options = solved_by(Method::cg, Preconditioning::multigrid);
  options.multigrid.smoother = Smoother::jacobi;
  options.max_iterations = 15;
  check_remedy(s, options, Outcome::step_limit, takes, suit);
}

TEST_CASE("what ends at its steps converges with more of them, or with what needs fewer",
          "[solvers][remarks]") {
  const Change more = [](SolverOptions& o) { o.max_iterations = 1000; };
  const Stated s = problem_on({}, 5, {});
  SolverOptions options = solved_by(Method::multigrid);
  options.max_iterations = 3;
  check_remedy(s, options, Outcome::step_limit,
               "solver.max_iterations = 3 reached before solver.tolerance; use a larger "
               "solver.max_iterations",
               more);
  options.refinement.inner = {Precision::single_};
  check_remedy(s, options, Outcome::step_limit,
               "solver.max_iterations = 3 reached before solver.tolerance; use a larger "
               "solver.max_iterations",
               more);
  options = solved_by(Method::cg);
  options.max_iterations = 20;
  const std::string words =
      "solver.max_iterations = 20 reached before solver.tolerance; use solver.preconditioner = "
      "\"multigrid\" or a larger solver.max_iterations";
  check_remedy(s, options, Outcome::step_limit, words, more);
  check_remedy(s, options, Outcome::step_limit, words,
               [](SolverOptions& o) { o.preconditioner = Preconditioning::multigrid; });
  options.refinement.inner = {Precision::single_};
  options.max_iterations = 3;
  check_remedy(s, options, Outcome::step_limit, "solver.max_iterations = 3 reached before", more);
  // Steps of the inner solver: 10 times as many.
  CHECK_THAT(step_limit_remark(options, 2, ""),
             StartsWith("30 inner iterations, 10 times solver.max_iterations, reached before "
                        "solver.tolerance; use "));
}

TEST_CASE("at a step limit that a format's limit comes before, no more steps are advised",
          "[solvers][remarks]") {
  SolverOptions options = in_format("single", 1e-9);
  options.max_iterations = 12;
  check_remedy(problem_on({}, 5, {}), options, Outcome::step_limit,
               "the limit of single in difference form", to_format("double"));
}

/// Thin cells at Neumann sides, in single, which holds them by factored rows.
Stated thin_at_neumann(int level, double nu) {
  ProblemOptions options = formula("exp(-x)*cos(y)", "0");
  make_neumann(options, Side::right, "-exp(-x)*cos(y)");
  make_neumann(options, Side::bottom, "0");
  return problem_on(options, level, {nu, {Side::right, Side::bottom}});
}

TEST_CASE("beside thin cells the tolerance that changes judge is named", "[solvers][remarks]") {
  // 20 unit roundoffs; bfloat16 does not hold the thinnest cells.
  const auto [format, nu, named] =
      GENERATE(table<const char*, double, const char*>({{"single", 0.5, "2e-06"},
                                                        {"single", 0.05, "2e-06"},
                                                        {"single", 0.01, "2e-06"},
                                                        {"single", 0.001, "2e-06"},
                                                        {"bfloat16", 0.5, "8e-02"},
                                                        {"bfloat16", 0.05, "8e-02"}}));
  const Stated s = thin_at_neumann(GENERATE(3, 5), nu);
  CAPTURE(format, nu, s.grids.size());
  const SolverOptions options = in_format(format, 1e-10);
  check_remedy(s, options, Outcome::stagnated,
               fmt::format("a larger solver.tolerance ({}; errors may grow with it)", named),
               [&](SolverOptions& o) { o.tolerance = std::stod(named); });
  check_remedy(s, options, Outcome::stagnated, "solver.precision = \"double\"",
               to_format("double"));
}

TEST_CASE("an error that rounding may leave is bounded in a wider format, or spoken of",
          "[solvers][remarks]") {
  const Stated s = thin_at_neumann(6, 0.01);
  SolverOptions options = in_format("single", 1e-6);
  const Report named = judge(s, options).report;
  CAPTURE(named.remark);
  CHECK(named.outcome == Outcome::converged);
  const std::string words =
      "more than solver.tolerance speaks of; use solver.precision = \"double\" or a larger "
      "solver.tolerance (";
  REQUIRE_THAT(named.remark, ContainsSubstring(words));
  const auto is_silent = [&] {
    const Report report = judge(s, options).report;
    CAPTURE(report.remark);
    CHECK(report.outcome == Outcome::converged);
    CHECK_THAT(report.remark, !ContainsSubstring("may leave an error"));
  };
  options.tolerance = std::stod(named.remark.substr(named.remark.find(words) + words.size()));
  is_silent();
  options = in_format("double", 1e-6);
  is_silent();
}

TEST_CASE("corrections that a narrow format makes wrong are right in a wider one",
          "[solvers][remarks]") {
  const Change single = [](SolverOptions& o) { o.refinement.inner = {Precision::single_}; };
  SolverOptions options = solved_by(Method::cg, Preconditioning::multigrid);
  options.refinement.inner = {Precision::bfloat16};
  check_remedy(held_by("1e-4"), options, Outcome::diverged,
               "grow without bound; use a more precise refinement.inner_precision", single);
  options = solved_by(Method::multigrid);
  options.multigrid.smoother = Smoother::jacobi;
  options.refinement.inner = {Precision::bfloat16};
  check_remedy(held_by("1e-4"), options, Outcome::stagnated,
               "no longer reduce it; use a more precise refinement.inner_precision", single);
}

TEST_CASE("corrections that end too soon do not when they go on", "[solvers][remarks]") {
  ProblemOptions stated;
  stated.solution = "exponential";
  const Stated s = problem_on(stated, 3, {0.05, {Side::left, Side::bottom}});
  SolverOptions options = solved_by(Method::cg);
  options.refinement.inner = {Precision::bfloat16};
  options.refinement.stop = {{1, {}}};
  const std::string words = "use more refinement.inner_iterations or inner_digits";
  check_remedy(s, options, Outcome::stagnated, words, [](SolverOptions& o) {
    o.refinement.stop = {{30, {}}};
  });
  check_remedy(s, options, Outcome::stagnated, words, [](SolverOptions& o) {
    o.refinement.stop = {{{}, 2.0}};
  });
}

}  // namespace
}  // namespace ninefold
