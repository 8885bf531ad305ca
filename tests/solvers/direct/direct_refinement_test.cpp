// The direct solver inside refinement.
#include <string>
#include <vector>

#include "gpu/direct/eigenvectors.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"
#include "tests/support/refined.hpp"

namespace ninefold {
namespace {

using testing::Judged;
using testing::refined;
using testing::Stated;

Judged solved_inside(const Stated& stated, SolverOptions options, RefinementVariant variant) {
  options.method = Method::fast_diagonalisation;
  options.refinement.variant = variant;
  return testing::judge(stated, options);
}

TEST_CASE("one direct solve in single for each residual in double refines to double", "[direct]") {
  for (const auto variant : {RefinementVariant::refinement, RefinementVariant::flexible_cg}) {
    for (const Stated& stated : {testing::polynomial(5), testing::exponential(4),
                                 has_lapack() ? testing::stretched(4) : testing::polynomial(3)}) {
      const Judged judged = solved_inside(stated, refined("double", {"single"}), variant);
      CAPTURE(to_string(variant), judged.report.remark);
      CHECK(judged.report.outcome == Outcome::converged);
      CHECK(judged.report.iterations <= 5);
      CHECK(judged.report.inner_iterations == judged.report.iterations);
      CHECK(judged.error <= 1e-9);
    }
  }
}

TEST_CASE("pairs of words are refined by direct solves in double, also in a cascade", "[direct]") {
  const Stated stated = testing::polynomial(4);
  // Data in double-double, as such a solve has them.
  testing::DirectSystem system(testing::stated_directly(stated.problem, stated.grids.back(), true));
  const testing::DirectSystem::Values exact = system.solve();
  for (const std::vector<std::string>& inner :
       {std::vector<std::string>{"double"}, std::vector<std::string>{"double", "single"}}) {
    SolverOptions options = refined("double-double", inner);
    options.method = Method::fast_diagonalisation;
    options.tolerance = 1e-22;
    const Solved solved = testing::solve_on_host(stated, options);
    CHECK(solved.report.outcome == Outcome::converged);
    testing::DirectSystem::Values error(exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) {
      error[k] = testing::Quad(solved.solution[k]) + solved.solution_low[k] - exact[k];
    }
    CHECK(system.relative_max(error, exact) <= 1e-20);
  }
}

TEST_CASE("a matrix is not held for direct solves inside", "[direct]") {
  const Stated stated = testing::polynomial(5);
  SolverOptions options = refined("double", {"single"});
  options.method = Method::fast_diagonalisation;
  options.refinement.inner_storage = {OperatorStorage::stored};
  const Solved solved = testing::solve_on_host(stated, options);
  CHECK(solved.report.memory_bytes
        == forecast_memory(stated.problem, stated.grids, options, BackendKind::host).backend);
  // Vectors, planes and the two matrices of eigenvectors; five entries a node would be 20 bytes
  // more.
  const std::size_t nodes = std::size_t{33} * 33;
  CHECK(solved.report.memory_bytes <= 11 * sizeof(double) * nodes);
}

}  // namespace
}  // namespace ninefold
