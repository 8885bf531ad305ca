#pragma once
// All 16 ways to choose which sides of a rectangle are Neumann's.

#include <cstddef>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold::testing {

/// Side s, in the order of all_sides, is a Neumann side if bit s is set.
inline Boundary boundary_of(int bits) {
  Boundary boundary;
  for (std::size_t s = 0; s < all_sides.size(); ++s) {
    if ((bits >> s & 1) != 0) boundary[all_sides[s]] = BoundaryKind::neumann;
  }
  return boundary;
}

}  // namespace ninefold::testing
