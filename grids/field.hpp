#pragma once
// Views of one value per node of a tensor-product grid, boxes of nodes, and what of a vector an
// operation visits.
//
// Shape.  Node (i, j), 0 <= i < nx, 0 <= j < ny, is stored at j pitch + i, nx <= pitch: i runs
// fastest, left to right; j runs from bottom to top.  Storage that a field views extends by pitch +
// 2 values to both sides (see gpu/backend/vector.hpp), so that all eight neighbours of every node
// can be read, two values at a time.  Rows -1 and ny lie there: they are zero and only ever meet a
// zero of the matrix, or they hold rows of a neighbour, another field that continues this one.
//
// Indices.  nx, ny and pitch are ints, and so are offsets within three rows that follow each other;
// a row's own offset has 64 bits, since 65537 x 65537 nodes are more than 2^32.  It is computed
// once, so that the arithmetic beside it stays that of ints.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "precision/host_device.hpp"

namespace ninefold {

/// A non-owning view of one value per node; `Field<const T>` is the read-only one.
template <class T>
struct Field {
  T* data;
  int nx, ny;
  int pitch = nx;  ///< values from a node to the one above it

  /// The first node of row j, -1 <= j <= ny; nothing is checked.
  HOST_DEVICE T* row(int j) const { return data + std::ptrdiff_t{j} * pitch; }
  /// The value at node (i, j); nothing is checked.
  HOST_DEVICE T& operator()(int i, int j) const { return row(j)[i]; }

  template <std::same_as<const T> U>
  HOST_DEVICE operator Field<U>() const {
    return {data, nx, ny, pitch};
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

/// The values that an operation on vectors visits: those of the nodes of a box or, of a vector
/// without a grid, rows of values the last of which may be shorter (gpu/backend/vector.hpp).
struct Extent {
  Box box;       ///< all rows in their full length
  int last_row;  ///< the values of the last one, 0 < last_row <= box.width() if there is any

  Extent(const Box& nodes) : box(nodes), last_row(nodes.width()) {}
  Extent(const Box& rows, int last) : box(rows), last_row(last) {}

  bool is_box() const { return last_row == box.width(); }
  int width(int row) const { return row + 1 < box.height() ? box.width() : last_row; }
  std::int64_t values() const {
    return box.empty() ? 0 : std::int64_t{box.width()} * (box.height() - 1) + last_row;
  }
  /// The rows first <= row < last, counted from the first one.
  Extent rows(int first, int last) const {
    return {Box{box.i0, box.i1, box.j0 + first, box.j0 + last},
            last < box.height() ? box.width() : last_row};
  }
  /// The rows of full length, and the shorter one: nothing of a box.
  Box full_rows() const { return {box.i0, box.i1, box.j0, is_box() ? box.j1 : box.j1 - 1}; }
  Box short_row() const { return {box.i0, box.i0 + last_row, full_rows().j1, box.j1}; }

  friend bool operator==(const Extent&, const Extent&) = default;
};

}  // namespace ninefold
