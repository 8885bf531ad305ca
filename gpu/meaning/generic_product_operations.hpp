#pragma once
// The meaning of the operations of gpu/operations/product_operations.hpp; see
// gpu/meaning/generic_vector_operations.hpp.

#include "gpu/meaning/generic_vector_operations.hpp"
#include "gpu/meaning/product_columns.hpp"
#include "gpu/operations/product_operations.hpp"

namespace ninefold {

template <class T, class W = Assembly<T>, class Scale = PowerOfTwo>
struct SetProducts {
  static constexpr int batch = 1;
  static constexpr bool reads_no_results = true;
  Products<W> products;
  Scale scale;
  Field<T> b;

  HOST_DEVICE T read(int i, int j) const { return static_cast<T>(scale.times(products.at(i, j))); }
  HOST_DEVICE T write(int i, int j, const T& value) const {
    b(i, j) = value;
    return value;
  }
  HOST_DEVICE void operator()(int i, int j) const { (void)write(i, j, read(i, j)); }
};

/// For the operation of this name.
template <class B, class W, class Scale, class T>
void set_scaled_products(const char* name, const B& on, const Box& box, const Products<W>& products,
                         const Scale& scale, const Field<T>& b) {
  require_inside(name, box, b);
  require_shape(name, Field<const T>{nullptr, products.columns, products.rows}, b);
  count(on, set_products_traffic, box, sizeof(T));
  using Columns = SetProductColumns<T, W, Scale>;
  const Box own = own_part(on, b.ny, box).box;
  for_nodes_or_columns(on, own, SetProducts<T, W, Scale>{products, scale, b}, Columns::columns(own),
                       Columns{products, scale, own, b});
}

template <Backend B, Number T>
void set_products(const B& on, const Box& box, const Products<Assembly<T>>& products,
                  const PowerOfTwo& scale, const Field<T>& b) {
  set_scaled_products("set_products", on, box, products, scale, b);
}

}  // namespace ninefold
