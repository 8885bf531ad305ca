#pragma once
// The operations with sums of products of a function of x and one of y: what a problem's data are
// on a tensor-product grid, without a value for each node.
//
// Shape.  Views of memory on the backend: of each product one value for each column, and one for
// each row.
//
// Rounding.  In Assembly<T>: products are rounded, and added in their order.  Host and device agree
// to the last bit.
//
// Tests.  tests/gpu/operations/product_operations_test.cpp (50 digits),
// tests/gpu/device/large_grid_test.cpp

#include <cmath>
#include <cstddef>

#include "precision/number.hpp"

#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// sum over k of x[k columns + i] y[k rows + j]
template <class W>
struct Products {
  const W* x;
  const W* y;
  int terms, columns, rows;

  HOST_DEVICE W at(int i, int j) const {
    W sum(0);
    for (int k = 0; k < terms; ++k) {
      sum = sum + x[std::ptrdiff_t{k} * columns + i] * y[std::ptrdiff_t{k} * rows + j];
    }
    return sum;
  }
  /// The same at n columns from i on, of m rows from j on: the same sums, in which each factor is
  /// read once.
  template <int m, int n>
  HOST_DEVICE void at_rows(int i, int j, W (&values)[m][n]) const {
    for (auto& row : values) {
      for (W& value : row) value = W(0);
    }
    for (int k = 0; k < terms; ++k) {
      const W* const from_x = x + std::ptrdiff_t{k} * columns + i;
      const W* const from_y = y + std::ptrdiff_t{k} * rows + j;
      W factor[n];
      for (int c = 0; c < n; ++c) factor[c] = from_x[c];
      for (int r = 0; r < m; ++r) {
        for (int c = 0; c < n; ++c) values[r][c] = values[r][c] + factor[c] * from_y[r];
      }
    }
  }
};

/// A power of two in two factors: one alone may leave the range of a double.
struct PowerOfTwo {
  double first, second;

  explicit PowerOfTwo(int exponent)
      : first(std::ldexp(1.0, exponent / 2)), second(std::ldexp(1.0, exponent - exponent / 2)) {}
  template <class W>
  HOST_DEVICE W times(const W& value) const {
    return value * first * second;
  }
  friend bool operator==(const PowerOfTwo&, const PowerOfTwo&) = default;
};

/// b = sum of products times a power of two, rounded once, at the nodes of a box
inline constexpr Traffic set_products_traffic{0, 1};
template <Backend B, Number T>
void set_products(const B& on, const Box& box, const Products<Assembly<T>>& products,
                  const PowerOfTwo& scale, const Field<T>& b);

}  // namespace ninefold
