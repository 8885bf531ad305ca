#include "fem/discrete/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <fmt/format.h>

#include "precision/error_free.hpp"
#include "precision/larger.hpp"
#include "precision/require.hpp"

#include "fem/discrete/coarser_level.hpp"
#include "fem/discrete/error_sums.hpp"
#include "fem/discrete/gauss_rule.hpp"
#include "fem/discrete/line_points.hpp"
#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

constexpr std::size_t n_points = 5;  // Gauss points per direction and cell
using Points = std::array<double, n_points>;

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

double scaled(double value, int exponent) {
  return exponent == 0 ? value : std::ldexp(value, -exponent);
}

/// A difference of values of this size over a cell, or nothing where it is what rounding leaves of
/// them: divided by the width of a cell that is thin enough, that would be all there is.
double told(double difference, double size, double roundings) {
  const bool is_rounding =
      std::isfinite(difference) && std::abs(difference) <= roundings * 0x1p-53 * size;
  return is_rounding ? 0 : difference;
}

constexpr double of_nodes = 16, of_derivatives = 128;  // roundings

/// Neumaier's.
class CompensatedSum {
 public:
  void add(double term) {
    const Rounded<double> sum = two_sum(value_, term);
    value_ = sum.value;
    lost_ += sum.error;
  }
  double total() const { return value_ + lost_; }

 private:
  double value_ = 0, lost_ = 0;
};

/// Integrals over a part of the rectangle, with the powers of two taken out that ErrorExponents
/// names.
template <class Number>
struct Integrals {
  Number value{}, square{}, x_square{}, y_square{};  ///< of u, u^2, (du/dx)^2, (du/dy)^2

  void add(const Integrals<double>& part) {
    value.add(part.value);
    square.add(part.square);
    x_square.add(part.x_square);
    y_square.add(part.y_square);
  }
  Integrals<double> total() const {
    return {value.total(), square.total(), x_square.total(), y_square.total()};
  }
};

/// of(i, j) over all cells, each by who has the nodal values `of_row`; begin(j) is what a row's
/// cells have in common.
template <class Begin, class Of>
Integrals<double> sum_cells(const TensorGrid& grid, const NodalValues<double>& of_row,
                            const Begin& begin, const Of& of) {
  std::vector<Integrals<double>> rows(size(grid.y.cells()));
  const RowRange own = of_row.own_cells(grid);
  for_rows(own.count(), [&](int k) {
    const int j = own.first + k;
    auto row = begin(j);
    Integrals<CompensatedSum> sums;
    for (int i = 0; i < grid.x.cells(); ++i) sums.add(of(row, i, j));
    rows[size(j)] = sums.total();
  });
  of_row.tell(rows);
  Integrals<CompensatedSum> all;
  for (const Integrals<double>& row : rows) all.add(row);
  return all.total();
}

/// A nodal value, and the size of the numbers that it has been computed from.
struct NodalValue {
  double value, size;
};

/// Of the bilinear function whose value at node (i, j) is at(i, j), of those that are here.
template <class At>
Integrals<double> integrals_of(const TensorGrid& grid, const NodalValues<double>& here,
                               const ErrorExponents& out, const At& at) {
  const int nx = grid.nx();
  struct Row {
    std::vector<NodalValue> lower, upper;
  };
  const auto scaled_at = [&](int i, int j) -> NodalValue {
    const NodalValue node = at(i, j);
    return {scaled(node.value, out.error), scaled(std::abs(node.size), out.error)};
  };
  const auto begin = [&](int j) {
    Row row{std::vector<NodalValue>(size(nx)), std::vector<NodalValue>(size(nx))};
    for (int i = 0; i < nx; ++i) {
      row.lower[size(i)] = scaled_at(i, j);
      row.upper[size(i)] = scaled_at(i, j + 1);
    }
    return row;
  };
  const auto difference = [](const NodalValue& a, const NodalValue& b) {
    return told(b.value - a.value, larger(a.size, b.size), of_nodes);
  };
  return sum_cells(grid, here, begin, [&](const Row& row, int i, int j) -> Integrals<double> {
    const double hx = scaled(grid.x.width[size(i)], out.width),
                 hy = scaled(grid.y.width[size(j)], out.height);
    const NodalValue *lower = &row.lower[size(i)], *upper = &row.upper[size(i)];
    const double sw = lower[0].value, se = lower[1].value, nw = upper[0].value, ne = upper[1].value;
    const double south = difference(lower[0], lower[1]), north = difference(upper[0], upper[1]),
                 west = difference(lower[0], upper[0]), east = difference(lower[1], upper[1]);
    const double square = sw * sw + se * se + nw * nw + ne * ne + sw * se + nw * ne + sw * nw
                          + se * ne + 0.5 * (sw * ne + se * nw);
    return {hx * hy * ((sw + se + nw + ne) / 4), hx * hy * (square / 9),
            hy / hx * ((south * south + south * north + north * north) / 3),
            hx / hy * ((west * west + west * east + east * east) / 3)};
  });
}

