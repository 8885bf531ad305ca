#include "fem/errors.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "precision/number.hpp"

#include "fem/gauss_rule.hpp"
#include "fem/parallel.hpp"

namespace ninefold {

namespace {

template <class W>
PointOf<W> node_point(const Distances<W>& x, const Distances<W>& y, int i, int j) {
  return {x.from_start[i], x.from_end[i], y.from_start[j], y.from_end[j]};
}

/// The larger of two values; a NaN wins, where std::max would drop it.
double larger(double a, double b) {
  return std::isnan(b) || b > a ? b : a;
}

}  // namespace

template <class W>
Errors measure_errors(const Problem& problem, const TensorGrid& grid, const std::vector<W>& u_h) {
  require(
      static_cast<bool>(problem.solution),
      "the problem '" + problem.name + "' has no analytic solution to measure an error against");
  const int nx = grid.nx(), ny = grid.ny();
  require(u_h.size() == static_cast<std::size_t>(nx) * ny,
          "the solution has " + std::to_string(u_h.size()) + " values, the grid "
              + std::to_string(nx) + " x " + std::to_string(ny) + " nodes");
  const int n_points = 3;
  const GaussRule<W> rule = gauss_rule<W>(n_points);
  const Distances<W> x = distances<W>(grid.x), y = distances<W>(grid.y);

  std::vector<double> row_l2(ny, 0.0), row_squares(ny, 0.0), row_max(ny, 0.0);
  for_rows(ny, [&](int j) {
    const W* lower = u_h.data() + static_cast<std::size_t>(j) * nx;
    double l2 = 0, squares = 0, max = 0;  // local: neighbours in the arrays share cache lines
    for (int i = 0; i < nx; ++i) {
      const double error =
          std::abs(static_cast<double>(lower[i] - problem.solution.at(node_point(x, y, i, j))));
      squares += error * error;
      max = larger(max, error);
    }
    row_squares[j] = squares;
    row_max[j] = max;
    if (j + 1 == ny) return;
    const W* upper = lower + nx;
    for (int i = 0; i + 1 < nx; ++i) {
      double cell = 0.0;
      for (int qy = 0; qy < n_points; ++qy) {
        const W t = rule.point[qy];
        const W bottom = y.from_start[j] + t * grid.y.width[j];
        const W top = y.from_end[j + 1] + (1.0 - t) * grid.y.width[j];
        const W west = (1.0 - t) * lower[i] + t * upper[i];
        const W east = (1.0 - t) * lower[i + 1] + t * upper[i + 1];
        for (int qx = 0; qx < n_points; ++qx) {
          const W s = rule.point[qx];
          const W left = x.from_start[i] + s * grid.x.width[i];
          const W right = x.from_end[i + 1] + (1.0 - s) * grid.x.width[i];
          const auto error =
              static_cast<double>((1.0 - s) * west + s * east
                                  - problem.solution.at(PointOf<W>{left, right, bottom, top}));
          cell += static_cast<double>(rule.weight[qx]) * static_cast<double>(rule.weight[qy])
                  * error * error;
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

template Errors measure_errors(const Problem&, const TensorGrid&, const std::vector<double>&);
template Errors measure_errors(const Problem&, const TensorGrid&, const std::vector<DoubleDouble>&);

std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid) {
  require(static_cast<bool>(problem.solution),
          "the problem '" + problem.name + "' has no analytic solution");
  const Distances<double> x = distances<double>(grid.x), y = distances<double>(grid.y);
  std::vector<double> values(static_cast<std::size_t>(grid.nx()) * grid.ny());
  for_rows(grid.ny(), [&](int j) {
    for (int i = 0; i < grid.nx(); ++i) {
      values[static_cast<std::size_t>(j) * grid.nx() + i] =
          problem.solution(node_point(x, y, i, j));
    }
  });
  return values;
}

}  // namespace ninefold
