#pragma once
// A solve in mixed precision with the outer solver on the host; included by the generated files
// that compile it.

#include "solvers/drivers/solve_mixed.hpp"
#include "solvers/drivers/solve_on.hpp"
#include "solvers/refinement/split_refinement.hpp"

namespace ninefold {

/// Inner solvers on a device, for an outer one on the host.
struct MakeSplit {
  using Inner = Cuda;

  const Cuda& on;

  template <Number Low>
  std::unique_ptr<InnerSolver<Cuda, Low>> operator()(const Stages& stages) const {
    return make_inner<Cuda, Low>(on, stages, 0);
  }
  template <Number High, Number Low>
  SplitRefinement<High, Low> refine(const Host& host, const Operator<High>& A, const Field<High>& b,
                                    const Field<High>& x, InnerSolver<Cuda, Low>& inner,
                                    RefinementScaling scaling, int exponent, double change) const {
    return {host, on, A, b, x, inner, scaling, exponent, change};
  }
};

template <Number High>
Solved solve_split_in(const Host& host, const Cuda& cuda, const PreparedSolve& prepared) {
  return solve_mixed<Host, High>(host, prepared, MakeSplit{cuda});
}

}  // namespace ninefold
