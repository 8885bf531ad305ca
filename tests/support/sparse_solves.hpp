#pragma once
// Solves with a sparse matrix on the host, in a format or by refinement.

#include <utility>
#include <vector>

#include "solvers/sparse/sparse_solve.hpp"

namespace ninefold::testing {

inline SparseSolved solve_on_host(const SparseProblem& problem, const SparseOptions& options = {}) {
  return solve_sparse(problem, options, BackendKind::host);
}

inline SparseOptions in(Precision precision, double tolerance = 1e-10) {
  SparseOptions options;
  options.solver.precision = precision;
  options.solver.tolerance = tolerance;
  return options;
}

inline SparseOptions refined(Precision outer, std::vector<Precision> inner,
                             RefinementVariant variant, double tolerance = 1e-10) {
  SparseOptions options = in(outer, tolerance);
  options.solver.refinement.inner = std::move(inner);
  options.solver.refinement.variant = variant;
  return options;
}

}  // namespace ninefold::testing
