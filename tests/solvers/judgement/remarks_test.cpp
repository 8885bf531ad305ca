// Remarks are advice that was tried: each remedy works on the case whose remark names it.
#include "solvers/judgement/remarks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "fem/discrete/errors.hpp"

#include "solvers/judgement/judge.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::formula;
using testing::judge;
using testing::Judged;
using testing::make_neumann;
using testing::problem_on;
using testing::solved_by;
using testing::Stated;

TEST_CASE("a residual that is no number has no sign in words", "[solvers][remarks]") {
  std::string remark;
  const Evidence evidence{-std::numeric_limits<double>::quiet_NaN(), 1e-16, {}, {}, 1e-12};
  CHECK(ninefold::judge({}, evidence, Outcome::converged, remark) == Outcome::converged);
  CHECK_THAT(remark, ContainsSubstring("the residual, at nan, counts"));
}

TEST_CASE("a remedy that a remark names works", "[solvers][accuracy][remarks]") {
  ProblemOptions neumann = formula("exp(-x)*cos(y)", "0");
  make_neumann(neumann, Side::right, "-exp(-x)*cos(y)");
  make_neumann(neumann, Side::bottom, "0");
  SECTION("factored rows where entries lose thin cells") {
    const Stated s = problem_on(neumann, 6, {0.01, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, 1e-7);
    const int how = GENERATE(0, 1, 2);
    if (how == 0) options.form = OperatorForm::plain;
    if (how == 1) options.storage = OperatorStorage::computed;
    if (how == 2) options.form = OperatorForm::difference;
    const bool mixed = GENERATE(false, true);
    if (mixed) options.refinement.inner = {Precision::single_};
    if (!mixed && how > 0) options.tolerance = 1e-10;
    const Judged lost = judge(s, options);
    CAPTURE(how, mixed, lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark,
               ContainsSubstring("use operator.form = operator.storage = \"auto\""));
    options.form = {};
    options.storage = {};
    const Judged found = judge(s, options);
    CAPTURE(found.report.remark);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 100 * options.tolerance);
  }
  SECTION("nothing of storage where it would change no row") {
    // A tolerance that no double meets, on a grid without and with such cells.
    const Stated uniform = problem_on({}, 4, {});
    const Stated thin = problem_on(neumann, 5, {0.05, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, 1e-20);
    options.refinement.inner = {Precision::single_, Precision::single_};
    const auto storage = GENERATE(OperatorStorage::stored, OperatorStorage::factored);
    options.refinement.inner_storage = {storage};
    if (storage == OperatorStorage::factored) options.storage = storage;
    for (const Stated* s : {&uniform, &thin}) {
      if (s == &thin && storage == OperatorStorage::stored) continue;  // there it helps
      const Judged lost = judge(*s, options);
      CAPTURE(lost.report.remark);
      CHECK(lost.report.outcome != Outcome::converged);
      CHECK_THAT(lost.report.remark, !ContainsSubstring("storage"));
    }
  }
  SECTION("factored rows inside") {
    const Stated s = problem_on(neumann, 6, {0.05, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid);
    options.refinement.inner = {Precision::single_};
    options.refinement.inner_form = OperatorForm::plain;
    options.refinement.inner_storage = {OperatorStorage::stored};
    const Judged lost = judge(s, options);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark,
               ContainsSubstring("use refinement.inner_form = \"difference\" and "
                                 "refinement.inner_storage = \"auto\""));
    options.refinement.inner_form = OperatorForm::difference;
    options.refinement.inner_storage.clear();
    CHECK(judge(s, options).report.outcome == Outcome::converged);
  }
  SECTION("double-double over double where double loses thin cells") {
    const Stated s = problem_on(neumann, 5, {0.005, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid);
    options.form = OperatorForm::difference;
    const Judged lost = judge(s, options);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome == Outcome::stagnated);
    CHECK_THAT(lost.report.remark, ContainsSubstring("solver.precision = \"double-double\""));
    options.precision = Precision::double_double;
    const Judged found = judge(s, options);
    CAPTURE(found.report.remark);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-7);
  }
  SECTION("a more precise inner format where single loses thin cells") {
    ProblemOptions heated;
    heated.solution = "";
    heated.source = "1";
    heated.boundary[Side::right] = heated.boundary[Side::bottom] = BoundaryKind::neumann;
    const Stated s = problem_on(heated, 6, {0.0005, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid);
    options.refinement.inner = {Precision::single_};
    const Judged lost = judge(s, options);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark,
               ContainsSubstring("corrections in single lose cells of 2.4e-22")
                   && ContainsSubstring("refinement.inner_precision = \"double\""));
    options.refinement.inner = {Precision::double_};
    const Judged found = judge(s, options);
    CAPTURE(found.report.remark);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-7);
  }
  SECTION("other rows and a more precise inner format where other rows alone are half an answer") {
    ProblemOptions heated;
    heated.solution = "";
    heated.source = "1";
    heated.boundary[Side::right] = heated.boundary[Side::bottom] = BoundaryKind::neumann;
    const Stated s = problem_on(heated, 6, {0.0005, {Side::right, Side::bottom}});
    SolverOptions options = solved_by(Method::multigrid);
    options.form = OperatorForm::difference;
    options.storage = OperatorStorage::stored;
    options.refinement.inner = {Precision::single_};
    const Judged lost = judge(s, options);
    CAPTURE(lost.report.remark);
    CHECK(lost.report.outcome != Outcome::converged);
    CHECK_THAT(lost.report.remark,
               ContainsSubstring("use operator.form = operator.storage = \"auto\" with "
                                 "refinement.inner_precision = \"double\""));
    options.form = {};
    options.storage = {};
    CHECK(solve(s.problem, s.grids, options, BackendKind::host).report.outcome
          != Outcome::converged);
    options.refinement.inner = {Precision::double_};
    const Judged found = judge(s, options);
    CAPTURE(found.report.remark);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(found.error <= 1e-7);
  }
  SECTION("multigrid's own choice of smoother where Jacobi diverges") {
    const Stated s = problem_on({}, 5, {0.1});
    SolverOptions options = solved_by(Method::multigrid);
    options.multigrid.smoother = Smoother::jacobi;
    const Judged lost = judge(s, options);
    CHECK(lost.report.outcome == Outcome::diverged);
    CHECK_THAT(lost.report.remark, ContainsSubstring("multigrid.smoother = \"auto\""));
    options.multigrid.smoother = Smoother::automatic;
    CHECK(judge(s, options).report.outcome == Outcome::converged);
  }
  SECTION("a larger tolerance where double ends") {
    const Stated s = problem_on({}, 5, {});
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, 1e-16);
    const Judged lost = judge(s, options);
    CHECK(lost.report.outcome == Outcome::stagnated);
    CHECK_THAT(lost.report.remark, ContainsSubstring("a larger solver.tolerance"));
    options.tolerance = 20 * lost.report.attainable_reduction;
    CHECK(judge(s, options).report.outcome == Outcome::converged);
  }
  SECTION("the tolerance that single attains") {
    ProblemOptions sine;
    sine.solution = "sine";
    const Stated s = problem_on(sine, GENERATE(6, 8), {});
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, 1e-5);
    options.form = OperatorForm::difference;
    const auto run = [&] { return solve(s.problem, s.grids, options, BackendKind::host); };
    const auto error = [&](const Solved& solved) {
      return measure_errors(s.problem, s.grids.back(), solved.solution).l2;
    };
    const double in_double = error(run());
    options.precision = Precision::single_;
    const Report lost = run().report;
    CAPTURE(lost.remark);
    CHECK(lost.outcome == Outcome::stagnated);
    const std::string words = "a larger solver.tolerance (";
    REQUIRE_THAT(lost.remark, ContainsSubstring(words)
                                  && ContainsSubstring(" on this level; errors may grow with it)"));
    options.tolerance = std::stod(lost.remark.substr(lost.remark.find(words) + words.size()));
    const Solved found = run();
    CHECK(found.report.outcome == Outcome::converged);
    // Far below what is promised: it is rounding that keeps the residual up.
    CHECK(error(found) <= 1.05 * in_double);
  }
  SECTION("the tolerance that conjugate gradients attain, whose residual is a recursive one") {
    const Precision precision = GENERATE(Precision::single_, Precision::double_);
    const Stated s = problem_on({}, GENERATE(4, 6), {});
    SolverOptions options =
        solved_by(Method::cg, GENERATE(Preconditioning::none, Preconditioning::multigrid), 1e-16);
    options.precision = precision;
    options.form = OperatorForm::difference;
    const auto run = [&] { return solve(s.problem, s.grids, options, BackendKind::host).report; };
    const Report lost = run();
    CAPTURE(to_string(precision), lost.remark);
    CHECK(lost.outcome == Outcome::stagnated);
    const std::string words = "a larger solver.tolerance (";
    REQUIRE_THAT(lost.remark, ContainsSubstring(words));
    options.tolerance = std::stod(lost.remark.substr(lost.remark.find(words) + words.size()));
    CHECK(run().outcome == Outcome::converged);
  }
  SECTION("the wider formats that a direct solver has") {
    const Stated s = problem_on({}, 5, {});
    SolverOptions options = solved_by(Method::fast_diagonalisation, Preconditioning::none, 1e-20);
    const Report lost = solve(s.problem, s.grids, options, BackendKind::host).report;
    CAPTURE(lost.remark);
    CHECK(lost.outcome == Outcome::stagnated);
    REQUIRE_THAT(lost.remark, ContainsSubstring("solver.precision = \"double-double\" with "
                                                "refinement.inner_precision = \"double\""));
    options.precision = Precision::double_double;
    options.refinement.inner = {Precision::double_};
    CHECK(solve(s.problem, s.grids, options, BackendKind::host).report.outcome
          == Outcome::converged);
  }
}

