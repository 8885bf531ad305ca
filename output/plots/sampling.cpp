#include "output/plots/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "precision/number.hpp"

namespace ninefold {
namespace {

/// A place on a line: in cell `cell`, `weight` of its width behind its first node.
struct Place {
  std::size_t cell;
  double weight;
};

/// `count` places, evenly spread from the first node to the last.
std::vector<Place> places(const Line& line, int count) {
  std::vector<Place> result;
  const double length = line.from_start.back();
  for (int k = 0; k < count; ++k) {
    const double x = length * k / (count - 1);
    const auto behind = std::upper_bound(line.from_start.begin() + 1, line.from_start.end() - 1, x);
    const auto cell = static_cast<std::size_t>(behind - line.from_start.begin()) - 1;
    result.push_back({cell, std::clamp((x - line.from_start[cell]) / line.width[cell], 0.0, 1.0)});
  }
  return result;
}

}  // namespace

Samples sample(const TensorGrid& grid, const NodalValues<double>& values, int longer, int fewest) {
  require(values.fit(grid), fmt::format("there are {} values, the grid has {} x {} nodes",
                                        values.all_here().size(), grid.nx(), grid.ny()));

  const double aspect = grid.x.from_start.back() / grid.y.from_start.back();
  const auto count = [&](double share) {
    return std::max(fewest, static_cast<int>(std::lround(longer * std::min(share, 1.0))));
  };
  Samples samples{count(aspect), count(1.0 / aspect), {}};
  const auto at_x = places(grid.x, samples.nx), at_y = places(grid.y, samples.ny);
  const RowRange own = values.own_cells(grid);
  std::vector<int> rows;  // of each sample
  for (const auto& [cell, t] : at_y) {
    const int j = static_cast<int>(cell);
    const bool is_own = own.first <= j && j < own.last;
    for (const auto& [i, s] : at_x) {
      rows.push_back(j);
      if (!is_own) {
        samples.value.push_back(0);
        continue;
      }
      const double* below = values.row(grid, j) + i;
      const double* above = below + grid.nx();
      samples.value.push_back((1 - t) * ((1 - s) * below[0] + s * below[1])
                              + t * ((1 - s) * above[0] + s * above[1]));
    }
  }
  values.tell(samples.value, rows);
  return samples;
}

}  // namespace ninefold
