#include "solvers/solve.hpp"

#include <utility>

#include "precision/require.hpp"

#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

std::vector<DoubleDouble> wide_solution(const Solved& solved) {
  require(solved.solution_low.size() == solved.solution.size(),
          "only a double-double solve has a solution wider than double");
  std::vector<DoubleDouble> values(solved.solution.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = {solved.solution[k], solved.solution_low[k]};
  }
  return values;
}

Solved solve(const PreparedSolve& prepared, const Neighbours& neighbours) {
  require_memory(prepared.memory, prepared.where);
  std::unique_ptr<StandingSolve> standing = make_standing(prepared);
  standing->aim_by(neighbours.coarser);
  Solved solved = standing->solve();
  solved.report.smoother = smoother_words(prepared);
  if (solved.report.outcome == Outcome::not_finite) return solved;
  if (neighbours.coarser) solved.level_errors = standing->level_errors(*neighbours.coarser);
  if (neighbours.is_finer_next) solved.values = standing->values();
  if (neighbours.estimates_solver_errors) {
    solved.solver_errors = estimate_solver_errors(prepared, std::move(standing));
  }
  return solved;
}

Solved solve(const Problem& problem, const std::vector<TensorGrid>& grids,
             const SolverOptions& options, BackendKind where) {
  return solve(prepare(problem, grids, options, where));
}

}  // namespace ninefold
