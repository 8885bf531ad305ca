#pragma once
// Solves with a sparse matrix on the host, in a format or by refinement.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/sparse/sparse_solve.hpp"

namespace ninefold::testing {

inline SparseSolved solve_on_host(const SparseProblem& problem, const SparseOptions& options = {}) {
  return solve_sparse(problem, options, BackendKind::host);
}

/// A := D A D.
inline void scale_by(const std::vector<double>& d, SparseMatrix& A) {
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    for (std::int64_t k = A.pattern.start(i); k < A.pattern.start(i + 1); ++k) {
      const auto j = static_cast<std::size_t>(A.pattern.columns[static_cast<std::size_t>(k)]);
      A.values[static_cast<std::size_t>(k)] *= d[static_cast<std::size_t>(i)] * d[j];
    }
  }
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
