#pragma once
// The choices of a solve with a general sparse matrix.
//
// Most are those of any solve (solvers/options.hpp), of which these have a meaning here: precision,
// form, tolerance, max_iterations, preconditioner (none, jacobi, block_jacobi) and refinement.
//
// Tests.  tests/solvers/sparse/sparse_solve_test.cpp

#include <optional>
#include <string_view>

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_rows.hpp"

#include "solvers/devices.hpp"
#include "solvers/options.hpp"

namespace ninefold {

/// Of the unknowns: as they are given, by reverse Cuthill-McKee, at random, or by one of the first
/// two: reverse Cuthill-McKee where most rows reach so far that columns take 32 bits, and most
/// slices (fem/sparse/slices.hpp) do not lie on diagonals.
enum class RowOrder { automatic, given, rcm, random };
/// By what CG ends: |r|, or (r, M^-1 r)^(1/2) (Buatois, Caumon, Levy 2009, section 1.2).
enum class StopBy { residual, preconditioned };

std::string_view to_string(RowOrder order);  ///< "auto", "given", "rcm", "random"
std::string_view to_string(StopBy stop);     ///< "residual", "preconditioned"

struct SparseOptions {
  SolverOptions solver = default_solver();
  std::optional<SparseStorage> storage{};  ///< else sliced
  RowOrder order = RowOrder::automatic;
  StopBy stop = StopBy::residual;
  /// Unknowns of a node, which follow each other; difference form compares each with its own kind.
  /// With more than one the order is the given one.
  int components = 1;
  /// Of Preconditioning::block_jacobi: unknowns of a block, which follow each other in the given
  /// order; else as many as there are components.
  std::optional<int> block_size{};

  /// CG with Jacobi's preconditioner, in double, to 1e-10 of |b|; refinement, if there is any, by
  /// residual-guided CG whose inner iterations also end where the tolerance is met.
  static SolverOptions default_solver();
};

/// Throws BadValue for a value that has no meaning here or contradicts another one.
void validate(const SparseOptions& options, BackendKind where);
/// The same for components that do not divide the rows of a matrix.
void require_components(const SparseOptions& options, int rows);

inline constexpr int largest_block = 8;

/// The options with what they leave open decided for a matrix: storage; the order, where it cannot
/// be but the given one; the size of blocks; and the forms, which are difference where the sizes of
/// row sums are at most an eighth of those of entries, in all, and a fourth in the mean of all
/// rows, and plain otherwise, and outside in double and wider formats.
SparseOptions settled(const SparseOptions& options, const SparseMatrix& A);

}  // namespace ninefold
