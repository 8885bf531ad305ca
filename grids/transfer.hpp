#pragma once
// Prolongation and restriction between two nested grids, one node at a time.
//
// Mathematics.  Prolongation P evaluates the coarse bilinear function at the fine nodes.  Fine node
// 2i coincides with coarse node i; fine node 2i + 1 lies between i and i + 1 and takes
//
//     lower[2i+1] x_i + upper[2i+1] x_{i+1},      lower = h_{2i+1} / (h_{2i} + h_{2i+1}),
//                                                 upper = h_{2i}   / (h_{2i} + h_{2i+1}),
//
// in each direction; on uniform grids both weights are 1/2.  Restriction is the transpose of P.
//
// Cost.  prolong_at reads four coarse values, restrict_at nine fine ones (through cache).
//
// Rounding.  Computed in Arithmetic<T>, weights included.  restrict_at adds the middle, west and
// east value of a row; then the middle row, the one below, the one above.
//
// Tests.  tests/grids/transfer_test.cpp

#include <vector>

#include "precision/fused.hpp"
#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"
#include "grids/tensor_grid.hpp"

namespace ninefold {

/// The weights of one fine node for its lower (left, bottom) and upper (right, top) coarse
/// neighbour; (1, 0) where the nodes coincide.
template <class T>
struct TransferWeights {
  T lower, upper;
};

/// Both directions' weights, indexed by fine node.
template <class T>
struct Transfer {
  const TransferWeights<T>* x;
  const TransferWeights<T>* y;
};

/// The weights of all nodes of a refined line, computed in Assembly<T> and rounded once to T.
template <class T>
std::vector<TransferWeights<T>> transfer_weights(const Line& fine) {
  std::vector<TransferWeights<T>> weights(static_cast<std::size_t>(fine.nodes()), {T(1), T(0)});
  for (std::size_t i = 1; i + 1 < weights.size(); i += 2) {
    const Assembly<T> lower = fine.width[i - 1], upper = fine.width[i];
    weights[i] = {static_cast<T>(upper / (lower + upper)), static_cast<T>(lower / (lower + upper))};
  }
  return weights;
}

/// (P x)(i, j) for the fine node (i, j); nothing is checked.
template <class T>
HOST_DEVICE inline Arithmetic<T> prolong_at(const Transfer<Arithmetic<T>>& transfer,
                                            const Field<const T>& x, int i, int j) {
  using C = Arithmetic<T>;
  const int I = i / 2, J = j / 2;
  const TransferWeights<C> wx = transfer.x[i], wy = transfer.y[j];
  // Odd nodes have an upper neighbour; even ones stay on their own, so nothing outside is read.
  const int east = I + (i & 1), north = J + (j & 1);
  const C south_row = fused(wx.upper, x(east, J), wx.lower * x(I, J));
  const C north_row = fused(wx.upper, x(east, north), wx.lower * x(I, north));
  return fused(wy.upper, north_row, wy.lower * south_row);
}

/// (P^T r)(I, J) for the coarse node (I, J), r counting as zero outside the box `fine`, in which
/// fine node (2I, 2J) must lie.
template <class T>
HOST_DEVICE inline Arithmetic<T> restrict_at(const Transfer<Arithmetic<T>>& transfer,
                                             const Field<const T>& r, const Box& fine, int I,
                                             int J) {
  using C = Arithmetic<T>;
  const int i = 2 * I, j = 2 * J;
  const bool has_west = i - 1 >= fine.i0, has_east = i + 1 < fine.i1;
  const auto row = [&](int y) {
    C sum = r(i, y);
    if (has_west) sum = fused(transfer.x[i - 1].upper, r(i - 1, y), sum);
    if (has_east) sum = fused(transfer.x[i + 1].lower, r(i + 1, y), sum);
    return sum;
  };
  C sum = row(j);
  if (j - 1 >= fine.j0) sum = fused(transfer.y[j - 1].upper, row(j - 1), sum);
  if (j + 1 < fine.j1) sum = fused(transfer.y[j + 1].lower, row(j + 1), sum);
  return sum;
}

}  // namespace ninefold
