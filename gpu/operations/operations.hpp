#pragma once
// The vocabulary: every operation that algorithms are made of, with its formula and its traffic.
//
// First where it runs, then what is read, last what is written.  Results that are single numbers
// stay on the backend (`T* result`), so that whole stretches of a solve can be recorded and
// replayed.  Operations visit the unknowns only (A.unknowns, or the box that is passed); values on
// Dirichlet sides are never written.  Shapes must agree and boxes, A.unknowns
// among them, lie inside them: this is checked before each launch.
//
// A matrix is any RowSource: T is that of the vectors, and the kinds for which an operation is
// compiled are listed in gpu/compiled.
//
// Cost.  A `Traffic` counts the values of vectors that must move per node, each counted once;
// neighbours come from caches.  What rows of the matrix move is added by its kind: with_rows,
// with_diagonal.
//
// Rounding.  Values are read as T, computed in Arithmetic<T> and rounded once to T where they are
// stored; sums and scalars stay in Arithmetic<T>.  gpu/backend/summation.hpp for sums,
// fem/matrix/nine_band.hpp for rows; all else as written in gpu/meaning/generic_operations.hpp.
// Host and device agree to the last bit.
//
// Tests.  tests/gpu/operations/operations_test.cpp (50 digits), tests/gpu/device/same_bits_test.cpp

#include <type_traits>

#include "precision/number.hpp"

#include "grids/field.hpp"
#include "grids/transfer.hpp"

#include "fem/discrete/q1_element.hpp"
#include "fem/matrix/factored_rows.hpp"
#include "fem/matrix/nine_band.hpp"
#include "fem/matrix/row_source.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// A read-only argument that converts and takes no part in deduction: the result fixes T.
template <template <class> class V, class T>
using In = const std::type_identity_t<V<const T>>&;

/// A number that is passed to or returned by an operation on vectors of T.
template <class T>
using Scalar = std::type_identity_t<Arithmetic<T>>;

/// Values moved per node.
struct Traffic {
  int reads, writes;
  constexpr int values() const { return reads + writes; }
};

/// The same with what a row, or its diagonal entry, reads.
template <RowSource Rows>
constexpr Traffic with_rows(const Traffic& vectors) {
  return {vectors.reads + Rows::stored_values, vectors.writes};
}
template <RowSource Rows>
constexpr Traffic with_diagonal(const Traffic& vectors, OperatorForm form) {
  return {vectors.reads + stored_values_of_diagonal<Rows>(form), vectors.writes};
}

// --- assembly ---------------------------------------------------------------------------------

/// The bands of all rows, unit rows outside A.unknowns, in the form A.form; computed in W from the
/// couplings of the nodes of both directions, rounded once to T.
inline constexpr Traffic assemble_bands_traffic{0, 9};
template <Backend B, Number W, Number T>
void assemble_bands(const B& on, const Coefficients<W>& g, const NodeCouplings<W>* x,
                    const NodeCouplings<W>* y, const NineBand<T>& A);

// --- vectors ----------------------------------------------------------------------------------

/// x = 0 at all nodes
inline constexpr Traffic set_zero_traffic{0, 1};
template <Backend B, Number T>
void set_zero(const B& on, const Field<T>& x);

/// y = x at all nodes
inline constexpr Traffic copy_traffic{1, 1};
template <Backend B, Number T>
void copy(const B& on, In<Field, T> x, const Field<T>& y);

/// *result = (x, y) over a box
inline constexpr Traffic dot_traffic{2, 0};
template <Backend B, Number T>
void dot(const B& on, const Box& box, In<Field, T> x, In<Field, T> y, Scalar<T>* result);

/// The same in two parts: the first round of the sum, for the rows first <= row < last of the box
/// in any order and division, and the rounds that follow, once all rows are there.  Between the two
/// the chunk sums lie in the backend's scratch (gpu/backend/summation.hpp), to be copied there if
/// another backend has summed them, and no other sum may be computed.
template <Backend B, Number T>
void dot_rows(const B& on, const Box& box, In<Field, T> x, In<Field, T> y, int first, int last);
template <Backend B, Computable T>
void finish_sum(const B& on, const Box& box, T* result);

/// y = x + *beta y over a box
inline constexpr Traffic xpby_traffic{2, 1};
template <Backend B, Number T>
void xpby(const B& on, const Box& box, const Scalar<T>* beta, In<Field, T> x, const Field<T>& y);

// --- matrix -----------------------------------------------------------------------------------

