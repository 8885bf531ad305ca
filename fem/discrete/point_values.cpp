#include "fem/discrete/point_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "precision/double_word.hpp"
#include "precision/require.hpp"

#include "fem/discrete/coarser_level.hpp"
#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

/// The nodes of a line, and where a coordinate lies among them.
template <class W>
class PlacesOnLine {
 public:
  explicit PlacesOnLine(const Line& line) : line_(line), nodes_(distances<W>(line)) {}

  double inside(double at) const { return std::clamp(at, 0.0, line_.from_start.back()); }
  W from_end(double at) const {
    const W rest = nodes_.from_start.back() - W(at);
    return static_cast<double>(rest) < 0 ? W(0) : rest;
  }

  PlaceInCell<W> operator()(double at) const {
    const int last = line_.cells() - 1;
    if (2 * at <= line_.from_start.back()) {
      const auto above = std::upper_bound(line_.from_start.begin(), line_.from_start.end(), at);
      const int cell = std::clamp(static_cast<int>(above - line_.from_start.begin()) - 1, 0, last);
      return {cell, part((W(at) - nodes_.from_start[size(cell)]) / line_.width[size(cell)])};
    }
    const W rest = from_end(at);
    const auto nearer = std::lower_bound(line_.from_end.begin(), line_.from_end.end(),
                                         static_cast<double>(rest), std::greater<>());
    const int cell = std::clamp(static_cast<int>(nearer - line_.from_end.begin()) - 1, 0, last);
    return {cell, part(W(1) - (rest - nodes_.from_end[size(cell) + 1]) / line_.width[size(cell)])};
  }

 private:
  /// What is beyond a cell's ends is rounding.
  static W part(const W& share) {
    if (static_cast<double>(share) <= 0) return W(0);
    return static_cast<double>(share) >= 1 ? W(1) : share;
  }

  const Line& line_;
  Distances<W> nodes_;
};

template <class W>
W interpolated(const W* lower, const W* upper, const PlaceInCell<W>& x, const PlaceInCell<W>& y) {
  const W s = x.share, t = y.share, west = (W(1) - t) * lower[0] + t * upper[0],
          east = (W(1) - t) * lower[1] + t * upper[1];
  return (W(1) - s) * west + s * east;
}

/// Beyond this part of a size a place is outside.
constexpr double rounding = 1e-12;

bool is_within(double at, double length) {
  return at >= -rounding * length && at <= length + rounding * length;
}

template <class W>
std::vector<PointValue> values_at(const Problem& problem, const TensorGrid& grid,
                                  const NodalValues<W>& u_h, const NodalValues<double>& coarser,
                                  std::span<const Position> places) {
  require(u_h.fit(grid), [&] {
    return fmt::format("the solution has {} values, the grid {} x {} nodes", u_h.all_here().size(),
                       grid.nx(), grid.ny());
  });
  for (const Position& place : places) {
    require(is_inside(place, grid.x.from_start.back(), grid.y.from_start.back()), [&] {
      return fmt::format("the place ({}, {}) is outside of the grid", place.x, place.y);
    });
  }
  const std::optional<CoarserFunction> before =
      coarser.empty() ? std::nullopt : std::optional<CoarserFunction>(std::in_place, grid, coarser);
  const PlacesOnLine<W> in_x(grid.x), in_y(grid.y);
  const auto value_at = [&](const Position& place) {
    const double x = in_x.inside(place.x), y = in_y.inside(place.y);
    const PlaceInCell<W> i = in_x(x), j = in_y(y);
    const W* lower = u_h.row(grid, j.cell) + i.cell;
    const W u = interpolated(lower, lower + grid.nx(), i, j);
    PointValue value;
    value.u = static_cast<double>(u);
    if (problem.solution) {
      const W exact =
          problem.solution.at(PointOf<W>{W(x), in_x.from_end(x), W(y), in_y.from_end(y)});
      value.exact = static_cast<double>(exact);
      value.error = static_cast<double>(u - exact);
    }
    if (before) {
      value.change = value.u
                     - (*before)({i.cell, static_cast<double>(i.share)},
                                 {j.cell, static_cast<double>(j.share)});
    }
    return value;
  };
  // In the order of their rows, as those who share a grid tell each other.
  std::vector<int> row(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) row[k] = in_y(in_y.inside(places[k].y)).cell;
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row[a] < row[b]; });
  std::stable_sort(row.begin(), row.end());
  const RowRange own = u_h.own_cells(grid);
  std::vector<PointValue> sorted(places.size());
  for_points(places.size(), [&](std::size_t k) {
    if (own.first <= row[k] && row[k] < own.last) sorted[k] = value_at(places[order[k]]);
  });
  u_h.tell(sorted, row);
  std::vector<PointValue> values(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) values[order[k]] = sorted[k];
  return values;
}

}  // namespace

double length(const SampledLine& line) {
  return std::hypot(line.end.x - line.begin.x, line.end.y - line.begin.y);
}

double distance_of(const SampledLine& line, int k) {
  return length(line) * (static_cast<double>(k) / (line.samples - 1));
}

std::vector<Position> samples_of(const SampledLine& line) {
  std::vector<Position> places;
  places.reserve(size(line.samples));
  const int steps = line.samples - 1;
  for (int k = 0; k < steps; ++k) {
    const double after = static_cast<double>(k) / steps;
    const double x = line.begin.x + after * (line.end.x - line.begin.x);
    const double y = line.begin.y + after * (line.end.y - line.begin.y);
    places.push_back({x, y});
  }
  places.push_back(line.end);
  return places;
}

bool is_inside(const Position& place, double width, double height) {
  return is_within(place.x, width) && is_within(place.y, height);
}

std::vector<PointValue> point_values(const Problem& problem, const TensorGrid& grid,
                                     const NodalValues<double>& u_h,
                                     const NodalValues<double>& coarser,
                                     std::span<const Position> places) {
  return values_at(problem, grid, u_h, coarser, places);
}
std::vector<PointValue> point_values(const Problem& problem, const TensorGrid& grid,
                                     const NodalValues<DoubleDouble>& u_h,
                                     const NodalValues<double>& coarser,
                                     std::span<const Position> places) {
  return values_at(problem, grid, u_h, coarser, places);
}

}  // namespace ninefold
