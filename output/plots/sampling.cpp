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

Samples sample(const TensorGrid& grid, std::span<const double> values, int longer, int fewest) {
  require(
      values.size() == static_cast<std::size_t>(grid.nx()) * static_cast<std::size_t>(grid.ny()),
      fmt::format("there are {} values, the grid has {} x {} nodes", values.size(), grid.nx(),
                  grid.ny()));

  const double aspect = grid.x.from_start.back() / grid.y.from_start.back();
  const auto count = [&](double share) {
    return std::max(fewest, static_cast<int>(std::lround(longer * std::min(share, 1.0))));
  };
  Samples samples{count(aspect), count(1.0 / aspect), {}};
  const auto at_x = places(grid.x, samples.nx), at_y = places(grid.y, samples.ny);
  const auto nx = static_cast<std::size_t>(grid.nx());
  for (const auto& [j, t] : at_y) {
    for (const auto& [i, s] : at_x) {
      const double* below = values.data() + j * nx + i;
      const double* above = below + nx;
      samples.value.push_back((1 - t) * ((1 - s) * below[0] + s * below[1])
                              + t * ((1 - s) * above[0] + s * above[1]));
    }
  }
  return samples;
}

}  // namespace ninefold
