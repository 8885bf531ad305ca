#pragma once
// A sparse solve with its formats as types: one generated file for each format and backend compiles
// these (solvers/CMakeLists.txt).

#include <cmath>
#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include "gpu/backend/backend.hpp"

#include "solvers/refinement/inner_solver.hpp"
#include "solvers/sparse/matrix_on_backend.hpp"
#include "solvers/sparse/sparse_solve.hpp"

namespace ninefold {

/// What all stages of a sparse solve share.
template <Backend B>
struct SparseStages {
  const ScaledSystem& system;
  const SparseOptions& options;
  std::shared_ptr<const LayoutOnBackend<B>> layout;
  const MatrixPart* part = nullptr;  ///< the rank's, where the matrix is divided

  /// |r| / |r_0| beyond which CG has diverged.  With M the diagonal (r, M^-1 r) hardly rises, and
  /// |r| by the root of what M spans more than its root.
  double divergence() const {
    const bool has_diagonal = options.solver.preconditioner != Preconditioning::none;
    return divergence_factor * (has_diagonal ? std::sqrt(system.diagonal_span) : 1);
  }

  /// What is held of it.
  const SparseMatrix& A() const { return part == nullptr ? system.A : part->A; }
};

/// What a solve finds of the scaled system.
struct SparseFound {
  WideVector y{};
  Report report{};
  CgCoefficients coefficients{};
  std::int64_t matrix_bytes = 0;
};

/// Of all right-hand sides, side by side if there are several.
template <Backend B, Number T>
std::vector<SparseFound> sparse_cg(const B& on, const SparseStages<B>& stages);

/// Up to so many rows a host's operations run on one thread.
inline constexpr int few_rows = 4096;

/// One of several systems, and where it is solved; those are where they are used, too.
template <Backend B>
struct SparseSystemOn {
  B on;
  const ScaledSystem* system;
  const SparseOptions* options;  ///< which differ in what a matrix decides alone
  bool is_first = true;          ///< on that backend
};
/// Of one system: for all of its right-hand sides, or why there is nothing.
struct SystemFound {
  std::vector<SparseFound> rights{};
  std::exception_ptr failure{};
};
/// Of all systems, side by side: on a host each on a backend of its own, on a device on `branch_of`
/// the one that is given.
template <Backend B, Number T>
std::vector<SystemFound> sparse_cg_systems(const B& on,
                                           const std::vector<SparseSystemOn<B>>& systems);

/// By refinement, in any of its variants, for right-hand side `right`.
template <Backend B, Number High>
SparseFound sparse_mixed(const B& on, const SparseStages<B>& stages, std::size_t right);

/// The solver of an inner stage, whose format is T, with all stages inside it.
template <Backend B, Number T>
std::unique_ptr<InnerSolver<B, T>> make_sparse_inner(const B& on, const SparseStages<B>& stages,
                                                     std::size_t stage);

}  // namespace ninefold
