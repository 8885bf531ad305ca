// What `converged` promises, on the cases where a residual alone had said so and been wrong, and on
// those where it had not and been right.  Against a banded direct solver in 113 bits.
#include "solvers/judgement/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "fem/discrete/errors.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::formula;
using testing::judge;
using testing::Judged;
using testing::make_neumann;
using testing::problem_on;
using testing::solved_by;
using testing::Stated;

TEST_CASE("a boundary value beside thin cells enters the domain", "[solvers][accuracy]") {
  ProblemOptions one = formula("1", "0");
  for (const Side side : {Side::right, Side::bottom, Side::top}) make_neumann(one, side, "");
  const Preconditioning preconditioner =
      GENERATE(Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid);
  for (const int level : {2, 4, 6}) {
    CAPTURE(to_string(preconditioner), level);
    const Judged graded =
        judge(problem_on(one, level, {0.03, {Side::left}}), solved_by(Method::cg, preconditioner));
    CHECK(graded.report.outcome == Outcome::converged);
    CHECK(graded.error <= 1e-15);
  }
  GridGrading own;
  own.x_widths.assign(16, 1.0 / 15);
  own.x_widths.front() = 1e-12;
  const Stated s{make_problem(one, 1 + 1e-12, 1), make_hierarchy(1 + 1e-12, 1, 4, own)};
  CHECK(judge(s, solved_by(Method::cg, preconditioner)).error <= 1e-15);
}

TEST_CASE("Jacobi's conjugate gradients are right beside thin cells of any width",
          "[solvers][accuracy]") {
  ProblemOptions harmonic = formula("exp(x)*cos(y)", "0");
  make_neumann(harmonic, Side::top, "-exp(x)*sin(y)");
  for (const double nu : {0.3, 0.03, 0.005}) {
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      CAPTURE(nu, tolerance);
      const Judged judged = judge(problem_on(harmonic, 4, {nu, {Side::left, Side::bottom}}),
                                  solved_by(Method::cg, Preconditioning::jacobi, tolerance));
      CHECK(judged.report.outcome == Outcome::converged);
      CHECK(judged.error <= 1000 * tolerance);
    }
  }
}

TEST_CASE("multigrid is right beside thin cells with boundary values", "[solvers][accuracy]") {
  const auto [nu, level] = GENERATE(std::pair{0.3, 5}, std::pair{0.05, 6}, std::pair{0.01, 4},
                                    std::pair{0.01, 6}, std::pair{0.005, 5});
  const Stated s = problem_on(formula("exp(x)*cos(y)", "0"), level, {nu});
  const Start start = GENERATE(Start::zero, Start::full_multigrid);
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-13}) {
    for (const bool mixed : {false, true}) {
      SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, tolerance);
      options.start = start;
      if (mixed) options.refinement.inner = {Precision::single_};
      CAPTURE(nu, level, to_string(start), tolerance, mixed);
      const Judged judged = judge(s, options);
      CAPTURE(judged.report.remark, judged.report.history);
      CHECK(judged.report.outcome == Outcome::converged);
      CHECK(judged.error <= 1000 * tolerance);
      CHECK(judged.report.error_bound);
      // A bound, but for the rounding of the data.
      CHECK(*judged.report.error_bound + 1e-14 >= judged.error);
    }
  }
}

TEST_CASE("data on wide sides with thin cells elsewhere do not underflow", "[solvers][accuracy]") {
  const Stated s = problem_on(formula("(1-x)*y*exp(y)", "-(1-x)*(2+y)*exp(y)"), 5, {0.001});
  for (const char* precision : {"single", "double-single", "s30e8"}) {
    const double tolerance = std::string(precision) == "single" ? 1e-4 : 1e-8;
    for (const Preconditioning preconditioner :
         {Preconditioning::none, Preconditioning::multigrid}) {
      SolverOptions options =
          solved_by(preconditioner == Preconditioning::none ? Method::multigrid : Method::cg,
                    preconditioner, tolerance);
      options.precision = precision_from_name(precision);
      CAPTURE(precision, to_string(preconditioner));
      const Judged judged = judge(s, options);
      CHECK(judged.report.outcome == Outcome::converged);
      CHECK(judged.report.residual_reduction > 0);
      CHECK(judged.error <= 1000 * tolerance);
    }
  }
}

