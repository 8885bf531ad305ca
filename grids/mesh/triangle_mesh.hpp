#pragma once
// A surface of triangles in space, and what of it belongs together.
//
// Shape.  Vertices and triangles are numbered from 0 on; a triangle's corners go around it in the
// order that shows its upper side.  Half-edge 3 t + k leads from corner k of triangle t to corner
// k + 1, corner 3 being corner 0 again.
//
//          2          half-edges of triangle t: 3 t from 0 to 1, 3 t + 1 from 1 to 2,
//         / \.        3 t + 2 from 2 to 0; the twin of one runs along the same edge
//        0---1        the other way, in the triangle on the other side
//
// Units.  Those of the coordinates; nothing here has a length of its own.
//
// Cost.  12 bytes per half-edge while edges are matched, 4 after that.
//
// Tests.  tests/grids/mesh/triangle_mesh_test.cpp

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "grids/mesh/space_point.hpp"

namespace ninefold {

/// Of triangles, so that half-edges have 32 bits, as numbers of vertices have.
inline constexpr std::int64_t max_triangles = 0x7fffffff / 3, max_vertices = 0x7fffffff;

/// Between these the longest edge of a triangle is: its square and area are then doubles, with room
/// for sums and for the areas of needles.
inline constexpr double least_edge = 1e-130, largest_edge = 1e130;

struct TriangleMesh {
  std::vector<SpacePoint> vertices{};
  std::vector<std::array<std::int32_t, 3>> triangles{};

  friend bool operator==(const TriangleMesh&, const TriangleMesh&) = default;
};

/// What is next to what.
struct MeshEdges {
  std::vector<std::int32_t> twins{};  ///< of each half-edge; -1 at a boundary
  std::int64_t count = 0;             ///< of edges
  /// The vertices of each boundary, in the order of its half-edges; the longest loop first.
  std::vector<std::vector<std::int32_t>> boundaries{};
  std::vector<std::int32_t> part{};        ///< of each triangle; parts hang together along edges
  std::vector<std::int64_t> part_sizes{};  ///< triangles of each
  std::int32_t isolated = -1;              ///< the first vertex without a triangle, or -1
  /// The first vertex at which triangles meet that share no edge there, as two cones at their tip,
  /// or -1.
  std::int32_t pinched = -1;

  /// Vertices - edges + triangles: 1 of a disc, 2 of a sphere, 0 of a ring or a torus.
  std::int64_t euler_characteristic(const TriangleMesh& mesh) const;
};

/// Throws std::invalid_argument, naming the first by its number, for a coordinate that is not
/// finite, a corner that is no vertex, a triangle that has a vertex twice, an edge of more than two
/// triangles, and two triangles that run along an edge in the same direction, one of which shows
/// its lower side.
MeshEdges mesh_edges(const TriangleMesh& mesh);

/// The numbers that messages name vertices and triangles by; their own where none are given.
struct MeshNumbers {
  std::span<const std::int32_t> vertices{}, triangles{};

  std::int32_t vertex(std::int32_t p) const;
  std::int32_t triangle(std::size_t t) const;
};

/// Which numbers vertices have, for messages: "they are from 0 to 7".
std::string vertex_range(std::int64_t n);

/// Twice the area, at any scale at which that is a double.
double twice_area(const TriangleMesh& mesh, std::size_t triangle);

/// Throws std::invalid_argument unless there are triangles, their longest edges as above, and areas
/// that are more than what rounding leaves of nothing; as require_disc().
void require_areas(const TriangleMesh& mesh, const MeshNumbers& numbers = {});

/// Throws std::invalid_argument unless the mesh is a disc without faults: one part with one
/// boundary and no handle, no isolated or pinched vertex, longest edges as above, and areas that
/// are more than what rounding leaves of nothing.  The message names what is wrong by its number.
void require_disc(const TriangleMesh& mesh, const MeshEdges& edges,
                  const MeshNumbers& numbers = {});

/// A part of a mesh, its triangles and vertices in the order in which they were.
struct MeshPart {
  TriangleMesh mesh{};
  std::vector<std::int32_t> vertices{}, triangles{};  ///< the numbers that they had

  MeshNumbers numbers() const { return {vertices, triangles}; }
};

/// The part of most triangles, the first of equal ones.
MeshPart largest_part(const TriangleMesh& mesh, const MeshEdges& edges);

}  // namespace ninefold
