#pragma once
// What a CUDA device does in one pass over factored rows where the host does two or three: steps
// that follow each other on one level of multigrid.
//
// Mathematics.  jacobi_step, jacobi_start, residual, restrict_residual and add_prolongated of
// gpu/operations/row_operations.hpp, one after the other.
//
// Why.  Factored rows move vectors alone, 12 bytes a step in single; a pass that does two steps
// moves as much.  A visit of a level with 2 + 2 steps moves 34 bytes a node instead of 74.
//
// Cost.  Per node: jacobi_steps 2 reads and 1 write, whatever their number; from zero 1 and 1;
// on the sum x + P c a quarter of a read more, on P c alone 1 1/4 and 1; restrict_residual_of 2
// reads and a quarter of a write.  Nothing in between is stored.
//
// Where.  Fields are those of NodeVectors (a row and 16 values on both sides, rows that begin at
// multiples of 16 values).  On large grids (PassSizes::strips), warps march up strips of the grid.
// On smaller ones these are too few, and wait for one row after the other: there blocks work on
// tiles, which share less, and are done sooner.
//
// Rounding.  The bits of the operations one by one: what would be stored in between is rounded to T
// in the same way (gpu/kernels/marching_strip.cuh, gpu/kernels/tile_passes.cuh).  Steps by
// Divisor::bound add nothing to Dirichlet nodes by adding zero times the residual there, which two
// steps in one pass must therefore find finite, as the inverses of a direction's stiffnesses and
// masses: what overflows there is NaN a step sooner.
//
// Tests.  tests/gpu/device/fused_operations_test.cpp

#include <cstdint>
#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/number.hpp"

#include "grids/transfer.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/operations/relaxation.hpp"
#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// The formats that have these operations: pairs of words do not, whose rows fill the registers.
template <class T>
inline constexpr bool has_fused_operations = !is_double_word<Arithmetic<T>>;

/// How a device goes through a grid.
enum class FusedBy { size, strips, tiles };

/// What `size` stands for, with values of type T.
template <class T>
FusedBy fused_by(const Cuda& on, int nx, int ny) {
  return std::int64_t{nx} * ny >= on.pass_sizes().strips_of(sizeof(T)) ? FusedBy::strips
                                                                       : FusedBy::tiles;
}

/// Steps that one pass can do.
inline constexpr int most_fused_steps = 2;

/// Theirs, one after the other; a damping alone stands for the same in all of them.
template <class T>
using StepRelaxations = std::type_identity_t<Relaxations<Leading<T>, most_fused_steps>>;

/// Where rows are divided among ranks, those of others that a pass reads.
enum class OthersRows {
  asked_for,  ///< the pass asks for them; of what it writes a rank's own rows are right
  /// They are there: of the coarse correction two below and three above a rank's own, or all, and
  /// of the right-hand side one.  Of what the pass writes, where it has two steps and shared_rows
  /// of the right-hand side are there, two below and three above are right, too.
  known
};
/// Rows of others of a right-hand side that are asked for once, for all passes of a visit.
inline constexpr int shared_rows = 4;

/// y = x after `steps` Jacobi steps, 1 or 2: jacobi_step once or twice.  y must not overlap x; at
/// Dirichlet nodes it is not written.
template <Number T>
void jacobi_steps(const Cuda& on, const FactoredRows<T>& A, In<Field, T> b,
                  const StepRelaxations<T>& relaxations, In<Field, T> x, int steps,
                  const Field<T>& y, FusedBy by = FusedBy::size);

/// y = the same from x = 0: jacobi_start and, with two steps, jacobi_step, where y is zero at
/// Dirichlet nodes.
template <Number T>
void jacobi_steps_from_zero(const Cuda& on, const FactoredRows<T>& A, In<Field, T> b,
                            const StepRelaxations<T>& relaxations, int steps, const Field<T>& y,
                            FusedBy by = FusedBy::size);

/// y = x + P c after `steps` Jacobi steps, 1 or 2: add_prolongated, then jacobi_step.  `transfer`
/// leads from the grid of c to that of A.
template <Number T>
void jacobi_steps_on_sum(const Cuda& on, const Transfer<Scalar<T>>& transfer, In<Field, T> c,
                         const FactoredRows<T>& A, In<Field, T> b,
                         const StepRelaxations<T>& relaxations, In<Field, T> x, int steps,
                         const Field<T>& y, FusedBy by = FusedBy::size);

/// The same with an x of zeros, which is not read; y is zero at Dirichlet nodes.
template <Number T>
void jacobi_steps_on_prolongation(const Cuda& on, const Transfer<Scalar<T>>& transfer,
                                  In<Field, T> c, const FactoredRows<T>& A, In<Field, T> b,
                                  const StepRelaxations<T>& relaxations, int steps,
                                  const Field<T>& y, FusedBy by = FusedBy::size,
                                  OthersRows others = OthersRows::asked_for);

/// b_coarse = P^T (b - A x) for the coarse nodes of a box: residual, then restrict_residual.
template <Number T>
void restrict_residual_of(const Cuda& on, const Box& coarse_box,
                          const Transfer<Scalar<T>>& transfer, const FactoredRows<T>& A,
                          In<Field, T> b, In<Field, T> x, const Field<T>& b_coarse,
                          FusedBy by = FusedBy::size);

}  // namespace ninefold
