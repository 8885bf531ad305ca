#include "experiments/program/check_command.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "solvers/judgement/thin_cells.hpp"

#include "output/tables/files.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/configuration.hpp"
#include "experiments/config/idle_settings.hpp"
#include "experiments/config/mesh_keys.hpp"
#include "experiments/program/information.hpp"
#include "experiments/program/range_check.hpp"
#include "experiments/program/ranked_run.hpp"
#include "experiments/program/results_place.hpp"
#include "experiments/program/screen.hpp"
#include "experiments/program/summary.hpp"

namespace ninefold {
namespace {

/// What the range of a format will refuse, by the first level of each run: a line for each, where
/// it is a study, which goes on.  Throws ConfigurationError if that leaves nothing to solve, or
/// ends it.
std::string range_notes(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs,
                        bool study) {
  std::string notes, all;
  std::size_t at_first_level = 0;
  bool ends = false;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const auto refusal = find_range_refusal(runs[k]);
    if (!refusal) continue;
    const std::string text = fmt::format("{}level {}: {}", run_prefix(plans, plans[k].name),
                                         refusal->level, refusal->message);
    all += (all.empty() ? "" : "\n  ") + text;
    notes += fmt::format("\nnote: will be refused: {}", text);
    if (refusal->level == runs[k].levels.front().level()) ++at_first_level;
    if (!study || (refusal->of_data && !varies_data(plans[k]))) ends = true;
  }
  if (ends || at_first_level == plans.size()) throw ConfigurationError(all);
  return notes.empty() ? notes : notes + "\n";
}

/// "level 7" of the last one, else "levels from 5 on".
std::string levels_from(int first, int last) {
  return first == last ? fmt::format("level {}", first) : fmt::format("levels from {} on", first);
}

/// A line for the first level of each run on which rounding may leave more than the tolerance.
std::string stagnation_notes(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  std::string text;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    for (const PreparedSolve& solve : runs[k].levels) {
      if (solve.options.to_discretisation) break;  // no residual is asked for
      const auto left = find_stagnation(solve);
      if (!left) continue;
      text += fmt::format(
          "\nnote: {}{} may stagnate: rounding to solver.precision = {} may leave about "
          "{:.1e} "
          "of the first residual, above solver.tolerance = {:.1e}",
          run_prefix(plans, plans[k].name),
          levels_from(solve.level(), runs[k].levels.back().level()),
          to_toml(to_string(solve.options.precision)), *left, solve.options.tolerance);
      break;
    }
  }
  return text.empty() ? text : text + "\n";
}

/// A line for the first level of each run that a format may not hold.
std::string hold_notes(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  std::string text;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    for (const PreparedSolve& solve : runs[k].levels) {
      const std::string remark = lost_hold_remark(solve);
      if (remark.empty()) continue;
      text += fmt::format("\nnote: {}level {} may fail: {}", run_prefix(plans, plans[k].name),
                          solve.level(), remark);
      break;
    }
  }
  return text.empty() ? text : text + "\n";
}

/// What a solve would remark on its data, each once: runs mostly share them.
std::string data_notes(const std::vector<PreparedRun>& runs) {
  std::vector<std::string> notes;
  for (const PreparedRun& run : runs) {
    for (const std::string& remark : run.levels.front().problem.remarks) {
      if (std::find(notes.begin(), notes.end(), remark) == notes.end()) notes.push_back(remark);
    }
  }
  std::string text;
  for (const std::string& note : notes) text += "\nnote: " + note + "\n";
  return text;
}

}  // namespace

std::string idle_notes(const std::vector<Plan>& plans) {
  std::string text;
  for (const std::string& line : idle_settings(plans)) text += "note: " + line + "\n";
  return text;
}

std::vector<Plan> plan_formats(const Document& document) {
  (void)plan_run(document);  // what is wrong with it is wrong in all formats
  std::vector<Plan> plans = plan_study(with_open_formats(document));
  for (Plan& plan : plans) plan.name = plan.varied.front().second;
  return plans;
}

void check(const Document& document) {
  const auto plans = document.study_origin           ? plan_study(document)
                     : leaves_formats_open(document) ? plan_formats(document)
                                                     : plan_run(document);
  if (speaks()) require_place(plans);
  const auto say_in_order = [&] {
    if (!speaks()) return;
    print(fmt::format("\n{} is in order: {} with ninefold {}\n", document.file.string(),
                      plans.size() == 1 ? "run it" : fmt::format("run its {} runs", plans.size()),
                      document.study_origin ? "study" : "solve"));
  };
  if (plans.front().configuration.has_matrix()) {
    run_on_all_ranks(
        plans,
        [&](const std::vector<Plan>&) {
          print(to_toml(all_options(plans)));
          return true;
        },
        [](const std::vector<Plan>&) {});
    say_in_order();
    return;
  }
  // What ranks do together, in this order.
  const auto prepared = [](const std::vector<Plan>& own) {
    std::vector<PreparedRun> runs;
    for (const Plan& plan : own) runs.push_back(prepare_run(plan));
    return runs;
  };
  const auto require = [](const std::vector<Plan>& own, const std::vector<PreparedRun>& runs) {
    for (std::size_t k = 0; k < own.size(); ++k) require_memory(own[k], runs[k]);
  };
  run_on_all_ranks(
      plans,
      [&](const std::vector<Plan>& own) {
        const std::vector<PreparedRun> runs = prepared(own);
        print(check_report(own, runs, memory_of_levels(own, runs)));
        if (const std::string notes = idle_notes(own); !notes.empty()) print("\n" + notes);
        require(own, runs);
        print(data_notes(runs));
        print(range_notes(own, runs, document.study_origin.has_value()));
        print(hold_notes(own, runs));
        print(stagnation_notes(own, runs));
        return true;
      },
      [&](const std::vector<Plan>& own) {
        const std::vector<PreparedRun> runs = prepared(own);
        (void)memory_of_levels(own, runs);
        require(own, runs);
      });
  say_in_order();
}

}  // namespace ninefold