/// Bilinear, so that nothing but the solver errs; Dirichlet values on one side, thin cells at
/// others.
Stated bilinear(int level, double nu) {
  ProblemOptions options = formula("1+2*x+3*y+4*x*y", "0");
  make_neumann(options, Side::left, "-(2+4*y)");
  make_neumann(options, Side::bottom, "-(3+4*x)");
  make_neumann(options, Side::top, "3+4*x");
  return problem_on(options, level, {nu, {Side::left, Side::bottom}});
}

/// Of bilinear(): a bound of the relative one, too, since the solution is 1 at least.
double largest_error(const Stated& s, const Solved& solved) {
  const TensorGrid& grid = s.grids.back();
  double largest = 0;
  for (std::size_t k = 0; k < solved.solution.size(); ++k) {
    const double x = grid.x.from_start[k % grid.x.from_start.size()];
    const double y = grid.y.from_start[k / grid.x.from_start.size()];
    const double error = std::abs(solved.solution[k] - (1 + 2 * x + 3 * y + 4 * x * y));
    if (!(error <= largest)) largest = error;  // also what is no number
  }
  return largest;
}

TEST_CASE("where cells are lost, the format that holds them is named", "[solvers][remarks]") {
  const auto options_in = [](const char* precision, double tolerance) {
    SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, tolerance);
    options.precision = precision_from_name(precision);
    options.max_iterations = 100;
    return options;
  };
  const auto run = [&](const Stated& s, const char* precision, double tolerance) {
    return solve(s.problem, s.grids, options_in(precision, tolerance), BackendKind::host).report;
  };
  SECTION("double instead of narrower formats") {
    const auto [precision, level, tolerance] =
        GENERATE(std::tuple{"double-single", 8, 1e-4}, std::tuple{"single", 6, 1e-4});
    const Stated s = bilinear(level, 0.001);
    CAPTURE(precision, level);
    const Report lost = run(s, precision, tolerance);
    CAPTURE(lost.remark);
    CHECK(lost.outcome != Outcome::converged);
    CHECK_THAT(lost.remark, ContainsSubstring("solver.precision = \"double\"")
                                && !ContainsSubstring("refinement.inner_precision"));
    const Solved found =
        solve(s.problem, s.grids, options_in("double", tolerance), BackendKind::host);
    CAPTURE(found.report.remark);
    CHECK(found.report.outcome == Outcome::converged);
    CHECK(largest_error(s, found) <= 1000 * tolerance);
  }
  SECTION("double, not double-double, where its changes are small enough") {
    ProblemOptions options = formula("exp(x)*sin(2*y)+x^2", "3*exp(x)*sin(2*y)-2");
    make_neumann(options, Side::right, "exp(x)*sin(2*y)+2*x");
    GridGrading own;
    own.x_widths.assign(32, (1 - 1e-9) / 31);
    own.x_widths.back() = 1e-9;
    const Stated s{make_problem(options, 1, 1), make_hierarchy(1, 1, 7, own)};
    const Report lost = run(s, "single", 1e-10);
    CAPTURE(lost.remark);
    CHECK(lost.outcome == Outcome::stagnated);
    CHECK_THAT(lost.remark, ContainsSubstring("solver.precision = \"double\"")
                                && !ContainsSubstring("double-double"));
    CHECK(run(s, "double", 1e-10).outcome == Outcome::converged);
  }
  SECTION("double where a small reaction holds the constant") {
    ProblemOptions options =
        formula("cos(pi*x)*cos(pi*y)+1", "2*pi^2*cos(pi*x)*cos(pi*y)+1e-6*(cos(pi*x)*cos(pi*y)+1)");
    options.reaction = 1e-6;
    for (const Side side : all_sides) make_neumann(options, side, "");
    const Stated s = problem_on(options, 5, {});
    const Report lost = run(s, "single", 1e-5);
    CAPTURE(lost.remark);
    CHECK(lost.outcome != Outcome::converged);
    CHECK_THAT(lost.remark, ContainsSubstring("the reaction, 1.0e-06, alone holds the constant")
                                && ContainsSubstring("solver.precision = \"double\""));
    CHECK(run(s, "double", 1e-5).outcome == Outcome::converged);
  }
}

