#pragma once
// Functors that visit nodes with the row of A x there.
//
// They offer themselves in two parts, so that rows that follow each other may share what they have
// in common (gpu/launch/climbing.hpp): operands(i, j), all but the row, and finish(i, j, operands,
// row), which returns what a sum adds.  A and x are members, RowForm is the way the row is
// evaluated.  One that has `reads_ahead` takes less time on a device that reads rows while it
// computes those before, at the price of registers (results/reference/h200_fused.csv).

#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "fem/matrix/nine_band.hpp"

namespace ninefold {

/// (A x)(i, j), the diagonal entry and x(i, j).
template <class T>
struct VisitedRow {
  Arithmetic<T> product;
  Leading<T> diagonal;
  Arithmetic<T> x;
};

struct NoOperands {};

/// Such a functor at one node.
template <class Form, class T, class F>
HOST_DEVICE void visit_row(const F& f, int i, int j) {
  const auto operands = f.operands(i, j);  // under way while the row is computed
  const Arithmetic<T> x = f.x(i, j);
  const RowValue<T> row = Form::value(f.A, f.x, i, j);
  f.finish(i, j, operands, VisitedRow<T>{row.product, row.diagonal, x});
}

}  // namespace ninefold
