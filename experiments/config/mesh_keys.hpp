#pragma once
// The keys of [mesh]: a surface of triangles in the place of a grid, whose equations are a system
// with a sparse matrix.
//
// Tests.  tests/experiments/mesh.py, tests/experiments/config/keys_test.cpp

#include <string_view>
#include <vector>

#include "experiments/config/keys.hpp"

namespace ninefold {

/// In the order of the documentation.
std::vector<Key> mesh_keys();

/// True if a key of this name means something to a run with a mesh.
bool concerns_meshes(std::string_view key);

/// Of a run with a mesh, before take_matrix(): what has no meaning there is refused; errors are
/// measured against double-double where nothing else is stated.  Throws ConfigurationError.
void take_mesh(const std::vector<Setting>& settings, Configuration& c);

/// True if the document is about a mesh and says of no format that it is to be solved in.
bool leaves_formats_open(const Document& document);

/// The document with a study of single and double, which then tells whether single is enough.
Document with_open_formats(Document document);

}  // namespace ninefold
