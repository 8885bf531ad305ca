#pragma once
// What the plans of all experiments have in common.
//
// Tests.  tests/experiments/support/plans_test.cpp

#include <initializer_list>
#include <string>
#include <string_view>

#include "solvers/options.hpp"

#include "experiments/config/study.hpp"
#include "experiments/support/options.hpp"

namespace ninefold {

/// Solves these levels of the unit square's uniform grids, on the backend and into the folder that
/// the command line names.
Plan experiment_plan(std::string name, const ExperimentOptions& options, LevelRange levels,
                     const SolverOptions& solver);

/// Says of a plan that it varies these keys, with the values that its configuration has for them.
void tell_varied(Plan& plan, std::initializer_list<std::string_view> keys);

}  // namespace ninefold
