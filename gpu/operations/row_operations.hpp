#pragma once
// The vocabulary of matrices on a grid: every operation with rows of a stencil, and between grids,
// with its formula and its traffic.  Arguments are as in gpu/operations/vector_operations.hpp.
//
// Operations visit the unknowns only (A.unknowns, or the box that is passed); values on Dirichlet
// sides are never written.  A.unknowns must lie inside the grid, as boxes must.
//
// A matrix is any RowSource: T is that of the vectors, and the kinds for which an operation is
// compiled are listed in gpu/compiled.
//
// Cost.  A `Traffic` counts vectors; neighbours come from caches.  What rows of the matrix move is
// added by its kind: with_rows, with_diagonal.
//
// Rounding.  As of vectors; fem/matrix/nine_band.hpp for rows, and all else as written in
// gpu/meaning/generic_row_operations.hpp.
//
// Tests.  tests/gpu/operations/operations_test.cpp (50 digits), tests/gpu/device/same_bits_test.cpp

#include <type_traits>

#include "precision/number.hpp"

#include "grids/transfer.hpp"

#include "fem/discrete/q1_element.hpp"
#include "fem/matrix/factored_rows.hpp"
#include "fem/matrix/nine_band.hpp"
#include "fem/matrix/row_source.hpp"

#include "gpu/operations/relaxation.hpp"
#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// The traffic of vectors with what a row, or its diagonal entry, reads.
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

/// *result = | |A||x| + |b| |^2 : u times its root estimates the smallest attainable residual, in
/// difference form, too: storing x rounds it
inline constexpr Traffic rounding_scale_traffic{2, 0};
template <Backend B, Number T, RowsOf<T> Rows>
void rounding_scale(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x, Scalar<T>* result);

/// m (in place of b, if that is meant): u m is what rounding may leave of b - A x in each row, with
/// all sums of sizes |b| + |A||x| in plain form, |b| + sum |a||x_j - x_i| + |s||x_i| in difference
/// form, |b| + sum |m q| + |F - F'| of factored rows (fem/matrix/factored_rows.hpp)
inline constexpr Traffic rounding_of_rows_traffic{2, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void rounding_of_rows(const B& on, const Rows& A, In<Field, T> b, In<Field, T> x,
                      const Field<T>& m);

// --- smoothing --------------------------------------------------------------------------------

// What a smoother adds is computed to the leading digits (Leading<T>): it is small beside x, and a
// relative error in it changes the rate of convergence by as much, never the limit.  A step of
// pairs in difference form then takes 326 operations instead of 502.

/// A damping alone stands for one by the diagonal; takes no part in deduction.
template <class T>
using StepRelaxation = std::type_identity_t<Relaxation<Leading<T>>>;

/// y = x + omega D^-1 (b - A x), D the diagonal of A or, of factored rows, its bound
/// (gpu/operations/relaxation.hpp), whose inverse is rounded before it is multiplied by omega; x
/// and y must not overlap
inline constexpr Traffic jacobi_step_traffic{2, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void jacobi_step(const B& on, const Rows& A, In<Field, T> b, StepRelaxation<T> relaxation,
                 In<Field, T> x, const Field<T>& y);

/// y = omega D^-1 b: the Jacobi step from x = 0, and a preconditioner
/// of CG.  D is taken to the leading digits, the rest in full, or it would not be linear and CG
/// would lose its directions.
inline constexpr Traffic jacobi_start_traffic{1, 1};
template <Backend B, Number T, RowsOf<T> Rows>
void jacobi_start(const B& on, const Rows& A, In<Field, T> b, StepRelaxation<T> relaxation,
                  const Field<T>& y);

// --- between grids ----------------------------------------------------------------------------

/// b = P^T r for the coarse nodes of a box; r counts as zero outside the box of fine unknowns.
/// Where rows are divided among ranks, `rows_asked` of r on either side are asked of others, 0
/// where the next one is there; throws std::invalid_argument unless that is 0 to Slabs::ghost_rows.
inline constexpr Traffic restrict_traffic{4, 1};  // per coarse node
template <Backend B, Number T>
void restrict_residual(const B& on, const Box& coarse_box, const Box& fine_box,
                       const Transfer<Scalar<T>>& transfer, In<Field, T> r, const Field<T>& b,
                       int rows_asked = 1);

/// x = x + P c for the fine nodes of a box (a quarter of a coarse value each, left out here)
inline constexpr Traffic prolong_traffic{1, 1};
inline constexpr Traffic prolong_traffic_of_coarse_node{5, 4};  ///< nothing left out
template <Backend B, Number T>
void add_prolongated(const B& on, const Box& fine_box, const Transfer<Scalar<T>>& transfer,
                     In<Field, T> c, const Field<T>& x);

/// A x = b for the unknowns of the coarsest grid, 3 x 3 nodes, Dirichlet values of x being given,
/// by elimination without pivoting (A is positive definite) on one worker.  Where
/// constants are free, one of the solutions.
template <Backend B, Number T, RowsOf<T> Rows>
void solve_coarsest(const B& on, const Rows& A, In<Field, T> b, const Field<T>& x);

}  // namespace ninefold
