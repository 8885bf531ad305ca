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
  return image;
}

}  // namespace ninefold
