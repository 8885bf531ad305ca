#pragma once
// The residual of mixed precision: computed in one format and stored in another, see
// gpu/operations/mixed_vector_operations.hpp.
//
// Tests.  tests/gpu/operations/mixed_operations_test.cpp (50 digits),
// tests/gpu/device/mixed_same_bits_test.cpp

#include "fem/matrix/computed_bands.hpp"

#include "gpu/operations/mixed_vector_operations.hpp"
#include "gpu/operations/row_operations.hpp"

namespace ninefold {

/// r = down (b - A x), rounded to Low, and square = |b - A x|^2.  Moves two values of High, those
/// of a row, and one of Low.
template <Backend B, Number High, Number Low, RowsOf<High> Rows>
void residual_rounded(const B& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                      const Field<Low>& r, RefinementState<Scalar<High>>* state);

/// The same on the host for the rows first <= row < last of A.unknowns, as dot_rows; then
/// finish_sum(on, A.unknowns, &state->square).
template <Number High, Number Low, RowsOf<High> Rows>
void residual_rounded_rows(const Host& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                           const Field<Low>& r, const RefinementState<Scalar<High>>* state,
                           int first, int last);

}  // namespace ninefold
