#include "fem/discrete/assembly.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "precision/double_word.hpp"

#include "fem/discrete/gauss_rule.hpp"
#include "fem/discrete/line_points.hpp"
#include "fem/discrete/parallel.hpp"
#include "fem/discrete/zeros.hpp"

namespace ninefold {

namespace {

constexpr int strip_height = 16;  // node rows per thread; independent of the number of threads

constexpr std::size_t block = 256;  // cells of a row, which stay in cache

/// The integrals of the source with the four shape functions of so many cells that follow each
/// other: [t][s], s along x.
template <class W>
struct Moments {
  W of[2][2][block];

  /// `x` and `y` are the first cell's points in both directions, `x_weights` the weights of all
  /// along x, `source` its value at the first one, with `pitch` values from one row of points to
  /// the next.
  void integrate(const W* source, std::size_t pitch, std::span<const LinePoint<W>> x,
                 const W* x_weights, std::span<const LinePoint<W>> y, std::size_t cells) {
    for (auto& row : of) {
      for (auto& integrals : row) std::fill_n(integrals, cells, W(0));
    }
    // Each point for all cells, so that compilers take several at once; a cell's sum keeps its
    // order.
    const std::size_t n_points = y.size();
    for (std::size_t n = 0; n < n_points; ++n) {
      const LinePoint<W> q = y[n];
      for (std::size_t m = 0; m < n_points; ++m) {
        const LinePoint<W> p = x[m];  // shape functions are the same in all cells
        const W shape[2][2] = {{p.shape[0] * q.shape[0], p.shape[1] * q.shape[0]},
                               {p.shape[0] * q.shape[1], p.shape[1] * q.shape[1]}};
        const W* const values = source + n * pitch + m;
        const W* const weights = x_weights + m;
        for (std::size_t cell = 0; cell < cells; ++cell) {
          const std::size_t k = cell * n_points;
          const W value = values[k] * (weights[k] * q.weight);
          of[0][0][cell] += value * shape[0][0];
          of[0][1][cell] += value * shape[0][1];
          of[1][0][cell] += value * shape[1][0];
          of[1][1][cell] += value * shape[1][1];
        }
      }
    }
  }

