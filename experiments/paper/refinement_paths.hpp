#pragma once
// The solvers and paths that refinement compares, and its races between stopping rules.

#include <string>
#include <vector>

#include "precision/precision.hpp"

#include "solvers/options.hpp"

#include "output/plots/curve_plot.hpp"

#include "experiments/config/study.hpp"
#include "experiments/support/options.hpp"

namespace ninefold {

inline constexpr double paper_tolerance = 1e-10;
inline constexpr int finest_of_paper = 10;

/// A table of the paper with the solver that it is about.
struct PaperSolver {
  std::string table, cpu_table;  ///< "A4", and "A1" for the CPU's columns
  std::string name, title;
  Method method;
  int steps;      ///< of smoothing, before and after
  Stroke stroke;  ///< in the picture; the colour is the path's
};
const std::vector<PaperSolver>& paper_solvers();

/// A number format, or double over single, on one backend.
struct Path {
  std::string key, name;
  Precision precision;
  bool mixed;
  std::string backend;
  std::string colour;
};

/// Double on the host, which all others are measured against.
const Path& host_double();
/// The path of tables A4 to A6: on the device, if one is used.
Path mixed_path(const ExperimentOptions& options);
/// All, host_double() first.
std::vector<Path> paths(const ExperimentOptions& options);

bool on_device(const ExperimentOptions& options);
LevelRange paper_levels(const ExperimentOptions& options);
/// The same of one path: double-single on the host ends a level earlier where nothing else is asked
/// for, since it takes most of the time.
LevelRange levels_of(const ExperimentOptions& options, const Path& path);

/// Solves something small on the device, so that the first measured solve does not open it.
void open_device();

std::string run_name(const PaperSolver& solver, const Path& path);

/// One solve with double outside, by one stopping rule.
struct RuleEntry {
  Precision inner;
  std::string rule;
  Plan plan;
};
/// All rules on one level, beside double alone.
struct RuleRace {
  Plan native;
  std::vector<RuleEntry> entries;
};
std::vector<RuleRace> rule_races(const ExperimentOptions& options);

/// Of all paths and races.
std::vector<Plan> refinement_plans(const ExperimentOptions& options);

}  // namespace ninefold
