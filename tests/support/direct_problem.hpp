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

#include "tests/support/quad.hpp"

namespace ninefold::testing {

using PointFunction = std::function<Quad(const PointOf<Quad>&)>;

/// A function as double has it, at points rounded to double.
inline PointFunction in_double(std::function<double(const Point&)> f) {
  return [f](const PointOf<Quad>& p) -> Quad {
    return f({static_cast<double>(p.left), static_cast<double>(p.right),
              static_cast<double>(p.bottom), static_cast<double>(p.top)});
  };
}

/// The same in double-double, as far as it is known in that.
inline PointFunction in_double_double(const Function& f) {
  return [f](const PointOf<Quad>& p) -> Quad {
    const auto pair = [](Quad v) {
      const auto high = static_cast<double>(v);
      return DoubleDouble(high, static_cast<double>(v - high));
    };
    const DoubleDouble v =
        f.at(WidePoint{pair(p.left), pair(p.right), pair(p.bottom), pair(p.top)});
    return Quad(v.high) + v.low;
  };
}

/// -div(diag(gx, gy) grad u) + c u = f on a rectangle of cells with these widths.
struct DirectProblem {
  std::vector<double> widths_x, widths_y;
  double gx = 1, gy = 1, c = 0;
  std::array<bool, 4> dirichlet{true, true, true, true};  ///< left, right, bottom, top
  PointFunction source, boundary_value;                   ///< empty means zero, as for all below
  std::array<PointFunction, 4> flux;
  int load_points = 2;
};

/// The same of a problem of the project and the widths of a grid, with functions as a solve in
/// double or, if `wide`, in double-double takes them.
inline DirectProblem stated_directly(const Problem& problem, const TensorGrid& grid,
                                     bool wide = false) {
  const auto taken = [wide](const Function& f) {
    return !f ? PointFunction() : wide ? in_double_double(f) : in_double(f);
  };
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
