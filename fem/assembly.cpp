#include "fem/assembly.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "precision/number.hpp"

#include "fem/parallel.hpp"

namespace ninefold {

namespace {

constexpr int strip_height = 16;  // node rows per thread; independent of the number of threads

/// A Gauss point inside a cell of a line: its distances to both ends, the weight times the cell's
/// width, and the two linear shape functions.
struct LinePoint {
  double from_start, from_end, weight, shape[2];
};

LinePoint line_point(const Line& line, int cell, double at, double weight) {
  const double width = line.width[cell];
  return {line.from_start[cell] + at * width,
          line.from_end[cell + 1] + (1.0 - at) * width,
          weight * width,
          {1.0 - at, at}};
}

/// Adds the flux over one side to the load.  `along` runs along the side, `node(i)` numbers its
/// nodes, `point(p)` completes a position on it.
template <class Node, class At>
void add_side_flux(const Function& flux, const Line& along, const GaussRule& rule, Node&& node,
                   At&& point, std::vector<double>& load) {
  for (int cell = 0; cell < along.cells(); ++cell) {
    for (std::size_t q = 0; q < rule.point.size(); ++q) {
      const LinePoint p = line_point(along, cell, rule.point[q], rule.weight[q]);
      const double value = flux(point(p)) * p.weight;
      load[node(cell)] += value * p.shape[0];
      load[node(cell + 1)] += value * p.shape[1];
    }
  }
}

/// visit(i, j) for all nodes on Dirichlet sides.
template <class Visit>
void for_dirichlet_nodes(const Problem& problem, const TensorGrid& grid, const Visit& visit) {
  const int nx = grid.nx(), ny = grid.ny();
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  for (int j = 0; j < ny; ++j) {
    const bool edge_row = j == 0 || j == ny - 1;
    for (int i = 0; i < nx; i += edge_row ? 1 : nx - 1) {
      if (!unknowns.contains(i, j)) visit(i, j);
    }
  }
}

}  // namespace

GaussRule gauss_rule(int n) {
  // Points and weights on [-1, 1], Abramowitz and Stegun, table 25.4.
  GaussRule rule;
  switch (n) {
    case 1:
      rule = {{0.0}, {2.0}};
      break;
    case 2:
      rule = {{-std::sqrt(1.0 / 3.0), std::sqrt(1.0 / 3.0)}, {1.0, 1.0}};
      break;
    case 3:
      rule = {{-std::sqrt(0.6), 0.0, std::sqrt(0.6)}, {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0}};
      break;
    case 4: {
      const double inner = std::sqrt(3.0 / 7.0 - 2.0 / 7.0 * std::sqrt(1.2));
      const double outer = std::sqrt(3.0 / 7.0 + 2.0 / 7.0 * std::sqrt(1.2));
      const double w_inner = (18.0 + std::sqrt(30.0)) / 36.0;
      const double w_outer = (18.0 - std::sqrt(30.0)) / 36.0;
      rule = {{-outer, -inner, inner, outer}, {w_outer, w_inner, w_inner, w_outer}};
      break;
    }
    case 5: {
      const double inner = std::sqrt(5.0 - 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
      const double outer = std::sqrt(5.0 + 2.0 * std::sqrt(10.0 / 7.0)) / 3.0;
      const double w_inner = (322.0 + 13.0 * std::sqrt(70.0)) / 900.0;
      const double w_outer = (322.0 - 13.0 * std::sqrt(70.0)) / 900.0;
      rule = {{-outer, -inner, 0.0, inner, outer},
              {w_outer, w_inner, 128.0 / 225.0, w_inner, w_outer}};
      break;
    }
    default:
      throw std::invalid_argument("a Gauss rule of " + std::to_string(n)
                                  + " points was asked for; 1 to 5 are possible");
  }
  for (double& point : rule.point) point = 0.5 * (1.0 + point);
  for (double& weight : rule.weight) weight *= 0.5;
  return rule;
}

Box unknown_nodes(const TensorGrid& grid, const Boundary& boundary) {
  const auto fixed = [&](Side side) { return boundary[side] == BoundaryKind::dirichlet ? 1 : 0; };
  return {fixed(Side::left), grid.nx() - fixed(Side::right), fixed(Side::bottom),
          grid.ny() - fixed(Side::top)};
}

std::vector<double> assemble_load(const Problem& problem, const TensorGrid& grid) {
  const int nx = grid.nx(), ny = grid.ny();
  const GaussRule rule = gauss_rule(problem.quadrature);
  const int n_points = static_cast<int>(rule.point.size());
  std::vector<double> load(static_cast<std::size_t>(nx) * ny, 0.0);

  // Each thread gathers whole strips of node rows from the cells below and above them; cells on
  // the border of two strips are integrated twice instead of being shared.
  const int n_strips = (ny + strip_height - 1) / strip_height;
  for_rows(n_strips, [&](int strip) {
    const int first = strip * strip_height, last = std::min(ny, first + strip_height);
    for (int row = std::max(0, first - 1); row < std::min(grid.y.cells(), last); ++row) {
      for (int cell = 0; cell < grid.x.cells(); ++cell) {
        double moment[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
        for (int qy = 0; qy < n_points; ++qy) {
          const LinePoint y = line_point(grid.y, row, rule.point[qy], rule.weight[qy]);
          for (int qx = 0; qx < n_points; ++qx) {
            const LinePoint x = line_point(grid.x, cell, rule.point[qx], rule.weight[qx]);
            const double value =
                problem.source({x.from_start, x.from_end, y.from_start, y.from_end})
                * (x.weight * y.weight);
            for (int t = 0; t < 2; ++t) {
              for (int s = 0; s < 2; ++s) moment[t][s] += value * (x.shape[s] * y.shape[t]);
            }
          }
        }
        for (int t = 0; t < 2; ++t) {
          if (row + t < first || row + t >= last) continue;
          const std::size_t k = static_cast<std::size_t>(row + t) * nx + cell;
          load[k] += moment[t][0];
          load[k + 1] += moment[t][1];
        }
      }
    }
  });

  const auto flux = [&](Side side) -> const Function& {
    return problem.flux[static_cast<std::size_t>(side)];
  };
  const auto has_flux = [&](Side side) {
    return problem.boundary[side] == BoundaryKind::neumann && flux(side);
  };
  const double width = grid.x.from_start.back(), height = grid.y.from_start.back();
  const std::size_t pitch = static_cast<std::size_t>(nx);
  for (const Side side : {Side::bottom, Side::top}) {
    if (!has_flux(side)) continue;
    const bool top = side == Side::top;
    const std::size_t start = top ? pitch * (ny - 1) : 0;
    add_side_flux(
        flux(side), grid.x, rule, [&](int i) { return start + i; },
        [&](const LinePoint& p) {
          return Point{p.from_start, p.from_end, top ? height : 0.0, top ? 0.0 : height};
        },
        load);
  }
  for (const Side side : {Side::left, Side::right}) {
    if (!has_flux(side)) continue;
    const bool right = side == Side::right;
    const std::size_t start = right ? pitch - 1 : 0;
    add_side_flux(
        flux(side), grid.y, rule, [&](int j) { return start + pitch * j; },
        [&](const LinePoint& p) {
          return Point{right ? width : 0.0, right ? 0.0 : width, p.from_start, p.from_end};
        },
        load);
  }

  for_dirichlet_nodes(problem, grid, [&](int i, int j) {
    load[static_cast<std::size_t>(j) * pitch + static_cast<std::size_t>(i)] = 0.0;
  });
  return load;
}

std::vector<double> boundary_values(const Problem& problem, const TensorGrid& grid) {
  const int nx = grid.nx();
  std::vector<double> values(static_cast<std::size_t>(nx) * grid.ny(), 0.0);
  if (!problem.dirichlet) return values;
  for_dirichlet_nodes(problem, grid, [&](int i, int j) {
    values[static_cast<std::size_t>(j) * nx + i] = problem.dirichlet(
        {grid.x.from_start[i], grid.x.from_end[i], grid.y.from_start[j], grid.y.from_end[j]});
  });
  return values;
}

Scaling choose_scaling(const Problem& problem, const TensorGrid& grid,
                       const std::vector<double>& load, const std::vector<double>& boundary) {
  const auto largest = [](const std::vector<double>& v) {
    double max = 0;
    for (const double value : v) {
      // A NaN counts as largest, where std::max would drop it.
      if (std::isnan(value) || std::abs(value) > max) max = std::abs(value);
      if (std::isnan(max)) break;
    }
    return max;
  };
  struct Extremes {
    double stiffness = 0, mass = 0;
  };
  const auto extremes = [](const Line& line) {
    Extremes e;
    for (const auto& node : node_couplings<double>(line)) {
      e.stiffness = std::max(e.stiffness, node.stiffness[1]);
      e.mass = std::max(e.mass, node.mass[1]);
    }
    return e;
  };
  const Extremes x = extremes(grid.x), y = extremes(grid.y);
  const double entry =
      std::max({problem.gx * x.stiffness * y.mass, problem.gy * x.mass * y.stiffness,
                problem.reaction * x.mass * y.mass});
  Scaling scaling;
  scaling.matrix = std::ilogb(entry);
  const double b = largest(load), g = largest(boundary);
  require(std::isfinite(b) && std::isfinite(g),
          "problem.source, problem.flux or problem.dirichlet is not finite on the domain");
  // Beside boundary values the load may be next to nothing (rounding noise for a harmonic
  // solution); it then must not drive them out of range.
  const int room = 16;
  if (b > 0 && g > 0) {
    scaling.load = std::max(std::ilogb(b), scaling.matrix + std::ilogb(g) - room);
  } else if (b > 0) {
    scaling.load = std::ilogb(b);
  } else {
    scaling.load = scaling.matrix + (g > 0 ? std::ilogb(g) : 0);
  }
  return scaling;
}

Coefficients<double> scaled_coefficients(const Problem& problem, const Scaling& scaling) {
  return {std::ldexp(problem.gx, -scaling.matrix), std::ldexp(problem.gy, -scaling.matrix),
          std::ldexp(problem.reaction, -scaling.matrix)};
}

}  // namespace ninefold