TEST_CASE("thin cells at Neumann sides converge, as does mixed precision there",
          "[solvers][accuracy]") {
  ProblemOptions options = formula("exp(-x)*cos(y)", "0");
  make_neumann(options, Side::right, "-exp(-x)*cos(y)");
  make_neumann(options, Side::bottom, "0");
  // Widths from 6e-6 to 2e-14.
  const auto [nu, level] =
      GENERATE(std::pair{0.1, 4}, std::pair{0.1, 6}, std::pair{0.05, 5}, std::pair{0.05, 6},
               std::pair{0.01, 4}, std::pair{0.01, 6}, std::pair{0.001, 4});
  const Stated s = problem_on(options, level, {nu, {Side::right, Side::bottom}});
  CAPTURE(nu, level);
  for (const Preconditioning preconditioner : {Preconditioning::none, Preconditioning::multigrid}) {
    const Method method = preconditioner == Preconditioning::none ? Method::multigrid : Method::cg;
    const Judged judged = judge(s, solved_by(method, preconditioner));
    CAPTURE(to_string(method), judged.report.remark);
    CHECK(judged.report.outcome == Outcome::converged);
    CHECK(judged.error <= 1e-7);
  }
  SolverOptions mixed = solved_by(Method::multigrid);
  mixed.refinement.inner = {Precision::single_};
  const Judged judged = judge(s, mixed);
  CAPTURE(judged.report.remark);
  CHECK(judged.report.outcome == Outcome::converged);
  CHECK(judged.error <= 1e-7);
}

TEST_CASE("what rounding leaves is named where cycles change less", "[solvers][accuracy]") {
  // Loads of 1000 that balance, rounded to single; a tolerance below its last digit.
  ProblemOptions options = formula("1+2*x+3*y+4*x*y", "1+2*x+3*y+4*x*y");
  options.reaction = 1;
  options.gx = 1000;
  make_neumann(options, Side::left, "-1000*(2+4*y)");
  make_neumann(options, Side::right, "1000*(2+4*y)");
  make_neumann(options, Side::top, "3+4*x");
  const Stated s = problem_on(options, 4,
                              {.sides = {all_sides.begin(), all_sides.end()},
                               .kind = Grading::geometric,
                               .expansion_ratio = 1000});
  SolverOptions single = solved_by(Method::multigrid, Preconditioning::none, 6e-9);
  single.precision = Precision::single_;
  const Judged judged = judge(s, single);
  CAPTURE(judged.error, judged.report.remark);
  REQUIRE(judged.error > 1000 * single.tolerance);
  if (judged.report.outcome == Outcome::converged) {
    const std::string words = "rounding in single may leave an error of up to ";
    REQUIRE_THAT(judged.report.remark, ContainsSubstring(words));
    const std::size_t at = judged.report.remark.find(words);
    CHECK(std::stod(judged.report.remark.substr(at + words.size())) >= judged.error);
  }
  // Of the change that is stated, a roundoff is the least.
  single.precision = Precision::double_;
  single.tolerance = 1e-18;
  CHECK(judge(s, single).report.error_bound.value_or(1) >= 0x1p-53);
}

TEST_CASE("a right solution is not lost where its recursive residual has lost the true one",
          "[solvers][accuracy]") {
  // Coefficients and cells that take CG through iterates far larger than the solution.
  ProblemOptions options =
      formula("sin(3*x)*exp(y)", "-(150*(-9*sin(3*x)*exp(y))+0.0015*sin(3*x)*exp(y))");
  options.gx = 150;
  options.gy = 0.0015;
  GridGrading own;
  own.x_widths.assign(8, 0.125);
  own.y_widths = own.x_widths;
  own.x_widths.front() = 1.7e-10;
  own.y_widths.front() = 1.1e-17;
  const double width = 0.875 + 1.7e-10, height = 0.875;
  const Stated s{make_problem(options, width, height), make_hierarchy(width, height, 3, own)};
  SolverOptions single = solved_by(Method::cg, Preconditioning::none, 1e-4);
  single.precision = Precision::single_;
  single.max_iterations = 3000;
  const Judged judged = judge(s, single);
  CAPTURE(judged.report.remark);
  CHECK(judged.report.true_residual_reduction > 1e-3);
  CHECK(judged.report.outcome == Outcome::converged);
  CHECK(judged.error <= 1e-4);
}

TEST_CASE("without a Dirichlet side the constant is right", "[solvers][accuracy]") {
  ProblemOptions options;
  options.solution = "cosine";
  for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  ProblemOptions shifted = formula("cos(pi*x)*cos(pi*y)+1", "");
  shifted.boundary = options.boundary;
  const Preconditioning preconditioner =
      GENERATE(Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid);
  for (const double c : {1e-6, 1e-10, 1.0}) {
    shifted.source =
        "2*pi^2*cos(pi*x)*cos(pi*y)+" + std::to_string(c * 1e10) + "e-10*(cos(pi*x)*cos(pi*y)+1)";
    shifted.reaction = c;
    for (const double tolerance : {1e-6, 1e-10}) {
      if (c < 1e-8 && tolerance < 1e-6) continue;  // beyond the rounding of the load's sum, u / c
      CAPTURE(c, tolerance, to_string(preconditioner));
      const Stated s = problem_on(shifted, 4, {0.5, {Side::left}});
      const Judged judged = judge(s, solved_by(Method::cg, preconditioner, tolerance));
      CHECK(judged.report.outcome == Outcome::converged);
      CHECK(judged.error <= 1000 * tolerance);
    }
  }
}

