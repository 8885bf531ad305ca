#pragma once
// Solves in mixed precision, as the tests of whole solves state them.

#include <string>
#include <utility>
#include <vector>

#include "solvers/solve.hpp"

#include "tests/support/stated.hpp"

namespace ninefold::testing {

/// Refinement of the first format by the others.
inline SolverOptions refined(const std::string& outer, const std::vector<std::string>& inner) {
  SolverOptions options;
  options.precision = precision_from_name(outer);
  for (const std::string& name : inner) {
    options.refinement.inner.push_back(precision_from_name(name));
  }
  return options;
}

/// "double over single over half", for CAPTURE.
inline std::string name_of(const SolverOptions& options) {
  std::string name = to_string(options.precision);
  for (const Precision inner : options.refinement.inner) name += " over " + to_string(inner);
  return name;
}

inline Stated polynomial(int level) {
  return {make_problem({}, 1, 1), make_hierarchy(1, 1, level)};
}

/// Boundary values that are not zero.
inline Stated exponential(int level) {
  ProblemOptions options;
  options.solution = "exponential";
  return {make_problem(options, 1, 1), make_hierarchy(1, 1, level)};
}

/// Data of all kinds: Neumann sides, reaction, two coefficients and stretched cells.
inline Stated stretched(int level, double anisotropy = 0.75) {
  ProblemOptions options;
  options.solution = "exponential";
  options.reaction = 2;
  options.gx = 0.5;
  options.boundary[Side::top] = options.boundary[Side::left] = BoundaryKind::neumann;
  return {make_problem(options, 1, 1),
          make_hierarchy(1, 1, level, {anisotropy, {Side::right, Side::bottom}})};
}

inline Solved solve_on_host(const Stated& stated, const SolverOptions& options) {
  return solve(stated.problem, stated.grids, options, BackendKind::host);
}

/// Calls check(options, what) for every variant and every inner solver that these options can have.
template <class Check>
void for_variants(SolverOptions options, const Check& check) {
  const auto with = [&](RefinementVariant variant, Method method, Preconditioning preconditioner) {
    options.refinement.variant = variant;
    options.method = method;
    options.preconditioner = preconditioner;
    check(std::as_const(options), name_of(options) + ", " + std::string(to_string(variant)) + ", "
                                      + std::string(to_string(method)) + ", "
                                      + std::string(to_string(preconditioner)));
  };
  for (const auto variant : {RefinementVariant::refinement, RefinementVariant::flexible_cg}) {
    with(variant, Method::multigrid, Preconditioning::none);
    for (const auto preconditioner :
         {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
      with(variant, Method::cg, preconditioner);
    }
  }
  if (options.refinement.inner.size() == 1 && options.start == Start::zero) {
    with(RefinementVariant::residual_guided_cg, Method::cg, Preconditioning::none);
  }
}

}  // namespace ninefold::testing
