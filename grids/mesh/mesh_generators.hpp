#pragma once
// Surfaces that need no file.
//
// Shape.  N is the size, in cells along a side; each cell is two triangles, cut along one diagonal
// or the other at random, and a corner of a patch belongs to two.
//
//     patch    N x N cells of a square, folded along the N - 1 lines between columns of cells, so
//              that it stands in space like a sheet of paper that was rolled up: its unfolding is
//              known to rounding.  Columns have widths, and vertices places along their line, at
//              random, within 0.15 of a cell
//     bumps    N x N cells over the unit square with bumps of five sizes: no unfolding keeps its
//              angles
//     sphere   6 N x N cells: closed
//     torus    N x N cells: closed, with a handle
//
// N is as mesh_generator_sizes() says: at most 200 million triangles, fewer of a sphere, whose
// vertices are found in a tree.
//
// Rounding.  Only +, -, *, / and square roots of doubles in a fixed order: the same bits
// everywhere.
//
// Tests.  tests/grids/mesh/mesh_generators_test.cpp

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "grids/mesh/triangle_mesh.hpp"

namespace ninefold {

struct MeshGenerator {
  std::string name{};
  int size = 0;
};

/// The names above, in that order.
const std::vector<std::string>& mesh_generator_names();

/// What it is, in half a sentence; empty for a name that is not there.
std::string_view mesh_generator_description(std::string_view name);

/// From the least to the largest N of a name, or of all of them without one.  Throws
/// std::invalid_argument for a name that is not there.
struct MeshSizes {
  int least, most;
};
MeshSizes mesh_generator_sizes(std::string_view name = {});

/// Throws std::invalid_argument for a name that is not there and for sizes that are not possible.
TriangleMesh generate_mesh(const MeshGenerator& generator);

/// The vertices of the patch before it was folded, in the unit square, whose cells have the width
/// and height 1 / N on average.  Throws std::invalid_argument as generate_mesh() does.
std::vector<std::array<double, 2>> unfolded_patch(int size);

/// The patch of this size with all vertices where they were before it was folded, z = 0.
TriangleMesh flat_patch(int size);

}  // namespace ninefold
