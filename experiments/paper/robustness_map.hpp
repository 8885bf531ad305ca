#pragma once
// Iterations to 1e-10 over anisotropy and level, for three solvers in three precisions; part of
// anisotropy.
//
// Shape.  The unit square, refined to the right and the bottom by nu = 1, 1/2, ... 1/64: cells are
// up to 2 (2 / nu - 1) (2 / nu)^(level - 2) times as long as wide.  Of mixed precision the
// iterations of the inner solver count.

#include <filesystem>
#include <vector>

#include "output/tables/results.hpp"

#include "experiments/config/study.hpp"
#include "experiments/support/comparison.hpp"
#include "experiments/support/options.hpp"
#include "experiments/support/report.hpp"

namespace ninefold {

/// All solves of the map.  Throws ConfigurationError if the backend is not there.
std::vector<Plan> robustness_plans(const ExperimentOptions& options);

/// The table, what is compared, and robustness.png in `directory`.
void report_robustness(ExperimentReport& report, const Results& results,
                       const ExperimentOptions& options);

}  // namespace ninefold