/// derivative[q][p]: that at Gauss point q of the polynomial which is 1 at point p, 0 at the
/// others.
std::array<Points, n_points> differentiation(const Points& point) {
  const auto others = [&](std::size_t p) {
    double product = 1;
    for (std::size_t q = 0; q < n_points; ++q) {
      if (q != p) product *= point[p] - point[q];
    }
    return product;
  };
  std::array<Points, n_points> derivative{};
  for (std::size_t q = 0; q < n_points; ++q) {
    for (std::size_t p = 0; p < n_points; ++p) {
      if (p == q) continue;
      derivative[q][p] = others(q) / (others(p) * (point[q] - point[p]));
      derivative[q][q] -= derivative[q][p];  // constants have none
    }
  }
  return derivative;
}

struct ErrorIntegrals {
  Integrals<double> sums;
  double largest;  ///< of the error at the Gauss points, not scaled
};

ErrorIntegrals integrals_of_error(const Problem& problem, const TensorGrid& grid,
                                  const NodalValues<double>& u_h, const ErrorExponents& out) {
  const GaussRule<double> rule = gauss_rule<double>(n_points);
  Points point, weight;
  std::copy(rule.point.begin(), rule.point.end(), point.begin());
  std::copy(rule.weight.begin(), rule.weight.end(), weight.begin());
  const std::array<Points, n_points> derivative = differentiation(point);
  const Distances<double> x = places_of(line_points(grid.x, rule)),
                          y = places_of(line_points(grid.y, rule));
  const RowValues<double> exact_on_row = problem.solution.on_rows(x, y);
  const std::size_t pitch = x.from_start.size();
  std::vector<double> largest_of(size(grid.y.cells()));

  const auto begin = [&](int j) {
    std::vector<double> exact(n_points * pitch);
    for (std::size_t q = 0; q < n_points; ++q) {
      exact_on_row(size(j) * n_points + q, exact.data() + q * pitch);
    }
    return exact;
  };
  const auto of = [&](const std::vector<double>& exact, int i, int j) {
    const double* lower = u_h.row(grid, j) + i;
    const double* upper = lower + grid.nx();
    std::array<Points, n_points> error;  // [y][x]
    double& largest = largest_of[size(j)];
    double values = 0;  // their size
    for (std::size_t q = 0; q < n_points; ++q) {
      const double t = point[q], west = (1 - t) * lower[0] + t * upper[0],
                   east = (1 - t) * lower[1] + t * upper[1];
      for (std::size_t p = 0; p < n_points; ++p) {
        const double s = point[p];
        const double u = exact[q * pitch + size(i) * n_points + p];
        const double e = (1 - s) * west + s * east - u;
        largest = larger(largest, std::abs(e));
        values = larger(values, std::abs(u));
        error[q][p] = scaled(e, out.error);
      }
    }
    values = scaled(values, out.error);
    Integrals<double> cell{0, 0, 0, 0};
    for (std::size_t q = 0; q < n_points; ++q) {
      for (std::size_t p = 0; p < n_points; ++p) {
        double in_x = 0, in_y = 0;
        for (std::size_t k = 0; k < n_points; ++k) {
          in_x += derivative[p][k] * error[q][k];
          in_y += derivative[q][k] * error[k][p];
        }
        in_x = told(in_x, values, of_derivatives);
        in_y = told(in_y, values, of_derivatives);
        const double w = weight[p] * weight[q];
        cell.value += w * error[q][p];
        cell.square += w * error[q][p] * error[q][p];
        cell.x_square += w * in_x * in_x;
        cell.y_square += w * in_y * in_y;
      }
    }
    const double hx = scaled(grid.x.width[size(i)], out.width),
                 hy = scaled(grid.y.width[size(j)], out.height);
    return Integrals<double>{hx * hy * cell.value, hx * hy * cell.square, hy / hx * cell.x_square,
                             hx / hy * cell.y_square};
  };
  const Integrals<double> sums = sum_cells(grid, u_h, begin, of);
  u_h.tell(largest_of);
  return {sums, largest_size(largest_of)};
}

