// Remarks are advice that was tried: each remedy works on the case whose remark names it.
#include "solvers/judgement/remarks.hpp"

#include <string>
#include <tuple>

#include <catch2/catch.hpp>

#include "tests/support/judged.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::Contains;
using testing::formula;
using testing::judge;
using testing::Judged;
using testing::make_neumann;
using testing::problem_on;
using testing::solved_by;
using testing::StatedProblem;

TEST_CASE("a remedy that a remark names works", "[solvers][accuracy][remarks]") {
  ProblemOptions neumann = formula("exp(-x)*cos(y)", "0");
  make_neumann(neumann, Side::right, "-exp(-x)*cos(y)");
  make_neumann(neumann, Side::bottom, "0");
  SECTION("difference form where the plain one loses thin cells") {
    const StatedProblem s = problem_on(neumann, 6, {0.01, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, 1e-5);
    options.form = OperatorForm::plain;
    const Judged lost = judge(s, options);
    CHECK(lost.report.outcome == Outcome::stagnated);
    CHECK_THAT(lost.report.remark, Contains("operator.form = \"difference\""));
    options.form = OperatorForm::difference;
    const Judged found = judge(s, options);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-2);
  }
  SECTION("double-double over double where double loses thin cells") {
    const StatedProblem s = problem_on(neumann, 5, {0.005, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid);
    const Judged lost = judge(s, options);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome == Outcome::stagnated);
    CHECK_THAT(lost.report.remark, Contains("solver.precision = \"double-double\""));
    options.precision = Precision::double_double;
    const Judged found = judge(s, options);
    CAPTURE(found.report.remark);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-7);
  }
  SECTION("a more precise inner format where single loses thin cells") {
    const StatedProblem s = problem_on(neumann, 6, {0.05, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid);
    options.refinement.inner = {Precision::single_};
    const Judged lost = judge(s, options);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark, Contains("corrections in single lose cells of 2.4e-10")
                                       && Contains("refinement.inner_precision = \"double\""));
    options.refinement.inner = {Precision::double_};
    const Judged found = judge(s, options);
    CAPTURE(found.report.remark);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-7);
  }
  SECTION("wider cells where double-double loses them, too") {
    SolverOptions options = solved_by(Method::multigrid);
    const auto lost = [&](double nu) {
      const StatedProblem s = problem_on(neumann, 8, {nu, {Side::right, Side::bottom}});
      return solve(s.problem, s.grids, options, BackendKind::host).report;
    };
    options.form = OperatorForm::plain;
    const Report report = lost(0.005);
    CAPTURE(report.remark);
    CHECK(report.outcome == Outcome::diverged);
    CHECK_THAT(report.remark, Contains("no Dirichlet side holds") && Contains("wider cells"));
    options.form = {};
    CHECK(lost(0.1).outcome == Outcome::converged);
  }
  SECTION("multigrid's own choice of smoother where Jacobi diverges") {
    const StatedProblem s = problem_on({}, 5, {0.1});
    SolverOptions options = solved_by(Method::multigrid);
    options.multigrid.smoother = Smoother::jacobi;
    const Judged lost = judge(s, options);
    CHECK(lost.report.outcome == Outcome::diverged);
    CHECK_THAT(lost.report.remark, Contains("multigrid.smoother = \"auto\""));
    options.multigrid.smoother = Smoother::automatic;
    CHECK(judge(s, options).report.outcome == Outcome::converged);
  }
  SECTION("a larger tolerance where double ends") {
    const StatedProblem s = problem_on({}, 5, {});
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, 1e-16);
    const Judged lost = judge(s, options);
    CHECK(lost.report.outcome == Outcome::stagnated);
    CHECK_THAT(lost.report.remark, Contains("a larger solver.tolerance"));
    options.tolerance = 20 * lost.report.attainable_reduction;
    CHECK(judge(s, options).report.outcome == Outcome::converged);
  }
}

/// Bilinear, so that nothing but the solver errs; Dirichlet values on one side, thin cells at
/// others.
StatedProblem bilinear(int level, double nu) {
  ProblemOptions options = formula("1+2*x+3*y+4*x*y", "0");
  make_neumann(options, Side::left, "-(2+4*y)");
  make_neumann(options, Side::bottom, "-(3+4*x)");
  make_neumann(options, Side::top, "3+4*x");
  return problem_on(options, level, {nu, {Side::left, Side::bottom}});
}

