#pragma once
// Rows that follow each other along y, and share what they have in common.
//
// A row of factors (fem/matrix/factored_rows.hpp) needs q of three rows and two flows between them,
// of which the next row needs two and one again.  Who goes up a column computes each once: half of
// the operations, and a third of the reads.  The bits are those of rows by themselves.  Residuals,
// products, Jacobi steps and their sums climb; on devices the sums of pairs do not, for want of
// registers.
//
// Tests.  tests/gpu/operations/climbing_test.cpp, tests/gpu/device/large_grid_test.cpp

#include <concepts>

#include "fem/matrix/factored_rows.hpp"

#include "gpu/launch/visited_row.hpp"

namespace ninefold {

/// A functor as in gpu/launch/visited_row.hpp whose rows may be climbed.
template <class F>
concept Climbing = std::same_as<typename F::RowForm, FactoredForm>;

/// What a row needs beside the rows below it: the factors of the cells above it, and the nodes of
/// the next row.
template <class C>
struct RowAbove {
  C stiffness, mass;
};
template <class T>
HOST_DEVICE RowAbove<Arithmetic<T>> row_above(const FactoredRows<T>& A, int j) {
  return {A.y.stiffness[j + 1], A.y.mass[j + 1]};
}

/// The factors of a row along y, from one row to the next.
template <class C>
HOST_DEVICE void take_row(NodeFactors<C>& y, const RowAbove<C>& above) {
  y = {y.after, above.stiffness, y.mass_after, above.mass};
}

/// The nodes of one column from a row upwards: its factors, and what its rows share.
template <class T>
struct Climb {
  using C = Arithmetic<T>;

  NodeFactors<C> factors;
  ThreeNodes<C> here;
  FactoredColumn<C> column;

  HOST_DEVICE static ThreeNodes<C> around(const Field<const T>& x, int i, int j) {
    return ThreeNodes<C>::around(x.row(j) + i);
  }

  /// Before row j.
  HOST_DEVICE void start(const FactoredRows<T>& A, const Field<const T>& x, int i, int j) {
    factors = A.x[i];
    here = around(x, i, j);
    column = FactoredForm::column(A.row(i, j), around(x, i, j - 1), here);
  }

  /// Row j for a functor, its factors along y given, then the next one.
  template <class F>
  HOST_DEVICE VisitedRow<T> climb(const F& f, const NodeFactors<C>& y, const ThreeNodes<C>& north) {
    const FactoredEntries<T> row{factors, y, f.A.reaction};
    const VisitedRow<T> value{FactoredForm::climb(row, here, north, column), diagonal_for(f, row),
                              here.middle};
    here = north;
    return value;
  }
};

}  // namespace ninefold
