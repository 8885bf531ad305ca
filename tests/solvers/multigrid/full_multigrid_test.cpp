// Nested iteration as the start of a solve.
#include <algorithm>
#include <string>
#include <vector>

#include "fem/discrete/errors.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using testing::exponential;
using testing::for_variants;
using testing::polynomial;
using testing::refined;
using testing::solve_on_host;
using testing::Stated;

double error(const Stated& stated, const Solved& solved) {
  return measure_errors(stated.problem, stated.grids.back(), solved.solution).l2;
}

SolverOptions with_start(SolverOptions options, Start start) {
  options.start = start;
  return options;
}

// Between sides with zero values: a start that jumps from boundary values to zero is not smooth,
// and what is missing to the solution has no counterpart on coarser grids.
TEST_CASE("one full multigrid cycle reaches the discretisation error",
          "[solvers][multigrid][full_multigrid]") {
  SolverOptions native, mixed = refined("double", {"single"}),
                        in_half = refined("double", {"half"});
  mixed.refinement.stop = in_half.refinement.stop = {{1, {}}};
  for (int level = 4; level <= 7; ++level) {
    const Stated stated = polynomial(level);
    const double exact = error(stated, solve_on_host(stated, native));
    for (SolverOptions options : {native, mixed, in_half}) {
      // The first correction has the digits of half, too few from level 6 on.
      if (options.refinement.inner == in_half.refinement.inner && level > 5) continue;
      options.max_iterations = 1;
      CAPTURE(level, testing::name_of(options));
      const Solved once = solve_on_host(stated, with_start(options, Start::full_multigrid));
      CHECK(once.report.iterations == 1);
      CHECK(error(stated, once) < 2 * exact);
      // Which a cycle from zero does not.
      CHECK(error(stated, solve_on_host(stated, with_start(options, Start::zero))) > 3 * exact);
    }
  }
}

TEST_CASE("a full multigrid start leads to the same solution", "[solvers][full_multigrid]") {
  for (int level = 1; level <= 5; ++level) {
    for (const Stated& stated : {polynomial(level), exponential(level)}) {
      SolverOptions alone;
      alone.tolerance = 1e-13;
      const double exact = error(stated, solve_on_host(stated, alone));
      const auto check = [&](const SolverOptions& options, const std::string& what) {
        const Solved solved = solve_on_host(stated, with_start(options, Start::full_multigrid));
        CAPTURE(what, level, solved.report.remark);
        CHECK(solved.report.outcome == Outcome::converged);
        CHECK(solved.report.true_residual_reduction <= recurrence_drift * options.tolerance);
        CHECK(error(stated, solved) == Approx(exact).epsilon(1e-7));
        if (options.refinement.used()) return;
        CHECK(solved.report.iterations <= solve_on_host(stated, options).report.iterations);
      };
      for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
        SolverOptions native = alone;
        native.multigrid.cycle = cycle;
        native.multigrid.post_smoothing = cycle == Cycle::f ? 2 : 3;  // also an odd number of steps
        const std::string name(to_string(cycle));
        check(native, name);
        native.method = Method::cg;
        native.preconditioner = Preconditioning::multigrid;
        check(native, name + ", cg");
      }
      for (SolverOptions options :
           {refined("double", {"single"}), refined("double", {"single", "half"}),
            refined("double-double", {"double", "single"})}) {
        options.tolerance = 1e-12;
        for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
          const bool hierarchy = chosen.method == Method::multigrid
                                 || chosen.preconditioner == Preconditioning::multigrid;
          if (hierarchy && chosen.refinement.variant != RefinementVariant::residual_guided_cg) {
            check(chosen, what);
          }
        });
      }
    }
  }
}

TEST_CASE("every format starts by full multigrid", "[solvers][full_multigrid]") {
  for (const std::string name :
       {"bfloat16", "half", "s17e11", "single", "double-single", "double-double"}) {
    SolverOptions options;
    options.precision = precision_from_name(name);
    options.norm = StoppingNorm::residual;  // bfloat16 cannot promise more on this level
    options.tolerance = 0.5;
    options.tolerance =
        std::min(0.5, 4 * solve_on_host(polynomial(4), options).report.attainable_reduction);
    const Report report =
        solve_on_host(polynomial(4), with_start(options, Start::full_multigrid)).report;
    CAPTURE(name, report.remark);
    CHECK(report.outcome == Outcome::converged);
    CHECK(report.true_residual_reduction <= options.tolerance);
  }
}

TEST_CASE("a stage that counts its steps hands the full multigrid start on",
          "[solvers][full_multigrid]") {
  SolverOptions options = refined("double-double", {"double", "single"});
  options.refinement.stop = {{1, {}}, {1, {}}};
  options.tolerance = 1e-12;
  const Report from_zero = solve_on_host(polynomial(6), options).report;
  const Report full =
      solve_on_host(polynomial(6), with_start(options, Start::full_multigrid)).report;
  CHECK(full.outcome == Outcome::converged);
  REQUIRE(full.history.size() > 1);
  CHECK(full.history[1] < 0.5 * from_zero.history[1]);
}

}  // namespace
}  // namespace ninefold
