#pragma once
// The boundary values, carried into the rectangle: what is left to solve has none.
//
// Mathematics.  The solution is x = w + v, v zero on the Dirichlet sides and A v = b - A w.  With
// s the Dirichlet sides of x and t those of y, w blends their values g (a Coons patch):
//
//     w(x,y) = sum_s phi_s(x) g_s(y) + sum_t g_t(x) psi_t(y) - sum_st phi_s(x) psi_t(y) g(s,t),
//
// phi_s = 1 on its own side, 0 on the opposite one if that is Dirichlet, and in between the
// discrete solution of (gx K + c M) phi = 0: linear, constant, or with a reaction a layer.  The
// terms of A w in which x is differentiated then vanish by themselves and are never computed:
//
//     A w = sum_s gy (M phi_s)(K g_s) + sum_t gx (K g_t)(M psi_t) + c sum_st g(s,t) (M phi_s)(M
//     psi_t).
//
// Why.  From a start that has its boundary values on the sides only, the first residual lies in the
// rows beside them, the larger the thinner their cells, and the reduction of such a residual says
// nothing of the solution; and x cannot hold the differences across thin cells that v, which is
// small there, holds to all digits.
//
// Without a Dirichlet side w is the constant that balances the data, c integral(w) = sum b.  With
// c = 0 too, w = 0, and the load loses its sum, spread as a source over the rectangle: what the
// quadrature leaves of data that balance.
//
// Shape.  Sums of at most eight products of a function of x and one of y.
//
// Rounding.  In W; phi to a few roundoffs per node, however thin the cells.
//
// Reference.  Coons, Surfaces for computer-aided design of space forms, MIT 1967; Gordon, Hall
//             1973 (transfinite interpolation).
// Tests.      tests/fem/discrete/lifting_test.cpp (50 digits)

#include <array>
#include <vector>

#include "grids/slabs.hpp"
#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/load.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

template <class W>
class Lifting {
 public:
  Lifting() = default;  ///< of nothing: w = 0
  /// `sides` are those of side_values(), the load that of load_of().
  Lifting(const Problem& problem, const TensorGrid& grid, SideValues<W> sides, const Load<W>& load);

  /// True if there is nothing to carry: w = 0 and the load stays as it is.
  bool empty() const { return value_.empty() && image_.empty(); }

  /// load -= A w at the unknowns.
  void subtract_image(Load<W>& load) const;

  /// load += factor M w at the unknowns, M the mass matrix; by its nodes where the products are
  /// more than max_load_products.
  void add_mass_image(double factor, const TensorGrid& grid, Load<W>& load) const;

  /// values += w, of these rows; exactly the boundary values at Dirichlet nodes.
  void add_value(std::vector<W>& values, const RowRange& rows) const;

  /// w at one node.
  W value(int i, int j) const;

  /// w as a sum of products, but at Dirichlet nodes, where sides() are its values.
  const std::vector<NodeProduct<W>>& products() const { return value_; }
  const SideValues<W>& sides() const { return side_; }

  double largest_boundary_value() const { return largest_boundary_value_; }
  double largest() const { return largest_; }  ///< not less than the largest |w|
  double l2() const { return l2_; }            ///< norm of w, mass lumped

 private:
  using Product = NodeProduct<W>;

  void blend(const Problem& problem, const TensorGrid& grid);
  void balance(const Problem& problem, const TensorGrid& grid, const Load<W>& load);
  void measure(const TensorGrid& grid);

  int nx_ = 0, ny_ = 0;
  Box unknowns_{};
  SideValues<W> side_;
  std::vector<Product> value_, image_;  ///< w and A w
  double largest_boundary_value_ = 0, largest_ = 0, l2_ = 0;
};

}  // namespace ninefold
