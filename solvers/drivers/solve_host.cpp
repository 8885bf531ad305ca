#include "solvers/drivers/solve_in_format.hpp"
#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

Solved solve_on(const Host& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                const SolverOptions& options) {
  return with_format(options.precision, [&]<class T>() {
    return solve_in_format<Host, T>(on, problem, grids, options);
  });
}

}  // namespace ninefold
