#pragma once
// The fields of files for VTK, read back by VTK itself.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ninefold::testing {

/// Those of a .vtr file, or of a .pvtr file with all its pieces, by name.  Throws
/// std::runtime_error if VTK does not read it.
std::map<std::string, std::vector<double>> vtk_fields(const std::filesystem::path& file);

}  // namespace ninefold::testing
