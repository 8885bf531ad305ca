#pragma once
// How the errors of a run's levels follow each other.
//
// Tests.  tests/experiments/program/run_test.cpp

#include <optional>
#include <string>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

#include "output/tables/results.hpp"

#include "experiments/config/configuration.hpp"

namespace ninefold {

/// error_l2 of the run's last level over this one's, where both are usable and the levels are
/// neighbours.
std::optional<double> reduction_factor(const RunResult& run, const LevelResult& level);

/// A sentence where the level's error stays where the run's last one was, at a size that neither
/// the discretisation of a resolved solution nor rounding explains.  One level may be chance,
/// unless there is no other.  The level has its reduction factor.
std::optional<std::string> error_remark(const Configuration& c, const Problem& problem,
                                        const TensorGrid& grid, const RunResult& run,
                                        const LevelResult& level);

}  // namespace ninefold
