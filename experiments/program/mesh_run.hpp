#pragma once
// A mesh that is laid flat: its equations, and what becomes of their solution.
//
// Tests.  tests/experiments/mesh.py, tests/experiments/program/mesh_run_test.cpp

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fem/surface/lscm.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "output/document/document.hpp"

#include "experiments/config/mesh_settings.hpp"
#include "experiments/program/mesh_verdict.hpp"

namespace ninefold {

/// Side of the square texture whose texels errors are counted in.
inline constexpr int texture_side = 4096;
/// Of an error, in texels: up to here a format is enough.
inline constexpr double texels_enough = 0.5;
inline constexpr ErrorUnit in_texels{"map", " texels of a 4096 x 4096 texture", texels_enough,
                                     "half of one"};

/// A disc and the equations of its map.
struct MeshProblem {
  std::string name{};  ///< "head.off", "patch of size 64"
  TriangleMesh mesh{};
  ConformalSystem system{};
  std::vector<std::string> remarks{};
};

/// Throws std::invalid_argument for what cannot be read, made or laid flat, with what would help.
MeshProblem mesh_problem(const MeshSettings& settings);

/// What a run's map is like.
struct MapFacts {
  /// Of all vertices the largest distance from the reference, in texels of a texture into which the
  /// longer side of the map just fits; nothing without a reference or for a map that is not finite.
  std::optional<double> texels{};
  bool finite = false;  ///< in a box whose sides are numbers, too
  MapDistortion distortion{};
  std::vector<PlanePoint> texture{};  ///< the places of vertices, moved and scaled into [0, 1]
  Image image{}, surface{};           ///< the map, and the mesh with it as a texture
};
MapFacts map_facts(const MeshProblem& problem, const WideVector& solution,
                   const std::optional<WideVector>& reference, const std::string& title);

/// NAME.obj, with texture coordinates in [0, 1], NAME.vtp, NAME-map.png and
/// NAME-surface.png; nothing for a map that is not finite.
void write_map(const MeshProblem& problem, const MapFacts& facts,
               const std::filesystem::path& folder, const std::string& name);

}  // namespace ninefold
