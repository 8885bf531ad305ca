#include "output/document/surface_image.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "output/document/pixel_frame.hpp"
#include "output/document/raster.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// The unit vector, or `other` where there is none.
SpacePoint unit(const SpacePoint& v, const SpacePoint& other) {
  const double size = std::sqrt(dot(v, v));
  return size > 0 && std::isfinite(size) ? SpacePoint{v[0] / size, v[1] / size, v[2] / size}
                                         : other;
}

SpacePoint normal_of(const TriangleMesh& mesh, std::size_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  return cross(difference(mesh.vertices[at(b)], mesh.vertices[at(a)]),
               difference(mesh.vertices[at(c)], mesh.vertices[at(a)]));
}

/// To the right, up, and towards the eye.
SurfaceView view_of(const TriangleMesh& mesh, std::span<const std::array<double, 2>> texture) {
  SpacePoint normal{}, along{};
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const SpacePoint one = normal_of(mesh, t);
    for (std::size_t k = 0; k < 3; ++k) normal[k] += one[k];
  }
  normal = unit(normal, {0, 0, 1});
  double mean = 0;
  for (const auto& place : texture) mean += place[0] / static_cast<double>(texture.size());
  for (std::size_t p = 0; p < texture.size(); ++p) {
    for (std::size_t k = 0; k < 3; ++k) along[k] += (texture[p][0] - mean) * mesh.vertices[p][k];
  }
  const double share = dot(along, normal);
  for (std::size_t k = 0; k < 3; ++k) along[k] -= share * normal[k];
  const SpacePoint any = std::abs(normal[0]) < 0.9 ? SpacePoint{1, 0, 0} : SpacePoint{0, 1, 0};
  along = unit(along, unit(cross(cross(normal, any), normal), {1, 0, 0}));
  return {along, cross(normal, along), normal};
}

/// What is nearest at each pixel, of brightness(t, the shares of its corners).
template <class Brightness>
PlaneSamples sample_nearest(const TriangleMesh& mesh, const SurfaceView& view, int pixels,
                            const Brightness& brightness) {
  std::vector<SpacePoint> seen;
  for (const SpacePoint& p : mesh.vertices) {
    seen.push_back({dot(view[0], p), dot(view[1], p), dot(view[2], p)});
  }
  const auto frame = PixelFrame::around(seen, pixels);
  if (!frame) return {};
  for (SpacePoint& p : seen) p = frame->seen(p);
  PlaneSamples samples = frame->samples();
  std::vector<double> nearest(samples.values.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& corners = mesh.triangles[t];
    const SpacePoint &a = seen[at(corners[0])], &b = seen[at(corners[1])],
                     &c = seen[at(corners[2])];
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (area == 0) continue;  // seen from its edge
    const PixelFrame::Range columns = frame->range(0, a, b, c), rows = frame->range(1, a, b, c);
    for (int y = rows.first; y <= rows.last; ++y) {
      for (int x = columns.first; x <= columns.last; ++x) {
        const double of_b = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area,
                     of_c = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area,
                     of_a = 1 - of_b - of_c;
        if (of_a < 0 || of_b < 0 || of_c < 0) continue;
        const std::size_t pixel = at(y) * at(samples.width) + at(x);
        const double depth = of_a * a[2] + of_b * b[2] + of_c * c[2];
        if (depth <= nearest[pixel]) continue;
        nearest[pixel] = depth;
        samples.values[pixel] = brightness(t, {of_a, of_b, of_c});
      }
    }
  }
  return samples;
}

constexpr int pixels_of_image = 640;

/// In greys, between dark and bright.
std::string grey_png(const PlaneSamples& samples) {
  Raster raster = raster_of(samples.values, samples.width, samples.height, 0, 1);
  raster.colours = RasterColours::greys;
  return to_png(raster);
}

}  // namespace

PlaneSamples sample_surface(const TriangleMesh& mesh,
                            std::span<const std::array<double, 2>> texture, int squares,
                            int pixels) {
  const SurfaceView view = view_of(mesh, texture);
  return sample_nearest(mesh, view, pixels, [&](std::size_t t, const SpacePoint& shares) {
    const double light = std::abs(dot(unit(normal_of(mesh, t), {0, 0, 0}), view[2]));
    int number = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      double place = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        place += shares[a] * texture[at(mesh.triangles[t][a])][k];
      }
      number += static_cast<int>(std::floor(std::clamp(place, 0.0, 1.0) * squares));
    }
    return number % 2 == 0 ? light : light / 2;
  });
}

SurfaceView view_of_shape(const TriangleMesh& mesh) {
  SpacePoint sum{};
  double sizes = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const SpacePoint one = normal_of(mesh, t);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += one[k];
    sizes += std::sqrt(dot(one, one));
  }
  constexpr double one_sided = 0.05;
  const SpacePoint obliquely{0.5, -0.7, 0.5};
  const bool has_side = std::sqrt(dot(sum, sum)) > one_sided * sizes;
  const SpacePoint eye = unit(has_side ? sum : obliquely, {0, 0, 1});
  const SpacePoint right = unit(cross({0, 0, 1}, eye), {1, 0, 0}), up = cross(eye, right);
  if (!has_side) return {right, up, eye};
  constexpr double cosine = 0.7660444431189780, sine = 0.6427876096865393;  // of 40 degrees
  SpacePoint below{}, above{};
  for (std::size_t k = 0; k < 3; ++k) {
    below[k] = cosine * eye[k] - sine * up[k];
    above[k] = sine * eye[k] + cosine * up[k];
  }
  return {right, above, below};
}

PlaneSamples sample_lit(const TriangleMesh& mesh, const SurfaceView& view, int pixels) {
  constexpr double least = 0.1;
  SpacePoint lamp{};
  for (std::size_t k = 0; k < 3; ++k) lamp[k] = view[2][k] + 0.5 * (view[1][k] - view[0][k]);
  lamp = unit(lamp, view[2]);
  return sample_nearest(mesh, view, pixels, [&](std::size_t t, const SpacePoint&) {
    const SpacePoint normal = unit(normal_of(mesh, t), {0, 0, 0});
    const double light = dot(normal, view[2]) < 0 ? -dot(normal, lamp) : dot(normal, lamp);
    return std::max(least, light);
  });
}

Image lit_image(const TriangleMesh& mesh, const SurfaceView& view, const std::string& title) {
  Image image{title, title + ": nothing to be drawn", {}, {}, {}};
  const PlaneSamples samples = sample_lit(mesh, view, pixels_of_image);
  if (samples.values.empty()) return image;
  image.png = grey_png(samples);
  image.description = title + ": each triangle as it is lit from the upper left, seen obliquely";
  return image;
}

Image surface_image(const TriangleMesh& mesh, std::span<const std::array<double, 2>> texture,
                    const std::string& title) {
  constexpr int squares = 32;
  Image image{title, title + ": nothing to be drawn", {}, {}, {}};
  const PlaneSamples samples = sample_surface(mesh, texture, squares, pixels_of_image);
  if (samples.values.empty()) return image;
  image.png = grey_png(samples);
  image.description = fmt::format(
      "{}: the surface with {} x {} squares of its texture, seen from where its upper side "
      "looks on average",
      title, squares, squares);
  return image;
}

}  // namespace ninefold
