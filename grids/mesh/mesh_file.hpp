#pragma once
// Surfaces of triangles in files: OFF, OBJ and PLY, read in double.
//
// Shape.  A name's ending says the format.  Read are
//
//     .off   OFF, COFF, NOFF, CNOFF: the colours and normals of vertices, and the colours of faces,
//            are passed over
//     .obj   v (a weight or a colour behind the coordinates is passed over) and f, whose numbers
//            count from 1 on, or back from -1; normals, texture coordinates, groups, materials,
//            points and lines are passed over
//     .ply   ascii, binary_little_endian, binary_big_endian; x, y, z and the list vertex_indices,
//            or vertex_index, of any type; all other properties and elements are passed over
//
// Polygons.  One of more than three corners becomes a fan of triangles from its first corner, which
// is told in a remark; what such a fan makes of a polygon that is not convex is not looked at.
//
// Refused, with the file, the line or the number of the element, the value and what is allowed:
// what is no number or not finite, corners that are no vertices, faces of fewer than three corners,
// files that end too soon or have more than they say.  Whether the triangles are a surface is for
// mesh_edges() to say.
//
// Tests.  tests/grids/mesh/mesh_file_test.cpp, tests/grids/mesh/mesh_file_fuzz_test.cpp

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grids/mesh/triangle_mesh.hpp"

namespace ninefold {

enum class MeshFormat { off, obj, ply };

struct MeshFile {
  TriangleMesh mesh{};
  std::vector<std::string> remarks{};  ///< polygons that were cut, and colours, normals, textures
};

/// ".off", ".obj", ".ply"
const std::vector<std::string>& mesh_endings();

/// True of a name with one of these endings.
bool is_mesh_file(std::string_view name);

/// Throws std::invalid_argument for a file that cannot be read, for its ending, and as above.
MeshFile read_mesh(const std::filesystem::path& file);

/// The same of the bytes of a file of this name.
MeshFile parse_mesh(std::string_view bytes, MeshFormat format, const std::string& name);

/// The mesh as OFF, all digits of its coordinates.
std::string off_text(const TriangleMesh& mesh);

/// As PLY of the format ascii, all digits likewise.
std::string ply_text(const TriangleMesh& mesh);

/// As OBJ; with texture coordinates (u, v), one pair for each vertex, if there are any.  Throws
/// std::invalid_argument for another number of them.
std::string obj_text(const TriangleMesh& mesh, std::span<const std::array<double, 2>> texture = {});

}  // namespace ninefold