  /// Adds those of row t of nodes, beginning at its first one, cell by cell.
  void add_to(W* nodes, int t, std::size_t cells) const {
    const auto& [left, right] = of[t];
    nodes[0] += left[0];
    for (std::size_t i = 1; i < cells; ++i) nodes[i] = nodes[i] + right[i - 1] + left[i];
    nodes[cells] += right[cells - 1];
  }
};

/// Adds the source to the load of these rows; `x_points` and `y_points` hold `n_points` in each
/// cell.
template <class W>
void add_source(const Function& source, const TensorGrid& grid,
                const std::vector<LinePoint<W>>& x_points,
                const std::vector<LinePoint<W>>& y_points, std::size_t n_points,
                const RowRange& rows, std::vector<W>& load) {
  const auto nx = static_cast<std::size_t>(grid.nx()), row_cells = nx - 1;
  const Distances<W> x_places = places_of(x_points), y_places = places_of(y_points);
  const RowValues<W> source_on_row = source.on_rows(x_places, y_places);
  const std::size_t pitch = x_points.size();
  const auto x = std::span(x_points).first(n_points);
  std::vector<W> x_weights;
  for (const LinePoint<W>& point : x_points) x_weights.push_back(point.weight);
  // Each thread gathers whole strips of node rows from the cells below and above them; cells on
  // the border of two strips are integrated twice instead of being shared.
  const int n_strips = (rows.count() + strip_height - 1) / strip_height;
  const auto add_strip = [&](int strip) {
    const int first = rows.first + strip * strip_height,
              last = std::min(rows.last, first + strip_height);
    // Of the points of a row of cells.
    const auto values = std::make_unique_for_overwrite<W[]>(n_points * pitch);
    const auto moments = std::make_unique_for_overwrite<Moments<W>>();
    for (int row = std::max(0, first - 1); row < std::min(grid.y.cells(), last); ++row) {
      const std::size_t first_point = static_cast<std::size_t>(row) * n_points;
      for (std::size_t n = 0; n < n_points; ++n) {
        source_on_row(first_point + n, values.get() + n * pitch);
      }
      const auto y = std::span(y_points).subspan(first_point, n_points);
      for (std::size_t cell = 0; cell < row_cells; cell += block) {
        const std::size_t cells = std::min(block, row_cells - cell);
        moments->integrate(values.get() + cell * n_points, pitch, x,
                           x_weights.data() + cell * n_points, y, cells);
        for (int t = 0; t < 2; ++t) {
          if (row + t < first || row + t >= last) continue;
          W* const nodes = load.data() + static_cast<std::size_t>(row + t - rows.first) * nx;
          moments->add_to(nodes + cell, t, cells);
        }
      }
    }
  };
  for_rows(n_strips, add_strip, 1);
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

Box unknown_nodes(const TensorGrid& grid, const Boundary& boundary) {
  const auto fixed = [&](Side side) { return boundary[side] == BoundaryKind::dirichlet ? 1 : 0; };
  return {fixed(Side::left), grid.nx() - fixed(Side::right), fixed(Side::bottom),
          grid.ny() - fixed(Side::top)};
}

template <class W>
std::vector<W> flux_integrals(const Problem& problem, const TensorGrid& grid, Side side) {
  const Function& flux = problem.flux[static_cast<std::size_t>(side)];
  if (problem.boundary[side] != BoundaryKind::neumann || !flux) return {};
  const bool upright = side == Side::left || side == Side::right;
  const bool at_end = side == Side::right || side == Side::top;
  const Line &along = upright ? grid.y : grid.x, &across = upright ? grid.x : grid.y;
  const W length = distances<W>(across).from_start.back();
  const W start = at_end ? length : W(0), end = at_end ? W(0) : length;
  const GaussRule<W> rule = gauss_rule<W>(problem.quadrature);
  const std::vector<LinePoint<W>> points = line_points(along, rule);
  std::vector<W> integrals(static_cast<std::size_t>(along.nodes()), W(0));
  for (std::size_t k = 0; k < points.size(); ++k) {
    const LinePoint<W>& p = points[k];
    const std::size_t cell = k / rule.point.size();
    const W value = flux.at(upright ? PointOf<W>{start, end, p.from_start, p.from_end}
                                    : PointOf<W>{p.from_start, p.from_end, start, end})
                    * p.weight;
    integrals[cell] += value * p.shape[0];
    integrals[cell + 1] += value * p.shape[1];
  }
  return integrals;
}

template <class W>
std::vector<W> assemble_load(const Problem& problem, const TensorGrid& grid, const RowRange& rows) {
  const GaussRule<W> rule = gauss_rule<W>(problem.quadrature);
  const std::vector<LinePoint<W>> x_points = line_points(grid.x, rule);
  const std::vector<LinePoint<W>> y_points = line_points(grid.y, rule);
  const std::size_t pitch = static_cast<std::size_t>(grid.nx());
  std::vector<W> load = zeros<W>(pitch * static_cast<std::size_t>(rows.count()));
  const auto has = [&](int j) { return rows.first <= j && j < rows.last; };
  const auto at = [&](std::size_t i, int j) -> W& {
    return load[static_cast<std::size_t>(j - rows.first) * pitch + i];
  };
  add_source(problem.source, grid, x_points, y_points, rule.point.size(), rows, load);
  for (const Side side : {Side::bottom, Side::top, Side::left, Side::right}) {
    const std::vector<W> integrals = flux_integrals<W>(problem, grid, side);
    const bool upright = side == Side::left || side == Side::right;
    for (std::size_t k = 0; k < integrals.size(); ++k) {
      const int j = upright ? static_cast<int>(k) : side == Side::top ? grid.ny() - 1 : 0;
      const std::size_t i = !upright ? k : side == Side::right ? pitch - 1 : 0;
      if (has(j)) at(i, j) += integrals[k];
    }
  }
  for_dirichlet_nodes(problem, grid, [&](int i, int j) {
    if (has(j)) at(static_cast<std::size_t>(i), j) = W(0);
  });
  return load;
}

template <class W>
SideValues<W> side_values(const Problem& problem, const TensorGrid& grid) {
  const Distances<W> x = distances<W>(grid.x), y = distances<W>(grid.y);
  SideValues<W> values;
  for (const Side side : all_sides) {
    if (problem.boundary[side] != BoundaryKind::dirichlet) continue;
    const bool upright = side == Side::left || side == Side::right;
    const bool at_end = side == Side::right || side == Side::top;
    const std::size_t n = upright ? y.from_start.size() : x.from_start.size();
    std::vector<W>& g = values[static_cast<std::size_t>(side)];
    g.assign(n, W(0));
    if (!problem.dirichlet) continue;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = !upright ? k : at_end ? x.from_start.size() - 1 : 0;
      const std::size_t j = upright ? k : at_end ? y.from_start.size() - 1 : 0;
      g[k] = problem.dirichlet.at(
          PointOf<W>{x.from_start[i], x.from_end[i], y.from_start[j], y.from_end[j]});
    }
  }
  return values;
}

template std::vector<double> assemble_load(const Problem&, const TensorGrid&, const RowRange&);
template std::vector<DoubleDouble> assemble_load(const Problem&, const TensorGrid&,
                                                 const RowRange&);
template std::vector<double> flux_integrals(const Problem&, const TensorGrid&, Side);
template std::vector<DoubleDouble> flux_integrals(const Problem&, const TensorGrid&, Side);
template SideValues<double> side_values(const Problem&, const TensorGrid&);
template SideValues<DoubleDouble> side_values(const Problem&, const TensorGrid&);

}  // namespace ninefold
