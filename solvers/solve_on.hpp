#pragma once
// A solve on one backend, in the format that the options name.

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problems.hpp"

#include "gpu/backend.hpp"

#include "solvers/solve.hpp"

namespace ninefold {

/// Defined in solvers/solve_host.cpp and, in builds with CUDA, solvers/solve_cuda.cpp.  The same as
/// solve(), which checks the arguments.
Solved solve_on(const Host& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                const SolverOptions& options);
Solved solve_on(const Cuda& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                const SolverOptions& options);

}  // namespace ninefold
