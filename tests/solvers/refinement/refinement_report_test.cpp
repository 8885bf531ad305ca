// What solves in mixed precision say of themselves: how they end, their counts and their memory.
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "precision/half.hpp"

#include "gpu/backend/vector.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::for_variants;
using testing::name_of;
using testing::polynomial;
using testing::refined;
using testing::solve_on_host;
using testing::Stated;

/// Pairs and cascades of all kinds.
std::vector<SolverOptions> combinations() {
  std::vector<SolverOptions> all;
  const std::vector<std::string> names{"bfloat16",      "half",   "s17e11",       "single",
                                       "double-single", "double", "double-double"};
  for (std::size_t outer = 0; outer < names.size(); ++outer) {
    for (std::size_t inner = 0; inner <= outer; ++inner) {
      all.push_back(refined(names[outer], {names[inner]}));
    }
  }
  all.push_back(refined("s36e11", {"single"}));
  all.push_back(refined("double", {"single", "half"}));
  all.push_back(refined("double-double", {"double", "single"}));
  all.push_back(refined("double-double", {"double", "double-single", "single", "bfloat16"}));
  all.push_back(refined("double-double", {"s36e11", "half"}));
  return all;
}

/// Bytes of one value.
std::size_t sizeof_values(Precision precision) {
  return with_type(precision, []<class T>() { return sizeof(T); });
}

TEST_CASE("the memory forecast is what a solve in mixed precision holds",
          "[solvers][refinement][memory]") {
  const int level = GENERATE(1, 2, 4);
  for (const auto start : {Start::zero, Start::full_multigrid}) {
    for (SolverOptions options : combinations()) {
      options.tolerance = 0.9;
      options.start = start;
      for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
        if (start == Start::full_multigrid && chosen.method == Method::cg
            && chosen.preconditioner != Preconditioning::multigrid) {
          return;
        }
        for (const bool stop_at_tolerance : {false, true}) {
          SolverOptions asked = chosen;
          asked.refinement.stop_at_tolerance = stop_at_tolerance;
          CAPTURE(what, level, to_string(start), stop_at_tolerance);
          CHECK(solve_on_host(polynomial(level), asked).report.memory_bytes
                == forecast_memory(level, asked, BackendKind::host).backend);
        }
      });
    }
  }
}

TEST_CASE("the memory forecast of a split solve divides that of a whole one",
          "[solvers][refinement][memory]") {
  for (const int level : {4, 10}) {
    for (SolverOptions options : combinations()) {
      const std::size_t n = (std::size_t{1} << level) + 1;
      options.multigrid.smoother = Smoother::jacobi;  // lines need memory on a device only
      const MemoryForecast whole = forecast_memory(level, options, BackendKind::cuda);
      options.refinement.outer_backend = OuterBackend::host;
      const MemoryForecast split = forecast_memory(level, options, BackendKind::cuda);
      CAPTURE(name_of(options), level);
      // On the host alone nothing is split.
      CHECK(forecast_memory(level, options, BackendKind::host).backend == whole.backend);
      // Two vectors of the outer format stay on the host, the scalars with them; two of the inner
      // one are added for transfers.
      const std::size_t outer = sizeof_values(options.precision);
      const std::size_t inner = sizeof_values(options.refinement.inner.front());
      const std::size_t moved = whole.backend - split.backend;
      CHECK(moved >= 2 * n * n * outer);
      // Couplings of the nodes of both directions, the weights of the bound of the error, and
      // tables of data: products of the load and of the exact solution at nodes and 3 Gauss points
      // of each cell, the values of the sides, the cells' widths, the shares of the nodes.
      const std::size_t tables = (24 + 4 + 3 * 4) * 2 * n * 16 + (4 + 2) * n * 16 + 2 * n * 8;
      const std::size_t vector = NodeVector<Host, double>::storage(int(n), int(n));
      CHECK(moved <= 2 * vector * outer + 2 * n * 16 * 7 + 4 * n * 8 + tables + 256);
      CHECK(split.host - whole.host >= moved - 256 + 2 * n * n * inner);
    }
  }
}

