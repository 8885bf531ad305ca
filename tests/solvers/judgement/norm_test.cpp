// Tolerances of the error in one norm: what `converged` promises, against a banded direct solver in
// 113 bits.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "solvers/judgement/accuracy.hpp"
#include "solvers/solver.hpp"

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
using testing::with_widths;

constexpr StoppingNorm norms[] = {StoppingNorm::energy, StoppingNorm::l2, StoppingNorm::largest};

SolverOptions in_norm(StoppingNorm norm, SolverOptions options, bool relative = true) {
  options.norm = norm;
  options.relative = relative;
  return options;
}

/// Boundary values, Neumann sides, a reaction, nothing but Neumann sides with a reaction, a free
/// constant, coefficients that differ.
std::vector<ProblemOptions> problems() {
  std::vector<ProblemOptions> all(2);
  all[0].solution = "polynomial";
  all[1] = formula("exp(x)*cos(y)", "0");
  all.push_back(formula("exp(-x)*cos(y)+3", "0.5*(exp(-x)*cos(y)+3)"));
  all.back().reaction = 0.5;
  make_neumann(all.back(), Side::right, "-exp(-x)*cos(y)");
  make_neumann(all.back(), Side::bottom, "0");
  all.push_back(formula("cos(pi*x)*cos(pi*y)+1", "(2*pi^2+0.01)*cos(pi*x)*cos(pi*y)+0.01"));
  all.back().reaction = 0.01;
  for (const Side side : all_sides) make_neumann(all.back(), side, "0");
  all.emplace_back();
  all.back().solution = "cosine";
  for (const Side side : all_sides) all.back().boundary[side] = BoundaryKind::neumann;
  all.push_back(formula("1e4*sin(pi*x)*(1+y^2)", "1e4*(30*pi^2*(1+y^2)-0.4)*sin(pi*x)"));
  all.back().gx = 30;
  all.back().gy = 0.2;
  return all;
}

/// What `converged` promises in a norm.
void check_promise(const Stated& s, const SolverOptions& options) {
  CAPTURE(to_string(options.norm), options.relative, options.tolerance, to_string(options.method),
          to_string(options.preconditioner), to_string(options.precision));
  const Judged judged = judge(s, options);
  CAPTURE(judged.report.remark, judged.report.history, judged.error,
          judged.report.error_bound.value_or(-1));
  CHECK(judged.report.outcome == Outcome::converged);
  REQUIRE(judged.report.error_bound.has_value());
  CHECK(*judged.report.error_bound <= options.tolerance);
  CHECK(judged.error <= *judged.report.error_bound);
}