TEST_CASE("corrections that are slow because they lose cells are named, and the format that is not",
          "[solvers][remarks]") {
  ProblemOptions options;
  options.solution = "exponential";
  options.boundary[Side::right] = BoundaryKind::neumann;
  const Stated s = problem_on(options, 6, {0.003, {Side::right}});
  SolverOptions refined = solved_by(Method::multigrid);
  refined.refinement.inner = {Precision::single_};
  const Judged slow = judge(s, refined);
  CHECK(slow.report.outcome == Outcome::converged);
  CHECK_THAT(slow.report.remark,
             ContainsSubstring("corrections in single lose cells of 1.1e-17")
                 && ContainsSubstring("refinement.inner_precision = \"double\""));
  refined.refinement.inner = {Precision::double_};
  const Judged fast = judge(s, refined);
  CHECK(fast.report.outcome == Outcome::converged);
  CHECK(2 * fast.report.inner_iterations < slow.report.inner_iterations);
  CHECK_THAT(fast.report.remark, !ContainsSubstring("lose cells"));
}

TEST_CASE("a residual of 1 and more is explained, since the error may still be small",
          "[solvers][remarks]") {
  SolverOptions options = solved_by(Method::multigrid);
  options.precision = Precision::half;
  options.storage = OperatorStorage::factored;
  const std::string said = "rounding x leaves that, however small its error";
  // Beside a solve in double: the direct one of this size takes minutes.
  const Stated s = problem_on({}, 8, {});
  const Solved large = solve(s.problem, s.grids, options, BackendKind::host);
  const Solved exact = solve(s.problem, s.grids, solved_by(Method::multigrid), BackendKind::host);
  CAPTURE(large.report.true_residual_reduction, large.report.remark);
  CHECK(large.report.outcome == Outcome::stagnated);
  CHECK(large.report.true_residual_reduction >= 1);
  CHECK(exact.report.outcome == Outcome::converged);
  double error = 0, size = 0, largest_error = 0, largest = 0;
  for (std::size_t k = 0; k < exact.solution.size(); ++k) {
    error += std::pow(large.solution[k] - exact.solution[k], 2);
    size += std::pow(exact.solution[k], 2);
    largest_error = std::max(largest_error, std::abs(large.solution[k] - exact.solution[k]));
    largest = std::max(largest, std::abs(exact.solution[k]));
  }
  CHECK(error < size);
  CHECK(largest_error < largest);
  CHECK_THAT(large.report.remark, ContainsSubstring(said));
  const Judged small = judge(problem_on({}, 5, {}), options);
  CAPTURE(small.report.true_residual_reduction, small.report.remark);
  CHECK(small.report.outcome == Outcome::stagnated);
  CHECK(small.report.true_residual_reduction < 1);
  CHECK_THAT(small.report.remark, !ContainsSubstring(said));
}

