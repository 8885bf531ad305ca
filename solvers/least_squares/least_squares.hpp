#pragma once
// Least squares with a sparse matrix of any shape, by CGLS in any precision.
//
// Mathematics.
//
//     min |A x - b|^2 + lambda |L x|^2 + rho sum of the squares by which x_j is out of bounds
//
// L is the identity or any matrix.  A'A is never formed: A and A' are both stored, those of the
// matrix A over sqrt(lambda) L over sqrt(rho) I, whose last rows take part where x_j is out of its
// bounds (gpu/operations/least_squares_operations.hpp).
//
// Success.  `converged` says that the gradient, s = A'(b - A x) - lambda L'L x - ..., computed in
// double-double from what was given, is at most the tolerance times |A'b|, or recurrence_drift
// times that where CGLS's own gradient has met it.  What the error is then depends on the
// condition of the stacked matrix, of which CGLS's coefficients tell a lower bound: a gradient that
// a format holds above the tolerance says little of x.
//
// Mixed precision.  r and s are computed in the wider format, the correction A'A d = s is solved in
// the narrower one, from d = 0, for as many digits as refinement asks for.
//
// Rounding.  As fem/sparse/row_order.hpp: no bit depends on the storage, the number of threads, or
// on whether host or device solves.  sqrt(lambda) and sqrt(rho) are rounded to double.  All is
// scaled by powers of two, which rounds nothing.
//
// Usage.
//     const LeastSquaresSolved solved =
//         solve_least_squares({A, {b, {}}}, LeastSquaresOptions{}, choose_backend("auto"));
//
// Ranks.  As solve_sparse(): several have parts of the rows and of the columns, or, where either
// are fewer than 1024 for each, all of them all; with bounds there is one.
//
// Reference.  Hestenes and Stiefel 1952; Stock and Koch (bounds as a penalty; their table 1 prints
// alpha with (g, e), where (g, d) is meant).
// Tests.      tests/solvers/least_squares/least_squares_test.cpp,
// tests/gpu/device/least_squares_same_bits_test.cpp

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/devices.hpp"
#include "solvers/sparse/sparse_solve.hpp"

namespace ninefold {

struct LeastSquaresProblem {
  SparseMatrix A{};
  WideVector b{};
  SparseMatrix L{};                      ///< without rows: the identity
  std::optional<WideVector> solution{};  ///< what x is measured against, if there is something
};

struct LeastSquaresOptions {
  /// Of which precision, tolerance (of |A'b|), max_iterations and the first inner format of
  /// refinement, with its end, have a meaning.
  SolverOptions solver = default_solver();
  std::optional<SparseStorage> storage{};  ///< sliced, compressed or jagged; else sliced
  double regularisation = 0;               ///< lambda >= 0
  std::optional<double> lower{}, upper{};  ///< of all x_j
  std::optional<double> penalty{};         ///< rho > 0; else ten times the largest (A'A)_jj

  /// CGLS in double, to 1e-10.
  static SolverOptions default_solver();
};

struct LeastSquaresSolved {
  WideVector solution{};
  Report report{};  ///< residuals are gradients, relative to |A'b|; true ones in double-double
  double residual_norm = 0, right_norm = 0;  ///< |b - A x| and |b|
  double solution_norm = 0;                  ///< |L x|
  SparseErrors errors{};
  /// Of the stacked matrix, by CGLS's coefficients, a lower bound, and with what the residual adds
  /// (solvers/least_squares/fit_condition.hpp): times roundoff about the most of its own size by
  /// which rounding moves x.  Nothing where the format does not see it, in mixed precision, whose
  /// corrections are too short, or where A is deficient.
  std::optional<double> condition{}, fit_condition{};
  /// Of x, the most that the gradient may have left, by the condition that was seen.
  std::optional<double> unfinished{};
  bool has_fallen = true;        ///< the gradient, far enough for CGLS to see a condition
  double penalty = 0;            ///< rho, where there are bounds
  int out_of_bounds = 0;         ///< how many x_j are
  double largest_violation = 0;  ///< and by how much at most
  SparseStorage storage = SparseStorage::sliced;
  std::int64_t matrix_bytes = 0;  ///< that the products of an iteration move
  /// On a device, as recorded; less than one where a kernel does several.
  double kernels_per_iteration = 0;
  bool is_deficient = false;  ///< A, by its shape: fewer rows than columns, lambda = 0
};

/// Throws BadValue or std::invalid_argument for options that are not possible.
void validate(const LeastSquaresOptions& options, BackendKind where);

/// Throws std::invalid_argument for a problem that is not possible: empty rows or columns, values
/// that are not finite, sizes that do not fit.
void validate(const LeastSquaresProblem& problem);

/// Throws as both, and std::runtime_error where memory does not suffice.
LeastSquaresSolved solve_least_squares(const LeastSquaresProblem& problem,
                                       const LeastSquaresOptions& options, BackendKind where);

/// The same for several right-hand sides, each with the bits of a solve alone: in one format side
/// by side, so that they share kernels and what these read of the matrix
/// (gpu/operations/cgls_iteration.hpp), in mixed precision one after the other.  Side by side,
/// seconds, memory, work and kernels are those of all.
std::vector<LeastSquaresSolved> solve_least_squares(const SparseMatrix& A, const SparseMatrix& L,
                                                    std::span<const SparseRight> rights,
                                                    const LeastSquaresOptions& options,
                                                    BackendKind where);

/// |A v| over |A| |v| (Frobenius) of a v that A takes nearly to zero, by 1e-7 or more; nothing
/// where there is none to be seen: what CGLS in double, in at most so many steps, leaves of a
/// random start for a right-hand side of zeros, which is its part in the null space.
std::optional<double> rank_deficiency(const SparseMatrix& A, int max_iterations, BackendKind where,
                                      const std::shared_ptr<const Ranks>& ranks = nullptr);

/// A solution in the digits of double-double, refined by double, without regard to precision and
/// tolerance of the options.  Throws std::invalid_argument where the gradient does not fall to
/// 1e-22 of |A'b|.
WideVector reference_least_squares(const LeastSquaresProblem& problem, LeastSquaresOptions options,
                                   BackendKind where);

}  // namespace ninefold
