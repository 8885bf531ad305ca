#pragma once
// The meaning of a residual by rows, which the host alone has; see
// gpu/operations/mixed_operations.hpp.

#include "gpu/meaning/generic_mixed_operations.hpp"

namespace ninefold {

template <Number High, Number Low, RowsOf<High> Rows>
void residual_rounded_rows(const Host& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                           const Field<Low>& r, const RefinementState<Scalar<High>>* state,
                           int first, int last) {
  require_shape("residual_rounded_rows", r, A, b, x);
  const Extent rows = rows_inside("residual_rounded_rows", A.unknowns, first, last, A);
  count_mixed<High, Low>(on, rows, 2 + Rows::stored_values, 1);
  with_form(A, [&]<class Form>(Form) {
    sum_rows<Scalar<High>>(
        on, A.unknowns, ResidualRounded<Form, High, Low, Indexed<Rows>>{indexed(A), b, x, r, state},
        first, last);
  });
}

}  // namespace ninefold
