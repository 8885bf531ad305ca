// What rounding leaves of a solution, as the matrix passes it on: against a direct solver in 113
// bits.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/system/assembled_system.hpp"

#include "tests/guard/judge.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"

namespace ninefold {
namespace {

using testing::DirectSystem;
using testing::formula;
using testing::judge;
using testing::Judged;
using testing::solved_by;
using testing::Stated;
using testing::thin_columns;
using testing::with_widths;

/// Whatever the solve is called at its end.
std::vector<double> found_by(const Stated& s, const SolverOptions& options) {
  return solve(s.problem, s.grids, options, BackendKind::host).solution;
}

/// A cell of this height amid the domain, and columns of this width that hold it from both sides.
Stated with_thin_cell(double height, double width) {
  std::vector<double> y(8, 0.125);
  y[4] = height;
  return with_widths(formula("", "1"), 3, std::vector<double>(8, width), y);
}

SolverOptions plain_single(OperatorForm form) {
  SolverOptions options = solved_by(Method::cg, Preconditioning::jacobi, 1e-4);
  options.precision = Precision::single_;
  options.form = form;
  return options;
}

struct Response {
  std::optional<double> found;
  double weighted;  ///< Accuracy::rounding
  double truth;     ///< the solution of A e = u m in 113 bits
};

Response response_of(const Stated& s, const SolverOptions& options) {
  using T = float;
  const PreparedSolve prepared = prepare(s.problem, s.grids, options, BackendKind::host);
  const Host on;
  System<double> system = assemble<double>(prepared);
  Multigrid<Host, T> multigrid = make_judge<Host, T>(on, system);
  const DataOnBackend<Host, T> data(on, prepared);
  const Accuracy<Host, T> accuracy(on, system, data);
  const TensorGrid& grid = s.grids.back();
  const NodeVector<Host, T> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  DirectSystem direct(testing::stated_directly(s.problem, grid));
  const DirectSystem::Values exact = direct.solve();
  const std::vector<double> found = found_by(s, options);
  data.upload_load(system.load, system.scaling, b.view());
  upload(on, found, -system.scaling.solution(), x.view());
  Response response;
  response.weighted = accuracy.rounding(multigrid.A(), b.view(), x.view());
  response.found = rounding_response(on, accuracy, multigrid, b.view(), x.view());
  const guard::Deviation three =
      guard::rounding_allowance(direct, exact, options.precision, prepared.form());
  response.truth = std::max(three.l2, three.max) / 3;  // it allows three roundoffs, and storing
  return response;
}

TEST_CASE("rounding that columns hold is what the matrix makes of it", "[solvers][accuracy]") {
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  int found = 0;
  for (const double height : {1e-6, 1e-9, 1e-12, 1e-15}) {
    for (const double width : {0.1, 1e-3, 1e-5, 1e-7, 1e-9}) {
      CAPTURE(to_string(form), height, width);
      const Response response = response_of(with_thin_cell(height, width), plain_single(form));
      CAPTURE(response.truth, response.found.value_or(-1));
      if (response.truth > 0.2) {
        CHECK_FALSE(response.found);
        continue;
      }
      if (!response.found) continue;
      ++found;
      CHECK(*response.found >= 0.5 * response.truth);
      CHECK(*response.found <= 2 * response.truth);
    }
  }
  CHECK(found >= 5);
}

TEST_CASE("a right solution is not lost to a bound of rounding that is far off",
          "[solvers][accuracy]") {
  const Stated s = thin_columns();
  SolverOptions single = plain_single(OperatorForm::plain);
  single.tolerance = 2e-4;
  const Response response = response_of(s, single);
  CHECK(response.weighted > hopeless_rounding);
  REQUIRE(response.found);
  CHECK(*response.found >= 0.5 * response.truth);
  CHECK(*response.found <= 2 * response.truth);
  // Judged by cycles of its own, by those that precondition, by those that solve.
  const auto check = [&](Method method, Preconditioning preconditioner) {
    single.method = method;
    single.preconditioner = preconditioner;
    const Judged judged = judge(s, single);
    CAPTURE(to_string(method), to_string(preconditioner), judged.report.remark);
    CHECK(judged.report.outcome == Outcome::converged);
    CHECK(judged.report.judged_by_change);
    CHECK(judged.error <= 2e-4);
  };
  check(Method::cg, Preconditioning::jacobi);
  check(Method::cg, Preconditioning::multigrid);
  check(Method::multigrid, Preconditioning::none);
}

}  // namespace
}  // namespace ninefold
