#pragma once
// The PLY format, as text or binary.
//
// Reference.  Greg Turk, The PLY Polygon File Format, 1994.
// Tests.      tests/grids/mesh/mesh_file_test.cpp, tests/grids/mesh/mesh_file_fuzz_test.cpp

#include <string>
#include <string_view>

#include "grids/mesh/mesh_file.hpp"

namespace ninefold {

/// As parse_mesh().
MeshFile parse_ply(std::string_view bytes, const std::string& name);

}  // namespace ninefold
