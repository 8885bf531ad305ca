#pragma once
// The vocabulary of vectors in mixed precision: operations that read one format and write another.
// For all else see gpu/operations/vector_operations.hpp.
//
// Mathematics.  An outer solver keeps x and b in High, an inner one solves A c = d r in Low for the
// residual r = b - A x, and x + c / d is the better solution.  The factor d, `down`, keeps the
// values that are stored in Low near one size while r falls by many orders of magnitude; `up` is
// 1 / d.
//
// Cost.  No pass over a vector only converts: what is rounded to Low is rounded by the operation
// that computes it, and what is widened to High by the one that uses it.
//
// Rounding.  Computed in Arithmetic<High>, rounded once where it is stored.  Factors that are
// powers of two round nothing unless a value leaves Low's range.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.2.
// Tests.      tests/gpu/operations/mixed_operations_test.cpp (50 digits),
// tests/gpu/device/mixed_same_bits_test.cpp

#include "gpu/operations/cg_operations.hpp"
#include "gpu/operations/refinement_state.hpp"

namespace ninefold {

/// x = x + up c over an extent.  Moves two values of High and one of Low.
template <Backend B, Number High, Number Low>
void add_correction(const B& on, const Extent& extent, const RefinementState<Scalar<High>>* state,
                    In<Field, Low> c, const Field<High>& x);

/// The state of a refinement that begins: of its `square`, that at another place, or its own.
template <Backend B, Computable C>
void begin_scales(const B& on, const C* square, RefinementState<C>* state);

/// down and up for the next residual, from `square`; unchanged if that is zero or not finite.  Up
/// is over / down: corrections are taken so many times.
template <Backend B, Computable C>
void set_scale(const B& on, RefinementScaling scaling, int exponent, RefinementState<C>* state,
               const OverCorrections& over = {});

// --- flexible conjugate gradients, preconditioned by a solver in Low --------------------------

/// *result = (r, up c) over an extent.  Moves a value of High and one of Low.
template <Backend B, Number High, Number Low>
void dot_widened(const B& on, const Extent& extent, In<Field, High> r, In<Field, Low> c,
                 const RefinementState<Scalar<High>>* state, Scalar<High>* result);

/// p = up c + *beta p over an extent.  Moves two values of High and one of Low.
template <Backend B, Number High, Number Low>
void xpby_widened(const B& on, const Extent& extent, const Scalar<High>* beta, In<Field, Low> c,
                  const RefinementState<Scalar<High>>* state, const Field<High>& p);

/// As cg_update, and s = down r, rounded to Low.  Moves three values of High per node of either
/// extent and one of Low.
template <Backend B, Number High, Number Low>
void cg_update_rounded(const B& on, const Extent& of_x, const Extent& of_r, In<Field, High> p,
                       In<Field, High> q, const Field<High>& x, const Field<High>& r,
                       const Field<Low>& s, const RefinementState<Scalar<High>>* scale,
                       CgState<Scalar<High>>* state);
template <Backend B, Number High, Number Low>
void cg_update_rounded(const B& on, const Extent& extent, In<Field, High> p, In<Field, High> q,
                       const Field<High>& x, const Field<High>& r, const Field<Low>& s,
                       const RefinementState<Scalar<High>>* scale, CgState<Scalar<High>>* state) {
  cg_update_rounded<B, High, Low>(on, extent, extent, p, q, x, r, s, scale, state);
}

}  // namespace ninefold
