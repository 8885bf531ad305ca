#include "solvers/drivers/solve_in_format.hpp"
#include "solvers/drivers/solve_on.hpp"

namespace ninefold {

Solved solve_on(const Host& on, const PreparedSolve& prepared) {
  return with_format(prepared.options.precision,
                     [&]<class T>() { return solve_in_format<Host, T>(on, prepared); });
}

void hold_on(const Host& on, const PreparedSolve& prepared) {
  with_type(prepared.options.precision, [&]<class T>() { hold_in_format<T>(on, prepared); });
}

}  // namespace ninefold
