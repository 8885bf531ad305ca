#pragma once
// Cubic interpolation between two nested grids, one node at a time.
//
// Mathematics.  Fine node 2I coincides with coarse node I.  Fine node 2I + 1 takes the cubic
// polynomial through the two coarse nodes on either side; beside an end, through the four that come
// first.  In a plane, along x and then along y.  On nodes that are equally far apart its weights
// are (-1, 9, 9, -1) / 16 and (5, 15, -5, 1) / 16.
//
// Where neighbouring cells differ so much that the sizes of the weights add up to more than
// `most_amplified`, the node takes the linear polynomial of its two neighbours instead, as
// grids/transfer.hpp has it: the cubic one would carry what is rough on the coarse grid to the fine
// one many times as large.
//
// Why.  Full multigrid begins on each level with what it has found on the coarser one.  With
// bilinear interpolation the residual of that is dominated by what interpolation has added, which a
// cycle has then to take away again; an interpolation of higher order than the elements' leaves
// less than the discretisation error's own change.
//
// Shape.  Four weights for each cell of the coarse line, for its nodes I - 1, I, I + 1 and I + 2;
// at an end the one that is not there stands for the fourth node within: I + 3, or I - 2.
//
// Rounding.  Computed in Arithmetic<T>, weights included: I, then I + 1, I - 1 and I + 2 are added,
// each fused.
//
// Reference.  Trottenberg, Oosterlee, Schueller, Multigrid, 2001, section 2.6 (FMG interpolation).
// Tests.      tests/grids/cubic_test.cpp

#include <algorithm>
#include <cstddef>
#include <vector>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"
#include "grids/tensor_grid.hpp"

namespace ninefold {

/// Of the fine node in coarse cell I.
template <class C>
struct CubicWeights {
  C before, lower, upper, after;  ///< of the nodes I - 1, I, I + 1 and I + 2

  HOST_DEVICE C combine(const C& x_before, const C& x_lower, const C& x_upper,
                        const C& x_after) const {
    const C middle = fused(upper, x_upper, lower * x_lower);
    return fused(after, x_after, fused(before, x_before, middle));
  }
};

/// The weights of both directions, indexed by coarse cell.
template <class C>
struct CubicTransfer {
  const CubicWeights<C>* x;
  const CubicWeights<C>* y;
};

/// The nodes that `before` and `after` of cell I stand for, on a line of so many coarse nodes, at
/// least 3.  Of three nodes one stands for nothing: its weight is zero.
HOST_DEVICE constexpr int cubic_before(int I, int nodes) {
  return I > 0 ? I - 1 : I + 3 < nodes ? I + 3 : I;
}
HOST_DEVICE constexpr int cubic_after(int I, int nodes) {
  return I + 2 < nodes ? I + 2 : I > 1 ? I - 2 : I;
}

/// The largest sum of the sizes of a node's weights: 1.25 on equal cells, 1.625 beside their ends.
inline constexpr double most_amplified = 2.0;

/// The weights of all cells of the line that `fine`, of 2 n >= 4 cells, refines, computed in
/// Assembly<C> and rounded once to C.
template <class C>
std::vector<CubicWeights<C>> cubic_weights(const Line& fine) {
  using W = Assembly<C>;
  const int cells = fine.cells() / 2, nodes = cells + 1;
  std::vector<CubicWeights<C>> weights(static_cast<std::size_t>(cells));
  // Places relative to the fine node, by widths: nothing cancels beside an end.
  const auto width = [&](int fine_cell) {
    return W(fine.width[static_cast<std::size_t>(fine_cell)]);
  };
  const auto place = [&](int I, int node) {
    W sum(0);
    for (int k = 2 * I + 1; k < 2 * node; ++k) sum = sum + width(k);
    for (int k = 2 * node; k < 2 * I + 1; ++k) sum = sum - width(k);
    return sum;
  };
  const auto size = [](const W& v) { return v < W(0) ? -v : v; };
  for (int I = 0; I < cells; ++I) {
    const int node[4] = {cubic_before(I, nodes), I, I + 1, cubic_after(I, nodes)};
    const bool counts[4] = {node[0] != I, true, true, node[3] != I};
    W at[4], weight[4], amplified(0);
    for (int k = 0; k < 4; ++k) at[k] = place(I, node[k]);
    for (int k = 0; k < 4; ++k) {
      weight[k] = W(counts[k] ? 1 : 0);
      for (int m = 0; m < 4; ++m) {
        if (m != k && counts[m] && counts[k]) weight[k] = weight[k] * (at[m] / (at[m] - at[k]));
      }
      amplified = amplified + size(weight[k]);
    }
    if (!(amplified <= W(most_amplified))) {
      const W lower = -at[1], upper = at[2];
      weight[0] = weight[3] = W(0);
      weight[1] = upper / (lower + upper);
      weight[2] = lower / (lower + upper);
    }
    weights[static_cast<std::size_t>(I)] = {static_cast<C>(weight[0]), static_cast<C>(weight[1]),
                                            static_cast<C>(weight[2]), static_cast<C>(weight[3])};
  }
  return weights;
}

/// The interpolation of c at the fine node (i, j); nothing is checked.
template <class T>
HOST_DEVICE inline Arithmetic<T> interpolate_at(const CubicTransfer<Arithmetic<T>>& cubic,
                                                const Field<const T>& c, int i, int j) {
  using C = Arithmetic<T>;
  const int I = i / 2, J = j / 2;
  const int before = cubic_before(I, c.nx), after = cubic_after(I, c.nx);
  const auto row = [&](int y) {
    const T* const at = c.row(y);
    if (i % 2 == 0) return C(at[I]);
    return cubic.x[I].combine(C(at[before]), C(at[I]), C(at[I + 1]), C(at[after]));
  };
  if (j % 2 == 0) return row(J);
  return cubic.y[J].combine(row(cubic_before(J, c.ny)), row(J), row(J + 1),
                            row(cubic_after(J, c.ny)));
}

}  // namespace ninefold
