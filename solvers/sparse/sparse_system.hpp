#pragma once
// A sparse system as it is given, and as solvers have it: in another order, scaled by powers of
// two.
//
// Mathematics.  With a permutation P and a diagonal D of powers of two
//
//     (2^a D P A P' D) y = 2^b D P f,     x = 2^(a - b) P' D y
//
// 2^a and 2^b bring the largest entry and the largest value of the right-hand side into [1, 2);
// they change no iteration.  Several right-hand sides have each its own b.  D is the identity
// unless the narrowest format in use cannot hold all entries, scaled so, as normal numbers; then it
// brings the diagonal into [1, 4), which changes the norms that CG sees.
//
// Rounding.  None, but of values that it makes smaller than 2^-1022.
//
// Tests.  tests/solvers/sparse/sparse_solve_test.cpp

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_residual.hpp"

#include "solvers/sparse/sparse_options.hpp"

namespace ninefold {

/// A x = b, for a matrix that is symmetric and positive definite as far as is seen.
struct SparseProblem {
  SparseMatrix A{};
  WideVector b{};
  std::optional<WideVector> solution{};  ///< if it is known
};

/// One of several right-hand sides.
struct SparseRight {
  WideVector b{};
  std::optional<WideVector> solution{};  ///< if it is known
};

/// b = A 1, computed in double-double: the solution is known.
SparseProblem with_ones(SparseMatrix A);
/// The same for a random solution in [-1, 1], which depends on the seed alone.
SparseProblem with_random_solution(SparseMatrix A, std::uint64_t seed);

/// A right-hand side in the order of the rows, scaled by 2^exponent and D.
struct ScaledRight {
  WideVector b{};
  int exponent = 0;
};

struct ScaledSystem {
  SparseMatrix A{};
  std::vector<ScaledRight> rights{};
  std::vector<std::int32_t> order{};  ///< row k was row order[k]; empty if that is k
  std::vector<int> exponents{};       ///< of D, in the order of A; empty if D is the identity
  int matrix_exponent = 0;
  double diagonal_span = 1;  ///< the largest entry of the diagonal over the smallest
  RowOrder taken = RowOrder::given;

  /// x from y, in the order that was given, y being the solution for right-hand side k.
  WideVector solution(const WideVector& y, std::size_t k = 0) const;
};

/// Throws std::invalid_argument unless A is square, of at most 2^31 - 2049 rows, has a positive
/// diagonal and each right-hand side as many finite values as it has rows.
ScaledSystem scaled_system(const SparseMatrix& A, std::span<const WideVector* const> rights,
                           const SparseOptions& options);

}  // namespace ninefold
