#pragma once
// ninefold advise: which formats and forms are precise enough for a problem, before it is solved.
//
// Tests.  tests/experiments/program/automatic_precision_test.cpp

#include <string>
#include <vector>

#include "experiments/config/study.hpp"

namespace ninefold {

/// A table of all paths on the plan's last level, the recommendation in a sentence, with the
/// settings that take it, and the bits that each level needs.  With `measure` all of them are
/// solved there, and the truth stands beside the forecast.  Throws ConfigurationError as
/// prepare_run() does.  `without`: the tables and keys of the plan's file that are left aside.
std::string advice(const Plan& plan, bool measure, const std::vector<std::string>& without = {});

}  // namespace ninefold
