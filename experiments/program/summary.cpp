#include "experiments/program/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "precision/parameter_format.hpp"
#include "precision/precision.hpp"

#include "solvers/stopping.hpp"
#include "solvers/timeline.hpp"

#include "output/tables/enough.hpp"
#include "output/tables/remarks.hpp"

namespace ninefold {

namespace {

/// What iteration and rounding have left on a level, beside its discretisation error where that is
/// known.
std::string solver_error_words(const Configuration& c, const LevelResult& level) {
  if (!level.algebraic_l2 || !level.left_l2) return "";
  const std::string formats = level.formats.empty() ? to_string(c.solver.precision) : level.formats;
  std::string text =
      fmt::format("level {}: the iteration leaves {:.2g}", level.level, *level.algebraic_l2);
  if (level.rounding_l2)
    text += fmt::format(", rounding in {} {:.2g}", formats, *level.rounding_l2);
  if (!level.estimated_l2) return text + "\n";
  const bool is_aimed = c.solver.to_discretisation;
  const bool is_at_the_limit = level.outcome == to_string(Outcome::stagnated);
  const double unseen = SolverOptions{}.fraction;  // whatever is asked for
  const double most = unseen * *level.estimated_l2;
  const double rounding = level.rounding_l2.value_or(0), left = *level.left_l2;
  if (left > most && (rounding > most || rounding >= *level.algebraic_l2)) {
    text += ": a more precise format, or form, would show";
  } else if (left > most && is_at_the_limit) {
    text += ": more than it should";  // the level's remark tells what to do
  } else if (left > most) {
    text += fmt::format(": a smaller {} would show",
                        is_aimed ? Parameter::fraction : Parameter::tolerance);
  } else if (!is_aimed || !is_at_the_limit) {  // else it is not less of what levels have told
    text += fmt::format(": less than {:g} of it, and no more digits would show in l2", unseen);
  }
  return text + "\n";
}

/// "levels 3 to 9 single; level 10 double over single", with the settings of the last.
std::string formats_words(const RunResult& run) {
  std::string text;
  for (std::size_t first = 0, last; first < run.levels.size(); first = last) {
    const std::string& formats = run.levels[first].formats;
    for (last = first; last < run.levels.size() && run.levels[last].formats == formats;) ++last;
    if (formats.empty()) continue;
    text += text.empty() ? "precision auto: " : "; ";
    text += level_words(run.levels[first].level, run.levels[last - 1].level) + " " + formats;
  }
  if (text.empty()) return "";
  return fmt::format("{}\n  without a choice: {}\n", text, run.levels.back().formats_settings);
}

}  // namespace

std::string remarks_summary(const Results& results) {
  std::string text;
  const bool several = results.runs.size() > 1;
  const bool alike =
      several && std::all_of(results.runs.begin(), results.runs.end(), [&](const RunResult& run) {
        return data_remark_lines(run) == data_remark_lines(results.runs.front());
      });
  if (alike) {
    for (const std::string& line : data_remark_lines(results.runs.front())) {
      text += "all runs, " + line + '\n';
    }
  }
  for (const RunResult& run : results.runs) {
    if (!alike) {
      for (const std::string& line : data_remark_lines(run)) {
        text += (several ? run.name + ", " : "") + line + '\n';
      }
    }
    for (std::size_t first = 0, last; first < run.levels.size(); first = last) {
      const LevelResult* speaker = nullptr;
      for (last = first;
           last < run.levels.size() && run.levels[last].outcome == run.levels[first].outcome;
           ++last) {
        if (!run.levels[last].remark.empty()) speaker = &run.levels[last];
      }
      if (speaker == nullptr) continue;
      const int from = run.levels[first].level, to = run.levels[last - 1].level;
      text += several ? run.name + ", " : "";
      const std::string& outcome = run.levels[first].outcome;
      text += fmt::format("{} {}{}", level_words(from, to),
                          outcome == to_string(Outcome::step_limit) ? "reached the " : "", outcome);
      if (from != to) text += fmt::format("; level {}", speaker->level);
      text += fmt::format(": {}\n", speaker->remark);
    }
  }
  return text;
}

std::string smoothers_summary(const std::vector<Plan>& plans, const Results& results) {
  const auto words = [](const RunResult& run) {
    std::string text;
    for (std::size_t first = 0, last; first < run.levels.size(); first = last) {
      const std::string& smoother = run.levels[first].smoother;
      for (last = first; last < run.levels.size() && run.levels[last].smoother == smoother;) ++last;
      if (smoother.empty()) continue;
      const int from = run.levels[first].level, to = run.levels[last - 1].level;
      text += text.empty() ? "" : "; ";
      if (first == 0 && last == run.levels.size()) return smoother;
      text += level_words(from, to) + " " + smoother;
    }
    return text;
  };
  std::vector<std::pair<std::string, std::string>> chosen;
  for (std::size_t k = 0; k < results.runs.size() && k < plans.size(); ++k) {
    const MultigridOptions& multigrid = plans[k].configuration.solver.multigrid;
    const bool is_free = multigrid.smoother == Smoother::automatic;
    const auto& levels = results.runs[k].levels;
    // Where a level is solved at once no cycle is made.
    const bool has_none = std::any_of(levels.begin(), levels.end(), [](const LevelResult& level) {
      return level.smoother.starts_with("none");
    });
    if (!is_free && !has_none) continue;
    const std::string text = words(results.runs[k]);
    if (text.empty()) continue;
    const bool has_cycles = multigrid.cycles_per_level != MultigridOptions().cycles_per_level;
    chosen.emplace_back(
        results.runs[k].name,
        fmt::format("smoother {}: {}{}", to_string(multigrid.smoother), text,
                    has_none && (!is_free || has_cycles)
                        ? "; keys of multigrid have no effect on a level without cycles"
                        : ""));
  }
  if (chosen.empty()) return "";
  const bool alike = std::all_of(chosen.begin(), chosen.end(), [&](const auto& one) {
    return one.second == chosen.front().second;
  });
  if (alike) return chosen.front().second + "\n";
  std::string text;
  for (const auto& [run, smoother] : chosen) {
    text += fmt::format("{}, {}\n", run, smoother);
  }
  return text;
}

namespace {

/// "level 8: the discretisation error is about 0.00021 in l2, 9.8e-05 of the solution; half of it
/// takes 2.3 times the cells"
std::string discretisation_words(const LevelResult& level, double error) {
  std::string text =
      fmt::format("level {}: the discretisation error is about {:.2g} in l2", level.level, error);
  const double size = level.solution_l2.value_or(0);
  if (size > 0) text += fmt::format(", {:.2g} of the solution", error / size);
  // The order is that of halved cells, which are four times as many.
  if (level.observed_order) {
    text += fmt::format("; half of it takes {:.1f} times the cells",
                        std::exp2(2 / *level.observed_order));
  }
  return text + "\n";
}

std::string enough_words(const Enough& of) {
  const std::string before = of.problem.empty() ? "" : of.problem + ", ";
  const std::string level = before + level_words(of.level, of.level) + ": ";
  std::string text = before + discretisation_words(*of.best, of.discretisation);
  if (of.runs < 2) return text;
  if (!of.enough.empty()) {
    text += fmt::format("{}iteration and rounding leave at most a tenth of it, hence enough: {}\n",
                        level, listed(of.enough));
  }
  if (!of.others.empty()) text += fmt::format("{}not enough: {}\n", level, listed(of.others));
  if (of.quickest == nullptr) return text;
  text += fmt::format("{}the quickest that is enough{} is {}, in {:.3g} s{}\n", level,
                      is_quickest_of_converged(of) ? ", of those that have converged," : "",
                      words_of(*of.quickest), of.seconds,
                      of.as_quick.empty() ? ""
                                          : "; within a tenth of that, so that chance may tell: "
                                                + listed(of.as_quick));
  if (!of.without_end.empty()) {
    text += fmt::format(
        "{}enough, but not converged, so that iterations without progress are in the time: {}\n",
        level, listed(of.without_end));
  }
  return text;
}

}  // namespace

std::string study_summary(const Results& results) {
  constexpr std::size_t most = 8;
  if (results.runs.size() < 2) return "";
  std::vector<Enough> finest;  // of each problem
  for (const Enough& found : which_are_enough(results)) {
    const auto same = std::find_if(finest.begin(), finest.end(),
                                   [&](const Enough& one) { return one.problem == found.problem; });
    if (same == finest.end()) {
      finest.push_back(found);
    } else {
      *same = found;
    }
  }
  std::string text;
  for (std::size_t k = 0; k < std::min(most, finest.size()); ++k) text += enough_words(finest[k]);
  if (finest.size() > most) {
    text += fmt::format("and {} more problems, in the table\n", finest.size() - most);
  }
  if (!finest.empty()) return text;
  for (const RunResult& run : results.runs) {
    if (run.levels.empty() || run.levels.back().not_estimated.empty()) continue;
    const LevelResult& level = run.levels.back();
    return fmt::format("{}, level {}: the discretisation error {}\n", run.name, level.level,
                       level.not_estimated);
  }
  return "";
}

std::string error_summary(const std::vector<Plan>& plans, const Results& results) {
  if (results.runs.size() != 1 || results.runs.front().levels.empty()) return "";
  const LevelResult& finest = results.runs.front().levels.back();
  const Configuration& c = plans.front().configuration;
  const bool is_converged = finest.outcome == to_string(Outcome::converged);
  if (!c.output.estimates || (!is_converged && finest.outcome != to_string(Outcome::stagnated))) {
    return "";
  }
  std::string text;
  if (finest.estimated_l2) {
    text = discretisation_words(finest, *finest.estimated_l2);
  } else if (is_converged && !finest.not_estimated.empty()) {
    const bool is_aimed = c.solver.to_discretisation && finest.level > 1;
    text =
        fmt::format("level {}: the discretisation error {}{}\n", finest.level, finest.not_estimated,
                    is_aimed ? "; \"converged\" compares what the iteration leaves with the "
                               "change from the coarser level alone"
                             : "");
  }
  return text + solver_error_words(c, finest) + formats_words(results.runs.front());
}

std::string movement_summary(const Results& results) {
  if (results.runs.size() != 1 || results.runs.front().levels.empty()) return "";
  const LevelResult& finest = results.runs.front().levels.back();
  if (!finest.plain_bytes_per_second || !(finest.solve_seconds > 0)) return "";
  const double bytes = static_cast<double>(finest.moved_bytes);
  const double rate = bytes / finest.solve_seconds;
  return fmt::format("level {} moved {:.3g} GB at {:.3g} GB/s, {:.2f} of plain memory movement\n",
                     finest.level, bytes / 1e9, rate / 1e9, rate / *finest.plain_bytes_per_second);
}

std::string estimate_summary(const std::vector<Plan>& plans, const Results& results) {
  constexpr double most = 0.5, short_time = 0.2;
  if (results.runs.size() != 1 || results.runs.front().levels.empty()) return "";
  const LevelResult& finest = results.runs.front().levels.back();
  const double all = finest.setup_seconds + finest.solve_seconds + finest.finish_seconds;
  double estimates = 0;
  for (const auto& [name, seconds] : finest.timeline) {
    if (name == part::levels || name == part::estimate) estimates += seconds;
  }
  if (!(all >= short_time && estimates > most * all)) return "";
  const bool is_needed = plans.front().configuration.solver.to_discretisation;
  return fmt::format("level {} took {:.2g} s, of which estimates of its errors {:.2g} s{}\n",
                     finest.level, all, estimates,
                     is_needed ? "" : "; output.estimates = false is without them");
}

std::string verdict(const Results& results) {
  int levels = 0, converged = 0, not_solved = 0;
  for (const RunResult& run : results.runs) {
    for (const LevelResult& level : run.levels) {
      ++levels;
      if (level.outcome == to_string(Outcome::converged)) ++converged;
      if (level.outcome == refused) ++not_solved;
    }
  }
  // Of several runs a level is solved several times.
  const char* const what = results.runs.size() > 1 ? "solve" : "level";
  const auto of_all = [&](int some) {
    return fmt::format("{} of {} {}{}", some, levels, what, levels == 1 ? "" : "s");
  };
  const int unfinished = levels - converged - not_solved;
  const std::string said_refused =
      fmt::format("{} {} refused", unfinished > 0 ? std::to_string(not_solved) : of_all(not_solved),
                  not_solved == 1 ? "was" : "were");
  if (unfinished > 0) {
    return of_all(unfinished) + " did not converge" + (not_solved > 0 ? ", " + said_refused : "");
  }
  if (not_solved > 0) return said_refused;
  const std::string said = remarks_summary(results);
  const auto remarks = std::count(said.begin(), said.end(), '\n');
  return (levels == 1 ? "converged" : fmt::format("all {} {}s converged", levels, what))
         + (remarks == 0 ? ""
                         : fmt::format("; {} remark{} above", remarks, remarks == 1 ? "" : "s"));
}

}  // namespace ninefold
