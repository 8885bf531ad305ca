#pragma once
// What a run has to say at its end, in lines for the screen.
//
// Tests.  tests/experiments/program/summary_test.cpp

#include <string>
#include <vector>

#include "output/tables/results.hpp"

#include "experiments/config/study.hpp"

namespace ninefold {

/// What the levels have to say, for the end of a run: a line for each remark on the data and the
/// levels that share it, and one for each stretch of levels that ended in the same way, with the
/// last remark among them.
std::string remarks_summary(const Results& results);

/// Which smoothers multigrid.smoother = "auto" stood for, for the end of a run: a line for all runs
/// that left it open, or one for each if they differ; empty if none did.
std::string smoothers_summary(const std::vector<Plan>& plans, const Results& results);

/// What is known of the three errors on the finest level of a single run that has converged or
/// stagnated: the discretisation error and what half of it takes, or why it is not estimated, and
/// what iteration and rounding leave beside it.  Empty for a study.
std::string error_summary(const std::vector<Plan>& plans, const Results& results);

/// The same of a study: of each of its problems the discretisation error on the finest level, which
/// runs are enough beside it (output/tables/enough.hpp), and the quickest of these; or why that is
/// not known.
std::string study_summary(const Results& results);

/// How the finest level of a single run has moved its bytes, for the end of a run; empty where
/// memory does not decide, and for a study, whose files say it.
std::string movement_summary(const Results& results);

/// How much of the finest level's time the estimates of its errors are, where they take most of one
/// that is worth a thought, and the key that leaves them out, if the solver can do without; empty
/// otherwise, and for a study.
std::string estimate_summary(const std::vector<Plan>& plans, const Results& results);

/// "all 5 levels converged; 1 remark above", "2 of 5 levels did not converge"; of a study "solves"
std::string verdict(const Results& results);

}  // namespace ninefold
