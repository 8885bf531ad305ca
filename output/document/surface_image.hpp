#pragma once
// Images of a surface, in greys: with squares drawn on it by its texture coordinates, and as it is
// lit.
//
// Tests.  tests/output/document/map_image_test.cpp

#include <array>
#include <span>
#include <string>

#include "grids/mesh/triangle_mesh.hpp"

#include "output/document/document.hpp"
#include "output/document/map_image.hpp"

namespace ninefold {

/// Seen from where its upper side looks on average, u to the right, the nearest triangle in front:
/// from 0 to 1 as it is lit from there, half as much in every other of `squares` x `squares`
/// squares of the texture.  Without pixels if a place is not finite or there is nothing to be seen.
/// Requires a pair of coordinates for each vertex, which is not checked.
PlaneSamples sample_surface(const TriangleMesh& mesh,
                            std::span<const std::array<double, 2>> texture, int squares,
                            int pixels);

/// With 32 x 32 squares, which a map that keeps angles leaves square.
Image surface_image(const TriangleMesh& mesh, std::span<const std::array<double, 2>> texture,
                    const std::string& title);

/// To the right, up, and towards the eye: unit vectors at right angles.
using SurfaceView = std::array<SpacePoint, 3>;

/// 40 degrees below where the upper side looks on average, or obliquely from above where that is no
/// side, as of closed surfaces.
SurfaceView view_of_shape(const TriangleMesh& mesh);

/// Seen so, the nearest triangle in front: from 0.1 to 1 as the side that is seen is lit from over
/// the left shoulder.  As sample_surface() otherwise.
PlaneSamples sample_lit(const TriangleMesh& mesh, const SurfaceView& view, int pixels);
Image lit_image(const TriangleMesh& mesh, const SurfaceView& view, const std::string& title);

}  // namespace ninefold
