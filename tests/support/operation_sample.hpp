#pragma once
// What the tests of single operations vary: shape, unknowns, form and values.

#include "fem/matrix/nine_band.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"

namespace ninefold::testing {

/// One matrix, vectors and what a test of them varies.
template <class T>
struct Sample {
  Case c = GENERATE(from_range(cases<T>()));
  OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  Range range = GENERATE(Range::tame, Range::hurtful, Range::alike);
  std::uint64_t seed = 17;
  double u = unit_roundoff<Arithmetic<T>>();
  double leading_u = unit_roundoff<Leading<T>>();
  double cut = std::same_as<Leading<T>, Arithmetic<T>> ? 0 : 1;  ///< roundoffs of Leading<T>(value)
  Box box = c.unknowns;
  RandomMatrix<T> A;
  NodeValues<T> x, b, y;

  explicit Sample(Signs signs = Signs::any)
      : A(c.nx, c.ny, form, c.unknowns, seed, range == Range::hurtful ? range : Range::tame, signs),
        x(c.nx, c.ny, seed + 1, range),
        b(c.nx, c.ny, seed + 2, range),
        y(c.nx, c.ny, seed + 3, Range::tame) {}

  bool difference() const { return form == OperatorForm::difference; }
  /// What one row product loses, and one more: a sum of nine products, a difference before.
  double row_roundoffs() const {
    return (difference() ? loss<T>.sum : 0) + product_sum_loss<T>(9) + 1;
  }
  /// The same with b - A x.
  double residual_roundoffs() const { return row_roundoffs() + loss<T>.sum; }
  /// A computed diagonal: a tree of three levels and the row sum.
  double diagonal_roundoffs() const { return difference() ? 4 * loss<T>.sum + 1 : 0; }
  /// The same in a smoother, in roundoffs of Leading<T>, to which entries of pairs are cut.
  double leading_diagonal_roundoffs() const {
    return cut + (difference() ? 4 * loss<Leading<T>>.sum + 1 : 0);
  }

  template <class Check>
  void for_box(const Check& check) const {
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) check(i, j);
    }
  }
  /// |A||x| + |b| of the terms of row (i, j).
  Exact size(int i, int j) const { return A.row(x, i, j).magnitude + abs(b.exact(i, j)); }
  Exact residual(int i, int j) const { return b.exact(i, j) - A.row(x, i, j).value; }
  /// The error bound of a computed b - A x.
  Exact residual_error(int i, int j) const { return Exact(residual_roundoffs() * u) * size(i, j); }
};

#define CAPTURE_SAMPLE(s) \
  CAPTURE((s).c.nx, (s).c.ny, (s).box.i0, to_string((s).form), int((s).range), (s).seed)

/// The product, a chunk of a row (3 in a lane, 8 in the tree), a round of partial sums (15 and 8),
/// 1.
template <class T>
inline constexpr double sum_roundoffs = loss<T>.product + 34 * loss<T>.sum + 1;

}  // namespace ninefold::testing
