#pragma once
// What the tests of single operations vary: shape, unknowns, form and values.

#include <catch2/catch.hpp>

#include "fem/nine_band.hpp"

#include "tests/support/sample.hpp"

namespace ninefold::testing {

/// One matrix, vectors and what a test of them varies.
template <class T>
struct Sample {
  Case c = GENERATE(from_range(cases()));
  OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  Range range = GENERATE(Range::tame, Range::hurtful, Range::alike);
  std::uint64_t seed = 17;
  Box box = c.unknowns;
  RandomMatrix<T> A;
  NodeValues<T> x, b, y;

  explicit Sample(Signs signs = Signs::any)
      : A(c.nx, c.ny, form, c.unknowns, seed, range == Range::hurtful ? range : Range::tame, signs),
        x(c.nx, c.ny, seed + 1, range),
        b(c.nx, c.ny, seed + 2, range),
        y(c.nx, c.ny, seed + 3, Range::tame) {}

  bool difference() const { return form == OperatorForm::difference; }
  /// Roundings of one row product, one more than the longest chain: 9, or 10 with the differences.
  double row_roundoffs() const { return difference() ? 11 : 10; }

  template <class Check>
  void for_box(const Check& check) const {
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) check(i, j);
    }
  }
  /// |A||x| + |b| of the terms of row (i, j).
  Exact size(int i, int j) const { return A.row(x, i, j).magnitude + abs(b.exact(i, j)); }
  Exact residual(int i, int j) const { return b.exact(i, j) - A.row(x, i, j).value; }
};

#define CAPTURE_SAMPLE(s) \
  CAPTURE((s).c.nx, (s).c.ny, (s).box.i0, to_string((s).form), int((s).range), (s).seed)

/// A chunk of a row (3 in a lane, 8 in the tree), a round of partial sums (15 and 8), the
/// product, 1.
constexpr double sum_roundoffs = 36;

}  // namespace ninefold::testing
