#pragma once
// Whether a symmetric matrix is positive definite, by the pivots of its elimination.
//
// Mathematics.  A = L L^T row by row within the envelope: l_ij = (a_ij - sum l_ik l_jk) / l_jj, and
// the pivot a_ii - sum l_ik^2, which is positive in all rows if and only if A is definite.
//
// Cost.  Twice about half of the sum of the rows' squared widths multiplications, and the profile's
// memory, in the order that is given: small after reordering for meshes in the plane, much in
// space.
//
// Rounding.  The pivots are those of A + E with |E| <= (w + 2) u |L| |L|^T, w the width of the
// widest row, u = 2^-53 (Higham 2002, theorem 10.3), hence |x' E x| <= e x' D x, D the diagonal,
// where e is (w + 2) u times the largest row sum of D^(-1/2) |L| |L|^T D^(-1/2), which is small
// where A is a Laplacian.  A is definite if the pivots of A - 2 e D are positive, and is not if one
// of A + 2 e D is not (Rump 2006; the second e for all that is rounded else); between these nothing
// is known.
//
// Tests.  tests/fem/sparse/envelope_pivots_test.cpp

#include <cstdint>
#include <optional>
#include <vector>

#include "fem/sparse/definiteness.hpp"
#include "fem/sparse/sparse_matrix.hpp"

namespace ninefold {

struct EnvelopePivots {
  Definite definite = Definite::unknown;
  double smallest = 1;  ///< pivot over diagonal entry, down to the row at which it ended
  int row = -1;         ///< of that pivot
};

/// In the order order[k]; nothing if it would take more than `most` multiplications.  Requires a
/// symmetric matrix with a positive diagonal, and an order of its rows, which are not checked.
std::optional<EnvelopePivots> envelope_pivots(const SparseMatrix& A,
                                              const std::vector<std::int32_t>& order,
                                              double most = 2e9);

}  // namespace ninefold
