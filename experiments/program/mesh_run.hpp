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

namespace ninefold {

/// Side of the square texture whose texels errors are counted in.
inline constexpr int texture_side = 4096;
/// Of an error, in texels: up to here a format is enough.
inline constexpr double texels_enough = 0.5;

/// A disc and the equations of its map.
struct MeshProblem {
  std::string name{};  ///< "head.off", "patch of size 64"
  TriangleMesh mesh{};
  ConformalSystem system{};
  std::vector<std::string> remarks{};
};

/// Throws std::invalid_argument for what cannot be read, made or laid flat, with what would help.
MeshProblem mesh_problem(const MeshSettings& settings);

/// True if both are about the same equations.
bool same_mesh(const MeshSettings& a, const MeshSettings& b);

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

/// A run in a few words, for the verdict.
struct JudgedMap {
  std::string run{}, formats{};  ///< "run-2"; "single", "double:single"
  bool is_single = false;        ///< solved in single alone
  std::size_t mesh = 0;          ///< runs of the same mesh have the same number
  bool finite = true;
  std::optional<double> texels{};
};
/// Whether single is enough, as far as the runs say: of each mesh the best run in single counts,
/// and of several meshes the worst of these.
std::string map_verdict(const std::vector<JudgedMap>& runs);

}  // namespace ninefold
