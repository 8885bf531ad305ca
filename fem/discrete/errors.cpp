#include "fem/discrete/errors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

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

/// Adds what the cells above row j of nodes have; `exact` is the solution at the first of their
/// points, with `pitch` values from one row of points to the next.
template <class W>
void add_cells(const TensorGrid& grid, int j, const W* lower, const W* exact, std::size_t pitch,
               const GaussRule<W>& rule, const ErrorExponents& exponents, ErrorSums& sums) {
  constexpr std::size_t n_points = error_points, block = 256;
  const W* const upper = lower + grid.nx();
  const auto cells = static_cast<std::size_t>(grid.x.cells());
  const double height = scaled(grid.y.width[static_cast<std::size_t>(j)], exponents.height);
  for (std::size_t first = 0; first < cells; first += block) {
    const std::size_t n = std::min(block, cells - first);
    // Each point for all cells of the block, so that compilers take several cells at once; a cell's
    // sum keeps its order.
    std::array<double, block> squares{};
    std::array<std::int64_t, block> largest{};  // bits of sizes, in whose order NaN is the largest
    const auto add_point = [&](std::size_t qx, std::size_t qy, const auto& scale) {
      const W s = rule.point[qx], t = rule.point[qy], s_rest = 1.0 - s, t_rest = 1.0 - t;
      const double weight =
          static_cast<double>(rule.weight[qx]) * static_cast<double>(rule.weight[qy]);
      const W* const u = exact + qy * pitch + first * n_points + qx;
      for (std::size_t i = 0; i < n; ++i) {
        const W* const below = lower + first + i;
        const W* const above = upper + first + i;
        const W west = t_rest * below[0] + t * above[0];
        const W east = t_rest * below[1] + t * above[1];
        const auto error = static_cast<double>(s_rest * west + s * east - u[i * n_points]);
        largest[i] = std::max(largest[i], std::bit_cast<std::int64_t>(std::abs(error)));
        const double part = scale(error);
        squares[i] += weight * part * part;
      }
    };
    for (std::size_t qy = 0; qy < n_points; ++qy) {
      for (std::size_t qx = 0; qx < n_points; ++qx) {
        if (exponents.error == 0) {
          add_point(qx, qy, [](double error) { return error; });
        } else {
          add_point(qx, qy, [&](double error) { return scaled(error, exponents.error); });
        }
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      sums.largest = larger(sums.largest, std::bit_cast<double>(largest[i]));
      sums.l2 += squares[i] * scaled(grid.x.width[first + i], exponents.width) * height;
    }
  }
}

/// Of these rows; row_of(j) is where row j of the function begins, and the next one lies behind it.
template <class W, class RowOf>
std::vector<ErrorSums> sums_of_rows(const Problem& problem, const TensorGrid& grid,
                                    const RowRange& own, const RowOf& row_of,
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
  for_rows(own.count(), [&](int k) {
    const int j = own.first + k;
    const W* const lower = row_of(j);
    ErrorSums sums(0);  // local: neighbours in the array share cache lines
    const std::size_t pitch = x_points.from_start.size();
    const auto nodes = std::make_unique_for_overwrite<W[]>(static_cast<std::size_t>(nx));
    const auto points = std::make_unique_for_overwrite<W[]>(n_points * pitch);
    exact_at_nodes(static_cast<std::size_t>(j), nodes.get());
    for (std::size_t q = 0; q < n_points && j + 1 < ny; ++q) {
      exact_at_points(static_cast<std::size_t>(j) * n_points + q, points.get() + q * pitch);
    }
    for (int i = 0; i < nx; ++i) {
      const double error =
          std::abs(static_cast<double>(lower[i] - nodes[static_cast<std::size_t>(i)]));
      const double part = scaled(error, exponents.error);
      sums.squares += part * part;
      sums.max = larger(sums.max, error);
    }
    sums.largest = sums.max;
    if (j + 1 < ny) add_cells(grid, j, lower, points.get(), pitch, rule, exponents, sums);
    rows[static_cast<std::size_t>(j)] = sums;
  });

  return rows;
}

ErrorSums sum_of(const std::vector<ErrorSums>& rows) {
  ErrorSums all(0);
  for (const ErrorSums& row : rows) all = all + row;
  return all;
}

/// What sum(exponents) tells, without powers of two taken out or, where squares would leave the
/// range of double, with them.
template <class Sum>
std::pair<ErrorSums, Errors> scaled_sums(const TensorGrid& grid, const Sum& sum) {
  ErrorSums sums = sum({});
  ErrorExponents out;
  if (const auto needed = needed_exponents(sums.largest, grid)) {
    out = *needed;
    sums = sum(out);
  }
  return {sums, errors_of(sums, out, grid)};
}

void require_solution(const Problem& problem) {
  require(static_cast<bool>(problem.solution), [&] {
    return "the problem '" + problem.name
           + "' has no analytic solution to measure an error against";
  });
}

template <class W>
bool all_finite(const NodalValues<W>& values) {
  const auto here = values.all_here();
  return !values.any(!std::all_of(here.begin(), here.end(), [](const W& value) {
    return std::isfinite(static_cast<double>(value));
  }));
}

template <class W>
Errors errors_in(const Problem& problem, const TensorGrid& grid, const NodalValues<W>& u_h) {
  require_solution(problem);
  require(u_h.fit(grid), [&] {
    return "the solution has " + std::to_string(u_h.all_here().size()) + " values, the grid "
           + std::to_string(grid.nx()) + " x " + std::to_string(grid.ny()) + " nodes";
  });
  const auto row_of = [&](int j) { return u_h.row(grid, j); };
  const auto [sums, errors] = scaled_sums(grid, [&](const ErrorExponents& out) {
    std::vector<ErrorSums> rows = sums_of_rows<W>(problem, grid, u_h.own(grid), row_of, out);
    u_h.tell(rows);
    return sum_of(rows);
  });
  if (!std::isfinite(sums.largest) && all_finite(u_h)) require_finite_solution<W>(problem, grid);
  return errors;
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

Errors measure_errors(const Problem& problem, const TensorGrid& grid,
                      const NodalValues<double>& u_h) {
  return errors_in(problem, grid, u_h);
}
Errors measure_errors(const Problem& problem, const TensorGrid& grid,
                      const NodalValues<DoubleDouble>& u_h) {
  return errors_in(problem, grid, u_h);
}

double measure_solution(const Problem& problem, const TensorGrid& grid) {
  require_solution(problem);
  const std::vector<double> zeros(2 * static_cast<std::size_t>(grid.nx()), 0.0);
  const auto row_of = [&](int) { return zeros.data(); };
  const auto [sums, errors] = scaled_sums(grid, [&](const ErrorExponents& out) {
    return sum_of(sums_of_rows<double>(problem, grid, {0, grid.ny()}, row_of, out));
  });
  if (!std::isfinite(sums.largest)) require_finite_solution<double>(problem, grid);
  return errors.l2;
}

std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid) {
  return nodal_solution(problem, grid, {0, grid.ny()});
}

std::vector<double> nodal_solution(const Problem& problem, const TensorGrid& grid,
                                   const RowRange& rows) {
  require(static_cast<bool>(problem.solution),
          [&] { return "the problem '" + problem.name + "' has no analytic solution"; });
  const Distances<double> x = distances<double>(grid.x), y = distances<double>(grid.y);
  const auto nx = static_cast<std::size_t>(grid.nx());
  std::vector<double> values(nx * static_cast<std::size_t>(rows.count()));
  const RowValues<double> solution_on_row = problem.solution.on_rows(x, y);
  for_rows(rows.count(), [&](int k) {
    solution_on_row(static_cast<std::size_t>(rows.first + k),
                    values.data() + static_cast<std::size_t>(k) * nx);
  });
  return values;
}

}  // namespace ninefold
