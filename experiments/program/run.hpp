#pragma once
// From plans to results: solves every level of every plan and keeps the files in step.
//
// Shape.  What can be refused is refused before anything is written or a large array is allocated:
// a missing device, a level beyond memory, an output folder that cannot be written to.  After that,
// each level's row is on disk before the next level begins.
//
// Tests.  tests/experiments/program/run_test.cpp, tests/experiments/program/run_remarks_test.cpp,
// tests/experiments/program.py

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fem/problem/problems.hpp"

#include "solvers/solve.hpp"

#include "output/tables/results.hpp"
#include "output/tables/results_files.hpp"

#include "experiments/config/study.hpp"

namespace ninefold {

/// What produces results now, on these backends; without options.
Meta make_meta(const std::set<BackendKind>& used);

/// choose_backend(), with a ConfigurationError for what must be refused.
BackendKind find_backend(const std::string& name, Precision precision);

/// A plan's levels, coarsest first, ready to be solved on one backend: what a check tells of them
/// is what is run.
struct PreparedRun {
  BackendKind where = BackendKind::host;
  std::vector<PreparedSolve> levels;

  const Problem& problem() const { return levels.front().problem; }
};

/// Throws ConfigurationError if the backend that the plan names is not there, or not for its
/// format, and for options that do not suit the grid of a level.
PreparedRun prepare_run(const Plan& plan);

/// The name of what a run is on, with its size; throws std::runtime_error if it is not there.
std::string device_name(BackendKind where);

/// Throws ConfigurationError, with the numbers and the finest level that fits, if a level needs
/// more memory than is available now.
void require_memory(const Plan& plan, const PreparedRun& run);

/// What a caller may want to show while runs go on; each may be empty.
struct RunEvents {
  std::function<void(const std::vector<Plan>&, const std::vector<PreparedRun>&)> begin;
  std::function<void(const Plan&, const Problem&)> run_begins;
  std::function<void(const Plan&, int level)> level_begins;
  std::function<void(const Plan&, const RunResult&)> level_ends;  ///< the last row; it is on disk
  std::function<void(const std::string&)> note;                   ///< a sentence for the user
};

/// What a level that a solve refuses does, since a format cannot hold it, say: it ends all by a
/// std::invalid_argument, or is a row that says so, and the next level begins.
enum class Refusals { end, are_rows };

/// The results folder, made if it is not there; throws ConfigurationError if it, or the place of
/// the additional JSON file, cannot be written to.
ResultsWriter open_results(const std::filesystem::path& directory,
                           const std::optional<std::filesystem::path>& json = {});

/// The level's row, without a reduction factor, and the solution.
std::pair<LevelResult, Solved> solve_level(const PreparedSolve& prepared);

/// Runs the plans in order into the output folder of the first, and `json` beside it if given.
/// Throws ConfigurationError for what must be refused, with nothing written; std::runtime_error if
/// something fails later on, with the finished levels on disk.
Results run_plans(const std::vector<Plan>& plans,
                  const std::optional<std::filesystem::path>& json = {},
                  const RunEvents& events = {}, Refusals refusals = Refusals::end);

/// False if every level was refused.
bool any_solved(const Results& results);

/// True if there is at least one level and every level converged.
bool all_converged(const Results& results);

}  // namespace ninefold
