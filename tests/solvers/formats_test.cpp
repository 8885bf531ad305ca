// Whole solves in every number format: what each reaches, and that software formats with the digits
// of machine formats give their bits.

#include <cmath>
#include <string>
#include <vector>

#include <omp.h>

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::polynomial;
using testing::same_bits;
using testing::solve_on_host;
using testing::Stated;
using testing::stretched;

/// From few digits to many.
const std::vector<std::string>& all_formats() {
  static const std::vector<std::string> names{
      "bfloat16", "half", "s17e11", "single", "s36e11", "double-single", "double", "double-double"};
  return names;
}

SolverOptions with(const std::string& precision, Method method, OperatorForm form,
                   double tolerance) {
  SolverOptions options;
  options.precision = precision_from_name(precision);
  options.method = method;
  options.form = form;
  options.tolerance = tolerance;
  options.max_iterations = 300;
  options.multigrid.smoother = Smoother::jacobi;  // lines: line_solves_test.cpp
  return options;
}

void require_same_solve(const Solved& a, const Solved& b) {
  REQUIRE(a.report.outcome == b.report.outcome);
  REQUIRE(a.report.iterations == b.report.iterations);
  REQUIRE(same_bits(a.report.history, b.report.history));
  REQUIRE(a.report.true_residual_reduction == b.report.true_residual_reduction);
  REQUIRE(a.report.attainable_reduction == b.report.attainable_reduction);
  REQUIRE(same_bits(a.solution, b.solution));
}

/// All methods, preconditioners and cycles, for `check`.
template <class Check>
void for_methods(SolverOptions options, const Check& check) {
  options.method = Method::cg;
  for (const auto preconditioner :
       {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
    options.preconditioner = preconditioner;
    check(options);
  }
  options.preconditioner = Preconditioning::none;
  options.method = Method::multigrid;
  for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
    options.multigrid.cycle = cycle;
    check(options);
  }
  options.multigrid.post_smoothing = 1;  // an odd number of steps
  check(options);
}

}  // namespace

TEST_CASE("software formats with the digits of machine formats give their solves bit for bit",
          "[solvers][formats]") {
  const auto [soft, machine] = GENERATE(std::pair<std::string, std::string>("s52e11", "double"),
                                        std::pair<std::string, std::string>("s23e8", "single"));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  // Converging, and beyond the format.
  const double tolerance = GENERATE(1e-4, 1e-18);
  for (const Stated& stated : {polynomial(4), stretched(4)}) {
    for_methods(with(machine, Method::cg, form, tolerance), [&](SolverOptions options) {
      CAPTURE(soft, to_string(form), tolerance, stated.problem.reaction, to_string(options.method),
              to_string(options.preconditioner), to_string(options.multigrid.cycle));
      const Solved expected = solve_on_host(stated, options);
      options.precision = precision_from_name(soft);
      require_same_solve(solve_on_host(stated, options), expected);
    });
  }
}

TEST_CASE("a software format holds for its solve only", "[solvers][formats]") {
  (void)solve_on_host(polynomial(2), with("s17e11", Method::cg, OperatorForm::plain, 1e-2));
  REQUIRE(SoftFloat::mantissa() == 52);
  REQUIRE(SoftFloat::exponent() == 11);
}

TEST_CASE("every format solves by every method to a tolerance that it can attain",
          "[solvers][formats]") {
  const std::string name = GENERATE(from_range(all_formats()));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  for (const Stated& stated : {polynomial(3), stretched(3)}) {
    SolverOptions options = with(name, Method::multigrid, form, 0.5);
    options.tolerance = 4 * solve_on_host(stated, options).report.attainable_reduction;
    for_methods(options, [&](const SolverOptions& chosen) {
      CAPTURE(name, to_string(form), stated.problem.reaction, to_string(chosen.method),
              to_string(chosen.preconditioner), to_string(chosen.multigrid.cycle));
      const Report report = solve_on_host(stated, chosen).report;
      CAPTURE(report.remark, report.true_residual_reduction, chosen.tolerance);
      CHECK(report.outcome == Outcome::converged);
      CHECK(report.true_residual_reduction <= recurrence_drift * chosen.tolerance);
    });
  }
}

TEST_CASE("the more digits a format has the smaller a residual it reaches", "[solvers][formats]") {
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  double coarser = 1;
  for (const std::string& name : all_formats()) {
    const Report report =
        solve_on_host(polynomial(5), with(name, Method::multigrid, form, 1e-40)).report;
    CAPTURE(name, to_string(form), report.true_residual_reduction, report.attainable_reduction);
    CHECK(report.outcome == Outcome::stagnated);
    CHECK_THAT(report.remark, ContainsSubstring("limit of " + name));
    CHECK(report.true_residual_reduction < coarser);
    // Where the monitor gives up.
    CHECK(report.true_residual_reduction <= 3 * report.attainable_reduction);
    coarser = report.true_residual_reduction;
  }
}

