#pragma once
// Several systems, each with a sparse matrix and right-hand sides of its own, in one solve.
//
// Usage.
//     std::vector<GivenSystem> systems{{&A, rights_of_A}, {&B, rights_of_B}};
//     for (const SystemSolved& one : solve_systems(systems, SparseOptions{}, where)) ...
//
// How.  By conjugate gradients in one format, on one rank, they are solved side by side
// (are_side_by_side()): on a device as branches of one graph (solvers/krylov/cg_branches.hpp), on a
// host those of few rows on a thread each.  In mixed precision, and on several ranks, one follows
// the other.  Options that a matrix decides (form, order, blocks) it decides for itself.
//
// Rounding.  All of a system is as if it were solved alone by solve_sparse(), with the same bits.
//
// Cost.  Side by side, seconds, memory and work are those of all systems.
//
// Tests.  tests/solvers/sparse/systems_test.cpp, tests/gpu/device/sparse_systems_test.cpp

#include <exception>
#include <span>
#include <vector>

#include "solvers/sparse/sparse_solve.hpp"

namespace ninefold {

/// A x = b for each of the right-hand sides.
struct GivenSystem {
  const SparseMatrix* A;
  std::span<const SparseRight> rights;
};

/// What has become of a system.
struct SystemSolved {
  std::vector<SparseSolved> rights{};  ///< of each right-hand side
  std::exception_ptr refusal{};        ///< what solve_sparse() throws of it alone; then no rights
};

/// True if solve_systems() solves side by side with these options.
bool are_side_by_side(const SparseOptions& options);

/// Each system's solution or refusal.  Throws BadValue for options that are not possible with any
/// matrix, and std::runtime_error where a device has failed.
std::vector<SystemSolved> solve_systems(std::span<const GivenSystem> systems,
                                        const SparseOptions& options, BackendKind where);

}  // namespace ninefold
