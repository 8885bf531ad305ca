#pragma once
// The load on the coarser levels of full multigrid, where it is a sum of products: a level's is
// evaluated from its lines, and that of the next finer level need not be read to be restricted.
//
// Cost.  Of the nodes of all coarser levels a value is written, a third of a value for each node of
// the finest one; to restrict from level to level moves 4/3 of 1 1/4.
//
// Range.  Of each product x is scaled to about one by a power of two, and y by what is left: a
// product then leaves the range where the scaled load would.
//
// Memory.  Taken when this is made, as much for every problem.
//
// Tests.  tests/solvers/refinement/load_on_levels_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "precision/require.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/restricted_load.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/product_operations.hpp"

namespace ninefold {

/// Of a load in W, evaluated in V.
template <Backend B, class W, class V = W>
class LoadOnLevels {
 public:
  /// Of grids[first] to the last but one; the last is the finest.  They must outlive this.
  LoadOnLevels(const B& on, const std::vector<TensorGrid>& grids, std::size_t first,
               const Boundary& boundary)
      : on_(on), grids_(grids), first_(first), boundary_(boundary) {
    require(first < grids.size(), "loads of no levels");
    std::size_t values = 0;
    for (std::size_t k = first; k + 1 < grids.size(); ++k) {
      begin_.push_back(values);
      values += static_cast<std::size_t>(grids[k].nx()) + static_cast<std::size_t>(grids[k].ny());
    }
    begin_.push_back(values);
    lines_ = Array<B, V>(on, max_load_products * values);
  }

  /// At the unknowns of the finest grid.  Throws std::invalid_argument if its products are more
  /// than max_load_products.
  void take(const ScaledLoad<W>& load) {
    require(load.products.size() <= max_load_products, "too many products of a load");
    const std::size_t count = load.products.size();
    std::vector<NodeProduct<W>> terms = scaled(load.products, load.exponent);
    std::vector<V> lines(count * begin_.back());
    for (std::size_t k = grids_.size() - 1; k > first_; --k) {
      terms = restricted_products(terms, grids_[k], unknown_nodes(grids_[k], boundary_),
                                  unknown_nodes(grids_[k - 1], boundary_));
      auto to = lines.begin() + static_cast<std::ptrdiff_t>(count * begin_[k - 1 - first_]);
      const auto put = [&](const std::vector<W>& line) {
        to = std::transform(line.begin(), line.end(), to, [](const W& value) { return V(value); });
      };
      for (const NodeProduct<W>& term : terms) put(term.x);
      for (const NodeProduct<W>& term : terms) put(term.y);
    }
    if (!lines.empty()) on_.copy_in(lines_.data(), lines.data(), lines.size() * sizeof(V));
    terms_ = count;
  }

  /// How many products there are; views of other counts lie elsewhere.
  std::size_t terms() const { return terms_; }

  /// Of grids[first + k], in the scale of the load.
  Products<V> on_level(std::size_t k) const {
    const TensorGrid& grid = grids_[first_ + k];
    const V* const x = lines_.data() + terms_ * begin_[k];
    return {x, x + terms_ * static_cast<std::size_t>(grid.nx()), static_cast<int>(terms_),
            grid.nx(), grid.ny()};
  }

 private:
  static std::vector<NodeProduct<W>> scaled(std::vector<NodeProduct<W>> products, int exponent) {
    for (NodeProduct<W>& term : products) {
      double largest = 0;
      for (const W& value : term.x) {
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
      const int own = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
      const PowerOfTwo to_one(-own), rest(exponent + own);
      for (W& value : term.x) value = to_one.times(value);
      for (W& value : term.y) value = rest.times(value);
    }
    return products;
  }

  B on_;
  const std::vector<TensorGrid>& grids_;
  std::size_t first_;
  Boundary boundary_;
  std::vector<std::size_t> begin_;  ///< of each level's lines, were there one product; their end
  Array<B, V> lines_;
  std::size_t terms_ = 0;
};

}  // namespace ninefold