/// y = A x
inline constexpr Traffic product_traffic{1, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void product(const B& on, const Rows& A, In<Field, T> x, const Field<T>& y);

/// q = A p and *result = (p, q)
inline constexpr Traffic product_dot_traffic{1, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void product_dot(const B& on, const Rows& A, In<Field, T> p, const Field<T>& q, Scalar<T>* result);

/// r = b - A x
inline constexpr Traffic residual_traffic{2, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void residual(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, const Field<T>& r);

/// *result = |b - A x|^2; the residual itself is not stored
inline constexpr Traffic residual_square_traffic{2, 0};
template <Backend B, Number T, RowsOf<T> Rows>
void residual_square(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, Scalar<T>* result);

/// *result = | |A||x| + |b| |^2 : u times its root estimates the smallest attainable residual
inline constexpr Traffic rounding_scale_traffic{2, 0};
template <Backend B, Number T, RowsOf<T> Rows>
void rounding_scale(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, Scalar<T>* result);

// --- smoothing --------------------------------------------------------------------------------

// What a smoother adds is computed to the leading digits (Leading<T>): it is small beside x, and a
// relative error in it changes the rate of convergence by as much, never the limit.  A step of
// pairs in difference form then takes 326 operations instead of 502.

/// y = x + omega D^-1 (b - A x), D the diagonal of A; x and y must not overlap
inline constexpr Traffic jacobi_step_traffic{2, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void jacobi_step(const B& on, const Rows& A, In<Field, T> b, std::type_identity_t<Leading<T>> omega,
                 In<Field, T> x, const Field<T>& y);

/// y = omega D^-1 b: the Jacobi step from x = 0, and a preconditioner
/// of CG.  D is taken to the leading digits, the rest in full, or it would not be linear and CG
/// would lose its directions.
inline constexpr Traffic jacobi_start_traffic{1, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void jacobi_start(const B& on, const Rows& A, In<Field, T> b,
                  std::type_identity_t<Leading<T>> omega, const Field<T>& y);

// --- between grids ----------------------------------------------------------------------------

/// b = P^T r for the coarse nodes of a box; r counts as zero outside the box of fine unknowns
inline constexpr Traffic restrict_traffic{4, 1};  // per coarse node
template <Backend B, Number T>
void restrict_residual(const B& on, const Box& coarse_box, const Box& fine_box,
                       const Transfer<Scalar<T>>& transfer, In<Field, T> r, const Field<T>& b);

/// x = x + P c for the fine nodes of a box (a quarter of a coarse value each, left out here)
inline constexpr Traffic prolong_traffic{1, 1};
template <Backend B, Number T>
void add_prolongated(const B& on, const Box& fine_box, const Transfer<Scalar<T>>& transfer,
                     In<Field, T> c, const Field<T>& x);

/// A x = b for the unknowns of the coarsest grid, 3 x 3 nodes, Dirichlet values of x being given,
/// by elimination without pivoting (A is positive definite) on one worker.  Where
/// constants are free, one of the solutions.
template <Backend B, Number T, RowsOf<T> Rows>
void solve_coarsest(const B& on, const Rows& A, In<Field, T> b, const Field<T>& x);

// --- conjugate gradients ----------------------------------------------------------------------

/// Iterations between two looks of the host at a CG solve, at most.
inline constexpr int cg_block = 32;

/// The scalars of a CG solve; they live on the backend.  Once `active` is 0, an iteration leaves x
/// and the history as they are: a block may run on past convergence without changing a bit of
/// them.  (r too, unless a preconditioner takes away its mean.)  For vectors of T it is a
/// CgState<Arithmetic<T>>.
template <Computable T>
struct CgState {
  T rr;      ///< (r, r)
  T rz;      ///< (r, z), z = M^-1 r
  T pq;      ///< (p, A p)
  T rz_new;  ///< (r, z) of the next iteration
  T qz;      ///< (A p, z), used with a multigrid preconditioner
  T alpha, beta;
  T target;  ///< iterate until rr <= target
  int iterations, max_iterations;
  int active;           ///< 1 until the target or max_iterations is reached or rr is not a number
  T history[cg_block];  ///< rr after iteration k at k mod cg_block
};

/// How beta follows from the scalars: (r,z)new / (r,z), or with the flexible form -alpha (q,z) /
/// (r,z), which tolerates a preconditioner that is not symmetric, such as an F-cycle.
enum class BetaForm { standard, flexible };

/// alpha = rz / pq, or 0 if not active or pq has underflowed
template <Backend B, Computable T>
void cg_alpha(const B& on, CgState<T>* state);

/// x += alpha p, r -= alpha q, rr = (r, r)
inline constexpr Traffic cg_update_traffic{4, 2};
template <Backend B, Number T>
void cg_update(const B& on, const Box& box, In<Field, T> p, In<Field, T> q, const Field<T>& x,
               const Field<T>& r, CgState<Scalar<T>>* state);

/// Counts the iteration, decides whether to go on.  rr must be set.  Sets rz_new = rr, which is
/// right without a preconditioner; with one, dot(r, z) overwrites it.
template <Backend B, Computable T>
void cg_count(const B& on, CgState<T>* state);

/// beta from rz_new (and qz), or 0 if rz has underflowed; then rz = rz_new.  If not active, beta =
/// 0 and rz stays.
template <Backend B, Computable T>
void cg_beta(const B& on, BetaForm form, CgState<T>* state);

/// p = r + beta p over a box, or p as it is if not active
inline constexpr Traffic cg_direction_traffic{2, 1};
template <Backend B, Number T>
void cg_direction(const B& on, const Box& box, In<Field, T> r, const CgState<Scalar<T>>* state,
                  const Field<T>& p);

}  // namespace ninefold
