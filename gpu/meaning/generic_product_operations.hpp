#pragma once
// The meaning of the operations of gpu/operations/product_operations.hpp; see
// gpu/meaning/generic_vector_operations.hpp.

#include "gpu/meaning/generic_vector_operations.hpp"
#include "gpu/operations/product_operations.hpp"

namespace ninefold {

template <class T>
struct SetProducts {
  Products<Assembly<T>> products;
  PowerOfTwo scale;
  Field<T> b;
  HOST_DEVICE void operator()(int i, int j) const {
    b(i, j) = static_cast<T>(scale.times(products.at(i, j)));
  }
};

template <Backend B, Number T>
void set_products(const B& on, const Box& box, const Products<Assembly<T>>& products,
                  const PowerOfTwo& scale, const Field<T>& b) {
  require_inside("set_products", box, b);
  require_shape("set_products", Field<const T>{nullptr, products.columns, products.rows}, b);
  count(on, set_products_traffic, box, sizeof(T));
  for_nodes(on, own_part(on, b.ny, box), SetProducts<T>{products, scale, b});
}

}  // namespace ninefold
