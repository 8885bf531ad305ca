#pragma once
// Rows that follow each other along y, and share what they have in common.
//
// A row of factors (fem/matrix/factored_rows.hpp) needs q of three rows and two flows between them,
// of which the next row needs two and one again.  Who goes up a column computes each once: half of
// the operations, and a third of the reads.  The bits are those of rows by themselves.  Residuals,
// products, Jacobi steps and their sums climb; on devices sums of pairs do not, for want of
// registers, but on large grids residuals and their norms march (gpu/kernels/marching_sums.cuh),
// and what else is not summed climbs two columns at once (gpu/launch/climbing_neighbours.cuh) or
// has its rows copied (gpu/launch/climbing_ring.cuh).
//
// Tests.  tests/gpu/operations/climbing_test.cpp, tests/gpu/device/climbing_test.cpp

#include <concepts>

#include "fem/matrix/factored_rows.hpp"

#include "gpu/launch/visited_row.hpp"
#include "gpu/meaning/two_values.hpp"

namespace ninefold {

/// A functor as in gpu/launch/visited_row.hpp whose rows may be climbed.
template <class F>
concept Climbing = std::same_as<typename F::RowForm, FactoredForm>;

/// One that writes a value for each row.
template <class F>
concept ClimbingWriter = Climbing<F> && requires(const F& f) {
  f.result();
};

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

/// n neighbours of a row, the first of them in a column that n divides, and those beside them.
template <class C, int n>
struct NeighbourNodes {
  C value[n + 2];

  /// Of a row that is_aligned_for<n>.
  template <class T>
  HOST_DEVICE static NeighbourNodes around(const T* at) {
    const auto own = *reinterpret_cast<const AlignedValues<T, n>*>(at);
    NeighbourNodes all;
    all.value[0] = at[-1];
    for (int c = 0; c < n; ++c) all.value[c + 1] = own.value[c];
    all.value[n + 1] = at[n];
    return all;
  }
  HOST_DEVICE ThreeNodes<C> operator[](int c) const {
    return {value[c], value[c + 1], value[c + 2]};
  }
};

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

  /// Before a row, from its nodes and those below it.
  HOST_DEVICE void start(const FactoredEntries<T>& row, const ThreeNodes<C>& south,
                         const ThreeNodes<C>& nodes) {
    factors = row.x;
    here = nodes;
    column = FactoredForm::column(row, south, nodes);
  }
  HOST_DEVICE void start(const FactoredRows<T>& A, const Field<const T>& x, int i, int j) {
    start(A.row(i, j), around(x, i, j - 1), around(x, i, j));
  }

  /// Row j for a functor, its factors along y and the matrix's reaction given, then the next one.
  template <class F>
  HOST_DEVICE VisitedRow<T> climb(const F& f, const NodeFactors<C>& y, const C& reaction,
                                  const ThreeNodes<C>& north) {
    const FactoredEntries<T> row{factors, y, reaction};
    const VisitedRow<T> value{FactoredForm::climb(row, here, north, column), diagonal_for(f, row),
                              here.middle};
    here = north;
    return value;
  }
};

}  // namespace ninefold
