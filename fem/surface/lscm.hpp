#pragma once
// Least squares conformal maps: the equations by which a disc of triangles is laid flat.
//
// Mathematics.  Each vertex gets a place z = u + i v in the plane.  With the edge w_a opposite to
// corner a of a triangle of area F, as a complex number in the triangle's plane, a map keeps its
// angles if sum w_a z_a = 0; least is
//
//     sum over triangles of  |sum_a w_a z_a|^2 / (2 F)  =  z' A z
//
// In u and v that is, for corners a and d with edges e_a and e_d in space,
//
//     u_a u_d and v_a v_d:  (e_a, e_d) / (2 F)
//     u_a v_d:              -1 if d follows a, 1 if a follows d, 0 if d is a
//     v_a u_d:              the same with the other sign
//
// so no triangle needs a frame.  In the second line an inner edge gets -1 from one of its triangles
// and 1 from the other: what is left are entries at the boundary, the area of the image.  Two
// vertices are held, since moving, turning and scaling the plane changes no angle.
//
// Shape.  The unknowns are the u and v of the vertices that are not held, in turns, vertices in
// their order: 2 components a node.
//
// Rounding.  Double.  An entry is the sum over the (at most two) triangles of its edge, on the
// diagonal over those around its vertex, in the order of their numbers: the same bits for any
// number of threads, and exactly symmetric.  The right-hand side, minus the columns of held
// vertices times their places, is computed in double-double, added in the order of the columns, and
// rounded to a pair.
//
// Cost.  12 bytes for each of about 7 entries a row.
//
// Reference.  Levy, Petitjean, Ray, Maillot, ACM Trans. Graphics 21(3), 2002; Desbrun, Meyer,
// Alliez, Eurographics 2002, for the form without frames; Buatois, Caumon, Levy 2009.
// Tests.      tests/fem/surface/lscm_test.cpp

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "grids/mesh/triangle_mesh.hpp"

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_residual.hpp"

namespace ninefold {

using PlanePoint = std::array<double, 2>;

/// Two vertices and the places where they are held.
struct ConformalPins {
  std::array<std::int32_t, 2> vertices{};
  std::array<PlanePoint, 2> places{};
};

/// Two vertices of the boundary: from its first one the farthest, and the farthest from that, held
/// at (0, 0) and (their distance, 0).  Throws std::invalid_argument for a mesh without a boundary.
ConformalPins automatic_pins(const TriangleMesh& mesh, const MeshEdges& edges);

/// These vertices, held likewise.  Throws std::invalid_argument unless they are two vertices, at
/// different places; the message has their `numbers`.
ConformalPins pins_at(const TriangleMesh& mesh, std::int32_t first, std::int32_t second,
                      const MeshNumbers& numbers = {});

/// Of a triangle in the sum: 1 / (2 F), by which its size does not matter to its weight beside that
/// which its area gives it; or 1, as some programs have it: large triangles then weigh more.
enum class TriangleWeight { conformal, unscaled };
constexpr std::string_view to_string(TriangleWeight weight) {
  return weight == TriangleWeight::conformal ? "conformal" : "unscaled";
}

/// Whether entries that cancel, of u and v at inner edges, are left out or stay as zeros, so that
/// blocks of neighbours are full.
enum class ZeroEntries { left_out, kept };

struct ConformalSystem {
  SparseMatrix A{};
  WideVector b{};
  ConformalPins pins{};
  std::vector<std::int32_t> vertices{};  ///< of unknowns 2 k and 2 k + 1
};

/// Requires what require_disc() does, and pins of this mesh, which is not checked; throws
/// std::invalid_argument for a mesh of more than 2^30 - 1024 vertices.
ConformalSystem conformal_system(const TriangleMesh& mesh, const ConformalPins& pins,
                                 TriangleWeight weight = TriangleWeight::conformal,
                                 ZeroEntries zeros = ZeroEntries::left_out);

/// The places of all vertices, those held among them.
std::vector<PlanePoint> places_of(const ConformalSystem& system, std::size_t n_vertices,
                                  std::span<const double> unknowns);

/// What a map does to the triangles.
struct MapDistortion {
  /// Of each triangle: the largest stretch over the least one, 1 where angles are kept; infinite
  /// where the image has no area.
  std::vector<double> stretch{};
  /// Area of the image over that of the triangle; negative where it is turned over.
  std::vector<double> area{};
  std::int64_t turned_over = 0;
  double median_stretch = 1, largest_stretch = 1;
};
MapDistortion map_distortion(const TriangleMesh& mesh, std::span<const PlanePoint> places);

}  // namespace ninefold
