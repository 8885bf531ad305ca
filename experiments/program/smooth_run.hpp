#pragma once
// A mesh that is smoothed: its equations, and what becomes of their solutions.
//
// Tests.  tests/experiments/smooth.py, tests/experiments/program/smooth_run_test.cpp

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fem/surface/smoothing.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "output/document/document.hpp"
#include "output/document/surface_image.hpp"

#include "experiments/config/mesh_settings.hpp"
#include "experiments/program/mesh_verdict.hpp"

namespace ninefold {

/// Of an error, in mean edges: up to here a format is enough.
inline constexpr double edges_enough = 1e-3;
inline constexpr ErrorUnit in_edges{"mesh", " of the mean edge", edges_enough, "a thousandth"};

/// The coordinates, each of which is a right-hand side.
inline constexpr std::array<const char*, 3> coordinate_names{"x", "y", "z"};

/// The length of waves, in mean edges, of which about half is left: pi / f^(1/4), of a regular mesh
/// (its L of a wave is about (edge wave number)^2 / 4 of it).
double halved_wave(double fidelity);

struct SmoothProblem {
  std::string name{};    ///< "scan.ply", "bumps of size 64"
  std::string ending{};  ///< of the file that the result becomes: .off, .ply or .obj
  TriangleMesh mesh{};
  MeshLengths lengths{};
  SmoothingSystem system{};
  SurfaceView view{};  ///< of all pictures
  std::vector<std::string> remarks{};
};

/// Throws std::invalid_argument for what cannot be read, made or smoothed, with what would help.
SmoothProblem smooth_problem(const MeshSettings& settings);

/// How several right-hand sides were solved.
enum class Solving { side_by_side, one_by_one };

/// The solves of all coordinates as one: the worst outcome, with its remark; history, inner
/// iterations and formats of the longest; of other numbers the largest, but that what was spent on
/// one after the other is added.  Without the solutions.
SparseSolved as_one(const std::vector<SparseSolved>& solved, Solving how);

/// What a run's mesh is like.
struct SmoothFacts {
  /// Of all vertices the largest distance from where the reference has them, over the mean edge of
  /// the mesh that was given, and over the diagonal of its box; nothing without a reference or for
  /// a mesh that is not finite.
  std::optional<double> error_in_edges{}, error_in_diagonals{};
  bool finite = false;
  double largest_move = 0, mean_move = 0;  ///< of vertices, in mean edges
  TriangleMesh mesh{};                     ///< the result
  Image after{};
};
/// `rights` know the reference, if there is one.
SmoothFacts smooth_facts(const SmoothProblem& problem, const std::vector<SparseSolved>& solved,
                         const std::vector<SparseRight>& rights, const std::string& title);

/// The mesh before it is smoothed.
Image picture_before(const SmoothProblem& problem);

/// The mesh as NAME.obj, or as the file that was read (.ply, .off), NAME.vtp with its displacement,
/// and NAME-after.png; nothing for a mesh that is not finite.
void write_smoothed(const SmoothProblem& problem, const SmoothFacts& facts,
                    const std::filesystem::path& folder, const std::string& name);

}  // namespace ninefold
