// Data that are infinite or not a number where a grid needs them are refused by name, value and
// place, whichever sample points a formula has passed before.

#include "fem/discrete/finite_data.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "precision/bad_value.hpp"
#include "precision/double_word.hpp"

#include "fem/discrete/errors.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/stated.hpp"

namespace ninefold {
namespace {

using testing::formula;
using testing::make_neumann;
using testing::problem_on;
using testing::Stated;

/// On 2 x 2 squares of 0.5, by one Gauss point in the middle of each.
Stated on_squares(ProblemOptions options) {
  options.quadrature = 1;
  return problem_on(options, 1, {});
}

void check_solves_refused(const Stated& s, const std::string& words) {
  for (const Precision precision : {Precision::double_, Precision::double_double}) {
    SolverOptions options;
    options.precision = precision;
    CHECK_THROWS_WITH(solve(s.problem, s.grids, options, BackendKind::host), words);
    CHECK_THROWS_AS(solve(s.problem, s.grids, options, BackendKind::host), BadValue);
  }
}

void check_refused(const Stated& s, const std::string& words) {
  CAPTURE(words);
  CHECK_THROWS_WITH(require_finite_load<double>(s.problem, s.grids.back()), words);
  check_solves_refused(s, words);
}

TEST_CASE("a source is finite at all Gauss points", "[fem][finite]") {
  check_refused(on_squares(formula("", "1/(x - 0.25)")),
                "problem.source is inf at x = 0.25, y = 0.25");
  check_refused(on_squares(formula("", "-1/(x - 0.75)^2")),
                "problem.source is -inf at x = 0.75, y = 0.25");
  check_refused(on_squares(formula("", "y == 0.75 ? log(-1) : 1")),
                "problem.source is nan at x = 0.25, y = 0.75");
  // Singular where no point lies.
  const Stated between = on_squares(formula("", "1/(x - 0.5)"));
  CHECK_NOTHROW(solve(between.problem, between.grids, {}, BackendKind::host));
}

TEST_CASE("boundary values are finite at nodes", "[fem][finite]") {
  ProblemOptions options = formula("", "1");
  options.dirichlet = "1/(y - 0.5)";
  check_refused(on_squares(options), "problem.dirichlet is inf at x = 0, y = 0.5");
  // Those of the solution are the solution's.
  check_refused(on_squares(formula("1/(x - 0.5)", "0")),
                "problem.solution is inf at x = 0.5, y = 0");
}

TEST_CASE("a flux is finite at the Gauss points of its side", "[fem][finite]") {
  ProblemOptions options = formula("", "1");
  make_neumann(options, Side::right, "1/(y - 0.25)");
  check_refused(on_squares(options), "problem.flux.right is inf at x = 1, y = 0.25");
  options = formula("", "1");
  make_neumann(options, Side::bottom, "1/(x - 0.75)");
  check_refused(on_squares(options), "problem.flux.bottom is inf at x = 0.75, y = 0");
}

TEST_CASE("a solution is finite where errors are measured", "[fem][finite]") {
  ProblemOptions options = formula("(x - 0.5)^2 + (y - 0.5)^2 == 0 ? 1/0 : 1", "0");
  const Stated s = on_squares(options);
  const std::string words = "problem.solution is inf at x = 0.5, y = 0.5";
  CHECK_THROWS_WITH(require_finite_solution<double>(s.problem, s.grids.back()), words);
  const Solved solved = solve(s.problem, s.grids, {}, BackendKind::host);
  CHECK_THROWS_WITH(measure_errors(s.problem, s.grids.back(), solved.solution), words);
  // At a Gauss point, the middle of a cell.
  options.solution = "(x - 0.25)^2 + (y - 0.25)^2 == 0 ? 1/0 : 1";
  const Stated inside = on_squares(options);
  CHECK_THROWS_WITH(measure_errors(inside.problem, inside.grids.back(), solved.solution),
                    "problem.solution is inf at x = 0.25, y = 0.25");
  // Where the values have left the range themselves, the solution is not asked.
  std::vector<double> lost = solved.solution;
  lost[0] = std::numeric_limits<double>::infinity();
  CHECK(std::isinf(measure_errors(s.problem, s.grids.back(), lost).max));
}

TEST_CASE("finite data whose integrals overflow are told apart", "[fem][finite]") {
  const Stated s{make_problem(formula("", "1.7e308"), 1000, 1000), make_hierarchy(1000, 1000, 1)};
  CHECK_NOTHROW(require_finite_load<double>(s.problem, s.grids.back()));
  CHECK_NOTHROW(require_finite_load<DoubleDouble>(s.problem, s.grids.back()));
  check_solves_refused(s,
                       "the integrals of problem.source, problem.flux or problem.dirichlet leave "
                       "the range of double");
}

TEST_CASE("a solution beyond the range of double is told from data", "[fem][finite]") {
  // The load holds, its solution does not.
  ProblemOptions options = formula("", "1e200");
  options.gx = options.gy = 1e-200;
  const std::string words =
      "the solution to problem.source, problem.flux and problem.dirichlet leaves the range of "
      "double: scale them by a constant";
  check_solves_refused(on_squares(options), words);
}

}  // namespace
}  // namespace ninefold
