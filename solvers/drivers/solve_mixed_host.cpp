#include "solvers/drivers/solve_mixed.hpp"
#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

Solved solve_mixed_on(const Host& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                      const SolverOptions& options) {
  // One software format at most, wherever it stands; validate() has seen to that.
  std::optional<SoftFloat::Scope> scope;
  if (const auto soft = software_format(options)) scope.emplace(soft->mantissa(), soft->exponent());
  return with_type(options.precision, [&]<class High>() {
    return solve_mixed<Host, High>(on, problem, grids, options, MakeInner<Host>{on});
  });
}

}  // namespace ninefold
