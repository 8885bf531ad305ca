#include "fem/errors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "precision/number.hpp"

#include "fem/assembly.hpp"
#include "fem/parallel.hpp"

namespace ninefold {

namespace {

Point node_point(const TensorGrid& grid, int i, int j) {
  return {grid.x.from_start[i], grid.x.from_end[i], grid.y.from_start[j], grid.y.from_end[j]};
}

/// The larger of two values; a NaN wins, where std::max would drop it.
double larger(double a, double b) {
  return std::isnan(b) || b > a ? b : a;
}

}  // namespace

Errors measure_errors(const Problem& problem, const TensorGrid& grid,
                      const std::vector<double>& u_h) {
  require(
      static_cast<bool>(problem.solution),
      "the problem '" + problem.name + "' has no analytic solution to measure an error against");
  const int nx = grid.nx(), ny = grid.ny();
  require(u_h.size() == static_cast<std::size_t>(nx) * ny,
          "the solution has " + std::to_string(u_h.size()) + " values, the grid "
              + std::to_string(nx) + " x " + std::to_string(ny) + " nodes");
  const GaussRule rule = gauss_rule(3);
  const int n_points = 3;

  std::vector<double> row_l2(ny, 0.0), row_squares(ny, 0.0), row_max(ny, 0.0);
  for_rows(ny, [&](int j) {
    const double* lower = u_h.data() + static_cast<std::size_t>(j) * nx;
    double l2 = 0, squares = 0, max = 0;  // local: neighbours in the arrays share cache lines
    for (int i = 0; i < nx; ++i) {
      const double error = std::abs(lower[i] - problem.solution(node_point(grid, i, j)));
      squares += error * error;
      max = larger(max, error);
    }
    row_squares[j] = squares;
    row_max[j] = max;
    if (j + 1 == ny) return;
    const double* upper = lower + nx;
    for (int i = 0; i + 1 < nx; ++i) {
      double cell = 0.0;
      for (int qy = 0; qy < n_points; ++qy) {
        const double t = rule.point[qy];
        const double bottom = grid.y.from_start[j] + t * grid.y.width[j];
        const double top = grid.y.from_end[j + 1] + (1.0 - t) * grid.y.width[j];
        const double west = (1.0 - t) * lower[i] + t * upper[i];
        const double east = (1.0 - t) * lower[i + 1] + t * upper[i + 1];
        for (int qx = 0; qx < n_points; ++qx) {
          const double s = rule.point[qx];
          const double left = grid.x.from_start[i] + s * grid.x.width[i];
          const double right = grid.x.from_end[i + 1] + (1.0 - s) * grid.x.width[i];
          const double error =
              (1.0 - s) * west + s * east - problem.solution({left, right, bottom, top});
          cell += rule.weight[qx] * rule.weight[qy] * error * error;
        }
      }
      l2 += cell * grid.x.width[i] * grid.y.width[j];
    }
    row_l2[j] = l2;
  });

  Errors errors;
  double l2 = 0, squares = 0;
  for (int j = 0; j < ny; ++j) {
    l2 += row_l2[j];
    squares += row_squares[j];
    errors.max = larger(errors.max, row_max[j]);
  }
  errors.l2 = std::sqrt(l2);
  errors.rms = std::sqrt(squares / (static_cast<double>(nx) * ny));
  return errors;
}

std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid) {
  require(static_cast<bool>(problem.solution),
          "the problem '" + problem.name + "' has no analytic solution");
  std::vector<double> values(static_cast<std::size_t>(grid.nx()) * grid.ny());
  for_rows(grid.ny(), [&](int j) {
    for (int i = 0; i < grid.nx(); ++i) {
      values[static_cast<std::size_t>(j) * grid.nx() + i] =
          problem.solution(node_point(grid, i, j));
    }
  });
  return values;
}

}  // namespace ninefold
