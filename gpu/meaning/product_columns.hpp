#pragma once
// Sums of products by columns: the same operations as node by node
// (gpu/meaning/generic_product_operations.hpp), hence the same bits, with fewer accesses; several
// rows and columns share what is read.
//
// Tests.  tests/gpu/operations/product_columns_test.cpp, tests/gpu/device/large_grid_test.cpp

#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "grids/field.hpp"

#include "gpu/meaning/two_values.hpp"
#include "gpu/operations/product_operations.hpp"

namespace ninefold {

/// In the place of PowerOfTwo: sums as they are.
struct Unscaled {
  template <class W>
  HOST_DEVICE W times(const W& value) const {
    return value;
  }
};

/// b = the sums, in W, at the nodes of a box in the `width` columns from width I on: written by one
/// access where rows begin at whole ones.
template <class T, class W = Assembly<T>, class Scale = PowerOfTwo>
struct SetProductColumns {
  static constexpr int batch = 4, most_batches = 2;
  static constexpr int width = sizeof(T) <= 4 ? 4 : sizeof(T) == 8 ? 2 : 1;
  Products<W> products;
  Scale scale;
  Box box;
  Field<T> b;
  bool is_aligned = is_aligned_for<width>(b);

  /// All I of a box.
  static Box columns(const Box& box) {
    return {box.i0 / width, (box.i1 + width - 1) / width, box.j0, box.j1};
  }

  HOST_DEVICE void operator()(int I, int first, int end) const {
    const int i = width * I;
    const bool is_whole = i >= box.i0 && i + width <= box.i1;
    int j = first;
    if (is_whole) {
      for (; j + batch <= end; j += batch) {
        W sums[batch][width];
        products.at_rows(i, j, sums);
        for (int r = 0; r < batch; ++r) write(i, j + r, sums[r]);
      }
    }
    for (; j < end; ++j) {
      for (int c = i < box.i0 ? box.i0 : i; c < i + width && c < box.i1; ++c) {
        b(c, j) = static_cast<T>(scale.times(products.at(c, j)));
      }
    }
  }

 private:
  HOST_DEVICE void write(int i, int j, const W (&sums)[width]) const {
    AlignedValues<T, width> values;
    for (int c = 0; c < width; ++c) values.value[c] = static_cast<T>(scale.times(sums[c]));
    T* const at = b.row(j) + i;
    if (is_aligned) {
      *reinterpret_cast<AlignedValues<T, width>*>(at) = values;
    } else {
      for (int c = 0; c < width; ++c) at[c] = values.value[c];
    }
  }
};

}  // namespace ninefold