TEST_CASE("where cells are lost, the format that holds them is named", "[solvers][remarks]") {
  const auto run = [](const StatedProblem& s, const char* precision, const char* inner,
                      double tolerance, int most_cycles = 60) {
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, tolerance);
    options.precision = precision_from_name(precision);
    options.max_iterations = most_cycles;
    if (*inner != '\0') options.refinement.inner = {precision_from_name(inner)};
    return judge(s, options);
  };
  SECTION("double-double, and nothing narrower inside, instead of double") {
    const StatedProblem s = bilinear(6, 0.001);
    const Judged lost = run(s, "double", "", 1e-6);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark, Contains("solver.precision = \"double-double\"")
                                       && !Contains("refinement.inner_precision"));
    const Judged mixed = run(s, "double-double", "double", 1e-6);
    CAPTURE(mixed.report.remark);
    CHECK(mixed.report.outcome != Outcome::converged);
    CHECK_THAT(mixed.report.remark, Contains("corrections in double lose cells")
                                        && Contains("refinement.inner_precision = \"none\""));
    const Judged found = run(s, "double-double", "", 1e-6, 1000);  // slow, but right
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-3);
  }
  SECTION("double instead of narrower formats") {
    const auto [precision, level, tolerance] =
        GENERATE(std::tuple{"double-single", 4, 1e-10}, std::tuple{"single", 5, 1e-4},
                 std::tuple{"single", 4, 1e-6});
    const StatedProblem s = bilinear(level, 0.01);
    CAPTURE(precision, level);
    const Judged lost = run(s, precision, "", tolerance);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark, Contains("solver.precision = \"double\"")
                                       && !Contains("refinement.inner_precision"));
    CHECK(run(s, "double", "", tolerance).report.outcome == Outcome::converged);
  }
  SECTION("double where a small reaction holds the constant") {
    ProblemOptions options =
        formula("cos(pi*x)*cos(pi*y)+1", "2*pi^2*cos(pi*x)*cos(pi*y)+1e-6*(cos(pi*x)*cos(pi*y)+1)");
    options.reaction = 1e-6;
    for (const Side side : all_sides) make_neumann(options, side, "");
    const StatedProblem s = problem_on(options, 5, {});
    const Judged lost = run(s, "single", "", 1e-5);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark, Contains("the reaction, 1.0e-06, alone holds the constant")
                                       && Contains("solver.precision = \"double\""));
    CHECK(run(s, "double", "", 1e-5).report.outcome == Outcome::converged);
  }
}

TEST_CASE("slow conjugate gradients are offered a preconditioner", "[solvers][remarks]") {
  const StatedProblem s = bilinear(5, 0.1);
  SolverOptions options = solved_by(Method::cg, Preconditioning::jacobi);
  options.max_iterations = 20;
  const Judged slow = judge(s, options);
  CHECK(slow.report.outcome == Outcome::step_limit);
  CHECK_THAT(slow.report.remark, Contains("solver.preconditioner = \"multigrid\""));
  options.preconditioner = Preconditioning::multigrid;
  CHECK(judge(s, options).report.outcome == Outcome::converged);
}

TEST_CASE("conjugate gradients are not advised on multigrid", "[solvers][remarks]") {
  SolverOptions options = solved_by(Method::cg, Preconditioning::jacobi);
  options.refinement.inner = {Precision::bfloat16};
  CHECK_THAT(divergence_remark(options),
             Contains("more precise refinement.inner_precision") && !Contains("multigrid"));
  options.refinement.inner = {};
  CHECK_THAT(divergence_remark(options), !Contains("multigrid"));
}

TEST_CASE("the format whose range is left is the one that is named", "[solvers][remarks]") {
  SolverOptions options;
  options.refinement.inner = {Precision::single_, Precision::half};
  CHECK_THAT(range_remark(options), Contains("range of half"));
  options.refinement.inner = {Precision::single_, Precision::bfloat16};
  CHECK_THAT(range_remark(options), Contains("range of single or bfloat16"));
  options.refinement.inner = {};
  CHECK_THAT(range_remark(options), Contains("range of double"));
}

}  // namespace
}  // namespace ninefold
