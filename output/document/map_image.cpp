#include "output/document/map_image.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

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
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Place least{infinity, infinity}, most{-infinity, -infinity};
  for (const Place& place : places) {
    for (std::size_t k = 0; k < 2; ++k) {
      if (!std::isfinite(place[k])) return {};
      least[k] = std::min(least[k], place[k]);
      most[k] = std::max(most[k], place[k]);
    }
  }
  const double side = std::max(most[0] - least[0], most[1] - least[1]);
  if (!(side > 0) || !std::isfinite(side)) return {};
  const double scale = pixels / side;
  const auto count = [&](std::size_t k) {
    return std::clamp(static_cast<int>(std::ceil((most[k] - least[k]) * scale)), 1, pixels);
  };
  PlaneSamples samples{count(0), count(1), {}};
  samples.values.assign(at(samples.width) * at(samples.height),
                        std::numeric_limits<double>::quiet_NaN());
  // In units of pixels, whose middles are at whole numbers, the upper one first.
  const auto seen = [&](std::int32_t p) {
    const Place& place = places[at(p)];
    return Place{(place[0] - least[0]) * scale - 0.5, (most[1] - place[1]) * scale - 0.5};
  };
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Place a = seen(triangles[t][0]), b = seen(triangles[t][1]), c = seen(triangles[t][2]);
    const auto put = [&](int x, int y) {
      samples.values[at(y) * at(samples.width) + at(x)] = values[t];
    };
    const auto nearest = [&](std::size_t k, int n) {
      return std::clamp(static_cast<int>(std::lround((a[k] + b[k] + c[k]) / 3)), 0, n - 1);
    };
    put(nearest(0, samples.width), nearest(1, samples.height));
    const auto first = [&](std::size_t k) {
      return std::max(0, static_cast<int>(std::ceil(std::min({a[k], b[k], c[k]}))));
    };
    const auto last = [&](std::size_t k, int n) {
      return std::min(n - 1, static_cast<int>(std::floor(std::max({a[k], b[k], c[k]}))));
    };
    for (int y = first(1); y <= last(1, samples.height); ++y) {
      for (int x = first(0); x <= last(0, samples.width); ++x) {
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
  const double largest = std::max(almost_largest(stretch), 1 + 1e-12);
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
