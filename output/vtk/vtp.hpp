#pragma once
// A mesh of triangles as a VTK file (.vtp), for ParaView and the like.
//
// Shape.  One polygonal data set, its arrays in base64, not compressed; written without VTK.
//
// Rounding.  Coordinates and values are stored bit for bit.
//
// Tests.  tests/output/vtk/vtk_test.cpp (read back by VTK)

#include <array>
#include <span>
#include <string>
#include <vector>

#include "grids/mesh/triangle_mesh.hpp"

namespace ninefold {

/// One value for each triangle; the values are not copied and must outlive the call.
struct TriangleField {
  std::string name;
  std::span<const double> values;
};

/// One vector for each vertex, likewise.
struct VertexVectors {
  std::string name;
  std::span<const SpacePoint> values;
};

/// The file with texture coordinates, one pair for each vertex, or none; with fields, of which
/// viewers show the first at first, and vectors.  Throws std::invalid_argument for other numbers of
/// values.
std::string vtp_text(const TriangleMesh& mesh, std::span<const std::array<double, 2>> texture,
                     std::span<const TriangleField> fields,
                     std::span<const VertexVectors> vectors = {});

}  // namespace ninefold
