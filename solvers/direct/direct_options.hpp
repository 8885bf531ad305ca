#pragma once
// What fast diagonalisation asks of options and of a grid.
//
// Tests.  tests/solvers/direct/direct_solve_test.cpp

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

#include "solvers/options.hpp"

namespace ninefold {

/// Throws BadValue unless the direct solver can have these options: it solves in the formats of its
/// libraries, once for each residual.
void require_direct(const SolverOptions& options);

/// Throws BadValue where fast diagonalisation has no eigenvectors of this grid that would be of
/// use, by their span (fem/discrete/line_spectrum.hpp), or no library to find them.
void require_eigenvectors(const SolverOptions& options, const Problem& problem,
                          const TensorGrid& finest, bool on_device);

}  // namespace ninefold
