#pragma once
// An image of a mesh in the plane, each triangle coloured by a value.
//
// Tests.  tests/output/document/map_image_test.cpp

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "output/document/document.hpp"

namespace ninefold {

/// What the pixels of an image show.
struct PlaneSamples {
  int width = 0, height = 0;
  std::vector<double> values{};  ///< by rows, the upper one first; NaN where there is no triangle
};

/// Triangles drawn one over the other in their order, to scale, the longer side `pixels` long: a
/// pixel takes the value of the last one that holds its middle, or whose middle it holds.  Without
/// pixels if a place is not finite, or all are one.  Requires corners that are places and one value
/// for each triangle, which is not checked.
PlaneSamples sample_triangles(std::span<const std::array<double, 2>> places,
                              std::span<const std::array<std::int32_t, 3>> triangles,
                              std::span<const double> values, int pixels);

/// Of triangles coloured by how far a map stretches them one way rather than the other, from 1 to
/// what all but one in 200 have.  Without an image where there are no pixels.
Image map_image(std::span<const std::array<double, 2>> places,
                std::span<const std::array<std::int32_t, 3>> triangles,
                std::span<const double> stretch, const std::string& title);

}  // namespace ninefold
