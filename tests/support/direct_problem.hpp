#pragma once
// What the banded oracle solves: plain widths, numbers and functions.
//
// Tests.  tests/support/direct_test.cpp

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold::testing {

using PointFunction = std::function<double(const Point&)>;

/// -div(diag(gx, gy) grad u) + c u = f on a rectangle of cells with these widths.
struct DirectProblem {
  std::vector<double> widths_x, widths_y;
  double gx = 1, gy = 1, c = 0;
  std::array<bool, 4> dirichlet{true, true, true, true};  ///< left, right, bottom, top
  PointFunction source, boundary_value;                   ///< empty means zero, as for all below
  std::array<PointFunction, 4> flux;
  int load_points = 2;
};

/// The same of a problem of the project, whose functions are taken, and the widths of a grid.
inline DirectProblem stated_directly(const Problem& problem, const TensorGrid& grid) {
  const auto taken = [](const Function& f) { return f ? PointFunction(f) : PointFunction(); };
  DirectProblem p;
  p.widths_x = grid.x.width;
  p.widths_y = grid.y.width;
  p.gx = problem.gx;
  p.gy = problem.gy;
  p.c = problem.reaction;
  p.source = taken(problem.source);
  p.boundary_value = taken(problem.dirichlet);
  for (std::size_t side = 0; side < 4; ++side) {
    p.dirichlet[side] = problem.boundary.kind[side] == BoundaryKind::dirichlet;
    p.flux[side] = taken(problem.flux[side]);
  }
  p.load_points = problem.quadrature;
  return p;
}

}  // namespace ninefold::testing
