#pragma once
// The load of a system: by its nodes, or by sums of products of a function of x and one of y.
//
// Why.  Data that are sums of products (fem/problem/function.hpp) have a load that is one: the
// Gauss rule is a product, too.  Two lines of integrals then take the place of a value for each
// node, and whoever needs the values computes them where they are needed.
//
// Shape.  Known at the nodes of `unknowns`; elsewhere the load is zero.  Of several who share a
// grid (fem/discrete/nodal_values.hpp) each has the nodes of its own rows, and all products.
//
// Rounding.  In W: double or DoubleDouble.  Products are rounded, so that those that cancel leave
// nothing, and added in their order.
//
// Tests.  tests/fem/discrete/assembly_test.cpp, wide_assembly_test.cpp (50 digits),
// lifting_test.cpp, nodal_values_test.cpp (in parts)

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "grids/field.hpp"
#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

/// x[i] y[j] at node (i, j).
template <class W>
struct NodeProduct {
  std::vector<W> x, y;
};

/// The most products of what a load is made of: the image of boundary values
/// (fem/discrete/lifting.hpp), fluxes, and a source; one with more is known by its nodes.
inline constexpr int max_image_products = 8, max_flux_products = 4, max_source_products = 12;
inline constexpr int max_load_products =
    max_image_products + max_flux_products + max_source_products;

/// True if the problem's load is kept as products.
inline bool has_load_products(const Problem& problem) {
  const std::size_t n = problem.source.products().size();
  return n > 0 && n <= max_source_products;
}

template <class W>
class Load {
 public:
  Load() = default;  ///< of no nodes
  /// By the nodes of share->own() rows, or of all if that is null; what is there beside the
  /// unknowns is not looked at.
  Load(const Box& unknowns, int nx, std::vector<W> nodes,
       std::shared_ptr<const RowShare> share = nullptr)
      : unknowns_(unknowns),
        nx_(nx),
        first_row_(first_of(share.get())),
        nodes_(std::move(nodes)),
        share_(std::move(share)) {}
  Load(const Box& unknowns, std::vector<NodeProduct<W>> products,
       std::shared_ptr<const RowShare> share = nullptr)
      : unknowns_(unknowns),
        first_row_(first_of(share.get())),
        products_(std::move(products)),
        share_(std::move(share)) {}

  const Box& unknowns() const { return unknowns_; }
  bool by_nodes() const { return !nodes_.empty(); }
  const std::vector<W>& nodes() const { return nodes_; }
  const RowShare* share() const { return share_.get(); }
  /// The rows of unknowns that are here.
  RowRange own_rows() const {
    if (share_ == nullptr) return {unknowns_.j0, unknowns_.j1};
    const RowRange own = share_->own();
    const int first = std::clamp(own.first, unknowns_.j0, unknowns_.j1);
    return {first, std::clamp(own.last, first, unknowns_.j1)};
  }
  const std::vector<NodeProduct<W>>& products() const { return products_; }

  /// Of an unknown, by nodes of one that is here.
  W at(int i, int j) const {
    const auto m = static_cast<std::size_t>(i), n = static_cast<std::size_t>(j);
    if (by_nodes()) return row(j)[m];
    W sum(0);
    for (const NodeProduct<W>& term : products_) sum = sum + term.x[m] * term.y[n];
    return sum;
  }

  /// True if all of its values, or one factor of each product, are zero.
  bool is_zero() const;

  /// The same for any number of threads.
  W sum() const;

  /// Kept by its nodes from now on, of a grid of so many.
  void to_nodes(int nx, int ny);

  /// load += products, at the unknowns
  void add(const std::vector<NodeProduct<W>>& products);

 private:
  static int first_of(const RowShare* share) { return share == nullptr ? 0 : share->own().first; }
  const W* row(int j) const {
    return nodes_.data() + static_cast<std::size_t>(j - first_row_) * static_cast<std::size_t>(nx_);
  }

  Box unknowns_{};
  int nx_ = 0, first_row_ = 0;  ///< the latter of the nodes that are here
  std::vector<W> nodes_;
  std::vector<NodeProduct<W>> products_;
  std::shared_ptr<const RowShare> share_;
};

/// The load of the problem as fem/discrete/assembly.hpp defines it: by products, if
/// has_load_products().
template <class W>
Load<W> load_of(const Problem& problem, const TensorGrid& grid,
                std::shared_ptr<const RowShare> share = nullptr);

}  // namespace ninefold
