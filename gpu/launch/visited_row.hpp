#pragma once
// Functors that visit nodes with the row of A x there.
//
// They offer themselves in two parts, so that rows that follow each other may share what they have
// in common (gpu/launch/climbing.hpp): operands(i, j), all but the row, and finish(i, j, operands,
// row), which returns what a sum adds.  A and x are members, RowForm is the way the row is
// evaluated.  One that has `reads_ahead` takes less time on a device that reads rows while it
// computes those before, at the price of registers (results/reference/h200_fused.csv); one that is
// summed and `stores_nothing` may be summed in longer columns.
//
// One that is not summed also says what these do, so that neighbours may be read and written at
// once: its operands are the values of right(), if it has any, and it writes value(operand, row),
// or value(row), to result().

#include <type_traits>

#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "fem/matrix/factored_rows.hpp"
#include "fem/matrix/nine_band.hpp"

#include "gpu/operations/relaxation.hpp"

namespace ninefold {

/// (A x)(i, j), the diagonal entry, or the inverse of a bound of it where a functor asks for that,
/// and x(i, j).
template <class T>
struct VisitedRow {
  Arithmetic<T> product;
  Leading<T> diagonal;
  Arithmetic<T> x;
};

/// The diagonal entry of a factored row as a functor takes it: by its `relaxation`, if it has one.
template <class F, class T>
HOST_DEVICE Leading<T> diagonal_for(const F& f, const FactoredEntries<T>& row) {
  if constexpr (requires { f.relaxation; }) {
    if (f.relaxation.divisor == Divisor::bound)
      return FactoredForm::inverse_bound_in<Leading<T>>(row);
  }
  return FactoredForm::diagonal_in<Leading<T>>(row);
}

struct NoOperands {};

/// Such a functor at one node.
template <class Form, class T, class F>
HOST_DEVICE void visit_row(const F& f, int i, int j) {
  const auto operands = f.operands(i, j);  // under way while the row is computed
  const Arithmetic<T> x = f.x(i, j);
  if constexpr (std::is_same_v<Form, FactoredForm>) {
    const Leading<T> diagonal = diagonal_for(f, f.A.row(i, j));
    f.finish(i, j, operands, VisitedRow<T>{Form::product(f.A, f.x, i, j), diagonal, x});
  } else {
    const RowValue<T> row = Form::value(f.A, f.x, i, j);
    f.finish(i, j, operands, VisitedRow<T>{row.product, row.diagonal, x});
  }
}

}  // namespace ninefold
