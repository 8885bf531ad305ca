#pragma once
// The vocabulary of general sparse matrices (fem/sparse/sparse_rows.hpp): every operation with
// their rows, with its formula and its traffic.  Arguments are as in
// gpu/operations/vector_operations.hpp; a vector of n values is a field of n x 1 nodes.
//
// Storages.  `Rows` is any of SlicedRows, CompressedRows, JaggedRows, BlockRows.
//
// Cost.  What the matrix moves is counted by its moved_bytes, a `Traffic` counts vectors, each
// value once: that of x is a lower bound where rows are far apart.
//
// Rounding.  Of rows as fem/sparse/row_order.hpp, of all else as of vectors.  All storages, host
// and device agree to the last bit.
//
// Tests.  tests/gpu/operations/sparse_operations_test.cpp (50 digits),
// tests/gpu/device/sparse_same_bits_test.cpp

#include <type_traits>

#include "fem/sparse/sparse_rows.hpp"

#include "gpu/operations/mixed_vector_operations.hpp"
#include "gpu/operations/row_operations.hpp"
#include "gpu/operations/two_sums.hpp"

namespace ninefold {

template <class Rows>
inline constexpr bool is_sparse_rows = false;
template <class T>
inline constexpr bool is_sparse_rows<SlicedRows<T>> = true;
template <class T>
inline constexpr bool is_sparse_rows<CompressedRows<T>> = true;
template <class T>
inline constexpr bool is_sparse_rows<JaggedRows<T>> = true;
template <class T, int b>
inline constexpr bool is_sparse_rows<BlockRows<T, b>> = true;

template <class Rows, class T>
concept SparseRowsOf = is_sparse_rows<Rows> && std::is_same_v<typename Rows::Value, T>;

/// y = A x
template <Backend B, Number T, SparseRowsOf<T> Rows>
void product(const B& on, const Rows& A, In<Field, T> x, const Field<T>& y);

/// Vectors that a matrix is multiplied with together.
inline constexpr int most_columns = 4;
template <class T>
struct Columns {
  int count;
  const T* x[most_columns];
  T* y[most_columns];
};

/// y_k = A x_k for each of these, of which no y is an x: the bits of as many products, but the
/// matrix is read once, where it has no long rows.
template <Backend B, Number T>
void products(const B& on, const SlicedRows<T>& A, const Columns<T>& columns);

/// q = A p and *result = (p, q)
template <Backend B, Number T, SparseRowsOf<T> Rows>
void product_dot(const B& on, const Rows& A, In<Field, T> p, const Field<T>& q, Scalar<T>* result);

/// r = b - A x
template <Backend B, Number T, SparseRowsOf<T> Rows>
void residual(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, const Field<T>& r);

/// *result = |b - A x|^2; the residual itself is not stored
template <Backend B, Number T, SparseRowsOf<T> Rows>
void residual_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, Scalar<T>* result);

/// *result = | |A||x| + |b| |^2
template <Backend B, Number T, SparseRowsOf<T> Rows>
void rounding_scale(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, Scalar<T>* result);

/// r = down (b - A x), rounded to Low, and square = |b - A x|^2
template <Backend B, Number High, Number Low, SparseRowsOf<High> Rows>
void residual_rounded(const B& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                      const Field<Low>& r, RefinementState<Scalar<High>>* state);

/// z = r / d at all rows, the quotient of leading digits (Leading<T>) where T is a pair, z in full
inline constexpr Traffic divide_traffic{2, 1};
template <Backend B, Number T>
void divide(const B& on, In<Field, T> r, const T* d, const Field<T>& z);

/// Dense blocks on the diagonal, `size` rows each, the last one as many as are left: entry (i, j),
/// j counted within the block, at values[i size + j].
template <class T>
struct DiagonalBlocks {
  const T* values;
  int size;
};

/// z = M r for such an M; the terms of a row are added from left to right, fused
template <Backend B, Number T>
void multiply_blocks(const B& on, const DiagonalBlocks<T>& M, In<Field, T> r, const Field<T>& z);

// --- conjugate gradients, preconditioned by a diagonal d: z = r / d ----------------------------
// With the bits of cg_alpha, cg_update, divide, dot, cg_count, cg_beta and cg_direction, but where
// pq has underflowed: alpha is 0 then, and x stays as it is.  x moves with the direction, where p
// is read anyway, or with every second one, by two steps: directions then take turns in two
// vectors.

/// What ends an iteration: (r, r), or (r, z) in its place in all that is counted; and whether beta
/// follows, in the standard form.
struct IterationEnd {
  bool by_rz, has_beta;
};

/// alpha, the one before being kept, r -= alpha q, z in place of q, *sums = (r, r) and (r, z), and
/// the scalars that follow from them.  If not active, r stays, and alpha and beta are 0.
inline constexpr Traffic update_by_diagonal_traffic{3, 2};
template <Backend B, Number T>
void update_by_diagonal(const B& on, const T* d, const Field<T>& q, const Field<T>& r,
                        const IterationEnd& end, TwoSums<Scalar<T>>* sums,
                        CgState<Scalar<T>>* state);

/// As cg_count, with rr and rz_new from where they are; that of rr may be its own.
template <Backend B, Computable T>
void count_preconditioned(const B& on, const T* rr, const T* rz, CgState<T>* state);

/// x += alpha p, or x as it is if alpha is 0, as it is once an iteration has begun that is not
/// active; then p = z + beta p, or p as it is if not active
inline constexpr Traffic step_and_direction_traffic{3, 2};
template <Backend B, Number T>
void step_and_direction(const B& on, In<Field, T> z, const CgState<Scalar<T>>* state,
                        const Field<T>& x, const Field<T>& p);

/// The second half of it alone, with a place of its own: next = z + beta p, or p if not active
inline constexpr Traffic next_direction_traffic{2, 1};
template <Backend B, Number T>
void next_direction(const B& on, In<Field, T> z, In<Field, T> p, const CgState<Scalar<T>>* state,
                    const Field<T>& next);

/// What next_direction() has left to do, after another iteration, whose direction p is: x moves by
/// alpha_before p_before, then by alpha p, each as above; then p_before = z + beta p, or p if not
/// active
inline constexpr Traffic two_steps_and_direction_traffic{4, 2};
template <Backend B, Number T>
void two_steps_and_direction(const B& on, In<Field, T> z, In<Field, T> p,
                             const CgState<Scalar<T>>* state, const Field<T>& x,
                             const Field<T>& p_before);

/// What an iteration moves of vectors beside its product, of two with three of these operations: in
/// the mean, per unknown.
inline constexpr double values_by_diagonal =
    update_by_diagonal_traffic.values()
    + 0.5 * (next_direction_traffic.values() + two_steps_and_direction_traffic.values());

/// The first half of step_and_direction() alone.
inline constexpr Traffic step_traffic{2, 1};
template <Backend B, Number T>
void step(const B& on, In<Field, T> p, const CgState<Scalar<T>>* state, const Field<T>& x);

}  // namespace ninefold
