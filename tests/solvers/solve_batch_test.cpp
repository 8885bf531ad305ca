#include "solvers/solve_batch.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <omp.h>

#include "precision/bad_value.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/paper_tests.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::check_same_solve;
using testing::Stated;

/// Sources of other sizes, sums of products and not, and other boundary values.
std::vector<Problem> several(const Problem& problem) {
  std::vector<Problem> data(5, problem);
  data[1].source = constant(1e-3);
  data[2].source = Function([](const Point& p) { return std::exp(-9 * p.x() * p.y()); });
  data[3].dirichlet = constant(-2);
  data[4].source = constant(0);
  for (std::size_t k = 1; k < data.size(); ++k) data[k].solution = Function();
  return data;
}

TEST_CASE("several right-hand sides are solved for as each by itself", "[solvers][solver]") {
  const Stated given = testing::stretched(4);
  SolverOptions nested = testing::refined("double", {"single"});
  nested.method = Method::full_multigrid;
  const SolverOptions options = GENERATE_COPY(SolverOptions(), nested);
  CAPTURE(to_string(options.method));
  const PreparedSolve prepared = prepare(given.problem, given.grids, options, BackendKind::host);
  const std::vector<Problem> data = several(given.problem);
  const int solvers = GENERATE(1, 3, 8), threads = omp_get_max_threads();
  CAPTURE(solvers);
  const std::vector<Solved> solved = solve_batch(prepared, data, solvers);
  CHECK(omp_get_max_threads() == threads);
  REQUIRE(solved.size() == data.size());
  for (std::size_t k = 0; k < data.size(); ++k) {
    CAPTURE(k);
    check_same_solve(solved[k], testing::solve_on_host({data[k], given.grids}, options));
  }
  CHECK(solve_batch(prepared, {}).empty());
}

TEST_CASE("right-hand sides of another matrix are refused, and data that are no data",
          "[solvers][solver]") {
  const Stated given = testing::stretched(3);
  const PreparedSolve prepared =
      prepare(given.problem, given.grids, SolverOptions(), BackendKind::host);
  const int solvers = GENERATE(1, 2, 4);
  CAPTURE(solvers);
  std::vector<Problem> data(5, given.problem);
  data[1].gx *= 2;
  CHECK_THROWS_WITH(solve_batch(prepared, data, solvers),
                    ContainsSubstring("data of a problem with another gx"));
  data[1].gx = given.problem.gx;
  // The first one's message, also where others work on the second one at the same time.
  data[3].source = Function([](const Point&) { return std::nan(""); });
  data[4].source = Function();
  CHECK_THROWS_WITH(solve_batch(prepared, data, solvers), ContainsSubstring("nan"));
  data[3].source = given.problem.source;
  CHECK_THROWS_AS(solve_batch(prepared, data, solvers), std::invalid_argument);
  CHECK_THROWS_WITH(solve_batch(prepared, data, 0), ContainsSubstring("0 solvers at once"));
}

}  // namespace
}  // namespace ninefold
