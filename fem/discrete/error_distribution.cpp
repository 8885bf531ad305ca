#include "fem/discrete/error_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "precision/larger.hpp"
#include "precision/require.hpp"

#include "fem/discrete/coarser_level.hpp"
#include "fem/discrete/level_error.hpp"
#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

struct ByPowerOfTwo {
  int exponent;
  double times(double value) const { return std::ldexp(value, exponent); }
};

}  // namespace

std::vector<double> error_distribution(const TensorGrid& grid, const NodalValues<double>& values,
                                       const NodalValues<double>& coarser) {
  const int nx = grid.nx(), cells_x = grid.x.cells() / 2, cells_y = grid.y.cells() / 2;
  const CoarserFunction before(grid, coarser);
  require(values.fit(grid), "values that are not those of their grid");
  const auto fine = [&](int i, int j) { return values.row(grid, j)[i]; };
  const auto coarse = [&](int i, int j) { return before.at_coarser_node(i, j); };
  // Squares stay inside the range of double.
  const double largest = largest_size(values, grid);
  const int exponent = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
  const ByPowerOfTwo down{-exponent};
  const std::vector<HalvedCell> x = halved_cells(grid.x), y = halved_cells(grid.y);
  const RowRange own = values.own(grid), here = values.here(grid),
                 wanted{own.first, std::min(own.last + 1, grid.ny())},  // nodes
      cells{std::max(0, (wanted.first - 1) / 2), std::min(cells_y, (wanted.last - 1) / 2 + 1)};
  std::vector<double> of_cells(size(cells_x) * size(cells.count()));
  for_rows(cells.count(), [&](int k) {
    const int j = cells.first + k;
    for (int i = 0; i < cells_x; ++i) {
      const LevelErrorCell cell =
          level_error_in(fine, coarse, i, j, x[size(i)], y[size(j)]).times(down);
      of_cells[size(k) * size(cells_x) + size(i)] =
          std::ldexp(std::sqrt(cell.mean_square()), exponent);
    }
  });
  std::vector<double> at_nodes(values.all_here().size());
  for_rows(wanted.count(), [&](int k) {
    const int j = wanted.first + k;
    for (int i = 0; i < nx; ++i) {
      double most = 0;
      for (int row = std::max(0, (j - 1) / 2); row <= std::min(cells_y - 1, j / 2); ++row) {
        for (int column = std::max(0, (i - 1) / 2); column <= std::min(cells_x - 1, i / 2);
             ++column) {
          most = larger(most, of_cells[size(row - cells.first) * size(cells_x) + size(column)]);
        }
      }
      at_nodes[size(j - here.first) * size(nx) + size(i)] = most;
    }
  });
  return at_nodes;
}

}  // namespace ninefold
