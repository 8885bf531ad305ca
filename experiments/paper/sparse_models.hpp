#pragma once
// Matrices of the kinds that the papers on sparse systems have, made here: their meshes are not to
// be had.
//
// Shape.  Of a level there are N = 2^level nodes along a side.  Unknowns are numbered node by node,
// nodes by rows of the mesh, so a node's components follow each other.
//
//     parameterisation   two unknowns (u, v) a vertex: the least squares conformal map
//                        (fem/surface/lscm.hpp), full blocks of neighbours, of a flat patch of
//                        N x N vertices, all moved a little, with cells cut at random, two opposite
//                        corners held.  The solution is the
//                        patch itself: vertices in the unit square
//     smoothing          three unknowns (x, y, z) a vertex of the same mesh: G^2 + 1/64, G the
//                        graph's Laplacian, as discrete smooth interpolation (Mallet 1992) has it:
//                        entries to all neighbours of neighbours, within one component
//     all others         those of generate_sparse(); in space N is the multiple of 4 for which N^3
//                        is nearest to 4^level, so that levels have about as many nodes
//
// Rounding.  As generators.hpp: the same bits everywhere, exactly symmetric.
//
// Tests.  tests/experiments/paper/sparse_models_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fem/sparse/sparse_matrix.hpp"

#include "solvers/sparse/sparse_system.hpp"

namespace ninefold {

struct SparseModel {
  std::string name{};
  int components = 1;  ///< unknowns of a node
  SparseMatrix A{};
  std::vector<double> solution{};  ///< that a system with it is given
};

/// The names above, the two of the papers first.
const std::vector<std::string>& sparse_model_names();
/// What it stands for, in half a sentence.
std::string_view stands_for(std::string_view name);

/// Nodes along a side.
int side_of(std::string_view name, int level);

/// Throws std::invalid_argument for a name that is not there.
SparseModel sparse_model(const std::string& name, int level);

/// b = A x for the model's solution, in double-double: the solution is known.
SparseProblem with_solution(const SparseModel& model);

/// What can be counted without the matrix.
struct CountedEntries {
  std::int64_t entries = 0;
  /// Values that blocks store in the order by rows; nothing where that goes by chance.
  std::optional<std::int64_t> stored_in_2{}, stored_in_4{};
};
/// Nothing for models whose cells are cut at random in a way that counts.
std::optional<CountedEntries> counted_entries(std::string_view name, int level);

/// By which order nodes are numbered.
enum class NodeOrder { rows, random, rcm };
std::string_view to_string(NodeOrder order);

/// The pattern of the nodes, c unknowns each.
SparsePattern node_pattern(const SparsePattern& pattern, int components);

/// The model with its nodes in another order, their unknowns together as before: at random, or by
/// reverse Cuthill-McKee of that random order, as a file in no particular order would be.
SparseModel reordered(const SparseModel& model, NodeOrder order);

}  // namespace ninefold
