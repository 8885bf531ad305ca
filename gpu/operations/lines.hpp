#pragma once
// Which lines of a grid an operation solves along.

#include "precision/host_device.hpp"

#include "grids/field.hpp"

namespace ninefold {

/// Of the lines themselves: a line along x is a row of nodes, one along y a column.
enum class LineDirection { x, y };

/// The lines first, first + stride, ... of a box of unknowns, counted from its lower left corner.
struct Lines {
  LineDirection direction;
  int first = 0, stride = 1;

  HOST_DEVICE int length(const Box& unknowns) const {
    return direction == LineDirection::x ? unknowns.width() : unknowns.height();
  }
  HOST_DEVICE int count(const Box& unknowns) const {
    const int all = direction == LineDirection::x ? unknowns.height() : unknowns.width();
    return first < all ? (all - first + stride - 1) / stride : 0;
  }
};

/// In which order the steps of line relaxation take the lines of a grid.
struct LineSweep {
  LineDirection direction;  ///< of the first step
  bool alternates;          ///< along the other direction in every second step
  int stride;  ///< lines 0, stride, 2 stride, ... at once, then 1, 1 + stride, ...; 0: one by one

  HOST_DEVICE LineDirection direction_of(int step) const {
    const bool other = alternates && step % 2 != 0;
    return (direction == LineDirection::x) == other ? LineDirection::y : LineDirection::x;
  }
  HOST_DEVICE int stride_of(int lines) const { return stride == 0 ? lines : stride; }
  /// All lines at once: what a step reads and what it writes are two vectors.
  HOST_DEVICE bool simultaneous() const { return stride == 1; }
};

}  // namespace ninefold