TEST_CASE("an error in one norm is at most the tolerance, whatever the residual",
          "[solvers][norm]") {
  const std::size_t problem = GENERATE(0u, 1u, 2u, 3u, 4u, 5u);
  const GridGrading grading =
      GENERATE(GridGrading{}, GridGrading{0.3, {Side::left, Side::top}},
               GridGrading{.sides = {Side::left}, .kind = Grading::shishkin, .layer_width = 0.01});
  const Stated s = problem_on(problems()[problem], 4, grading);
  CAPTURE(problem, grading.nu);
  // In the units of the problem some of them are above one.
  const double size = problem == 5 ? 1e4 : 1;
  for (const StoppingNorm norm : norms) {
    for (const Preconditioning preconditioner :
         {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
      for (const double tolerance : {0.3, 1e-3, 1e-8}) {
        const SolverOptions cg = solved_by(Method::cg, preconditioner, tolerance);
        check_promise(s, in_norm(norm, cg));
        SolverOptions absolute = in_norm(norm, cg, false);
        absolute.tolerance *= size;
        check_promise(s, absolute);
      }
    }
    for (const Method method :
         {Method::multigrid, Method::full_multigrid, Method::fast_diagonalisation}) {
      for (const double tolerance : {0.3, 1e-3, 1e-8}) {
        check_promise(s, in_norm(norm, solved_by(method, Preconditioning::none, tolerance)));
        check_promise(
            s, in_norm(norm, solved_by(method, Preconditioning::none, size * tolerance), false));
      }
    }
  }
}

TEST_CASE("an error in one norm is at most the tolerance in every format and refinement",
          "[solvers][norm]") {
  const std::size_t problem = GENERATE(1u, 2u, 4u);
  const Stated s = problem_on(problems()[problem], 4, {0.5, {Side::left}});
  CAPTURE(problem);
  for (const StoppingNorm norm : norms) {
    for (const auto& [precision, tolerance] :
         {std::pair{"bfloat16", 0.5}, std::pair{"half", 0.5}, std::pair{"single", 1e-2},
          std::pair{"s30e11", 1e-4}, std::pair{"double-single", 1e-8},
          std::pair{"double-double", 1e-12}}) {
      SolverOptions options = solved_by(Method::multigrid, Preconditioning::none, tolerance);
      options.precision = precision_from_name(precision);
      options = in_norm(norm, options);
      const Judged judged = judge(s, options);
      CAPTURE(to_string(norm), precision, judged.report.remark);
      // Of 16 bits rounding may leave more than can be shown.
      if (facts(options.precision).storage) {
        CHECK((judged.report.outcome == Outcome::stagnated || judged.error <= tolerance));
      } else {
        check_promise(s, options);
      }
    }
    SolverOptions mixed = solved_by(Method::multigrid, Preconditioning::none, 1e-9);
    mixed.refinement.inner = {Precision::single_};
    check_promise(s, in_norm(norm, mixed));
    mixed.refinement.stop_at_tolerance = true;
    check_promise(s, in_norm(norm, mixed, false));
    mixed.refinement.variant = RefinementVariant::flexible_cg;
    check_promise(s, in_norm(norm, mixed));
    mixed.refinement.variant = RefinementVariant::refinement;
    mixed.refinement.inner = {Precision::double_, Precision::single_};
    check_promise(s, in_norm(norm, mixed));
    SolverOptions guided = solved_by(Method::cg, Preconditioning::none, 1e-9);
    guided.refinement.inner = {Precision::single_};
    check_promise(s, in_norm(norm, guided));
    guided.refinement.variant = RefinementVariant::residual_guided_cg;
    check_promise(s, in_norm(norm, guided));
  }
}

TEST_CASE("a smaller tolerance in a norm takes more iterations, a large one few",
          "[solvers][norm]") {
  const Stated s = problem_on(problems()[1], 5, {});
  for (const StoppingNorm norm : norms) {
    for (const Method method : {Method::cg, Method::multigrid}) {
      CAPTURE(to_string(norm), to_string(method));
      int before = -1;
      for (const double tolerance : {1e-1, 1e-4, 1e-7, 1e-10}) {
        const Judged judged =
            judge(s, in_norm(norm, solved_by(method, Preconditioning::none, tolerance)));
        CHECK(judged.report.outcome == Outcome::converged);
        CHECK(judged.report.iterations > before);
        // Not many more than are needed: the bound is at most 30 times the error.
        CHECK(judged.error >= tolerance * 1e-4);
        before = judged.report.iterations;
      }
    }
  }
}

TEST_CASE(
    "tolerances in a norm that rounding does not allow end as stagnated, with one that it does",
    "[solvers][norm]") {
  const Stated s = problem_on(problems()[1], 5, {0.5, {Side::left}});
  for (const StoppingNorm norm : norms) {
    for (const bool relative : {true, false}) {
      for (const Preconditioning preconditioner :
           {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
        const bool by_cg = preconditioner != Preconditioning::none;
        SolverOptions options =
            in_norm(norm, solved_by(by_cg ? Method::cg : Method::multigrid, preconditioner, 1e-12),
                    relative);
        options.precision = Precision::single_;
        CAPTURE(to_string(norm), relative, to_string(preconditioner));
        const Judged judged = judge(s, options);
        CAPTURE(judged.report.remark, judged.report.iterations);
        REQUIRE(judged.report.outcome == Outcome::stagnated);
        CHECK(judged.error > options.tolerance);
        CHECK(judged.report.iterations < 600);
        REQUIRE(judged.report.error_bound.has_value());
        CHECK(judged.error <= *judged.report.error_bound);
        const std::string words = "a larger solver.tolerance (";
        REQUIRE_THAT(judged.report.remark, ContainsSubstring(words));
        const std::size_t at = judged.report.remark.find(words);
        options.tolerance = std::stod(judged.report.remark.substr(at + words.size()));
        CHECK(options.tolerance < 0.1);
        check_promise(s, options);
      }
    }
  }
}

TEST_CASE("beside thin cells that no Dirichlet side holds, changes tell of l2 and the largest node",
          "[solvers][norm]") {
  ProblemOptions options = formula("exp(-x)*cos(y)", "0");
  make_neumann(options, Side::right, "-exp(-x)*cos(y)");
  make_neumann(options, Side::bottom, "0");
  const auto [nu, level] =
      GENERATE(std::pair{0.1, 5}, std::pair{0.05, 5}, std::pair{0.01, 4}, std::pair{0.001, 4});
  const Stated s = problem_on(options, level, {nu, {Side::right, Side::bottom}});
  for (const StoppingNorm norm : norms) {
    for (const bool relative : {true, false}) {
      for (const double tolerance : {1e-4, 1e-8}) {
        CAPTURE(nu, level, to_string(norm), relative, tolerance);
        const Judged judged =
            judge(s, in_norm(norm, solved_by(Method::multigrid, Preconditioning::none, tolerance),
                             relative));
        CAPTURE(judged.report.remark, judged.report.history);
        // In the energy norm rounding may leave more.
        if (norm != StoppingNorm::energy) CHECK(judged.report.outcome == Outcome::converged);
        if (judged.report.outcome == Outcome::converged) CHECK(judged.error <= tolerance);
        const SolverOptions cg =
            in_norm(norm, solved_by(Method::cg, Preconditioning::multigrid, tolerance), relative);
        const Judged by_cg = judge(s, cg);
        CAPTURE(by_cg.report.remark);
        if (by_cg.report.outcome == Outcome::converged) CHECK(by_cg.error <= tolerance);
      }
    }
  }
}

TEST_CASE("an absolute tolerance may be above one, and a start be good enough", "[solvers][norm]") {
  const Stated s = problem_on(problems()[5], 4, {});
  for (const StoppingNorm norm : norms) {
    SolverOptions options = in_norm(norm, solved_by(Method::cg, Preconditioning::none, 50), false);
    check_promise(s, options);
    const Report report = judge(s, options).report;
    CHECK(report.iterations > 0);
    options.tolerance = 1e9;
    for (const Method method : {Method::cg, Method::multigrid}) {
      options.method = method;
      CHECK(judge(s, options).report.iterations == 0);
      check_promise(s, options);
    }
  }
}

TEST_CASE("a solution of zero is one in every norm", "[solvers][norm]") {
  const Stated s = problem_on(formula("0", "0"), 3, {});
  for (const StoppingNorm norm : norms) {
    for (const bool relative : {true, false}) {
      const Judged judged = judge(s, in_norm(norm, solved_by(Method::multigrid), relative));
      CHECK(judged.report.outcome == Outcome::converged);
      CHECK(judged.report.error_bound == 0.0);
    }
  }
}

TEST_CASE("steps in time end by a norm, too", "[solvers][norm]") {
  ProblemOptions options = formula("", "1+x");
  options.reaction = 20;
  const Stated s = problem_on(options, 4, {});
  for (const StoppingNorm norm : norms) {
    SolverOptions tight = in_norm(norm, solved_by(Method::multigrid, Preconditioning::none, 1e-11)),
                  loose = tight;
    loose.tolerance = 1e-3;
    Solver fine(prepare(s.problem, s.grids, tight, BackendKind::host)),
        rough(prepare(s.problem, s.grids, loose, BackendKind::host));
    for (int k = 0; k < 3; ++k) {
      CHECK(fine.step(20).outcome == Outcome::converged);
      const Report report = rough.step(20);
      CHECK(report.outcome == Outcome::converged);
      CHECK(report.error_bound.value_or(1) <= 1e-3);
    }
    const std::vector<double> a = fine.current().solution, b = rough.current().solution;
    double most = 0, size = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      most = std::max(most, std::abs(a[k] - b[k]));
      size = std::max(size, std::abs(a[k]));
    }
    CHECK(most <= 0.02 * size);
  }
}

TEST_CASE("a norm that does not go with other options is refused", "[solvers][norm]") {
  SolverOptions options;
  options.relative = false;
  CHECK_THROWS_WITH(validate(options),
                    ContainsSubstring("solver.relative = false")
                        && ContainsSubstring("solver.norm = \"error\"")
                        && ContainsSubstring("\"energy\", \"l2\" and \"largest\""));
  options.norm = StoppingNorm::l2;
  options.tolerance = 5;
  CHECK_NOTHROW(validate(options));
  options.tolerance = INFINITY;
  CHECK_THROWS_WITH(validate(options), ContainsSubstring("a finite number greater than 0"));
  options.tolerance = 5;
  options.relative = true;
  CHECK_THROWS_WITH(validate(options), ContainsSubstring("a number between 0 and 1"));
  options.tolerance = 0.1;
  options.method = Method::full_multigrid;
  options.to_discretisation = true;
  CHECK_THROWS_WITH(validate(options),
                    ContainsSubstring("solver.norm = l2")
                        && ContainsSubstring("solver.tolerance = \"discretisation\"")
                        && ContainsSubstring("solver.norm = \"error\""));
}

}  // namespace
}  // namespace ninefold
