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
#include <string>
#include <utility>
#include <vector>

#include "precision/bad_value.hpp"

#include "fem/problem/problems.hpp"

#include "output/tables/results.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/prepared_run.hpp"
#include "experiments/program/solved_level.hpp"

namespace ninefold {

/// What a caller may want to show while runs go on; each may be empty.
struct RunEvents {
  std::function<void(const std::vector<Plan>&, const std::vector<PreparedRun>&)> begin;
  std::function<void(const Plan&, const Problem&)> run_begins;
  std::function<void(const Plan&, int level)> level_begins;
  std::function<void(const Plan&, const RunResult&)> level_ends;  ///< the last row; it is on disk
  std::function<void(const std::string&)> note;                   ///< a sentence for the user
};

/// What a level that a solve refuses does, since a format cannot hold it, say: it ends all by a
/// BadValue, or is a row that says so, and the next level begins.  Data that are wrong in all runs
/// alike end all in any case.
enum class Refusals { end, are_rows };

/// True if it is about the data of a problem, not about how it is solved.
bool is_of_data(const BadValue& error);

/// True if the plan is one of several whose problems, domains or grids differ.
bool varies_data(const Plan& plan);

/// Runs the plans in order into the output folder of the first, and `json` beside it if given.
/// Throws ConfigurationError for what must be refused, with nothing written; std::runtime_error if
/// something fails later on, with the finished levels on disk.
Results run_plans(const std::vector<Plan>& plans,
                  const std::optional<std::filesystem::path>& json = {},
                  const RunEvents& events = {}, Refusals refusals = Refusals::end);

/// The part of one of several ranks other than the first in run_plans() of the same plans, to which
/// their own ranks belong: solves as that does, in the same order, and writes its pieces of .pvtr
/// files.
void follow_plans(const std::vector<Plan>& plans, Refusals refusals = Refusals::end);

/// False if every level was refused.
bool any_solved(const Results& results);

/// True if there is at least one level and every level converged.
bool all_converged(const Results& results);

}  // namespace ninefold
