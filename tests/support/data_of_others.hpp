#pragma once
// Matrices and meshes of other programs, which scripts/prepare.sh fetches.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ninefold::testing {

/// The folder that `variable` of the environment names, else NINEFOLD_DATA_FOLDER/what, or, if that
/// is not there, where a package of Debian's has it.
inline std::filesystem::path data_of_others(const char* variable, const std::string& what,
                                            const char* installed) {
  if (const char* stated = std::getenv(variable)) return stated;
  const std::filesystem::path fetched = std::filesystem::path(NINEFOLD_DATA_FOLDER) / what;
  return std::filesystem::exists(fetched) ? fetched : std::filesystem::path(installed);
}

/// Those of Debian's r-cran-matrix.
inline std::filesystem::path matrices_of_others() {
  return data_of_others("NINEFOLD_MATRICES", "matrices", "/usr/lib/R/library/Matrix/external");
}

/// Those of Debian's libcgal-demo.
inline std::filesystem::path meshes_of_others() {
  return data_of_others("NINEFOLD_MESHES", "meshes", "/usr/share/doc/libcgal-dev/data/meshes");
}

}  // namespace ninefold::testing
