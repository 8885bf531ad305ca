#pragma once
// The inverse of a small tensor-product matrix by the eigenvectors of its directions, with the same
// bits on host and device: what a coarse level of full multigrid is solved by.
//
// Mathematics.  With V the eigenvectors of x (columns, (v, M v) = 1), W those of y:
//
//     P = V^T b,  Q = P W,  Q_pq / (sum_p + sum_q),  R = Q W^T,  x = V R
//
// Where a sum is zero, a constant is free: its part is dropped.
//
// Why.  A V-cycle leaves a tenth of the smoothest errors, for its coarsest grids know them badly;
// full multigrid would carry that from level to level.  On 31 x 31 unknowns this takes a device as
// long as a fraction of the cycle down to 3 x 3 nodes, and on 63 x 63 hardly longer.
//
// Rounding.  In the eigenvectors' format C, Arithmetic<T> or double; each sum from its first term
// on, products fused into it, the solution rounded to T.
//
// Tests.  tests/gpu/operations/nested_operations_test.cpp,
// tests/gpu/device/nested_operations_test.cpp

#include <concepts>

#include "precision/double_word.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"
#include "grids/transfer.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/operations/refinement_state.hpp"
#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// The formats that have it: a device's blocks hold no planes of pairs.
template <class T>
inline constexpr bool has_small_inverse = !is_double_word<Arithmetic<T>>;

/// Formats of its eigenvectors for vectors of T.
template <class C, class T>
concept SmallInverseOf =
    has_small_inverse<T> &&(std::same_as<C, Arithmetic<T>> || std::same_as<C, double>);

/// The largest number of unknowns in a direction.
inline constexpr int max_small_unknowns = 65;

/// A view; vectors column after column.
template <class C>
struct SmallInverse {
  Box unknowns;  ///< nx = unknowns.width(), ny = unknowns.height()
  const C *x_vectors, *y_vectors;
  const C *x_sums, *y_sums;  ///< the terms of the sums that are divided by
};

/// x = A^-1 b at the unknowns.
template <Backend B, Number T, SmallInverseOf<T> C>
void solve_small(const B& on, const SmallInverse<C>& inverse, In<Field, T> b, const Field<T>& x);

/// What a device does in one pass: the same for b = P^T b_fine, of the unknowns `fine` of the next
/// finer grid.  restrict_residual and solve_small, one after the other, with their bits; b is not
/// stored.
template <Number T, SmallInverseOf<T> C>
void solve_small_restricted(const Cuda& on, const SmallInverse<C>& inverse, const Box& fine,
                            const Transfer<Scalar<T>>& transfer, In<Field, T> b_fine,
                            const Field<T>& x);

/// Likewise x = up A^-1 (down b) at the unknowns, in High by an inverse for Low: residual_narrowed
/// of zero by factored rows, solve_small and add_correction to zero, with their bits.
template <Number High, Number Low, SmallInverseOf<Low> C>
void solve_small_narrowed(const Cuda& on, const SmallInverse<C>& inverse, In<Field, High> b,
                          const RefinementState<Scalar<High>>* state, const Field<High>& x);

}  // namespace ninefold
