#pragma once
// What a solve with a sparse matrix has found, judged by what the given entries say of it.
//
// Tests.  tests/solvers/sparse/judged_test.cpp, tests/solvers/sparse/sparse_solve_test.cpp

#include <cstddef>
#include <optional>

#include "solvers/sparse/solve_sparse_on.hpp"
#include "solvers/sparse/sparse_solve.hpp"
#include "solvers/sparse/sparse_system.hpp"

namespace ninefold {

/// A right-hand side as it was given.
struct GivenRight {
  const WideVector* b;
  const std::optional<WideVector>* solution;
};

/// What was found for right-hand side k of a system, with its true residual and errors.
SparseSolved judged(const SparseMatrix& A, const GivenRight& right, const SparseOptions& options,
                    const ScaledSystem& system, std::size_t k, SparseFound found);

}  // namespace ninefold
