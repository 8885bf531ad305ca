#pragma once
// One config file, several runs: the Cartesian product of what its [study] table varies.
//
//     [study]
//     "solver.precision" = ["single", "double"]      # changes slowest
//     "operator.form" = ["plain", "difference"]      # changes fastest
//
// Several systems of one solve (matrix.files) are a run each, as if matrix.file were varied last.
//
// Tests.  tests/experiments/config/study_test.cpp

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/configuration.hpp"
#include "experiments/config/settings.hpp"

namespace ninefold {

/// A run that is to be made.
struct Plan {
  std::string name;  ///< "run-1", "run-2", ...
  Options varied;    ///< dotted key and value, as a reader wants it
  Configuration configuration;
  std::vector<Setting> settings{};  ///< that it comes from, for the lines of errors
  std::filesystem::path file{};
  int together = 0;  ///< plans of one number, unless it is 0, state systems of one solve
};

/// A line for a complaint about a run of a study: "in run-2 of the study: solver.method = cg", and
/// the line's beginning; empty for a run that stands alone.
std::string combination_words(const Plan& plan);

/// The runs of a study, every one of them checked.  Throws ConfigurationError if the document is
/// not a study, if it varies what all runs share (output.*), or if a combination is bad input.
std::vector<Plan> plan_study(const Document& document);

/// The run of a document without a study; with matrix.files one of each.
std::vector<Plan> plan_run(const Document& document);

/// All options as (dotted key, TOML value), in the order of the documentation; of what the runs
/// vary, the list of the values.
Options all_options(const std::vector<Plan>& plans);

}  // namespace ninefold
