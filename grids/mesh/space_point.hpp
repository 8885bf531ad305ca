#pragma once
// Points of space and their products.
//
// Rounding.  Each operation rounds, in the order in which it is written.
//
// Tests.  tests/grids/mesh/triangle_mesh_test.cpp

#include <array>

namespace ninefold {

using SpacePoint = std::array<double, 3>;

inline SpacePoint difference(const SpacePoint& a, const SpacePoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline double dot(const SpacePoint& a, const SpacePoint& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline SpacePoint cross(const SpacePoint& a, const SpacePoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace ninefold
