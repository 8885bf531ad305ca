#pragma once
// The Gauss points of the cells of a line.
//
// Rounding.  In the format W: double or DoubleDouble.
//
// Tests.  tests/fem/discrete/assembly_test.cpp

#include <cstddef>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/gauss_rule.hpp"

namespace ninefold {

/// A Gauss point inside a cell of a line: its distances to both ends, the weight times the cell's
/// width, and the two linear shape functions.
template <class W>
struct LinePoint {
  W from_start, from_end, weight, shape[2];
};

/// The Gauss points of all cells of a line, cell by cell.
template <class W>
std::vector<LinePoint<W>> line_points(const Line& line, const GaussRule<W>& rule) {
  const Distances<W> nodes = distances<W>(line);
  std::vector<LinePoint<W>> points;
  points.reserve(line.width.size() * rule.point.size());
  for (std::size_t cell = 0; cell < line.width.size(); ++cell) {
    const double width = line.width[cell];
    for (std::size_t q = 0; q < rule.point.size(); ++q) {
      const W at = rule.point[q], rest = 1.0 - at;
      points.push_back({nodes.from_start[cell] + at * width,
                        nodes.from_end[cell + 1] + rest * width,
                        rule.weight[q] * width,
                        {rest, at}});
    }
  }
  return points;
}

/// Where they are.
template <class W>
Distances<W> places_of(const std::vector<LinePoint<W>>& points) {
  Distances<W> places;
  for (const LinePoint<W>& p : points) {
    places.from_start.push_back(p.from_start);
    places.from_end.push_back(p.from_end);
  }
  return places;
}

}  // namespace ninefold
