#pragma once
// From a problem and a grid to the load vector and the boundary values.
//
// Mathematics.  b_i = integral of f phi_i + integral of flux phi_i over the Neumann sides, by Gauss
// quadrature with problem.quadrature points per direction.  The matrix is assembled where it is
// used, from one-dimensional couplings (fem/discrete/q1_element.hpp,
// gpu/operations/row_operations.hpp).
//
// Cost.  Per cell the source at all Gauss points.  In double-double about 6 times the time of
// double for the paper's polynomial, 17 to 40 times where exp, sin or cos are to be computed.
//
// Rounding.  In the format W: double or DoubleDouble.  The contributions of the (up to four) cells
// of a node are added in a fixed order, so the load does not depend on the number of threads.
//
// Tests.  tests/fem/discrete/assembly_test.cpp and tests/fem/discrete/wide_assembly_test.cpp (50
// digits), tests/fem/discrete/dealii_test.cpp

#include <array>
#include <vector>

#include "grids/slabs.hpp"
#include "grids/tensor_grid.hpp"

#include "fem/discrete/q1_element.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

/// The nodes that are unknowns: all but those on Dirichlet sides.
Box unknown_nodes(const TensorGrid& grid, const Boundary& boundary);

/// b at the nodes of these rows; Dirichlet nodes hold zero.
template <class W>
std::vector<W> assemble_load(const Problem& problem, const TensorGrid& grid, const RowRange& rows);
/// At all nodes (k = j nx + i).
template <class W>
std::vector<W> assemble_load(const Problem& problem, const TensorGrid& grid) {
  return assemble_load<W>(problem, grid, {0, grid.ny()});
}

/// The integrals of the flux over a Neumann side with the shape functions of its nodes, from left
/// to right or from bottom to top; empty where there is none.
template <class W>
std::vector<W> flux_integrals(const Problem& problem, const TensorGrid& grid, Side side);

/// The Dirichlet values at the nodes of each Dirichlet side, from left to right or from bottom to
/// top, by Side; empty for a Neumann side.
template <class W>
using SideValues = std::array<std::vector<W>, 4>;
template <class W>
SideValues<W> side_values(const Problem& problem, const TensorGrid& grid);

}  // namespace ninefold
