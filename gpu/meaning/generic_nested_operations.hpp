#pragma once
// The meaning of the operations of full multigrid; see gpu/meaning/generic_vector_operations.hpp.

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/unnormalised_pair.hpp"

#include "fem/matrix/unnormalised_rows.hpp"

#include "gpu/meaning/between_formats.hpp"
#include "gpu/meaning/generic_mixed_operations.hpp"
#include "gpu/meaning/generic_mixed_vector_operations.hpp"
#include "gpu/meaning/generic_product_operations.hpp"
#include "gpu/meaning/two_values.hpp"
#include "gpu/operations/nested_operations.hpp"

namespace ninefold {

/// What is stored at a fine node, or at two that follow each other, the first one even: the
/// interpolated value ...  What is read for it comes before what is computed, so that a thread does
/// not wait twice.
template <class T>
struct Interpolated {
  Field<T> x;
  using Read = int;  ///< nothing
  bool is_aligned() const { return is_aligned_for_two(x); }
  HOST_DEVICE Read read_two(int, int) const { return 0; }
  HOST_DEVICE void store(int i, int j, const T& value) const { x(i, j) = value; }
  HOST_DEVICE void store_two(int i, int j, Read, const T& first, const T& second) const {
    *reinterpret_cast<TwoValues<T>*>(x.row(j) + i) = {first, second};
  }
};
/// ... or that with a correction.
template <class High, class Low>
struct InterpolatedAndCorrected {
  const RefinementState<Arithmetic<High>>* state;
  Field<const Low> e;
  Field<High> x;
  using Read = TwoValues<Low>;
  bool is_aligned() const { return is_aligned_for_two(x) && is_aligned_for_two(e); }
  HOST_DEVICE static High value(const Arithmetic<High>& up, const Low& e, const High& before) {
    return High(fused(up, widened<High>(e), Arithmetic<High>(before)));
  }
  HOST_DEVICE Read read_two(int i, int j) const {
    return *reinterpret_cast<const TwoValues<Low>*>(e.row(j) + i);
  }
  HOST_DEVICE void store(int i, int j, const High& before) const {
    x(i, j) = value(state->up, e(i, j), before);
  }
  HOST_DEVICE void store_two(int i, int j, const Read& two, const High& first,
                             const High& second) const {
    const Arithmetic<High> up = state->up;
    *reinterpret_cast<TwoValues<High>*>(x.row(j) + i) = {value(up, two.first, first),
                                                         value(up, two.second, second)};
  }
};

/// Each fine node (i, j) of a box stores T(interpolate_at(cubic, c, i, j)).
template <class T, class Store>
struct Interpolate {
  CubicTransfer<Arithmetic<T>> cubic;
  Field<const T> c;
  Store to;
};

/// On a device each thread has four fine nodes that share the coarse ones around them: those of
/// columns 2 I and 2 I + 1 in rows 2 J and 2 J + 1, as far as they are in the box.
template <class T, class Store>
struct InterpolateCell {
  using C = Arithmetic<T>;
  CubicTransfer<C> cubic;
  Field<const T> c;
  Box fine;
  Store to;
  bool is_aligned = to.is_aligned();

  struct Two {
    C even, odd;
  };
  /// Coarse row J at the two columns.
  HOST_DEVICE Two along(const CubicWeights<C>& w, int I, int J) const {
    const T* const at = c.row(J);
    // Beyond the last node lies a margin.
    return {C(at[I]), w.combine(C(at[cubic_before(I, c.nx)]), C(at[I]), C(at[I + 1]),
                                C(at[cubic_after(I, c.nx)]))};
  }
  HOST_DEVICE void store(int i, int j, const Two& value) const {
    if (j < fine.j0 || j >= fine.j1) return;
    if (i >= fine.i0 && i < fine.i1) to.store(i, j, T(value.even));
    if (i + 1 >= fine.i0 && i + 1 < fine.i1) to.store(i + 1, j, T(value.odd));
  }
  /// True of two rows of two nodes in the box, which are stored two at a time; the cell is one of
  /// the grid's.
  HOST_DEVICE bool is_whole(int i, int j) const {
    return is_aligned && i >= fine.i0 && i + 1 < fine.i1 && j >= fine.j0 && j + 1 < fine.j1;
  }
  HOST_DEVICE void store_cell(int i, int j, bool whole, const typename Store::Read (&read)[2],
                              const Two& here, const Two& between) const {
    if (whole) {
      to.store_two(i, j, read[0], T(here.even), T(here.odd));
      to.store_two(i, j + 1, read[1], T(between.even), T(between.odd));
    } else {
      store(i, j, here);
      store(i, j + 1, between);
    }
  }
  HOST_DEVICE CubicWeights<C> x_weights(int I) const {
    const CubicWeights<C> none{C(0), C(1), C(0), C(0)};
    return I + 1 < c.nx ? cubic.x[I] : none;
  }
  HOST_DEVICE void operator()(int I, int J) const {
    const int i = 2 * I, j = 2 * J;
    const bool whole = is_whole(i, j);
    typename Store::Read read[2]{};
    if (whole) {
      read[0] = to.read_two(i, j);
      read[1] = to.read_two(i, j + 1);
    }
    const CubicWeights<C> x = x_weights(I);
    const Two here = along(x, I, J);
    if (J + 1 >= c.ny) return store(i, j, here);
    const CubicWeights<C> y = cubic.y[J];
    const Two before = along(x, I, cubic_before(J, c.ny)), above = along(x, I, J + 1),
              after = along(x, I, cubic_after(J, c.ny));
    const Two between{y.combine(before.even, here.even, above.even, after.even),
                      y.combine(before.odd, here.odd, above.odd, after.odd)};
    store_cell(i, j, whole, read, here, between);
  }
};

/// Of so many cells above each other, for a thread: what is interpolated along x serves the cells
/// above it, too.
template <class T, class Store, int rows>
struct InterpolateCells {
  InterpolateCell<T, Store> cell;
  Box cells;

