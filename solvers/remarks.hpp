#pragma once
// What a report says of a solve that did not converge: why, and which config keys help.
//
// Tests.  tests/solvers/solve_test.cpp, tests/solvers/refinement_report_test.cpp

#include <string>

#include "grids/tensor_grid.hpp"

#include "solvers/options.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// Why the residual no longer falls; the report's reductions must be set.
std::string stagnation_remark(const SolverOptions& options, const Report& report);

/// Which formats' range the numbers may have left.
std::string range_remark(const SolverOptions& options);

std::string divergence_remark(const SolverOptions& options);

/// ", or ..." if multigrid's smoother is not the one that suits the grid; else nothing.
std::string smoother_hint(const SolverOptions& options, const TensorGrid& finest, double gx,
                          double gy);

}  // namespace ninefold
