#include "output/document/field_image.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

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

bool is_zero_at_the_boundary(const TensorGrid& grid, std::span<const double> values) {
  const auto nx = static_cast<std::size_t>(grid.nx());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const bool is_inside = k >= nx && k + nx < values.size() && k % nx != 0 && (k + 1) % nx != 0;
    if (!is_inside && values[k] != 0) return false;
  }
  return true;
}

/// "largest in the middle, near (0.5, 0.5); at least half as large at 31 % of the nodes; zero at
/// the boundary"
std::string place_of_largest(const TensorGrid& grid, std::span<const double> values,
                             std::size_t where) {
  const auto columns = static_cast<std::size_t>(grid.nx());
  const double x = grid.x.from_start[where % columns], y = grid.y.from_start[where / columns];
  const double largest = values[where];
  if (!(largest > 0)) return "";
  const auto wide = std::count_if(values.begin(), values.end(),
                                  [&](double value) { return value >= 0.5 * largest; });
  return fmt::format(
      "largest {}, near ({:.2f}, {:.2f}); at least half as large at {:.2g} % of the "
      "nodes{}",
      region(x / grid.x.from_start.back(), y / grid.y.from_start.back()), x, y,
      100.0 * static_cast<double>(wide) / static_cast<double>(values.size()),
      is_zero_at_the_boundary(grid, values) ? "; zero at the boundary" : "");
}

}  // namespace

Image field_image(const TensorGrid& grid, std::span<const double> values,
                  const std::string& title) {
  const Samples samples = sample(grid, values, longer_side_pixels, fewest_pixels);
  Image image{title, title + ": no value is finite", {}, {}, {}};
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  std::size_t where = 0;  // of the largest
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    least = std::min(least, values[k]);
    if (values[k] <= largest) continue;
    largest = values[k];
    where = k;
  }
  if (least > largest) return image;
  std::vector<double> from_top;
  const auto nx = static_cast<std::size_t>(samples.nx);
  for (auto row = static_cast<std::size_t>(samples.ny); row-- > 0;) {
    from_top.insert(from_top.end(), samples.value.begin() + static_cast<std::ptrdiff_t>(row * nx),
                    samples.value.begin() + static_cast<std::ptrdiff_t>((row + 1) * nx));
  }
  image.png = to_png(raster_of(from_top, samples.nx, samples.ny, least, largest));
  image.least = fmt::format("{:.3g}", least);
  image.largest = fmt::format("{:.3g}", largest);
  const auto columns = static_cast<std::size_t>(grid.nx());
  image.description = fmt::format("{}: from {} to {}, largest at ({:.3g}, {:.3g})", title,
                                  image.least, image.largest, grid.x.from_start[where % columns],
                                  grid.y.from_start[where / columns]);
  image.place = place_of_largest(grid, values, where);
  image.sides = {"0", fmt::format("{:g}", grid.x.from_start.back()), "0",
                 fmt::format("{:g}", grid.y.from_start.back())};
  return image;
}

}  // namespace ninefold
