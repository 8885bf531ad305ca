#pragma once
// The vocabulary of least squares: rows of a matrix that need not be square, and the steps of CGLS.
//
// Mathematics.  min |b - A x|^2 by conjugate gradients for A'A x = A'b that never form A'A: r = b -
// A x and s = A'r are kept,
//
//     q = A p,  alpha = (s, s) / (q, q),  x += alpha p,  r -= alpha q,
//     s = c + A'r,  beta = (s, s)new / (s, s),  p = s + beta p
//
// c is zero; of a correction it is the gradient that another format has found (r being -A x then).
//
// Bounds.  Rows of A may stand for bounds: row first + j has one entry, `weight`, in column j, and
// takes part while x_j is outside of its bounds; then r there is weight times the way back.  That
// is a penalty weight^2 (x_j - u_j)^2, recomputed from x in each step; where the set of those
// outside has changed, p begins anew.
//
// Shape.  A has as many rows as r and q have values and A' as many as x, s and p; their storages
// are sliced, compressed or jagged.  Scalars are those of CG (gpu/operations/cg_operations.hpp)
// with rr = rz = (s, s) and pq = (q, q).
//
// Cost.  On a device six kernels for an iteration of these operations, cg_direction included: a sum
// ends in its own last block, which also makes alpha or beta of it (gpu/kernels/least_squares.cuh).
// Rows of more than 2048 entries take two more for each product, and in storages other than slices
// those of more than 128 one more.  Whole iterations take fewer:
// gpu/operations/cgls_iteration.hpp.
//
// Rounding.  As gpu/operations/sparse_operations.hpp and cg_operations.hpp.
//
// Reference.  Hestenes and Stiefel 1952, section 10; Bjorck, Numerical Methods for Least Squares
// Problems, 1996, section 7.4.1.
// Tests.      tests/gpu/operations/least_squares_operations_test.cpp,
// tests/gpu/device/least_squares_same_bits_test.cpp

#include <cstdint>

#include "gpu/operations/mixed_vector_operations.hpp"
#include "gpu/operations/sparse_operations.hpp"

namespace ninefold {

/// The rows of A that stand for bounds; none by default.
template <class T>
struct BoundRows {
  int first;                   ///< rows before them: all, where there are none
  const T* weight{};           ///< one value; null if there are none
  const T *lower{}, *upper{};  ///< of each x_j; null: no such bounds
  std::uint8_t* outside{};     ///< 1 where x_j is beyond its bounds
  std::uint8_t* changed{};     ///< 1 where that is otherwise than before

  HOST_DEVICE bool used() const { return weight != nullptr; }
  /// False for the row of a bound that x keeps.
  HOST_DEVICE bool takes_part(int row) const { return row < first || outside[row - first] != 0; }
};

/// What sums of CGLS need beside the scalars of CG; zero at first.
template <Computable C>
struct CglsSums {
  TwoSums<C> gradient;  ///< (s, s), and how many x_j have come to another side of a bound
  unsigned finished;    ///< blocks of a sum that have ended
  int is_stepping;      ///< whether the iteration that is on its way changes x and r
};

/// y = A x
template <Backend B, Number T, SparseRowsOf<T> Rows>
void multiply(const B& on, const Rows& A, In<Field, T> x, const Field<T>& y);

/// r = b - A x, also of the rows of bounds, which then are as x is
template <Backend B, Number T, SparseRowsOf<T> Rows>
void least_squares_residual(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                            const BoundRows<T>& bounds, const Field<T>& r);

/// q = A p, pq = (q, q) and alpha = rz / pq, or 0 as cg_alpha
template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_product(const B& on, const Rows& A, In<Field, T> p, const BoundRows<T>& bounds,
                  const Field<T>& q, CglsSums<Scalar<T>>* sums, CgState<Scalar<T>>* state);

/// x += alpha p and r -= alpha q, the rows of bounds as x is; both stay as they are if not active
inline constexpr Traffic cgls_update_traffic{2, 1};  ///< of the values of x, and of those of r
template <Backend B, Number T>
void cgls_update(const B& on, In<Field, T> p, In<Field, T> q, const BoundRows<T>& bounds,
                 const Field<T>& x, const Field<T>& r, const CgState<Scalar<T>>* state);

/// s = c + A'r, or A'r where c is null, rr = (s, s); counts the iteration as cg_count, and beta as
/// cg_beta, 0 where bounds have changed
template <Backend B, Number T, SparseRowsOf<T> Rows>
void cgls_gradient(const B& on, const Rows& transposed, In<Field, T> r, const T* c,
                   const BoundRows<T>& bounds, const Field<T>& s, CglsSums<Scalar<T>>* sums,
                   CgState<Scalar<T>>* state);

/// c = down s, rounded to Low
template <Backend B, Number High, Number Low>
void narrow(const B& on, In<Field, High> s, const RefinementState<Scalar<High>>* state,
            const Field<Low>& c);

}  // namespace ninefold