// At level 3 the smallest eigenvalue of the matrix is 0.29, and |b| < 0.11: a residual of 1e-28 |b|
// moves the solution by less than 4e-29; the roundoffs of matrix and load (40 of |A||x| < 2.4, 90
// of |b|) move it by less than 5e-30.  The solution's largest value is 1/16.
TEST_CASE("a double-double solution has twice the digits of a double one",
          "[solvers][formats][oracle]") {
  const Stated stated = polynomial(3);
  testing::OracleProblem oracle;
  oracle.widths_x = stated.grids.back().x.width;
  oracle.widths_y = stated.grids.back().y.width;
  oracle.source = [](const Exact& x, const Exact& y) -> Exact {
    return 2 * y * (1 - y) + 2 * x * (1 - x);
  };
  const std::vector<Exact> exact = testing::Oracle(oracle).solve();
  for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
    for (const Method method : {Method::cg, Method::multigrid}) {
      const Solved wide = solve_on_host(stated, with("double-double", method, form, 1e-29));
      const Solved narrow = solve_on_host(stated, with("double", method, form, 1e-13));
      REQUIRE(wide.solution.size() == exact.size());
      REQUIRE(wide.solution_low.size() == exact.size());
      REQUIRE(narrow.solution_low.empty());
      Exact wide_error = 0, narrow_error = 0, largest = 0;
      for (std::size_t k = 0; k < exact.size(); ++k) {
        const Exact value = Exact(wide.solution[k]) + Exact(wide.solution_low[k]);
        wide_error = std::max(wide_error, Exact(abs(value - exact[k])));
        narrow_error = std::max(narrow_error, Exact(abs(Exact(narrow.solution[k]) - exact[k])));
        largest = std::max(largest, exact[k]);
      }
      CAPTURE(to_string(form), to_string(method), wide_error, narrow_error, wide.report.remark);
      CHECK(wide.report.outcome == Outcome::converged);
      CHECK(wide.report.true_residual_reduction <= 1e-28);
      CHECK(wide_error <= Exact(1e-27) * largest);
      CHECK(narrow_error > 1e6 * wide_error);
    }
  }
}

TEST_CASE("the same bits come from any number of threads in every format",
          "[solvers][formats][threads]") {
  const int threads = omp_get_max_threads();
  for (const std::string name : {"half", "bfloat16", "double-single", "double-double", "s28e11"}) {
    for (const Method method : {Method::cg, Method::multigrid}) {
      CAPTURE(name, to_string(method));
      SolverOptions options = with(name, method, OperatorForm::plain, 1e-40);
      options.max_iterations = method == Method::cg ? 40 : 3;
      omp_set_num_threads(1);
      const Solved one = solve_on_host(polynomial(7), options);
      omp_set_num_threads(7);
      const Solved seven = solve_on_host(polynomial(7), options);
      CHECK(std::isfinite(one.report.true_residual_reduction));
      require_same_solve(one, seven);
    }
  }
  omp_set_num_threads(threads);
}

TEST_CASE("the memory forecast is what a solve holds in every format",
          "[solvers][formats][memory]") {
  const std::string name = GENERATE(from_range(all_formats()));
  const int level = GENERATE(1, 4);
  SolverOptions options = with(name, Method::cg, OperatorForm::plain, 0.9);
  for_methods(options, [&](const SolverOptions& chosen) {
    CAPTURE(name, level, to_string(chosen.method), to_string(chosen.preconditioner));
    CHECK(solve_on_host(polynomial(level), chosen).report.memory_bytes
          == forecast_memory(level, chosen, BackendKind::host).backend);
  });
}

TEST_CASE("a software format runs on the host only", "[solvers][formats][backend]") {
  const Precision soft = Precision::soft(23, 8);
  CHECK(choose_backend("auto", soft) == BackendKind::host);
  CHECK(choose_backend("host", soft) == BackendKind::host);
  CHECK_THROWS_WITH(choose_backend("cuda", soft),
                    ContainsSubstring("s23e8") && ContainsSubstring("host only"));
  CHECK_THROWS_WITH(choose_backend("opencl", soft),
                    ContainsSubstring("opencl") && ContainsSubstring("\"cuda\""));
  for (const Precision precision : named_precisions()) {
    CHECK(choose_backend("host", precision) == BackendKind::host);
    CHECK(choose_backend("auto", precision) == choose_backend("auto"));
  }
}

}  // namespace ninefold
