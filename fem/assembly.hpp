#pragma once
// From a problem and a grid to the load vector, the boundary values and the scaling of the system.
//
// Mathematics.  b_i = integral of f phi_i + integral of flux phi_i over the Neumann sides, by Gauss
// quadrature with problem.quadrature points per direction.  The matrix is assembled where it is
// used, from one-dimensional couplings (fem/q1_element.hpp, gpu/operations.hpp).
//
// Scaling.  The solver works on A' x' = b' with A' = 2^-matrix A, b' = 2^-load b and therefore
// x' = 2^(matrix - load) x.  Powers of two change no digit; they keep the largest entries of A' and
// b' near one, so that squares of residuals stay inside the range of single precision even on
// the paper's test D, where the solution is of order 1e-24.
//
// Rounding.  In double.  The contributions of the (up to four) cells of a node are added in a fixed
// order, so the load does not depend on the number of threads.
//
// Tests.  tests/fem/assembly_test.cpp (50 digits), tests/fem/dealii_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problems.hpp"
#include "fem/q1_element.hpp"

namespace ninefold {

/// The nodes that are unknowns: all but those on Dirichlet sides.
Box unknown_nodes(const TensorGrid& grid, const Boundary& boundary);

/// b at all nodes (k = j nx + i); Dirichlet nodes hold zero.
std::vector<double> assemble_load(const Problem& problem, const TensorGrid& grid);

/// The start of every iteration: the Dirichlet values on Dirichlet sides, zero elsewhere.
std::vector<double> boundary_values(const Problem& problem, const TensorGrid& grid);

/// Binary exponents of the scaling above.
struct Scaling {
  int matrix = 0, load = 0;
  int solution() const { return load - matrix; }  ///< x = 2^solution() x'
};

/// The scaling for a system with this load and these boundary values on `grid`.
Scaling choose_scaling(const Problem& problem, const TensorGrid& grid,
                       const std::vector<double>& load, const std::vector<double>& boundary);

/// The equation's coefficients times 2^-scaling.matrix.
Coefficients<double> scaled_coefficients(const Problem& problem, const Scaling& scaling);

/// Gauss points on [0, 1] and their weights, n = 1 to 5; throws std::invalid_argument otherwise.
struct GaussRule {
  std::vector<double> point, weight;
};
GaussRule gauss_rule(int n);

}  // namespace ninefold
