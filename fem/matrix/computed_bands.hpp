#pragma once
// The Q1 matrix of fem/matrix/nine_band.hpp without its bands: each entry is computed where it is
// needed.
//
// Mathematics.  On a tensor-product grid a_st(i,j) follows from three numbers of column i and three
// of row j (fem/discrete/q1_element.hpp).
//
// Cost.  Nothing moves but vectors, and the couplings, which stay in caches: a residual takes 3
// values per node instead of 12, for 40 operations more in Assembly<T> (64 with a reaction).  This
// is what makes a residual in high precision cheap beside a solver in low precision, and what
// leaves the memory of a matrix free.
//
// Rounding.  Entries are computed in Assembly<T> and rounded once to T, as stored ones are: the two
// have the same bits, and so do all operations on them; but that a zero across a Neumann side may
// have the other sign, which no product shows.
//
// Tests.  tests/fem/matrix/computed_bands_test.cpp

#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"

#include "fem/discrete/q1_element.hpp"
#include "fem/matrix/nine_band.hpp"

namespace ninefold {

/// The entries of one row, to be rounded to T.  Without a reaction its term is left out: it would
/// add a zero.
template <class T, bool reaction>
struct ComputedRow {
  using W = Assembly<T>;

  Coefficients<W> g;
  NodeCouplings<W> x, y;

  HOST_DEVICE T operator[](int m) const {
    const int s = m % 3 - 1, t = m / 3 - 1;
    return static_cast<T>(reaction ? coupling(g, x, y, s, t) : diffusion(g, x, y, s, t));
  }
  HOST_DEVICE T diagonal() const { return (*this)[4]; }
  HOST_DEVICE T row_sum() const {
    return reaction ? static_cast<T>(ninefold::row_sum(g, x, y)) : T(0);
  }
};

/// A view of the couplings of all nodes of both directions.
template <class T, bool reaction = true>
struct ComputedBands {
  using Value = T;
  using W = Assembly<T>;
  static constexpr bool is_read_only = true;
  static constexpr int stored_values = 0;

  Coefficients<W> g;
  LineCouplings<W> x, y;
  int nx, ny;
  OperatorForm form;
  Box unknowns;

  /// Of an unknown; nothing is checked.
  HOST_DEVICE ComputedRow<T, reaction> row(int i, int j) const { return {g, x[i], y[j]}; }

  HOST_DEVICE bool has_reaction() const { return !(g.c == W(0)); }
  /// The same matrix for rows that need no reaction.
  HOST_DEVICE ComputedBands<T, false> without_reaction() const requires(reaction) {
    return {g, x, y, nx, ny, form, unknowns};
  }
};

}  // namespace ninefold
