#pragma once
// A system with a general sparse matrix, solved by conjugate gradients in any precision.
//
// Usage.
//     const SparseProblem problem = with_ones(read_matrix_market("A.mtx").matrix);
//     const SparseSolved solved = solve_sparse(problem, SparseOptions{}, choose_backend("auto"));
//     if (solved.report.outcome == Outcome::converged) ...
//
// Success.  `converged` says that the true residual |b - A x|, computed in double-double from the
// entries that were given, is at most the tolerance times |b|, or recurrence_drift times that where
// CG's own residual has met it; with StopBy::preconditioned the same of (r, M^-1 r)^(1/2).  What
// the error is then depends on the matrix's condition, which is told as far as CG has seen it.
//
// Scaled rows have another norm.  In mixed precision a right-hand side whose true residual misses a
// tolerance that the scaled one has met is solved once more, to a stricter one, as far as the outer
// format and the limit of iterations go.  Where that leaves less, the report counts both, and its
// remark says so; where it does not, the first is given out, with the time and work of both.
//
// Rounding.  As fem/sparse/row_order.hpp: no bit depends on the storage, the number of threads, or
// on whether host or device solves.
//
// Threads.  Only one thread solves in a software format.
//
// Ranks.  Several (SolverOptions::ranks) are given the same system and options, and all of them the
// same solution: each has a part of the rows (fem/sparse/matrix_part.hpp) on its backend, or, of
// fewer rows than 1024 for each (or a multiple by which nodes and blocks stay whole), all of them.
// Bytes are those of all; memory, kernels and times are each one's.
//
// Reference.  Buatois, Caumon, Levy 2009; Cevahir, Nukada, Matsuoka 2009.
// Tests.      tests/solvers/sparse/sparse_solve_test.cpp,
// tests/solvers/sparse/several_test.cpp, tests/gpu/device/sparse_same_bits_test.cpp

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/devices.hpp"
#include "solvers/sparse/sparse_options.hpp"
#include "solvers/sparse/sparse_system.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Of the solution, relative to it.
struct SparseErrors {
  std::optional<double> l2{}, largest{};  ///< against the known solution
  /// In the energy norm, a(e, e)^(1/2), estimated from CG's coefficients
  /// (solvers/krylov/lanczos.hpp): of a solve in one format.
  std::optional<double> energy{};
};

/// x beside a known solution, relative to that; the distance itself where that is zero.  `energy`
/// stays open.
SparseErrors errors_of(const WideVector& x, const WideVector& exact);

struct SparseSolved {
  WideVector solution{};  ///< in the given order; `low` of double-double and software formats only
  Report report{};        ///< residuals relative to |b|; true_residual_reduction in double-double
  double backward_error = 0;  ///< Oettli and Prager's, in double-double
  SparseErrors errors{};
  /// Of M^-1 A, by CG's coefficients: a lower bound; nothing where the format does not see it.
  std::optional<double> condition{};
  RowOrder order = RowOrder::given;          ///< that was taken
  OperatorForm form = OperatorForm::plain;   ///< of the matrix, of mixed precision the outer one
  std::optional<OperatorForm> inner_form{};  ///< of that which corrections are computed with
  SparseStorage storage = SparseStorage::sliced;
  std::int64_t matrix_bytes = 0;  ///< that a product moves for the (outer) matrix
};

/// A solution in the digits of double-double, by refinement of double in at most so many steps:
/// |b - A x| is at most 1e-25 of |b|, or ten times what rounding in double-double may leave of it.
/// Throws std::invalid_argument where that is not reached.
WideVector reference_solution(const SparseProblem& problem, int max_iterations, BackendKind where,
                              const std::shared_ptr<const Ranks>& ranks = nullptr);
WideVector reference_solution(const SparseMatrix& A, const WideVector& b, int max_iterations,
                              BackendKind where,
                              const std::shared_ptr<const Ranks>& ranks = nullptr);

/// Throws BadValue for options that are not possible, std::invalid_argument for a system that is
/// not, and std::runtime_error where memory does not suffice.
SparseSolved solve_sparse(const SparseProblem& problem, const SparseOptions& options,
                          BackendKind where);

/// The same for several right-hand sides, each with the bits of a solve alone: in one format side
/// by side, so that a product reads the matrix once for all (solvers/krylov/cg_together.hpp), in
/// mixed precision one after the other.  Side by side, seconds, memory and work are those of all.
std::vector<SparseSolved> solve_sparse(const SparseMatrix& A, std::span<const SparseRight> rights,
                                       const SparseOptions& options, BackendKind where);

}  // namespace ninefold
