#pragma once
// What other ranks than the first do of runs with a matrix, a mesh or a fit: they solve with it, in
// the same order, and say and write nothing.
//
// Tests.  tests/experiments/ranks.py

#include <vector>

#include "experiments/config/study.hpp"

namespace ninefold {

/// The part in run_matrices(), or run_least_squares(), of the same plans.  Throws what that throws
/// of its solves.
void follow_matrices(const std::vector<Plan>& plans);

}  // namespace ninefold
