#include "fem/discrete/errors.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "precision/larger.hpp"
#include "precision/number.hpp"
#include "precision/require.hpp"

#include "fem/discrete/error_sums.hpp"
#include "fem/discrete/finite_data.hpp"
#include "fem/discrete/gauss_rule.hpp"
#include "fem/discrete/line_points.hpp"
#include "fem/discrete/parallel.hpp"

namespace ninefold {

namespace {

/// 2^-exponent times the value; the value itself, bit for bit, where the exponent is zero.
double scaled(double value, int exponent) {
  return exponent == 0 ? value : std::ldexp(value, -exponent);
}

template <class W>
ErrorSums sum_errors(const Problem& problem, const TensorGrid& grid, const std::vector<W>& u_h,
                     const ErrorExponents& exponents) {
  const int nx = grid.nx(), ny = grid.ny();
  constexpr std::size_t n_points = error_points;
  const GaussRule<W> rule = gauss_rule<W>(n_points);
  const Distances<W> x = distances<W>(grid.x), y = distances<W>(grid.y);
  const Distances<W> x_points = places_of(line_points(grid.x, rule));
  const Distances<W> y_points = places_of(line_points(grid.y, rule));
  const RowValues<W> exact_at_nodes = problem.solution.on_rows(x, y);
  const RowValues<W> exact_at_points = problem.solution.on_rows(x_points, y_points);

  std::vector<ErrorSums> rows(static_cast<std::size_t>(ny));
  for_rows(ny, [&](int j) {
    const W* lower = u_h.data() + static_cast<std::size_t>(j) * nx;
    ErrorSums sums(0);  // local: neighbours in the array share cache lines
    const std::size_t pitch = x_points.from_start.size();
    std::vector<W> nodes(static_cast<std::size_t>(nx)), points(n_points * pitch);
    exact_at_nodes(static_cast<std::size_t>(j), nodes.data());
    for (std::size_t q = 0; q < n_points && j + 1 < ny; ++q) {
      exact_at_points(static_cast<std::size_t>(j) * n_points + q, points.data() + q * pitch);
    }
    for (int i = 0; i < nx; ++i) {
      const double error =
          std::abs(static_cast<double>(lower[i] - nodes[static_cast<std::size_t>(i)]));
      const double part = scaled(error, exponents.error);
      sums.squares += part * part;
      sums.max = larger(sums.max, error);
    }
    sums.largest = sums.max;
    for (int i = 0; i + 1 < nx && j + 1 < ny; ++i) {
      const W* upper = lower + nx;
      double cell = 0.0;
      const W* const exact = points.data() + static_cast<std::size_t>(i) * n_points;
      for (std::size_t qy = 0; qy < n_points; ++qy) {
        const W t = rule.point[qy];
        const W west = (1.0 - t) * lower[i] + t * upper[i];
        const W east = (1.0 - t) * lower[i + 1] + t * upper[i + 1];
        for (std::size_t qx = 0; qx < n_points; ++qx) {
          const W s = rule.point[qx];
          const auto error =
              static_cast<double>((1.0 - s) * west + s * east - exact[qy * pitch + qx]);
          sums.largest = larger(sums.largest, std::abs(error));
          const double part = scaled(error, exponents.error);
          cell += static_cast<double>(rule.weight[qx]) * static_cast<double>(rule.weight[qy]) * part
                  * part;
        }
      }
      sums.l2 += cell * scaled(grid.x.width[i], exponents.width)
                 * scaled(grid.y.width[j], exponents.height);
    }
    rows[static_cast<std::size_t>(j)] = sums;
  });

  ErrorSums all(0);
  for (const ErrorSums& row : rows) all = all + row;
  return all;
}

template <class W>
bool all_finite(const std::vector<W>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const W& value) { return std::isfinite(static_cast<double>(value)); });
}

}  // namespace

std::optional<ErrorExponents> needed_exponents(double largest, const TensorGrid& grid) {
  if (!std::isfinite(largest) || largest == 0) return {};
  // Kept on both sides: for sums of many, for errors and cells that are smaller than the largest.
  constexpr int room = 900;
  const int square = 2 * std::ilogb(largest);
  ErrorExponents needed{std::ilogb(largest), std::ilogb(grid.x.from_start.back()),
                        std::ilogb(grid.y.from_start.back())};
  const bool inside = std::abs(square) < room && std::abs(square + needed.width) < room
                      && std::abs(square + needed.width + needed.height) < room;
  if (inside) return {};
  if ((needed.width + needed.height) % 2 != 0) ++needed.height;  // their root is taken out
  return needed;
}

Errors errors_of(const ErrorSums& sums, const ErrorExponents& out, const TensorGrid& grid) {
  const double nodes = static_cast<double>(grid.nx()) * grid.ny();
  return {scaled(std::sqrt(sums.l2), -(out.error + (out.width + out.height) / 2)),
          scaled(std::sqrt(sums.squares / nodes), -out.error), sums.max};
}

template <class W>
Errors measure_errors(const Problem& problem, const TensorGrid& grid, const std::vector<W>& u_h) {
  require(static_cast<bool>(problem.solution), [&] {
    return "the problem '" + problem.name
           + "' has no analytic solution to measure an error against";
  });
  const int nx = grid.nx(), ny = grid.ny();
  require(u_h.size() == static_cast<std::size_t>(nx) * ny, [&] {
    return "the solution has " + std::to_string(u_h.size()) + " values, the grid "
           + std::to_string(nx) + " x " + std::to_string(ny) + " nodes";
  });
  ErrorSums sums = sum_errors(problem, grid, u_h, {});
  ErrorExponents out;
  if (const auto needed = needed_exponents(sums.largest, grid)) {
    out = *needed;
    sums = sum_errors(problem, grid, u_h, out);
  }
  if (!std::isfinite(sums.largest) && all_finite(u_h)) require_finite_solution<W>(problem, grid);
  return errors_of(sums, out, grid);
}

template Errors measure_errors(const Problem&, const TensorGrid&, const std::vector<double>&);
template Errors measure_errors(const Problem&, const TensorGrid&, const std::vector<DoubleDouble>&);

std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid) {
  require(static_cast<bool>(problem.solution),
          [&] { return "the problem '" + problem.name + "' has no analytic solution"; });
  const Distances<double> x = distances<double>(grid.x), y = distances<double>(grid.y);
  const auto nx = static_cast<std::size_t>(grid.nx());
  std::vector<double> values(nx * static_cast<std::size_t>(grid.ny()));
  const RowValues<double> solution_on_row = problem.solution.on_rows(x, y);
  for_rows(grid.ny(), [&](int j) {
    const auto row = static_cast<std::size_t>(j);
    solution_on_row(row, values.data() + row * nx);
  });
  return values;
}

}  // namespace ninefold
