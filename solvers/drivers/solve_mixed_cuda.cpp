#include "solvers/drivers/solve_mixed.hpp"
#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

Solved solve_mixed_on(const Cuda& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                      const SolverOptions& options) {
  return with_type(options.precision, [&]<class High>() -> Solved {
    if constexpr (std::is_same_v<High, SoftFloat>) {
      throw std::logic_error("software formats have no operations on a device");
    } else {
      return solve_mixed<Cuda, High>(on, problem, grids, options, MakeInner<Cuda>{on});
    }
  });
}

}  // namespace ninefold
