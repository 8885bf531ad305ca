#pragma once
// A solve on one backend, in the format that the options name.

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/solve.hpp"

namespace ninefold {

/// Defined in solvers/drivers/solve_host.cpp and, in builds with CUDA,
/// solvers/drivers/solve_cuda.cpp.  The same as solve(), which checks the arguments.
Solved solve_on(const Host& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                const SolverOptions& options);
Solved solve_on(const Cuda& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                const SolverOptions& options);

/// In mixed precision; in solvers/drivers/solve_mixed_on.cpp.
Solved solve_mixed_on(const Host& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                      const SolverOptions& options);
Solved solve_mixed_on(const Cuda& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                      const SolverOptions& options);

/// The outer solver on the host, the inner ones on the device: the co-processor of the paper.
Solved solve_split(const Host& host, const Cuda& cuda, const Problem& problem,
                   const std::vector<TensorGrid>& grids, const SolverOptions& options);

/// The same with the outer format as a type: compiled one by one, see solvers/CMakeLists.txt.
template <Backend B, Number High>
Solved solve_mixed_in(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                      const SolverOptions& options);
template <Number High>
Solved solve_split_in(const Host& host, const Cuda& cuda, const Problem& problem,
                      const std::vector<TensorGrid>& grids, const SolverOptions& options);

}  // namespace ninefold
