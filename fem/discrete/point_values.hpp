#pragma once
// The value of a finite element function at any place of its rectangle, and along lines.
//
// Mathematics.  Between the four nodes of a cell the function is bilinear, as the elements have it;
// it is continuous, so that which cell a place on an edge is counted to changes rounding alone.
//
// Units.  Places and distances in those of the rectangle.
//
// Rounding.  A place is found from the nearer end of each direction, whose distances to the nodes
// are exact to rounding; shares and values in the format W of the nodal values, double or
// DoubleDouble, and rounded to double once more; errors in W before that (the exact solution in
// double if the problem knows it in double only).  Changes in double.
//
// Tests.  tests/fem/discrete/point_values_test.cpp

#include <optional>
#include <span>
#include <vector>

#include "precision/double_word.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

/// A place of the rectangle by its coordinates.
struct Position {
  double x = 0, y = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

/// A straight line, seen at places of equal distance from each other, its two ends among them.
struct SampledLine {
  Position begin, end;
  int samples = 2;

  friend bool operator==(const SampledLine&, const SampledLine&) = default;
};

/// That of the ends from each other.
double length(const SampledLine& line);

/// Sample k's distance from the line's beginning; requires at least two samples.
double distance_of(const SampledLine& line, int k);

/// All samples in order; the first and the last are the ends, bit for bit.
std::vector<Position> samples_of(const SampledLine& line);

/// False if a coordinate is not finite or beyond a side by more than 1e-12 of the rectangle's size,
/// which is taken as rounding: such places are moved to the side.
bool is_inside(const Position& place, double width, double height);

/// What there is at a place.
struct PointValue {
  double u = 0;                  ///< of the finite element function
  std::optional<double> exact;   ///< where the problem has a solution; not finite where it is not
  std::optional<double> error;   ///< u - exact
  std::optional<double> change;  ///< from the next coarser level, where that is given
};

/// The values of nodal values `u_h` on `grid` at the places, whatever the number of threads;
/// `coarser` are those of the next coarser level, or empty.  Throws std::invalid_argument if sizes
/// differ or a place is outside.
std::vector<PointValue> point_values(const Problem& problem, const TensorGrid& grid,
                                     const NodalValues<double>& u_h,
                                     const NodalValues<double>& coarser,
                                     std::span<const Position> places);
std::vector<PointValue> point_values(const Problem& problem, const TensorGrid& grid,
                                     const NodalValues<DoubleDouble>& u_h,
                                     const NodalValues<double>& coarser,
                                     std::span<const Position> places);

}  // namespace ninefold