TEST_CASE("the inner iterations are those of all steps", "[solvers][refinement][report]") {
  for (SolverOptions options :
       {refined("double", {"single"}), refined("double-double", {"double", "half"})}) {
    for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
      const Report report = solve_on_host(polynomial(4), chosen).report;
      CAPTURE(what);
      CHECK(report.outcome == Outcome::converged);
      CHECK(report.inner_history.size() == static_cast<std::size_t>(report.iterations));
      CHECK(report.history.size() == static_cast<std::size_t>(report.iterations) + 1);
      CHECK(report.history.front() == 1);
      CHECK(report.history.back() == report.residual_reduction);
      CHECK(report.inner_iterations
            == std::accumulate(report.inner_history.begin(), report.inner_history.end(), 0));
      CHECK(report.inner_iterations >= report.iterations);
      CHECK(report.transferred_bytes == 0);
    });
  }
  const Report native = solve_on_host(polynomial(4), SolverOptions{}).report;
  CHECK(native.inner_history.empty());
  CHECK(native.inner_iterations == 0);
  CHECK(native.outer_work == Work{});
  CHECK(native.work.bytes > 0);
}

// Values per step, as the headers say: of the outer format and of the inner one.
TEST_CASE("the work of the outer solver is what its header says", "[solvers][refinement][work]") {
  const std::int64_t unknowns = 31 * 31;
  SolverOptions options = refined("double", {"single"});
  const auto check = [&](std::int64_t bytes) {
    const Report report = solve_on_host(polynomial(5), options).report;
    CAPTURE(to_string(options.refinement.variant), report.iterations);
    CHECK(report.outer_work.kernels == 0);
    CHECK(report.outer_work.bytes == report.iterations * bytes);
    CHECK(report.work.bytes > report.outer_work.bytes);
  };
  check(unknowns * (4 * 8 + 2 * 4));
  options.refinement.variant = RefinementVariant::flexible_cg;
  check(unknowns * (12 * 8 + 4 * 4));
  options.refinement.variant = RefinementVariant::residual_guided_cg;
  options.method = Method::cg;
  check(unknowns * (4 * 8 + 2 * 4));
}

TEST_CASE("the step limit of a refinement is an outcome of its own",
          "[solvers][refinement][outcome]") {
  for (SolverOptions options :
       {refined("double", {"single"}), refined("double-double", {"double", "single"})}) {
    options.tolerance = 1e-14;
    options.max_iterations = 2;
    options.refinement.stop = {{1, {}}};
    for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
      const Report report = solve_on_host(polynomial(5), chosen).report;
      CAPTURE(what);
      CHECK(report.outcome == Outcome::step_limit);
      CHECK(report.iterations == 2);
      CHECK(report.inner_history.size() == 2);
      CHECK_THAT(report.remark, ContainsSubstring("solver.max_iterations"));
    });
  }
}

TEST_CASE("a problem without data is solved by zero at once in mixed precision",
          "[solvers][refinement][outcome]") {
  ProblemOptions stated;
  stated.solution = "";
  stated.source = "0";
  const Stated zero{make_problem(stated, 1, 1), make_hierarchy(1, 1, 3)};
  for (const auto start : {Start::zero, Start::full_multigrid}) {
    SolverOptions options = refined("double", {"single"});
    options.start = start;
    for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
      if (start != Start::zero && chosen.method == Method::cg
          && chosen.preconditioner != Preconditioning::multigrid) {
        return;
      }
      const Solved solved = solve_on_host(zero, chosen);
      CAPTURE(what);
      CHECK(solved.report.outcome == Outcome::converged);
      CHECK(solved.report.iterations == 0);
      CHECK(solved.report.inner_iterations == 0);
      CHECK(solved.solution == std::vector<double>(81, 0.0));
    });
  }
}