TEST_CASE("Neumann on all sides without a reaction: the solution of mean zero",
          "[solvers][accuracy]") {
  ProblemOptions options;
  options.solution = GENERATE("cosine", "exponential");
  for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  const GridGrading grading = GENERATE(GridGrading{}, GridGrading{0.3, {Side::left, Side::top}});
  const Stated s = problem_on(options, 4, grading);
  CAPTURE(options.solution, grading.nu);
  for (const char* precision : {"single", "double-single", "double", "double-double", "s30e11"}) {
    const std::string name = precision;
    const double tolerance = name == "single" ? 1e-4 : name == "s30e11" ? 1e-6 : 1e-9;
    for (const int method : {0, 1, 2, 3}) {
      SolverOptions chosen = solved_by(method == 0 ? Method::multigrid : Method::cg,
                                       method == 2   ? Preconditioning::jacobi
                                       : method == 3 ? Preconditioning::multigrid
                                                     : Preconditioning::none,
                                       tolerance);
      chosen.precision = precision_from_name(precision);
      CAPTURE(precision, method);
      const Judged judged = judge(s, chosen);
      CAPTURE(judged.report.remark);
      CHECK(judged.report.outcome == Outcome::converged);
      CHECK(judged.error <= 1000 * tolerance);
    }
  }
  SolverOptions mixed = solved_by(Method::multigrid);
  mixed.refinement.inner = {Precision::single_};
  CHECK(judge(s, mixed).error <= 1e-7);
  // O(h^2) with the mean taken away.
  const Solved solved = solve(s.problem, s.grids, solved_by(Method::multigrid), BackendKind::host);
  const double error = measure_errors(s.problem, s.grids.back(), solved.solution).l2;
  const Stated finer = problem_on(options, 5, grading);
  const Solved fine =
      solve(finer.problem, finer.grids, solved_by(Method::multigrid), BackendKind::host);
  CHECK(error / measure_errors(finer.problem, finer.grids.back(), fine.solution).l2
        == Approx(4).epsilon(0.05));
}

TEST_CASE("data that do not balance are refused with both numbers", "[solvers][accuracy]") {
  ProblemOptions options = formula("", "1");
  for (const Side side : all_sides) options.boundary[side] = BoundaryKind::neumann;
  CHECK_THROWS_WITH(make_problem(options, 1, 1),
                    ContainsSubstring("do not balance") && ContainsSubstring("add up to 1"));
  options.flux[0] = "-1";
  CHECK_NOTHROW(make_problem(options, 1, 1));
}

TEST_CASE("a large constant does not hide the rest", "[solvers][accuracy]") {
  const Stated s = problem_on(formula("sin(pi*x)*exp(y)+1e10", "(pi^2-1)*sin(pi*x)*exp(y)"), 5, {});
  const Judged judged = judge(s, solved_by(Method::multigrid));
  CHECK(judged.report.outcome == Outcome::converged);
  CHECK(judged.error <= 1e-15);
}

TEST_CASE("with zero boundary values the sound criterion changes no iteration",
          "[solvers][accuracy]") {
  for (const char* name : {"polynomial", "sine", "boundary_layer"}) {
    ProblemOptions options;
    options.solution = name;
    for (const double nu : {1.0, 0.5, 0.1}) {
      for (const Method method : {Method::cg, Method::multigrid}) {
        SolverOptions sound = solved_by(
            method, method == Method::cg ? Preconditioning::jacobi : Preconditioning::none);
        SolverOptions plain = sound;
        plain.norm = StoppingNorm::residual;
        const Stated s = problem_on(options, 5, {nu});
        CAPTURE(name, nu, to_string(method));
        const Solved a = solve(s.problem, s.grids, sound, BackendKind::host);
        const Solved b = solve(s.problem, s.grids, plain, BackendKind::host);
        CHECK(a.report.history == b.report.history);
        CHECK(a.solution == b.solution);
        CHECK(a.report.error_bound);
        CHECK_FALSE(b.report.error_bound);
      }
    }
  }
}

}  // namespace
}  // namespace ninefold
