#include "fem/discrete/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "precision/double_word.hpp"
#include "precision/require.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/error_bound.hpp"
#include "fem/discrete/finite_data.hpp"
#include "fem/discrete/size_estimate.hpp"

namespace ninefold {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Factors of two kept between the estimated solution and the format's largest number, for what the
/// estimate misses and for products with the matrix.
constexpr int headroom = 3;

/// The largest part of a diagonal entry, each factor at its largest place.
double largest_entry(const Problem& problem, const TensorGrid& grid) {
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
  return std::max({problem.gx * x.stiffness * y.mass, problem.gy * x.mass * y.stiffness,
                   problem.reaction * x.mass * y.mass});
}

/// The smallest diagonal entry of all unknowns.
double smallest_diagonal(const Problem& problem, const TensorGrid& grid) {
  const auto x = node_couplings<double>(grid.x), y = node_couplings<double>(grid.y);
  const Box unknowns = unknown_nodes(grid, problem.boundary);
  const Coefficients<double> g{problem.gx, problem.gy, problem.reaction};
  double smallest = infinity;
  for (int j = unknowns.j0; j < unknowns.j1; ++j) {
    for (int i = unknowns.i0; i < unknowns.i1; ++i) {
      smallest = std::min(smallest, coupling(g, x[i], y[j], 0, 0));
    }
  }
  return smallest;
}

/// The lower bound of the header comment.
double diagonal_bound(const Problem& problem) {
  const auto neumann = [&](Side a, Side b) {
    const bool any = problem.boundary[a] == BoundaryKind::neumann
                     || problem.boundary[b] == BoundaryKind::neumann;
    return any ? 0.5 : 1.0;
  };
  return 8.0 / 3 * std::sqrt(problem.gx) * std::sqrt(problem.gy) * neumann(Side::left, Side::right)
         * neumann(Side::bottom, Side::top);
}

void require_diagonal(const Problem& problem, const TensorGrid& grid, int scale,
                      const FormatRange& format) {
  const auto held = [&](double entry) { return std::ilogb(entry) - scale >= format.min_exponent; };
  if (held(diagonal_bound(problem))) return;
  const double smallest = smallest_diagonal(problem, grid);
  if (held(smallest)) return;
  throw BadValue(
      format.name, words("{} = \"{}\" cannot hold the matrix", format.parameter, format.name),
      words(
          "on a grid of {} x {} nodes whose cells have aspect ratios of up to {:.3g}, its diagonal "
          "entries differ by a factor of 2^{}, and 2^{} is possible; choose a format with a "
          "wider range of exponents, fewer levels or a milder grading of the grid",
          grid.nx(), grid.ny(), grid.max_aspect_ratio(), scale - std::ilogb(smallest),
          -format.min_exponent));
}

/// True of the format that keeps the solution, whose rows have parameters of their own.
bool is_outer(const FormatRange& format) {
  return format.parameter == Parameter::precision;
}

/// The exponent of a size; that of zero is very small.
int exponent_of(double size) {
  constexpr int of_zero = -100000;
  return size > 0 ? std::ilogb(size) : of_zero;
}

}  // namespace

template <class W>
Scaling choose_scaling(const Problem& problem, const TensorGrid& grid, const LoadSize& load,
                       const FormatRange& format) {
  Scaling scaling;
  scaling.matrix = std::ilogb(largest_entry(problem, grid));
  const double b = load.largest;
  if (!std::isfinite(b)) {
    require_finite_load<W>(problem, grid);
    throw BadValue(value_text(b), words("the integrals of {}, {} or {} leave the range of double",
                                        Parameter::source, Parameter::flux, Parameter::dirichlet));
  }
  require_diagonal(problem, grid, scaling.matrix, format);
  scaling.load = b > 0 ? std::ilogb(b) : scaling.matrix;

  const double estimate = b > 0 ? load.solution : 0.0;
  if (!std::isfinite(estimate)) refuse_solution(estimate);
  const int solution = 1 + exponent_of(estimate) + scaling.matrix - scaling.load;
  scaling.load += std::max(0, solution - (format.max_exponent - headroom));
  if (b == 0 || std::ilogb(b) - scaling.load >= format.min_exponent) return scaling;
  throw BadValue(
      format.name,
      words("{} = \"{}\" cannot hold both load and solution", format.parameter, format.name),
      words(
          "on a grid of {} x {} nodes they differ by a factor of about 2^{}, and 2^{} is possible; "
          "choose a format with a wider range of exponents, or fewer levels",
          grid.nx(), grid.ny(), exponent_of(estimate) + scaling.matrix - exponent_of(b) + 1,
          format.max_exponent - headroom - format.min_exponent));
}