TEST_CASE("the smallest grids are solved by every variant", "[solvers][refinement]") {
  for (const int level : {1, 2}) {
    for (const auto& stated :
         {polynomial(level), testing::exponential(level), testing::stretched(level)}) {
      SolverOptions alone;
      alone.tolerance = 1e-14;
      const std::vector<double> expected = solve_on_host(stated, alone).solution;
      for (SolverOptions options : {refined("double", {"single"}), refined("double", {"half"}),
                                    refined("double", {"single", "half"}),
                                    refined("double-double", {"double", "single"})}) {
        options.tolerance = 1e-13;
        for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
          const Solved solved = solve_on_host(stated, chosen);
          CAPTURE(what, level, stated.problem.reaction, solved.report.remark);
          CHECK(solved.report.outcome == Outcome::converged);
          for (std::size_t k = 0; k < expected.size(); ++k) {
            CHECK(solved.solution[k] == Approx(expected[k]).epsilon(1e-11).margin(1e-13));
          }
        });
      }
    }
  }
}

/// The sum of a row of -u_xx - gy u_yy on square cells as the plain form stores it in bfloat16:
/// exactly zero before it was rounded.
double row_sum_in_bfloat16(double gy) {
  const auto stored = [](double value) { return static_cast<double>(float(BFloat16(value))); };
  return stored(4 * (1 + gy) / 3) + 2 * stored((gy - 2) / 3) + 2 * stored((1 - 2 * gy) / 3)
         + 4 * stored(-(1 + gy) / 6);
}

// The smooth mode has the eigenvalue e = (1 + gy) pi^2 h^2 in double and about e + s in bfloat16, s
// being the sum of a row.  A correction that solves the rounded system takes e / (e + s) of the
// error away: more than four times the error, if s < -3/4 e.
TEST_CASE("the plain form makes a refinement diverge where rounded row sums are wrong",
          "[solvers][refinement][outcome]") {
  const int level = 6;
  ProblemOptions stated;
  stated.gy = 0.995;
  const double eigenvalue =
      (1 + stated.gy) * std::pow(std::numbers::pi * std::ldexp(1.0, -level), 2);
  const double sum = row_sum_in_bfloat16(stated.gy);
  REQUIRE(sum < -0.75 * eigenvalue);
  REQUIRE(sum > -eigenvalue);  // the rounded matrix is positive definite still
  const Stated problem{make_problem(stated, 1, 1), make_hierarchy(1, 1, level)};
  SolverOptions options = refined("double", {"bfloat16"});
  options.method = Method::cg;
  options.refinement.stop = {{400, 2.0}};
  options.refinement.inner_form = OperatorForm::plain;
  const Report plain = solve_on_host(problem, options).report;
  CAPTURE(plain.remark, plain.iterations, plain.inner_iterations);
  CHECK(plain.outcome == Outcome::diverged);
  CHECK_THAT(plain.remark, ContainsSubstring("refinement.inner_precision"));

  options.refinement.inner_form = OperatorForm::difference;
  CHECK(solve_on_host(problem, options).report.outcome == Outcome::converged);
  options.refinement.inner_form = OperatorForm::plain;
  options.refinement.inner = {Precision::single_};
  CHECK(solve_on_host(problem, options).report.outcome == Outcome::converged);
}

TEST_CASE("corrections that overflow end as not finite, and the format is named",
          "[solvers][refinement][outcome]") {
  for (SolverOptions options : {refined("double", {"half"}), refined("double", {"single", "half"}),
                                refined("double", {"single"})}) {
    options.multigrid.damping = 1.9;
    options.multigrid.pre_smoothing = options.multigrid.post_smoothing = 1000;
    const Report report = solve_on_host(polynomial(4), options).report;
    CAPTURE(name_of(options), report.remark);
    CHECK(report.outcome == Outcome::not_finite);
    CHECK_THAT(report.remark,
               ContainsSubstring("the range of " + to_string(options.refinement.inner.back())));
  }
}

