#pragma once
// Views of one value per node of a tensor-product grid, and boxes of nodes.
//
// Shape.  Node (i, j), 0 <= i < nx, 0 <= j < ny, is stored at k = j nx + i: i runs fastest, left to
// right; j runs from bottom to top.  Storage that a field views extends by nx + 1 values to both
// sides (see gpu/backend/vector.hpp), so that all eight neighbours of every node can be read.  Rows
// -1 and ny lie there: they are zero and only ever meet a zero of the matrix, or they hold rows of
// a neighbour, another field that continues this one.
//
// Indices.  nx and ny are ints, and so are offsets within three rows that follow each other; k has
// 64 bits, since 65537 x 65537 nodes are more than 2^32.  A row's offset is computed once, so that
// the arithmetic beside it stays that of ints.

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "precision/host_device.hpp"

namespace ninefold {

/// A non-owning view of one value per node; `Field<const T>` is the read-only one.
template <class T>
struct Field {
  T* data;
  int nx, ny;

  /// The first node of row j, -1 <= j <= ny; nothing is checked.
  HOST_DEVICE T* row(int j) const { return data + std::ptrdiff_t{j} * nx; }
  /// The value at node (i, j); nothing is checked.
  HOST_DEVICE T& operator()(int i, int j) const { return row(j)[i]; }

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
