#pragma once
// The vocabulary of full multigrid: what leads from a solution on one grid to that on the next.
//
// Mathematics.  With c the solution on the coarse grid and I its cubic interpolation
// (grids/cubic.hpp), a level of full multigrid in High, corrected in Low, is
//
//     r = down (b - A I c)        in High, rounded to Low
//     A e = r                     roughly, in Low
//     x = (I c + up e) + up d     in High, d what one more Jacobi step would add to e
//
// Rounding.  Computed in Arithmetic<High>, rounded where it is stored; I c is rounded to High
// wherever it is used, as if it were stored.
//
// Tests.  tests/gpu/operations/nested_operations_test.cpp (50 digits),
// tests/gpu/device/nested_operations_test.cpp

#include "precision/host_device.hpp"

#include "grids/cubic.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/operations/fused_operations.hpp"
#include "gpu/operations/mixed_operations.hpp"
#include "gpu/operations/product_operations.hpp"

namespace ninefold {

/// x = I c at the nodes of a box.  Moves a value and a quarter.
template <Backend B, Number T>
void interpolate(const B& on, const Box& box, const CubicTransfer<Scalar<T>>& cubic, In<Field, T> c,
                 const Field<T>& x);

/// x = I c + up e at the nodes of a box.  Moves a value and a quarter of High and one of Low.
template <Backend B, Number High, Number Low>
void add_interpolated(const B& on, const Box& box, const CubicTransfer<Scalar<High>>& cubic,
                      In<Field, High> c, const RefinementState<Scalar<High>>* state,
                      In<Field, Low> e, const Field<High>& x);

/// What the load of a level is evaluated in: what T is assembled in, which is double or
/// double-double, but double-single where T is that, which takes the place of a slow double.
template <class T>
using LoadValue = std::conditional_t<is_double_word<Arithmetic<T>>, Arithmetic<T>, Assembly<T>>;

/// b = sum of products, rounded once, at the nodes of a box.  In LoadValue<T>: products are
/// rounded, and added in their order.  Moves a value.
template <Backend B, Number T>
void evaluate_load(const B& on, const Box& box, const Products<LoadValue<T>>& products,
                   const Field<T>& b);

/// r = down (b - A x), rounded to Low, without its norm.  Moves as residual_rounded, and has its
/// bits, but where factored rows in pairs of words are rounded to a word's digits or fewer: to a
/// word first, then to Low.  Differences alone are normalised there, and up to 123 u^2, with a
/// reaction 247 u^2, of the sizes of what is added up is lost (fem/matrix/unnormalised_rows.hpp).
template <Backend B, Number High, Number Low, RowsOf<High> Rows>
void residual_narrowed(const B& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                       const RefinementState<Scalar<High>>* state, const Field<Low>& r);

/// How many times a correction is taken that foresees the next one, which is a quarter of it
/// (solvers/refinement/nested_iteration.hpp).
inline constexpr double over_correction = 1.25;
/// True if number k, from 0, of `count` corrections is: from `first_over` on the last but one, and
/// every second one before it.
HOST_DEVICE constexpr bool is_taken_over(int k, int count, int first_over) {
  return k >= first_over && (count - k) % 2 == 0;
}

/// The scales of `count` residuals that follow each other, from the square of the first one: number
/// k is scaled as if its norm were 2^(-k growth) times that (set_scale with exponent + k growth),
/// and its correction taken over_correction times if is_taken_over, else once.  Throws
/// std::invalid_argument if `first_over` is below 1.
template <Backend B, Computable C>
void set_scales(const B& on, RefinementScaling scaling, int exponent, int growth, int count,
                int first_over, RefinementState<C>* states);

/// True if nested_residual and the passes after it are compiled for a pair: rows of pairs of words
/// fill the registers.
template <class High, class Low>
inline constexpr bool has_nested_passes =
    !is_double_word<Arithmetic<High>> && !is_double_word<Arithmetic<Low>>;

/// Likewise for add_correction_after_steps, whose rows are of Low alone; of pairs of double the
/// solution itself fills the registers.
template <class High, class Low>
inline constexpr bool has_correction_passes = sizeof(Arithmetic<High>) <= 8
                                              && !is_double_word<Arithmetic<Low>>;

/// What a device does in one pass over factored rows, where a visit begins: r = down (b - A I c),
/// rounded to Low, and its restriction b_coarse = P^T r for the coarse nodes of a box. interpolate,
/// residual_narrowed and restrict_residual, one after the other, with their bits, whatever it is
/// done by; I c is not stored.  Moves 1 1/4 values of High and as many of Low.  Where rows are
/// divided among ranks, one of r and shared_rows of b_coarse that are others' are there afterwards.
template <Number High, Number Low>
void nested_residual(const Cuda& on, const FactoredRows<High>& A, In<Field, High> b,
                     const CubicTransfer<Scalar<High>>& cubic, In<Field, High> c,
                     const RefinementState<Scalar<High>>* state, const Field<Low>& r,
                     const Box& coarse_box, const Transfer<Scalar<Low>>& transfer,
                     const Field<Low>& b_coarse, FusedBy by = FusedBy::size);

/// The same where it ends: x = (I c + up e) + up d at the unknowns, e being P e_coarse after one
/// Jacobi step on A e = r, and d = omega D^-1 (r - A e) what the second one would add.
/// jacobi_steps_on_prolongation with one step, add_interpolated, residual, jacobi_start of that
/// residual and add_correction, one after the other, with their bits; e and d are not stored.
/// Throws if lines along x have more than 2 cells, and no multiple of 4.  Moves 1 1/4 values of
/// High and as many of Low.  OthersRows::known means of c two rows, too.
template <Number High, Number Low>
void nested_correction(const Cuda& on, const Transfer<Scalar<Low>>& transfer,
                       In<Field, Low> e_coarse, const FactoredRows<Low>& A, In<Field, Low> r,
                       const StepRelaxations<Low>& relaxations,
                       const CubicTransfer<Scalar<High>>& cubic, In<Field, High> c,
                       const RefinementState<Scalar<High>>* state, const Field<High>& x,
                       FusedBy by = FusedBy::size, OthersRows others = OthersRows::asked_for);

/// Likewise for a solution that is there: x = x + up e at the unknowns, e being P e_coarse after
/// two steps.  jacobi_steps_on_prolongation and add_correction, one after the other, with their
/// bits; e is not stored.  Throws as nested_correction.  Moves two values of High and 1 1/4 of Low.
template <Number High, Number Low>
void add_correction_after_steps(const Cuda& on, const Transfer<Scalar<Low>>& transfer,
                                In<Field, Low> e_coarse, const FactoredRows<Low>& A,
                                In<Field, Low> r, const StepRelaxations<Low>& relaxations,
                                const RefinementState<Scalar<High>>* state, const Field<High>& x,
                                FusedBy by = FusedBy::size,
                                OthersRows others = OthersRows::asked_for);

}  // namespace ninefold
