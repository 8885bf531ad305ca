#pragma once
// The meaning of the residual of mixed precision; see gpu/meaning/generic_row_operations.hpp.

#include "gpu/meaning/between_formats.hpp"
#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/operations/mixed_operations.hpp"

namespace ninefold {

/// b - A x, as hosts compute it before they round it.
template <class Form, class High, class Rows>
struct ResidualToRound {
  using RowForm = Form;
  using C = Arithmetic<High>;
  Rows A;
  Field<const High> b, x;
  C operands(int i, int j) const { return b(i, j); }
  C finish(int, int, const C& right, const VisitedRow<High>& row) const {
    return right - row.product;
  }
  C operator()(int i, int j) const { return C(b(i, j)) - Form::product(A, x, i, j); }
};

template <class Form, class High, class Low, class Rows>
struct ResidualRounded {
  using RowForm = Form;
  static constexpr int batch = 1;  // two take as long, in more registers
  using C = Arithmetic<High>;
  Rows A;
  Field<const High> b, x;
  Field<Low> r;
  const RefinementState<C>* state;
  ResidualToRound<Form, High, Rows> before() const { return {A, b, x}; }
  HOST_DEVICE C operands(int i, int j) const { return b(i, j); }
  HOST_DEVICE C finish(int i, int j, const C& right, const VisitedRow<High>& row) const {
    return write(i, j, right - row.product);
  }
  HOST_DEVICE C read(int i, int j) const { return b(i, j) - Form::product(A, x, i, j); }
  HOST_DEVICE C write(int i, int j, C value) const {
    r(i, j) = narrowed<Low>(state->down * value);
    return value * value;
  }
};

template <Backend B, Number High, Number Low, RowsOf<High> Rows>
void residual_rounded(const B& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                      const Field<Low>& r, RefinementState<Scalar<High>>* state) {
  require_shape("residual_rounded", r, A, b, x);
  require_inside_and_some("residual_rounded", A.unknowns, A);
  count_mixed<High, Low>(on, A.unknowns, 2 + Rows::stored_values, 1);
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    sum_own(on, A.ny, A.unknowns,
            ResidualRounded<Form, High, Low, Indexed<Rows>>{indexed(A), b, x, r, state},
            &state->square);
  });
}

}  // namespace ninefold