void require_row_sums(const Problem& problem, const TensorGrid& grid, const Scaling& scaling,
                      const FormatRange& format) {
  if (problem.reaction == 0) return;
  const auto smallest_mass = [](const Line& line, bool fixed_start, bool fixed_end) {
    const auto nodes = node_couplings<double>(line);
    double smallest = infinity;
    for (std::size_t i = fixed_start; i < nodes.size() - fixed_end; ++i) {
      smallest = std::min(smallest, nodes[i].lumped_mass);
    }
    return smallest;
  };
  const auto fixed = [&](Side side) { return problem.boundary[side] == BoundaryKind::dirichlet; };
  const double sum = problem.reaction * smallest_mass(grid.x, fixed(Side::left), fixed(Side::right))
                     * smallest_mass(grid.y, fixed(Side::bottom), fixed(Side::top));
  const int exponent = std::ilogb(sum) - scaling.matrix;
  if (exponent >= format.min_exponent) return;
  // Where rows in plain form lose cells, they are no way out.
  const bool plain_will_do = !has_detached_thin_cells(problem.boundary, grid);
  throw BadValue(
      plain_will_do ? "difference" : format.name,
      plain_will_do
          ? words("{} = \"difference\" is not possible with {} = \"{}\" here",
                  is_outer(format) ? Parameter::form : Parameter::inner_form, format.parameter,
                  format.name)
          : words(
              "{} = \"{}\" is not possible with the difference form, which thin cells need here",
              format.parameter, format.name),
      words("on a grid of {} x {} nodes the integrals of {} are down to 2^{} of the matrix, and "
            "2^{} is possible; use a format with a wider range of exponents{} or fewer levels",
            grid.nx(), grid.ny(), Parameter::reaction, exponent, format.min_exponent,
            plain_will_do ? ", \"plain\"," : ""));
}

namespace {

/// The exponent of the smallest factor, on the coarser grids of the hierarchy, too, where cells are
/// up to as many times wider as there are cells.
int smallest_factor(const Problem& problem, const TensorGrid& grid) {
  const int matrix = std::ilogb(largest_entry(problem, grid));
  const auto exponents = [](const Line& line) {
    const auto [least, most] = std::minmax_element(line.width.begin(), line.width.end());
    return std::pair{std::ilogb(*least / 6), std::ilogb(*most / 6)};
  };
  const auto [x, wide_x] = exponents(grid.x);
  const auto [y, wide_y] = exponents(grid.y);
  const int masses = std::min(x - wide_x, y - wide_y);
  // 1/h is at least 2^-4 of 2^-e, e being the exponent of h/6.
  const int stiffness =
      std::min(std::ilogb(problem.gx) - wide_x + wide_y, std::ilogb(problem.gy) - wide_y + wide_x)
      - 4 - matrix - std::ilogb(std::max(grid.nx(), grid.ny()) - 1);
  const int reaction =
      problem.reaction == 0 ? 0 : std::ilogb(problem.reaction) + wide_x + wide_y - matrix + masses;
  return std::min({masses, stiffness, reaction});
}

}  // namespace

bool holds_factors(const Problem& problem, const TensorGrid& grid, const FormatRange& format) {
  return smallest_factor(problem, grid) >= format.min_exponent;
}

void require_factors(const Problem& problem, const TensorGrid& grid, const FormatRange& format) {
  if (holds_factors(problem, grid, format)) return;
  throw BadValue(
      "factored",
      words("{} = \"factored\" is not possible with {} = \"{}\" here",
            is_outer(format) ? Parameter::storage : Parameter::inner_storage, format.parameter,
            format.name),
      words("on a grid of {} x {} nodes the stiffnesses and masses of cells are down to 2^{}, and "
            "2^{} is possible; use a format with a wider range of exponents, \"stored\" or "
            "\"computed\", or fewer levels",
            grid.nx(), grid.ny(), smallest_factor(problem, grid), format.min_exponent));
}

template <class W>
Coefficients<W> scaled_coefficients(const Problem& problem, const Scaling& scaling) {
  return {W(std::ldexp(problem.gx, -scaling.matrix)), W(std::ldexp(problem.gy, -scaling.matrix)),
          W(std::ldexp(problem.reaction, -scaling.matrix))};
}

template Scaling choose_scaling<double>(const Problem&, const TensorGrid&, const LoadSize&,
                                        const FormatRange&);
template Scaling choose_scaling<DoubleDouble>(const Problem&, const TensorGrid&, const LoadSize&,
                                              const FormatRange&);
template Coefficients<double> scaled_coefficients(const Problem&, const Scaling&);
template Coefficients<DoubleDouble> scaled_coefficients(const Problem&, const Scaling&);

}  // namespace ninefold
