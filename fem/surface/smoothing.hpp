#pragma once
// Smoothing of a surface: the equations by which its vertices move to where their neighbours say,
// but not far from where they are.
//
// Mathematics.  With N(i) the d_i neighbours of vertex i along edges, each coordinate x of the
// vertices minimises
//
//     |L x|^2 + f |x - x0|^2,      (L x)_i = x_i - (1 / d_i) sum over j in N(i) of x_j
//
// f > 0 the fidelity, x0 what is given; so (L'L + f I) x = f x0, for x, y and z with the same
// matrix.  A row has entries for two rings of neighbours, 19 on a regular mesh.  Dividing by d_i
// makes |L|^2 about 2.3 on regular meshes, and with f = 0.01 the condition a few hundred; without
// the division ("combinatorial") it is 36 times as large.  A vertex with m neighbours of degree d
// has 1 + m / d^2 on the diagonal, which Jacobi's preconditioner takes away.
//
// Cost.  A vertex with m neighbours puts m^2 entries into the matrix: of more than
// most_smoothing_entries it is refused.
//
// What stays.  L of a constant is zero: a mesh that is moved gives the moved result.  Vertices
// without neighbours stay where they are, and parts of a mesh know nothing of each other.
//
// Boundaries have no equations of their own: they shrink a little, as all that is round does, the
// less the larger f is.
//
// Place.  The coordinates of a mesh that lies further from the origin than the diagonal of its box
// is long are taken from the middle of the box on: digits are for the shape.
//
// Rounding.  Double; an entry is the sum over the rows of L that have both, in their order: exactly
// symmetric, the same bits for any number of threads.  Right-hand sides are computed in
// double-double and rounded to a pair.
//
// Reference.  Mallet, Discrete Smooth Interpolation, ACM Trans. Graphics 8(2), 1989; Buatois,
// Caumon, Levy 2009.
// Tests.      tests/fem/surface/smoothing_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "grids/mesh/triangle_mesh.hpp"

#include "fem/sparse/sparse_matrix.hpp"
#include "fem/sparse/sparse_residual.hpp"

namespace ninefold {

/// More would be taken for a mistake: 40 million vertices of a regular mesh.
inline constexpr std::int64_t most_smoothing_entries = std::int64_t{1} << 31;

struct SmoothingSystem {
  SparseMatrix A{};
  std::array<WideVector, 3> b{};  ///< of x, y and z
  SpacePoint origin{};            ///< from which coordinates are taken on
};

/// Of all vertices in their order.  Requires corners that are vertices and finite coordinates
/// (mesh_edges()), which is not checked; throws std::invalid_argument for a fidelity that is not
/// positive and finite, and for more entries than most_smoothing_entries.
SmoothingSystem smoothing_system(const TriangleMesh& mesh, double fidelity);

/// The mesh with the vertices where a solution has them.
TriangleMesh smoothed(const TriangleMesh& mesh, const SmoothingSystem& system,
                      const std::array<WideVector, 3>& solution);

/// What lengths of a mesh are compared with.
struct MeshLengths {
  double mean_edge = 0;  ///< over all edges of all triangles, each once
  double diagonal = 0;   ///< of the smallest box along the axes that holds the vertices
};
/// Requires what smoothing_system() does.
MeshLengths mesh_lengths(const TriangleMesh& mesh);

}  // namespace ninefold
