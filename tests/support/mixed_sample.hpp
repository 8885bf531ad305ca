#pragma once
// What the tests of single operations of mixed precision vary: grid, unknowns, form and values.

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <vector>

#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/matrix/computed_bands.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"

namespace ninefold::testing {

/// What rounding to Low adds to the error of a number of Arithmetic<High>, where `stored` does not
/// see it: that is, if Low is a format to compute in.
template <class High, class Low>
Exact narrowing(const Exact& exact, const Exact& error) {
  if constexpr (std::same_as<High, Low> || !std::same_as<Low, Arithmetic<Low>>) {
    return 0;
  } else {
    int min_exponent = -1022;
    if constexpr (std::same_as<Low, SoftFloat>) {
      if (SoftFloat::exponent() == 8) min_exponent = -126;
    } else {
      min_exponent = Format<Low>::min_exponent;
    }
    // A pair of double near the middle of two floats may go to the farther one.
    const bool by_leading_word = std::same_as<High, DoubleDouble> && std::same_as<Low, float>;
    const Exact u = Exact(unit_roundoff<Low>()) + Exact(by_leading_word ? 0x1p-53 : 0);
    const Exact size = abs(exact) + error, normal(std::ldexp(1.0, min_exponent));
    return u * std::max(size, normal);
  }
}

/// A grid with its sides, and the coefficient of u.
struct MixedCase {
  int level;
  double nu, reaction;
  std::vector<Side> neumann;
};

inline std::vector<MixedCase> mixed_cases() {
  return {{1, 1.0, 0.3, {}},
          {1, 1.0, 0, {Side::right, Side::top}},
          {2, 0.45, 0.3, {Side::left, Side::right, Side::bottom, Side::top}},
          {4, 0.6, 0, {}},
          {4, 1.0, 0.3, {Side::left, Side::top}}};
}

/// A matrix that is computed, the same one stored, and vectors.
template <class T>
struct MixedSample {
  MixedCase c = GENERATE(from_range(mixed_cases()));
  OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  Range range = GENERATE(Range::tame, Range::hurtful, Range::alike);
  double u = unit_roundoff<Arithmetic<T>>();
  TensorGrid grid = make_hierarchy(1.0, 0.7, c.level, {c.nu, {Side::right, Side::bottom}}).back();
  int nx = grid.nx(), ny = grid.ny();
  Box box;
  ComputedMatrix<Host, T> computed;
  StoredMatrix<Host, T> stored;
  ComputedBands<T> A = computed.view();
  NodeValues<T> x, b;

  MixedSample()
      : box(unknown_nodes(grid, boundary(c))),
        computed(Host(), grid, box, coefficients(c), form),
        stored(Host(), grid, box, coefficients(c), form),
        x(nx, ny, 18, range),
        b(nx, ny, 19, range) {}

  template <class Check>
  void for_box(const Check& check) const {
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) check(i, j);
    }
  }

  Exact residual(int i, int j) const { return b.exact(i, j) - row(i, j).value; }
  /// The error bound of a computed b - A x: a sum of nine products, in difference form a difference
  /// before, and the last difference.
  Exact residual_error(int i, int j) const {
    const double sums = form == OperatorForm::difference ? 2 : 1;
    const double roundoffs = sums * loss<T>.sum + product_sum_loss<T>(9) + 1;
    return Exact(roundoffs * u) * (row(i, j).magnitude + abs(b.exact(i, j)));
  }

 private:
  struct Row {
    Exact value = 0, magnitude = 0;
  };
  /// By the definition of a nine-point stencil, from the entries as they are rounded.
  Row row(int i, int j) const {
    const auto a = A.row(i, j);
    Row result;
    for (int t = -1; t <= 1; ++t) {
      for (int s = -1; s <= 1; ++s) {
        if (i + s < 0 || i + s >= nx || j + t < 0 || j + t >= ny) continue;
        const bool centre = s == 0 && t == 0, difference = form == OperatorForm::difference;
        const T entry = centre && difference ? a.row_sum() : a[3 * (t + 1) + (s + 1)];
        Exact factor = x.exact(i + s, j + t);
        if (difference && !centre) factor -= x.exact(i, j);
        const Exact term = to_exact(entry) * factor;
        result.value += term;
        result.magnitude += abs(term);
      }
    }
    return result;
  }

  static Boundary boundary(const MixedCase& c) {
    Boundary sides;
    for (const Side side : c.neumann) sides[side] = BoundaryKind::neumann;
    return sides;
  }
  static Coefficients<Assembly<T>> coefficients(const MixedCase& c) {
    using W = Assembly<T>;
    return {W(1), W(0.7), W(c.reaction)};
  }
};

#define CAPTURE_MIXED_SAMPLE(s)                                                             \
  CAPTURE((s).c.level, (s).c.nu, (s).c.reaction, (s).c.neumann.size(), to_string((s).form), \
          int((s).range))

/// Vectors of both formats, for operations without a matrix.
template <class High, class Low>
struct MixedVectors {
  Range range = GENERATE(Range::tame, Range::hurtful, Range::alike);
  Box box = GENERATE(Box{1, 32, 1, 16}, Box{0, 33, 0, 17}, Box{3, 5, 2, 3});
  int nx = 33, ny = 17;
  double u = unit_roundoff<Arithmetic<High>>();
  NodeValues<High> x{nx, ny, 1, range}, y{nx, ny, 2, range}, p{nx, ny, 3, range},
      q{nx, ny, 4, range};
  NodeValues<Low> c = low_values();

  template <class Check>
  void for_box(const Check& check) const {
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) check(i, j);
    }
  }

 private:
  /// Such that half, as the higher format, holds what is computed with them.
  NodeValues<Low> low_values() const {
    if constexpr (std::same_as<High, Half> && !std::same_as<Low, Half>) {
      const auto values = random_values<Half>(std::size_t(nx * ny), 5, range);
      NodeValues<Low> narrow(nx, ny);
      std::transform(values.begin(), values.end(), narrow.view().data,
                     [](Half value) { return static_cast<Low>(static_cast<float>(value)); });
      return narrow;
    } else {
      return {nx, ny, 5, range};
    }
  }
};

#define CAPTURE_MIXED_VECTORS(s) CAPTURE((s).box.i0, (s).box.i1, int((s).range))

}  // namespace ninefold::testing
