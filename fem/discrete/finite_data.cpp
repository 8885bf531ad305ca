#include "fem/discrete/finite_data.hpp"

#include <cstddef>
#include <vector>

#include "precision/double_word.hpp"
#include "precision/require.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/discrete/gauss_rule.hpp"
#include "fem/discrete/line_points.hpp"
#include "fem/problem/consistency.hpp"

namespace ninefold {
namespace {

/// A place on a line by its distances to both ends, rounded to double as formulas are given it.
struct Place {
  double from_start, from_end;
};

template <class W>
std::vector<Place> gauss_places(const Line& line, int n_points) {
  std::vector<Place> places;
  for (const LinePoint<W>& point : line_points<W>(line, gauss_rule<W>(n_points))) {
    places.push_back({static_cast<double>(point.from_start), static_cast<double>(point.from_end)});
  }
  return places;
}

template <class W>
std::vector<Place> nodes_of(const Line& line) {
  const Distances<W> nodes = distances<W>(line);
  std::vector<Place> places;
  for (std::size_t k = 0; k < nodes.from_start.size(); ++k) {
    places.push_back(
        {static_cast<double>(nodes.from_start[k]), static_cast<double>(nodes.from_end[k])});
  }
  return places;
}

Point point(const Place& x, const Place& y) {
  return {x.from_start, x.from_end, y.from_start, y.from_end};
}

void require_finite(const Function& f, Parameter parameter, const std::vector<Place>& x,
                    const std::vector<Place>& y) {
  if (!f) return;
  for (const Place& up : y) {
    for (const Place& across : x) (void)finite_value(f, point(across, up), parameter);
  }
}

/// The first node, or the last one.
std::vector<Place> end_of(const std::vector<Place>& nodes, bool at_start) {
  return {at_start ? nodes.front() : nodes.back()};
}

}  // namespace

template <class W>
void require_finite_load(const Problem& problem, const TensorGrid& grid) {
  const std::vector<Place> gauss_x = gauss_places<W>(grid.x, problem.quadrature);
  const std::vector<Place> gauss_y = gauss_places<W>(grid.y, problem.quadrature);
  const std::vector<Place> nodes_x = nodes_of<W>(grid.x), nodes_y = nodes_of<W>(grid.y);
  require_finite(problem.source, Parameter::source, gauss_x, gauss_y);
  for (const Side side : all_sides) {
    const bool upright = side == Side::left || side == Side::right;
    const bool at_start = side == Side::left || side == Side::bottom;
    const bool fixed = problem.boundary[side] == BoundaryKind::dirichlet;
    const std::vector<Place>& along_x = fixed ? nodes_x : gauss_x;
    const std::vector<Place>& along_y = fixed ? nodes_y : gauss_y;
    const std::vector<Place> x = upright ? end_of(nodes_x, at_start) : along_x;
    const std::vector<Place> y = upright ? along_y : end_of(nodes_y, at_start);
    if (fixed) {
      require_finite(problem.solution, Parameter::solution, x, y);  // they may be its own
      require_finite(problem.dirichlet, Parameter::dirichlet, x, y);
    } else {
      require_finite(problem.flux[static_cast<std::size_t>(side)], flux_parameter(side), x, y);
    }
  }
}

template <class W>
void require_finite_solution(const Problem& problem, const TensorGrid& grid) {
  require_finite(problem.solution, Parameter::solution, nodes_of<W>(grid.x), nodes_of<W>(grid.y));
  require_finite(problem.solution, Parameter::solution, gauss_places<W>(grid.x, error_points),
                 gauss_places<W>(grid.y, error_points));
}

void refuse_solution(double size) {
  throw BadValue(value_text(size),
                 words("the solution to {}, {} and {} leaves the range of double",
                       Parameter::source, Parameter::flux, Parameter::dirichlet),
                 words("scale them by a constant"));
}

template void require_finite_load<double>(const Problem&, const TensorGrid&);
template void require_finite_load<DoubleDouble>(const Problem&, const TensorGrid&);
template void require_finite_solution<double>(const Problem&, const TensorGrid&);
template void require_finite_solution<DoubleDouble>(const Problem&, const TensorGrid&);

}  // namespace ninefold
