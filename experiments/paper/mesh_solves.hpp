#pragma once
// The meshes and solves of mesh_precision: generated ones of a level, and those of Debian's package
// libcgal-demo where they are.
//
// Shape.  A patch of level l has 2^l cells along a side.
//
// Tests.  tests/experiments/experiments.py

#include <optional>
#include <string>
#include <vector>

#include "fem/surface/lscm.hpp"
#include "fem/surface/smoothing.hpp"

#include "experiments/paper/sparse_runs.hpp"
#include "experiments/support/options.hpp"

namespace ninefold::mesh_precision {

inline constexpr double tolerance = 1e-10;
/// Of a solve in single, for its own residual, which falls further than the true one; of patches.
inline constexpr double single_tolerance = 1e-7, single_patch_tolerance = 1e-8;
inline constexpr double texture_side = 4096;
inline constexpr double fidelity = 0.01;

/// What another program has found of a mesh: CG with Jacobi's preconditioner, in NumPy.  A count or
/// an error is 0 where it has none.
struct Known {
  int unknowns;
  int double_steps;
  double double_tolerance;
  TriangleWeight weight;  ///< with which the count is met
  double plain_texels, difference_texels;
  int plain_steps, difference_steps;
  int bandwidth, bandwidth_rcm;
  double stored_in_4;  ///< values a row
};

/// A mesh that is laid flat.
struct FlatMesh {
  std::string name{};
  int level = 0;  ///< 0 of one that was read
  TriangleMesh mesh{};
  std::optional<Known> known{};

  bool is_made() const { return level > 0; }
};

/// The folder of libcgal-demo's meshes, if it is there: $NINEFOLD_MESHES, or where Debian has it.
std::optional<std::string> folder_of_meshes();

/// A patch for each level, then what there is of three_peaks, lion-head, mannequin-devil.
std::vector<FlatMesh> flat_meshes(const LevelRange& levels);

/// Meshes that are smoothed, open and closed ones, of about as many vertices as a patch of the
/// level; then what there is of libcgal-demo's.
std::vector<FlatMesh> smoothed_meshes(int level);

/// By a way to solve; the error is against double-double.
struct FlatSolve {
  const FlatMesh* mesh;
  std::string way;
  int steps;  ///< of CG, in mixed precision of the inner one
  SparseSolved solved;
  double texels;
};

/// "double", "single plain", "single difference", "double:single plain", "double:single
/// difference"; of large patches the first three: the others take more steps than anybody waits
/// for.
std::vector<std::string> ways_of(const FlatMesh& mesh);
/// The system of a mesh, with its solution in double-double.
struct FlatSystem {
  ConformalSystem conformal{};
  SparseProblem problem{};
  double side = 1;  ///< of the box of the map
};
FlatSystem flat_system(const FlatMesh& mesh, BackendKind where);
SparseOptions options_of(const FlatMesh& mesh, const std::string& way);
FlatSolve solve_flat(const FlatMesh& mesh, const FlatSystem& system, const std::string& way,
                     SparseRuns& runs);

}  // namespace ninefold::mesh_precision
