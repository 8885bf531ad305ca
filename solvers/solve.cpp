#include "solvers/solve.hpp"

#include <type_traits>

#include "gpu/backend/backend.hpp"

#include "solvers/drivers/solve_on.hpp"
#include "solvers/with_backend.hpp"

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

namespace {

/// On the backend, in the formats that the options name.
Solved dispatch(const PreparedSolve& prepared) {
  const TensorGrid& finest = prepared.finest();
  const std::size_t scratch = sum_scratch_bytes(finest.nx(), finest.ny());
  const RefinementOptions& refinement = prepared.options.refinement;
  return with_backend(
      prepared.where,
      [&](const auto& on) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(on)>, Cuda>) {
          if (refinement.used() && refinement.outer_backend == OuterBackend::host) {
            return solve_split(Host(scratch), on, prepared);
          }
        }
        return refinement.used() ? solve_mixed_on(on, prepared) : solve_on(on, prepared);
      },
      scratch);
}

}  // namespace

Solved solve(const PreparedSolve& prepared) {
  require_memory(prepared.memory, prepared.where);
  Solved solved = dispatch(prepared);
  if (uses_multigrid(prepared.options)) solved.report.smoother = to_words(prepared.smoothing);
  return solved;
}

Solved solve(const Problem& problem, const std::vector<TensorGrid>& grids,
             const SolverOptions& options, BackendKind where) {
  return solve(prepare(problem, grids, options, where));
}

}  // namespace ninefold
