#pragma once
// What `ninefold check` says before anything is solved: all options with where they come from, the
// memory of each rank, what will be refused and what may fail.
//
// Tests.  tests/experiments/program.py, tests/experiments/ranks.py

#include <string>
#include <vector>

#include "experiments/config/study.hpp"

namespace ninefold {

/// Lines on settings that nothing reads.
std::string idle_notes(const std::vector<Plan>& plans);

/// Of a mesh without a word on formats: in single and in double, named after them.
std::vector<Plan> plan_formats(const Document& document);

/// Prints it; all processes of MPI call it together.  Throws ConfigurationError for what a solve
/// would refuse.
void check(const Document& document);

}  // namespace ninefold
