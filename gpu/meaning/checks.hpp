#pragma once
// What every operation does before it is launched: checks of shapes and boxes, and the counting of
// what it declares to move.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// Throws std::invalid_argument unless all views have the shape of the first one.
template <class First, class... Others>
void require_shape(const char* operation, const First& first, const Others&... others) {
  const auto check = [&](const auto& v) {
    if (v.nx != first.nx || v.ny != first.ny) {
      throw std::invalid_argument(std::string(operation) + ": one view is "
                                  + std::to_string(first.nx) + " x " + std::to_string(first.ny)
                                  + ", another " + std::to_string(v.nx) + " x "
                                  + std::to_string(v.ny));
    }
  };
  (check(others), ...);
}

/// Throws std::invalid_argument unless the extent lies inside the view's grid or rows.
template <class View>
void require_inside(const char* operation, const Extent& extent, const View& view) {
  const Box& box = extent.box;
  if (box.i0 < 0 || box.i1 > view.nx || box.j0 < 0 || box.j1 > view.ny) {
    throw std::invalid_argument(std::string(operation) + ": the box [" + std::to_string(box.i0)
                                + ", " + std::to_string(box.i1) + ") x [" + std::to_string(box.j0)
                                + ", " + std::to_string(box.j1) + ") leaves the grid of "
                                + std::to_string(view.nx) + " x " + std::to_string(view.ny)
                                + " nodes");
  }
  if (!box.empty() && (extent.last_row <= 0 || extent.last_row > box.width())) {
    throw std::invalid_argument(std::string(operation) + ": a last row of "
                                + std::to_string(extent.last_row) + " values, where rows have "
                                + std::to_string(box.width()));
  }
}

/// The same for a sum, which also needs at least one node.
template <class View>
void require_inside_and_some(const char* operation, const Extent& extent, const View& view) {
  require_inside(operation, extent, view);
  if (extent.box.empty())
    throw std::invalid_argument(std::string(operation) + ": the box is empty");
}

/// The rows first <= row < last of an extent, counted from its own first.  Throws
/// std::invalid_argument unless there are such rows and the extent lies inside the view's grid.
template <class View>
Extent rows_inside(const char* operation, const Extent& extent, int first, int last,
                   const View& view) {
  require_inside_and_some(operation, extent, view);
  if (first < 0 || first >= last || last > extent.box.height()) {
    throw std::invalid_argument(std::string(operation) + ": rows " + std::to_string(first) + " to "
                                + std::to_string(last) + " of a box of "
                                + std::to_string(extent.box.height()));
  }
  return extent.rows(first, last);
}

/// Counts what an operation over an extent declares to move.
template <Backend B>
void count(const B& on, const Traffic& traffic, const Extent& extent, std::size_t value_bytes) {
  on.count({0, extent.values() * traffic.values() * static_cast<std::int64_t>(value_bytes)});
}

}  // namespace ninefold
