#pragma once
// A load that is a sum of products, as the next coarser of two nested grids has it: restricted, as
// prolongation's transpose does it (grids/transfer.hpp).
//
// Mathematics.  Restriction is one along x and one along y, so that
//
//     P^T (sum over k of x_k y_k') = sum over k of (P_x^T x_k) (P_y^T y_k)'
//
// and a coarse load takes lines of values where that of any vector b reads all of it.
//
// Rounding.  In W, weights included, a line's values as restrict_at() adds a row's: in the digits
// of W as good as the restricted values at the nodes, but not the same.
//
// Tests.  tests/fem/discrete/restricted_load_test.cpp

#include <cstddef>
#include <vector>

#include "precision/fused.hpp"

#include "grids/field.hpp"
#include "grids/tensor_grid.hpp"
#include "grids/transfer.hpp"

#include "fem/discrete/load.hpp"

namespace ninefold {

/// A right-hand side that may be a load: 2^exponent times a sum of products or, if there are none,
/// any vector.
template <class W>
struct ScaledLoad {
  std::vector<NodeProduct<W>> products;
  int exponent = 0;
};

/// P^T of one direction: x, of the fine line's nodes, counts as zero outside of `fine`, and the
/// values at coarse nodes outside of `coarse` are zero.
template <class W>
std::vector<W> restricted_line(const std::vector<TransferWeights<W>>& weights,
                               const std::vector<W>& x, const RowRange& fine,
                               const RowRange& coarse) {
  std::vector<W> values((x.size() + 1) / 2, W(0));
  for (int I = coarse.first; I < coarse.last; ++I) {
    const int i = 2 * I;
    const auto m = static_cast<std::size_t>(i);
    W sum = x[m];
    if (i - 1 >= fine.first) sum = fused(weights[m - 1].upper, x[m - 1], sum);
    if (i + 1 < fine.last) sum = fused(weights[m + 1].lower, x[m + 1], sum);
    values[static_cast<std::size_t>(I)] = sum;
  }
  return values;
}

/// Of a load that is known at the unknowns of `grid`, for those of the next coarser grid.
template <class W>
std::vector<NodeProduct<W>> restricted_products(const std::vector<NodeProduct<W>>& products,
                                                const TensorGrid& grid, const Box& unknowns,
                                                const Box& coarse_unknowns) {
  const std::vector<TransferWeights<W>> x = transfer_weights<W>(grid.x),
                                        y = transfer_weights<W>(grid.y);
  const auto columns = [](const Box& box) { return RowRange{box.i0, box.i1}; };
  const auto rows = [](const Box& box) { return RowRange{box.j0, box.j1}; };
  std::vector<NodeProduct<W>> restricted;
  for (const NodeProduct<W>& term : products) {
    restricted.push_back({restricted_line(x, term.x, columns(unknowns), columns(coarse_unknowns)),
                          restricted_line(y, term.y, rows(unknowns), rows(coarse_unknowns))});
  }
  return restricted;
}

}  // namespace ninefold
