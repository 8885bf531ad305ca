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

double largest_size(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = larger(most, std::abs(value));
  return most;
}

}  // namespace

std::vector<double> error_distribution(const TensorGrid& grid, const std::vector<double>& values,
                                       const std::vector<double>& coarser) {
  const int nx = grid.nx(), ny = grid.ny(), cells_x = grid.x.cells() / 2,
            cells_y = grid.y.cells() / 2;
  require(grid.x.cells() % 2 == 0 && grid.y.cells() % 2 == 0 && values.size() == size(nx) * size(ny)
              && coarser.size() == size(cells_x + 1) * size(cells_y + 1),
          "values that are not those of a grid and of the next coarser one");
  const auto fine = [&](int i, int j) { return values[size(j) * size(nx) + size(i)]; };
  const auto coarse = [&](int i, int j) { return coarser[size(j) * size(cells_x + 1) + size(i)]; };
  // Squares stay inside the range of double.
  const double largest = largest_size(values);
  const int exponent = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : 0;
  const ByPowerOfTwo down{-exponent};
  const std::vector<HalvedCell> x = halved_cells(grid.x), y = halved_cells(grid.y);
  std::vector<double> of_cells(size(cells_x) * size(cells_y));
  for_rows(cells_y, [&](int j) {
    for (int i = 0; i < cells_x; ++i) {
      const LevelErrorCell cell =
          level_error_in(fine, coarse, i, j, x[size(i)], y[size(j)]).times(down);
      of_cells[size(j) * size(cells_x) + size(i)] =
          std::ldexp(std::sqrt(cell.mean_square()), exponent);
    }
  });
  std::vector<double> at_nodes(values.size());
  for_rows(ny, [&](int j) {
    for (int i = 0; i < nx; ++i) {
      double most = 0;
      for (int row = std::max(0, (j - 1) / 2); row <= std::min(cells_y - 1, j / 2); ++row) {
        for (int column = std::max(0, (i - 1) / 2); column <= std::min(cells_x - 1, i / 2);
             ++column) {
          most = larger(most, of_cells[size(row) * size(cells_x) + size(column)]);
        }
      }
      at_nodes[size(j) * size(nx) + size(i)] = most;
    }
  });
  return at_nodes;
}

}  // namespace ninefold
