#pragma once
// Where points of the plane are in an image that they just fill, to scale.
//
// Shape.  In units of pixels, whose middles are at whole numbers, the upper row first.
//
// Tests.  tests/output/document/map_image_test.cpp

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "output/document/map_image.hpp"

namespace ninefold {

class PixelFrame {
 public:
  struct Range {
    int first, last;
  };

  /// The longer side is `pixels` long.  Nothing if a coordinate, also a third one, is not finite,
  /// or all points are one.
  template <class Points>
  static std::optional<PixelFrame> around(const Points& points, int pixels) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    PixelFrame frame;
    std::array<double, 2> most{-infinity, -infinity};
    frame.left_ = infinity;
    double lowest = infinity;
    for (const auto& point : points) {
      for (const double c : point) {
        if (!std::isfinite(c)) return {};
      }
      frame.left_ = std::min(frame.left_, point[0]);
      lowest = std::min(lowest, point[1]);
      for (std::size_t k = 0; k < 2; ++k) most[k] = std::max(most[k], point[k]);
    }
    frame.top_ = most[1];
    const std::array<double, 2> sides{most[0] - frame.left_, most[1] - lowest};
    const double side = std::max(sides[0], sides[1]);
    if (!(side > 0) || !std::isfinite(side)) return {};
    frame.scale_ = pixels / side;
    for (std::size_t k = 0; k < 2; ++k) {
      frame.counts_[k] =
          std::clamp(static_cast<int>(std::ceil(sides[k] * frame.scale_)), 1, pixels);
    }
    return frame;
  }

  int width() const { return counts_[0]; }
  int height() const { return counts_[1]; }

  /// The point in pixels; a third coordinate stays.
  template <class Point>
  Point seen(Point point) const {
    point[0] = (point[0] - left_) * scale_ - 0.5;
    point[1] = (top_ - point[1]) * scale_ - 0.5;
    return point;
  }

  /// Of a triangle that is seen: the columns (k = 0) or rows (1) whose middles it may hold.
  template <class Point>
  Range range(std::size_t k, const Point& a, const Point& b, const Point& c) const {
    return {std::max(0, static_cast<int>(std::ceil(std::min({a[k], b[k], c[k]})))),
            std::min(counts_[k] - 1, static_cast<int>(std::floor(std::max({a[k], b[k], c[k]}))))};
  }

  /// Without values yet.
  PlaneSamples samples() const {
    return {
        width(), height(),
        std::vector<double>(static_cast<std::size_t>(width()) * static_cast<std::size_t>(height()),
                            std::numeric_limits<double>::quiet_NaN())};
  }

 private:
  double left_ = 0, top_ = 0, scale_ = 1;
  std::array<int, 2> counts_{1, 1};
};

}  // namespace ninefold
