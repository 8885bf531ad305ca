#include "output/document/field_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "output/document/raster.hpp"
#include "output/plots/sampling.hpp"

namespace ninefold {
namespace {

constexpr int longer_side_pixels = 97, fewest_pixels = 17;

/// "left", "" or "right" of a range's thirds.
std::string third(double share, const char* first, const char* last) {
  return share < 1.0 / 3 ? first : share > 2.0 / 3 ? last : "";
}

/// "in the middle", "in the interior", "at the upper left"
std::string region(double x, double y) {
  const std::string height = third(y, "lower", "upper"), side = third(x, "left", "right");
  if (height.empty() && side.empty()) {
    constexpr double near = 0.03;
    const bool is_middle = std::abs(x - 0.5) <= near && std::abs(y - 0.5) <= near;
    return is_middle ? "in the middle" : "in the interior";
  }
  if (!side.empty()) return "at the " + height + (height.empty() ? "" : " ") + side;
  return height == "lower" ? "at the bottom" : "at the top";
}

bool is_zero_at_the_boundary(const TensorGrid& grid, const double* row, int j) {
  if (j > 0 && j + 1 < grid.ny()) return row[0] == 0 && row[grid.nx() - 1] == 0;
  return std::all_of(row, row + grid.nx(), [](double value) { return value == 0; });
}

/// What a description says of values, found row by row.
struct Extremes {
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  int i = 0, j = 0;  ///< of the first that is the largest
  bool is_zero_at_the_boundary = true;
};

Extremes extremes_of(const TensorGrid& grid, const NodalValues<double>& values) {
  std::vector<Extremes> rows(static_cast<std::size_t>(grid.ny()));
  const RowRange own = values.own(grid);
  for (int j = own.first; j < own.last; ++j) {
    Extremes& found = rows[static_cast<std::size_t>(j)];
    const double* const row = values.row(grid, j);
    for (int i = 0; i < grid.nx(); ++i) {
      if (!std::isfinite(row[i])) continue;
      found.least = std::min(found.least, row[i]);
      if (row[i] <= found.largest) continue;
      found.largest = row[i];
      found.i = i;
    }
    found.j = j;
    found.is_zero_at_the_boundary = is_zero_at_the_boundary(grid, row, j);
  }
  values.tell(rows);
  Extremes all;
  for (const Extremes& row : rows) {
    all.least = std::min(all.least, row.least);
    all.is_zero_at_the_boundary = all.is_zero_at_the_boundary && row.is_zero_at_the_boundary;
    if (row.largest <= all.largest) continue;
    all.largest = row.largest;
    all.i = row.i;
    all.j = row.j;
  }
  return all;
}

std::int64_t count_at_least(const TensorGrid& grid, const NodalValues<double>& values,
                            double least) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(grid.ny()), 0);
  const RowRange own = values.own(grid);
  for (int j = own.first; j < own.last; ++j) {
    const double* const row = values.row(grid, j);
    rows[static_cast<std::size_t>(j)] =
        std::count_if(row, row + grid.nx(), [&](double value) { return value >= least; });
  }
  values.tell(rows);
  return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
}

/// "largest in the middle, near (0.5, 0.5); at least half as large at 31 % of the nodes; zero at
/// the boundary"; `wide` is at how many.
std::string place_of_largest(const TensorGrid& grid, const Extremes& found, std::int64_t wide) {
  if (!(found.largest > 0)) return "";
  const double x = grid.x.from_start[static_cast<std::size_t>(found.i)],
               y = grid.y.from_start[static_cast<std::size_t>(found.j)];
  const double nodes = static_cast<double>(grid.nx()) * grid.ny();
  return fmt::format(
      "largest {}, near ({:.2f}, {:.2f}); at least half as large at {:.2g} % of the "
      "nodes{}",
      region(x / grid.x.from_start.back(), y / grid.y.from_start.back()), x, y,
      100.0 * static_cast<double>(wide) / nodes,
      found.is_zero_at_the_boundary ? "; zero at the boundary" : "");
}

}  // namespace

Image field_image(const TensorGrid& grid, const NodalValues<double>& values,
                  const std::string& title) {
  const Samples samples = sample(grid, values, longer_side_pixels, fewest_pixels);
  Image image{title, title + ": no value is finite", {}, {}, {}};
  const Extremes found = extremes_of(grid, values);
  const auto [least, largest] = std::pair(found.least, found.largest);
  if (least > largest) return image;
  const std::int64_t wide = count_at_least(grid, values, 0.5 * largest);
  std::vector<double> from_top;
  const auto nx = static_cast<std::size_t>(samples.nx);
  for (auto row = static_cast<std::size_t>(samples.ny); row-- > 0;) {
    from_top.insert(from_top.end(), samples.value.begin() + static_cast<std::ptrdiff_t>(row * nx),
                    samples.value.begin() + static_cast<std::ptrdiff_t>((row + 1) * nx));
  }
  image.png = to_png(raster_of(from_top, samples.nx, samples.ny, least, largest));
  image.least = fmt::format("{:.3g}", least);
  image.largest = fmt::format("{:.3g}", largest);
  image.description =
      fmt::format("{}: from {} to {}, largest at ({:.3g}, {:.3g})", title, image.least,
                  image.largest, grid.x.from_start[static_cast<std::size_t>(found.i)],
                  grid.y.from_start[static_cast<std::size_t>(found.j)]);
  image.place = place_of_largest(grid, found, wide);
  image.sides = {"0", fmt::format("{:g}", grid.x.from_start.back()), "0",
                 fmt::format("{:g}", grid.y.from_start.back())};
  return image;
}

}  // namespace ninefold
