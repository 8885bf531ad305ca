#include "output/document/map_image.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/document/pixel_frame.hpp"
#include "output/document/raster.hpp"

namespace ninefold {
namespace {

using Place = std::array<double, 2>;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// Twice the area of a, b, c, above zero where these turn to the left.
double turn(const Place& a, const Place& b, const Place& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// The largest, but for one in 200 that are larger.
double almost_largest(std::span<const double> values) {
  std::vector<double> finite;
  for (const double value : values) {
    if (std::isfinite(value)) finite.push_back(value);
  }
  if (finite.empty()) return 1;
  const auto place = finite.end() - 1 - static_cast<std::ptrdiff_t>(finite.size() / 200);
  std::nth_element(finite.begin(), place, finite.end());
  return *place;
}

}  // namespace

PlaneSamples sample_triangles(std::span<const Place> places,
                              std::span<const std::array<std::int32_t, 3>> triangles,
                              std::span<const double> values, int pixels) {
  const auto frame = PixelFrame::around(places, pixels);
  if (!frame) return {};
  PlaneSamples samples = frame->samples();
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto corner = [&](std::size_t k) { return frame->seen(places[at(triangles[t][k])]); };
    const Place a = corner(0), b = corner(1), c = corner(2);
    const auto put = [&](int x, int y) {
      samples.values[at(y) * at(samples.width) + at(x)] = values[t];
    };
    const auto nearest = [&](std::size_t k, int n) {
      return std::clamp(static_cast<int>(std::lround((a[k] + b[k] + c[k]) / 3)), 0, n - 1);
    };
    put(nearest(0, samples.width), nearest(1, samples.height));
    const PixelFrame::Range columns = frame->range(0, a, b, c), rows = frame->range(1, a, b, c);
    for (int y = rows.first; y <= rows.last; ++y) {
      for (int x = columns.first; x <= columns.last; ++x) {
        const Place p{static_cast<double>(x), static_cast<double>(y)};
        const double u = turn(a, b, p), v = turn(b, c, p), w = turn(c, a, p);
        if ((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) put(x, y);
      }
    }
  }
  return samples;
}

Image map_image(std::span<const Place> places,
                std::span<const std::array<std::int32_t, 3>> triangles,
                std::span<const double> stretch, const std::string& title) {
  constexpr int pixels = 640;
  Image image{title, title + ": nothing to be drawn", {}, {}, {}};
  const PlaneSamples samples = sample_triangles(places, triangles, stretch, pixels);
  if (samples.values.empty()) return image;
  constexpr double least_end = 1.01;  // what is less is not seen
  const double largest = std::max(almost_largest(stretch), least_end);
  image.png = to_png(raster_of(samples.values, samples.width, samples.height, 1, largest));
  image.least = "1";
  image.largest = fmt::format("{:.3g}", largest);
  image.description = fmt::format(
      "{}: the largest stretch of each triangle over the least one, 1 where angles are "
      "kept; the colours end at {}, which one triangle in 200 may exceed",
      title, image.largest);
  return image;
}

}  // namespace ninefold
