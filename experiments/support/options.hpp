#pragma once
// The command line that all experiments share, and how they end.
//
// Shape.  --levels FIRST LAST, --full, --backend auto|host|cuda, --output DIR.  Status 0: every
// compared value agrees; 1: one does not; 2: bad input, nothing was written; 3: something failed
// on the way; 128 + signal: interrupted.
//
// Processes that mpirun has started solve the plans of an experiment together, if its report needs
// nothing but their results (the second run_experiment()); others are refused there, with status 2.
//
// Tests.  tests/experiments/support/options_test.cpp, tests/experiments/ranks.py

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "output/tables/results.hpp"

#include "experiments/config/study.hpp"

namespace ninefold {

struct LevelRange {
  int first = 0, last = 0;
};

struct ExperimentOptions {
  std::optional<LevelRange> levels;  ///< absent: the experiment's default
  bool full = false;                 ///< more, as Experiment::full says
  std::string backend = "auto";
  std::filesystem::path output;  ///< default: results/ and the experiment's name
};

/// An experiment as its --help tells it.
struct Experiment {
  std::string name;
  std::string question;
  LevelRange possible;   ///< what --levels may name
  std::string defaults;  ///< the levels without --levels and --full, in words
  std::string full = "the paper's finest level too";  ///< what --full adds
};

/// Reads the command line and runs the experiment; returns the status of the program.  `run`
/// returns whether every compared value agrees.
int run_experiment(int argc, const char* const* argv, const Experiment& experiment,
                   const std::function<bool(const ExperimentOptions&)>& run);

/// What an experiment solves.
using ExperimentPlans = std::function<std::vector<Plan>(const ExperimentOptions&)>;
/// Reports on their results; true if every compared value agrees.
using ReportResults = std::function<bool(const ExperimentOptions&, const Results&)>;

/// The same of an experiment that solves its plans, and then reports.
int run_experiment(int argc, const char* const* argv, const Experiment& experiment,
                   const ExperimentPlans& plans, const ReportResults& report);

}  // namespace ninefold
