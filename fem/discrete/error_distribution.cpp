#include "fem/discrete/error_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "precision/larger.hpp"
#include "precision/require.hpp"

#include "fem/discrete/level_error.hpp"
#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

std::size_t size(int n) {
  return static_cast<std::size_t>(n);
}

/// Of a cell of two, the first one's part of the width.
double first_share(const Line& line, int cell) {
  const double first = line.width[size(2 * cell)];
  return first / (first + line.width[size(2 * cell + 1)]);
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
  std::vector<double> of_cells(size(cells_x) * size(cells_y));
  for_rows(cells_y, [&](int j) {
    const double share_y = first_share(grid.y, j);
    for (int i = 0; i < cells_x; ++i) {
      const auto cell = level_error_in(fine, coarse, i, j, first_share(grid.x, i), share_y);
      of_cells[size(j) * size(cells_x) + size(i)] = std::sqrt(cell.mean_square());
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
