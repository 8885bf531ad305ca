#pragma once
// Views of one value per node of a tensor-product grid, and boxes of nodes.
//
// Shape.  Node (i, j), 0 <= i < nx, 0 <= j < ny, is stored at k = j nx + i: i runs fastest, left to
// right; j runs from bottom to top.  Storage that a field views extends by nx + 1 values to both
// sides (see gpu/backend/vector.hpp), so that all eight neighbours of every node can be read; what
// lies there only ever meets a zero of the matrix.

#include <concepts>
#include <type_traits>

#include "precision/host_device.hpp"

namespace ninefold {

/// A non-owning view of one value per node; `Field<const T>` is the read-only one.
template <class T>
struct Field {
  T* data;
  int nx, ny;

  /// The value at node (i, j); nothing is checked.
  HOST_DEVICE T& operator()(int i, int j) const { return data[j * nx + i]; }

  template <std::same_as<const T> U>
  HOST_DEVICE operator Field<U>() const {
    return {data, nx, ny};
  }
};

/// The nodes i0 <= i < i1, j0 <= j < j1.
struct Box {
  int i0, i1, j0, j1;

  HOST_DEVICE int width() const { return i1 - i0; }
  HOST_DEVICE int height() const { return j1 - j0; }
  HOST_DEVICE bool empty() const { return i0 >= i1 || j0 >= j1; }
  HOST_DEVICE bool contains(int i, int j) const { return i >= i0 && i < i1 && j >= j0 && j < j1; }
  friend bool operator==(const Box&, const Box&) = default;
};

}  // namespace ninefold