/// a(u, u) over 4^out.error.
double scaled_energy(const Problem& problem, const Integrals<double>& u,
                     const ErrorExponents& out) {
  const double diffusion = problem.gx * scaled(u.x_square, out.width - out.height)
                           + problem.gy * scaled(u.y_square, out.height - out.width);
  return problem.reaction == 0
             ? diffusion
             : diffusion + problem.reaction * scaled(u.square, -(out.width + out.height));
}

double energy_norm(const Problem& problem, const Integrals<double>& u, const ErrorExponents& out) {
  return scaled(std::sqrt(scaled_energy(problem, u, out)), -out.error);
}

void require_fit(const TensorGrid& grid, const NodalValues<double>& u_h) {
  require(u_h.fit(grid), [&] {
    return fmt::format("the solution has {} values, the grid {} x {} nodes", u_h.all_here().size(),
                       grid.nx(), grid.ny());
  });
}

ErrorExponents exponents_for(const NodalValues<double>& values, const TensorGrid& grid) {
  return needed_exponents(largest_size(values, grid), grid).value_or(ErrorExponents{});
}

Integrals<double> integrals_of_solution(const TensorGrid& grid, const NodalValues<double>& u_h,
                                        const ErrorExponents& out) {
  return integrals_of(grid, u_h, out, [&](int i, int j) -> NodalValue {
    const double value = u_h.row(grid, j)[i];
    return {value, value};
  });
}

}  // namespace

Quantities measure_quantities(const Problem& problem, const TensorGrid& grid,
                              const NodalValues<double>& u_h) {
  require_fit(grid, u_h);
  const ErrorExponents out = exponents_for(u_h, grid);
  const Integrals<double> u = integrals_of_solution(grid, u_h, out);
  const int area = out.width + out.height;
  return {scaled(u.value, -(out.error + area)),
          scaled(std::sqrt(u.square), -(out.error + area / 2)),
          scaled(scaled_energy(problem, u, out), -2 * out.error)};
}

double measure_energy_norm(const Problem& problem, const TensorGrid& grid,
                           const NodalValues<double>& u_h) {
  require_fit(grid, u_h);
  const ErrorExponents out = exponents_for(u_h, grid);
  return energy_norm(problem, integrals_of_solution(grid, u_h, out), out);
}

double measure_energy_error(const Problem& problem, const TensorGrid& grid,
                            const NodalValues<double>& u_h) {
  require(static_cast<bool>(problem.solution), [&] {
    return "the problem '" + problem.name
           + "' has no analytic solution to measure an error against";
  });
  require_fit(grid, u_h);
  ErrorIntegrals error = integrals_of_error(problem, grid, u_h, {});
  ErrorExponents out;
  if (const auto needed = needed_exponents(error.largest, grid)) {
    out = *needed;
    error = integrals_of_error(problem, grid, u_h, out);
  }
  return energy_norm(problem, error.sums, out);
}

double estimate_energy_error(const Problem& problem, const TensorGrid& grid,
                             const NodalValues<double>& u_h, const NodalValues<double>& coarser) {
  require_fit(grid, u_h);
  const CoarserFunction before(grid, coarser);
  const auto change = [&](int i, int j) -> NodalValue {
    const double value = u_h.row(grid, j)[i];
    return {value - before.at_node(i, j), value};
  };
  // Changes are smaller than values, but by no more than there is room for.
  const ErrorExponents out = exponents_for(u_h, grid);
  return energy_norm(problem, integrals_of(grid, u_h, out, change), out) / std::numbers::sqrt3;
}

}  // namespace ninefold