  /// Of part `part` of the rows of cells.
  HOST_DEVICE void operator()(int I, int part) const {
    using Two = typename InterpolateCell<T, Store>::Two;
    const int i = 2 * I, ny = cell.c.ny, first = cells.j0 + part * rows,
              end = first + rows < cells.j1 ? first + rows : cells.j1;
    const auto x = cell.x_weights(I);
    Two here = cell.along(x, I, first), before = here, above = here;
    if (first + 1 < ny) {
      before = cell.along(x, I, cubic_before(first, ny));
      above = cell.along(x, I, first + 1);
    }
    for (int J = first; J < end; ++J) {
      const int j = 2 * J;
      // The last row has nodes, and no cell.
      if (J + 1 >= ny) return cell.store(i, j, here);
      const bool whole = cell.is_whole(i, j);
      typename Store::Read read[2]{};
      if (whole) {
        read[0] = cell.to.read_two(i, j);
        read[1] = cell.to.read_two(i, j + 1);
      }
      const Two after = cell.along(x, I, cubic_after(J, ny));
      const auto y = cell.cubic.y[J];
      cell.store_cell(i, j, whole, read, here,
                      {y.combine(before.even, here.even, above.even, after.even),
                       y.combine(before.odd, here.odd, above.odd, after.odd)});
      before = here;
      here = above;
      above = after;
    }
  }
};

/// f at the nodes of a box, by the cells of the coarse grid; the host's is another one
/// (gpu/meaning/host_nested_operations.hpp).
template <class T, class Store>
void for_interpolated(const Cuda& on, const Box& box, const Interpolate<T, Store>& f) {
  const Box cells{box.i0 / 2, (box.i1 + 1) / 2, box.j0 / 2, (box.j1 + 1) / 2};
  const InterpolateCell<T, Store> cell{f.cubic, f.c, box, f.to};
  // Sums of pairs of words take longer than values from memory: several cells share them, where
  // threads are enough.
  if constexpr (is_double_word<Arithmetic<T>>) {
    constexpr int rows = 8;
    constexpr std::int64_t enough = std::int64_t{1} << 18;
    if (std::int64_t{cells.width()} * cells.height() >= rows * enough) {
      const Box parts{cells.i0, cells.i1, 0, (cells.height() + rows - 1) / rows};
      return for_nodes(on, parts, InterpolateCells<T, Store, rows>{cell, cells});
    }
  }
  for_nodes(on, cells, cell);
}

template <Backend B, Number T>
void interpolate(const B& on, const Box& box, const CubicTransfer<Scalar<T>>& cubic, In<Field, T> c,
                 const Field<T>& x) {
  require_shape("interpolate", Field<const T>{nullptr, 2 * c.nx - 1, 2 * c.ny - 1}, x);
  require_inside("interpolate", box, x);
  count(on, Traffic{0, 1}, box, sizeof(T));
  count(on, Traffic{1, 0}, Box{0, c.nx, 0, c.ny}, sizeof(T));
  share_borders(on, c, 2);
  for_interpolated(on, own_part(on, x.ny, box).box, Interpolate<T, Interpolated<T>>{cubic, c, {x}});
}

template <Backend B, Number High, Number Low>
void add_interpolated(const B& on, const Box& box, const CubicTransfer<Scalar<High>>& cubic,
                      In<Field, High> c, const RefinementState<Scalar<High>>* state,
                      In<Field, Low> e, const Field<High>& x) {
  require_shape("add_interpolated", Field<const High>{nullptr, 2 * c.nx - 1, 2 * c.ny - 1}, x, e);
  require_inside("add_interpolated", box, x);
  count_mixed<High, Low>(on, box, 1, 1);
  count_mixed<High, Low>(on, Box{0, c.nx, 0, c.ny}, 1, 0);
  using Store = InterpolatedAndCorrected<High, Low>;
  share_borders(on, c, 2);
  for_interpolated(on, own_part(on, x.ny, box).box,
                   Interpolate<High, Store>{cubic, c, {state, e, x}});
}

template <Backend B, Number T>
void evaluate_load(const B& on, const Box& box, const Products<LoadValue<T>>& products,
                   const Field<T>& b) {
  if constexpr (std::is_same_v<LoadValue<T>, Assembly<T>>) {
    set_products<B, T>(on, box, products, PowerOfTwo(0), b);
  } else {
    set_scaled_products("evaluate_load", on, box, products, Unscaled{}, b);
  }
}

/// Where pairs of words become a word or less: ResidualRounded of unnormalised pairs, whose
/// factor's leading word it takes.
template <class F, class Low>
struct UnnormalisedResidual {
  using RowForm = FactoredForm;
  using T = PairInMemory<F>;
  using C = UnnormalisedPair<F>;
  static constexpr int batch = 1;
  FactoredRows<T> A;
  Field<const T> b, x;
  Field<Low> r;
  const RefinementState<DoubleWord<F>>* state;
  ResidualToRound<FactoredForm, T, FactoredRows<T>> before() const { return {A, b, x}; }
  HOST_DEVICE C operands(int i, int j) const { return b(i, j); }
  HOST_DEVICE C finish(int i, int j, const C& right, const VisitedRow<T>& row) const {
    return write(i, j, right - row.product);
  }
  HOST_DEVICE C read(int i, int j) const {
    return C(b(i, j)) - FactoredForm::product<T>(A, x, i, j);
  }
  HOST_DEVICE C write(int i, int j, const C& value) const {
    r(i, j) = narrowed<Low>(state->down.high * static_cast<F>(value));
    return value;
  }
};

/// True for formats of no more digits than a word's.
template <class Low, class F>
concept OfWord = Format<Low>::unit_roundoff >= Format<F>::unit_roundoff;

/// What residual_narrowed computes at each node.
template <class Form, class Low, class High, class Rows>
auto narrowed_residual(const Rows& A, const Field<const High>& b, const Field<const High>& x,
                       const Field<Low>& r, const RefinementState<Arithmetic<High>>* state) {
  return ResidualRounded<Form, High, Low, Indexed<Rows>>{indexed(A), b, x, r, state};
}
template <class Form, class Low, class F>
requires OfWord<Low, F>
auto narrowed_residual(const FactoredRows<DoubleWord<F>>& A, const Field<const DoubleWord<F>>& b,
                       const Field<const DoubleWord<F>>& x, const Field<Low>& r,
                       const RefinementState<DoubleWord<F>>* state) {
  return UnnormalisedResidual<F, Low>{unnormalised(A), unnormalised(b), unnormalised(x), r, state};
}

template <Backend B, Number High, Number Low, RowsOf<High> Rows>
void residual_narrowed(const B& on, const Rows& A, In<Field, High> b, In<Field, High> x,
                       const RefinementState<Scalar<High>>* state, const Field<Low>& r) {
  require_shape("residual_narrowed", r, A, b, x);
  require_inside("residual_narrowed", A.unknowns, A);
  count_mixed<High, Low>(on, A.unknowns, 2 + Rows::stored_values, 1);
  share_borders(on, x);
  with_form(A, [&]<class Form>(Form) {
    for_nodes(
        on, own_part(on, A.ny, A.unknowns),
        narrowed_residual<Form, Low>(A, Field<const High>(b), Field<const High>(x), r, state));
  });
}

template <class C>
struct SetScales {
  RefinementScaling scaling;
  int exponent, growth, count, first_over;
  RefinementState<C>* states;
  HOST_DEVICE void operator()(int k) const {
    RefinementState<C> state{states[0].square, C(1), C(1)};
    const OverCorrections over = is_taken_over(k, count, first_over)
                                     ? OverCorrections{1, {over_correction}}
                                     : OverCorrections{};
    SetScale<C>{scaling, exponent + k * growth, &state, over}(0);
    states[k].down = state.down;
    states[k].up = state.up;
  }
};

template <Backend B, Computable C>
void set_scales(const B& on, RefinementScaling scaling, int exponent, int growth, int count,
                int first_over, RefinementState<C>* states) {
  if (first_over < 1) throw std::invalid_argument("set_scales: first_over is below 1");
  for_each(on, count, SetScales<C>{scaling, exponent, growth, count, first_over, states});
}

}  // namespace ninefold
