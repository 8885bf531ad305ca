// Remarks are advice that was tried: each remedy works on the case whose remark names it.
#include "solvers/judgement/remarks.hpp"

#include <string>

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
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, 1e-7);
    options.form = OperatorForm::plain;
    const Judged lost = judge(s, options);
    CHECK(lost.report.outcome == Outcome::stagnated);
    CHECK_THAT(lost.report.remark, Contains("operator.form = \"difference\""));
    options.form = OperatorForm::difference;
    const Judged found = judge(s, options);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-5);
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