// Hardly damped steps smooth nothing where one direction dominates.
TEST_CASE("corrections that gain nothing end as stagnated, and the format is named",
          "[solvers][refinement][outcome]") {
  ProblemOptions stated;
  stated.gy = 1e-3;
  const Stated problem{make_problem(stated, 1, 1), make_hierarchy(1, 1, 5)};
  for (SolverOptions options : {refined("double", {"half"}), refined("double", {"single"})}) {
    options.multigrid.smoother = Smoother::jacobi;
    options.multigrid.damping = 1e-6;
    const Report report = solve_on_host(problem, options).report;
    CAPTURE(name_of(options), report.remark);
    CHECK(report.outcome == Outcome::stagnated);
    CHECK(report.true_residual_reduction > 100 * report.attainable_reduction);
    CHECK_THAT(report.remark,
               ContainsSubstring("corrections in " + to_string(options.refinement.inner.back()))
                   && ContainsSubstring("multigrid.smoother = \"auto\" without multigrid.damping")
                   && ContainsSubstring("limit of " + to_string(options.precision)));
    options.multigrid = {};
    CHECK(solve_on_host(problem, options).report.outcome == Outcome::converged);
  }
}

TEST_CASE("a smoother that diverges makes the refinement diverge",
          "[solvers][refinement][outcome]") {
  SolverOptions options = refined("double", {"single"});
  options.multigrid.damping = 1.9;
  const Report report = solve_on_host(polynomial(5), options).report;
  CHECK(report.outcome == Outcome::diverged);
  CHECK_THAT(report.remark, ContainsSubstring("corrections"));
}

TEST_CASE("a solve refuses options that do not go together", "[solvers][refinement][refusal]") {
  const auto refused = [](const SolverOptions& options, const std::string& key) {
    CAPTURE(name_of(options), key);
    CHECK_THROWS_AS(solve_on_host(polynomial(2), options), std::invalid_argument);
    CHECK_THROWS_WITH(solve_on_host(polynomial(2), options), ContainsSubstring(key));
  };
  refused(refined("single", {"double"}), "refinement.inner_precision");
  refused(refined("bfloat16", {"half"}), "refinement.inner_precision");
  refused(refined("double", {"half", "single"}), "refinement.cascade");
  refused(refined("s36e11", {"s17e11"}), "software format");
  SolverOptions options = refined("double", {"single"});
  options.refinement.variant = RefinementVariant::residual_guided_cg;
  refused(options, "refinement.variant");
  options = refined("double", {"single"});
  options.method = Method::cg;
  options.start = Start::full_multigrid;
  refused(options, "solver.start");
  options = refined("double", {"single"});
  options.refinement.outer_backend = OuterBackend::host;
  options.refinement.variant = RefinementVariant::flexible_cg;
  refused(options, "refinement.outer_backend");
  options = refined("double", {"single"});
  options.refinement.stop = {{1, {}}, {2, {}}};
  refused(options, "refinement.inner_iterations");
}

// Half cannot hold what these stretched cells lead to.
TEST_CASE("a system that the inner format cannot hold is refused by its key",
          "[solvers][refinement][refusal]") {
  const Stated narrow{make_problem({}, 1, 1),
                      make_hierarchy(1, 1, 7, {0.03125, {Side::right, Side::bottom}})};
  CHECK_THROWS_WITH(solve_on_host(narrow, refined("double", {"half"})),
                    ContainsSubstring("refinement.inner_precision") && ContainsSubstring("half"));
  SolverOptions single = refined("double", {"single"});
  single.max_iterations = 1;
  CHECK_NOTHROW(solve_on_host(narrow, single));
}

}  // namespace
}  // namespace ninefold
