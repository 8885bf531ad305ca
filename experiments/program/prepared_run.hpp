#pragma once
// A plan's levels made ready, and whether this machine has what they need.
//
// Tests.  tests/experiments/program/run_test.cpp

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "solvers/solve.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/automatic_precision.hpp"

namespace ninefold {

/// Up to this level solutions are kept on the host: a page shows them, and where their errors lie.
inline constexpr int last_pictured_level = 10;

/// choose_backend(), with a ConfigurationError for what must be refused.
BackendKind find_backend(const std::string& name, Precision precision);

/// A plan's levels, coarsest first, ready to be solved on one backend: what a check tells of them
/// is what is run.
struct PreparedRun {
  BackendKind where = BackendKind::host;
  std::vector<PreparedSolve> levels;
  /// With solver.precision = "auto": what has chosen, and its path for each level.
  std::shared_ptr<const AutomaticPrecision> automatic;
  std::vector<std::size_t> paths;

  const Problem& problem() const { return levels.front().problem; }
};

/// Throws ConfigurationError if the backend that the plan names is not there, or not for its
/// format, and for options that do not suit the grid of a level.
PreparedRun prepare_run(const Plan& plan);

/// Throws ConfigurationError, with the numbers and the finest level that fits, if a level needs
/// more memory than is available now.
void require_memory(const Plan& plan, const PreparedRun& run);

}  // namespace ninefold
