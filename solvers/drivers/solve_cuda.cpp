#include "solvers/drivers/solve_in_format.hpp"
#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

Solved solve_on(const Cuda& on, const PreparedSolve& prepared) {
  return with_format(prepared.options.precision, [&]<class T>() -> Solved {
    if constexpr (std::is_same_v<T, SoftFloat>) {
      throw std::logic_error("software formats have no operations on a device");
    } else {
      return solve_in_format<Cuda, T>(on, prepared);
    }
  });
}

}  // namespace ninefold
