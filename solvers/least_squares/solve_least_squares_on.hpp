#pragma once
// A least squares solve with its formats as types: one generated file for each format and backend
// compiles these (solvers/CMakeLists.txt).

#include <cstddef>
#include <memory>
#include <vector>

#include "gpu/backend/backend.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/least_squares/least_squares_system.hpp"
#include "solvers/sparse/matrix_on_backend.hpp"

namespace ninefold {

/// What all formats of a solve share.
template <Backend B>
struct LeastSquaresStages {
  const LeastSquaresSystem& system;
  const LeastSquaresOptions& options;
  std::shared_ptr<const LayoutOnBackend<B>> rows, columns;  ///< of K and of K'
  const B on_rows, on_columns;  ///< for vectors of as many values as K has rows, or columns
  /// The rank's parts of K and K', where they are divided.
  const MatrixPart *part_of_rows = nullptr, *part_of_columns = nullptr;

  const SparseMatrix& K() const { return part_of_rows == nullptr ? system.K : part_of_rows->A; }
  const SparseMatrix& transposed() const {
    return part_of_columns == nullptr ? system.transposed : part_of_columns->A;
  }
};

/// What a solve finds of the scaled system.
struct LeastSquaresFound {
  WideVector y{};
  Report report{};
  CgCoefficients coefficients{};  ///< none of refinement
  std::int64_t matrix_bytes = 0;
  double kernels_per_iteration = 0;
};

/// Of all right-hand sides, side by side if there are several.
template <Backend B, Number T>
std::vector<LeastSquaresFound> least_squares_in_format(const B& on,
                                                       const LeastSquaresStages<B>& stages);

/// By refinement, of right-hand side `right`.
template <Backend B, Number High>
LeastSquaresFound least_squares_mixed(const B& on, const LeastSquaresStages<B>& stages,
                                      std::size_t right);

}  // namespace ninefold