TEST_CASE("slow conjugate gradients are offered a preconditioner", "[solvers][remarks]") {
  const Stated s = bilinear(5, 0.1);
  SolverOptions options = solved_by(Method::cg, Preconditioning::jacobi);
  options.max_iterations = 20;
  const Judged slow = judge(s, options);
  CHECK(slow.report.outcome == Outcome::step_limit);
  CHECK_THAT(slow.report.remark, ContainsSubstring("solver.preconditioner = \"multigrid\""));
  options.preconditioner = Preconditioning::multigrid;
  CHECK(judge(s, options).report.outcome == Outcome::converged);
}

TEST_CASE("conjugate gradients are not advised on multigrid", "[solvers][remarks]") {
  SolverOptions options = solved_by(Method::cg, Preconditioning::jacobi);
  options.refinement.inner = {Precision::bfloat16};
  CHECK_THAT(divergence_remark(options),
             ContainsSubstring("more precise refinement.inner_precision")
                 && !ContainsSubstring("multigrid"));
  options.refinement.inner = {};
  CHECK_THAT(divergence_remark(options), !ContainsSubstring("multigrid"));
}

TEST_CASE("the format whose range is left is the one that is named", "[solvers][remarks]") {
  SolverOptions options;
  options.refinement.inner = {Precision::single_, Precision::half};
  CHECK_THAT(range_remark(options), ContainsSubstring("range of half"));
  SolverOptions alone;
  alone.precision = Precision::half;
  CHECK_THAT(range_remark(alone), ContainsSubstring("; use solver.precision = \"single\""));
  alone.precision = Precision::bfloat16;
  CHECK_THAT(range_remark(alone), ContainsSubstring("; use solver.precision = \"double\""));
  alone.precision = Precision::double_;
  CHECK_THAT(range_remark(alone), !ContainsSubstring("use"));
  options.refinement.inner = {Precision::single_, Precision::bfloat16};
  CHECK_THAT(range_remark(options), ContainsSubstring("range of single or bfloat16"));
  options.refinement.inner = {};
  CHECK_THAT(range_remark(options), ContainsSubstring("range of double"));
}

}  // namespace
}  // namespace ninefold
