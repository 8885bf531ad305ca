#pragma once
// A sparse solve with its formats as types: one generated file for each format and backend compiles
// these (solvers/CMakeLists.txt).

#include <cstddef>
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

/// By refinement, in any of its variants, for right-hand side `right`.
template <Backend B, Number High>
SparseFound sparse_mixed(const B& on, const SparseStages<B>& stages, std::size_t right);

/// The solver of an inner stage, whose format is T, with all stages inside it.
template <Backend B, Number T>
std::unique_ptr<InnerSolver<B, T>> make_sparse_inner(const B& on, const SparseStages<B>& stages,
                                                     std::size_t stage);

}  // namespace ninefold
