#include "experiments/program/run.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "precision/bad_value.hpp"
#include "precision/parameter_format.hpp"

#include "solvers/estimate/precision_forecast.hpp"

#include "output/plots/plot.hpp"
#include "output/tables/enough.hpp"
#include "output/tables/files.hpp"
#include "output/tables/results_files.hpp"

#include "experiments/program/interrupt.hpp"
#include "experiments/program/level_errors.hpp"
#include "experiments/program/level_files.hpp"
#include "experiments/program/live_page.hpp"
#include "experiments/program/plain_rate.hpp"
#include "experiments/program/provenance.hpp"
#include "experiments/program/results_place.hpp"

namespace ninefold {
namespace {

template <class... Arguments, class... Values>
void tell(const std::function<void(Arguments...)>& event, const Values&... values) {
  if (event) event(values...);
}

Meta make_meta(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs) {
  std::set<BackendKind> used;
  for (const PreparedRun& run : runs) used.insert(run.where);
  Meta meta = make_meta(used);
  meta.device = times_words(plans.front().configuration.solver.ranks.get()) + meta.device;
  for (const auto& [key, value] : all_options(plans)) {
    meta.options.emplace_back(key, to_words(parse_value(value)));
  }
  return meta;
}

/// "solution" for a run that stands alone, its own name in a study.
std::string file_stem(const Plan& plan, std::size_t runs) {
  return runs == 1 ? "solution" : plan.name;
}

/// True if a study may go on past it: other runs may do without this format, or have other data.
bool is_of_one_run(const BadValue& error, const Plan& plan) {
  return !is_of_data(error) || varies_data(plan);
}

/// What solves the level, with a row that says so, and no solution, for what it refuses in this
/// run.
template <class Solve>
SolvedLevel solve_or_refuse(const PreparedSolve& prepared, const Plan& plan, const Solve& solve) {
  try {
    return solve();
  } catch (const BadValue& error) {
    if (!is_of_one_run(error, plan)) throw;
    LevelResult row = row_of_grid(prepared);
    row.outcome = refused;
    row.remark = error.what();
    return {std::move(row), {}, {}};
  }
}

/// True if rounding shows beside what levels tell of the discretisation error, or has kept the
/// iteration from it.
bool shows_rounding(const SolvedLevel& level, double fraction) {
  const Outcome outcome = level.solved.report.outcome;
  if (outcome == Outcome::stagnated || is_lost(outcome)) return true;
  const auto& told = level.solved.level_errors;
  const auto rounding = left_by_rounding(level.row.rounding_l2, level.row.left_l2, false);
  return rounding && told && *rounding > fraction * told->l2;
}

/// A level on the path that was chosen for it, and on the next ones where that was not enough.
SolvedLevel solve_by_choice(const PreparedSolve& chosen, const PreparedRun& run, std::size_t k,
                            double fraction, LevelSequence& sequence, bool is_finer_next) {
  std::size_t path = run.paths[k];
  std::string before;
  SolvedLevel level = solve_level(chosen, sequence, is_finer_next);
  while (shows_rounding(level, fraction)) {
    const auto next = run.automatic->after(path, chosen.level());
    if (!next) break;
    SolvedLevel again;
    try {
      again = solve_level(next->solve, sequence, is_finer_next);
    } catch (const BadValue&) {  // the level that is there stays
      break;
    }
    before += (before.empty() ? "" : ", ") + to_words(run.automatic->path(path));
    path = next->index;
    level = std::move(again);
  }
  const PrecisionPath& taken = run.automatic->path(path);
  level.row.formats = to_words(taken);
  level.row.formats_settings = settings_of(taken);
  if (const std::string why = run.automatic->caution(chosen.level()); !why.empty()) {
    level.row.data_remarks.push_back(
        fmt::format("{} = \"auto\" takes no less than double: {}", Parameter::precision, why));
  }
  if (!before.empty()) {
    level.row.data_remarks.push_back(fmt::format(
        "{} = \"auto\" has taken {} after {}, whose rounding showed or left no solution",
        Parameter::precision, to_words(taken), before));
  }
  return level;
}

/// Level k of a run, as its plan has it solved.
SolvedLevel solve_level_of(const Plan& plan, const PreparedRun& run, std::size_t k,
                           Refusals refusals, LevelSequence& sequence) {
  const PreparedSolve& solve = run.levels[k];
  const bool is_finer_next = k + 1 < run.levels.size();
  const auto solved_level = [&] {
    if (!plan.configuration.output.estimates) return solve_level(solve);
    const double fraction = plan.configuration.solver.fraction;
    return run.automatic ? solve_by_choice(solve, run, k, fraction, sequence, is_finer_next)
                         : solve_level(solve, sequence, is_finer_next);
  };
  return refusals == Refusals::are_rows ? solve_or_refuse(solve, plan, solved_level)
                                        : solved_level();
}

/// Of a finished study: rounding may hold a residual above the tolerance though, as all runs
/// together tell, the run is enough; its own estimates need not have shown that.
void note_enough(Results& results, const std::vector<Plan>& plans) {
  for (const Enough& group : which_are_enough(results)) {
    if (group.runs < 2) continue;
    for (const RunResult* run : group.without_end) {
      const auto k = static_cast<std::size_t>(run - results.runs.data());
      if (plans[k].configuration.solver.to_discretisation) continue;
      for (LevelResult& level : results.runs[k].levels) {
        const bool is_meant = level.level == group.level && !level.remark.empty()
                              && level.outcome == to_string(Outcome::stagnated);
        if (!is_meant || level.remark.find(no_more_digits) != std::string::npos) continue;
        level.remark += fmt::format(
            "; that would meet {}, but this run is enough already, as the study's runs tell: "
            "iteration and rounding leave at most a tenth of the discretisation error",
            Parameter::tolerance);
      }
    }
  }
}

class Runner {
 public:
  Runner(const std::vector<Plan>& plans, const ResultsWriter& writer, LevelPictures& pictures,
         LivePage& page, Results& results, const RunEvents& events, Refusals refusals)
      : plans_(plans),
        writer_(writer),
        pictures_(pictures),
        page_(page),
        results_(results),
        events_(events),
        refusals_(refusals) {}

  void run(const Plan& plan, const PreparedRun& prepared) {
    const Configuration& c = plan.configuration;
    const Problem& problem = prepared.problem();
    results_.runs.push_back({plan.name, plan.varied, {}});
    RunResult& run = results_.runs.back();
    tell(events_.run_begins, plan, problem);
    LevelFiles files(plan, writer_.directory() / file_stem(plan, plans_.size()), true);
    const std::optional<double> plain_rate = plain_rate_for(prepared);
    LevelSequence sequence;
    for (std::size_t k = 0; k < prepared.levels.size(); ++k) {
      const PreparedSolve& solve = prepared.levels[k];
      const bool is_finer_next = k + 1 < prepared.levels.size();
      tell(events_.level_begins, plan, solve.level());
      SolvedLevel level = solve_level_of(plan, prepared, k, refusals_, sequence);
      LevelResult& row = level.row;
      row.reduction_factor = reduction_factor(run, row);
      row.data_remarks.insert(row.data_remarks.begin(), problem.remarks.begin(),
                              problem.remarks.end());
      if (solve.memory.backend >= memory_bound) row.plain_bytes_per_second = plain_rate;
      if (const auto remark = error_remark(c, problem, solve.finest(), run, row)) {
        row.data_remarks.push_back(*remark);
      }
      files.measure(solve, level);
      run.levels.push_back(std::move(row));
      const bool is_last = results_.runs.size() == plans_.size() && !is_finer_next;
      if (is_last && plans_.size() > 1) note_enough(results_, plans_);
      // Several ranks wait for each other meanwhile: each file is whole then, not all of a level's.
      std::optional<Uninterrupted> whole_level;
      if (!has_several_ranks(solve.options)) whole_level.emplace();
      const bool is_solved = run.levels.back().outcome != refused;
      if (is_solved) pictures_.add(plan.name, solve, run.levels.back(), level);
      page_.update(results_);
      if (is_solved) files.write(solve, run.levels.back(), level);
      tell(events_.level_ends, plan, run);
    }
    files.finish(events_.note);
  }

  void draw_overview() {
    const Uninterrupted whole_files;
    const bool any_solution = std::any_of(plans_.begin(), plans_.end(), [](const Plan& plan) {
      return !plan.configuration.problem.solution.empty();
    });
    if (any_solution) draw(write_convergence_plot(results_, writer_.directory()));
    draw(write_residual_plot(results_, writer_.directory()));
  }

 private:
  void draw(const Picture& picture) const {
    if (!picture.drawn) tell(events_.note, picture.remark);
  }

  /// Before the first level, so that none is lost if there is no memory to measure in; nothing for
  /// a run on two backends, whose bytes are moved by both, or by several processes, which share
  /// what they are on.
  std::optional<double> plain_rate_for(const PreparedRun& run) {
    const PreparedSolve& finest = run.levels.back();
    const bool split =
        is_device(run.where) && finest.options.refinement.outer_backend == OuterBackend::host;
    // Not memory, but arithmetic decides how long a direct solver takes.
    if (finest.memory.backend < memory_bound || split || is_direct(finest.options)) return {};
    const int ranks = has_several_ranks(finest.options) ? finest.options.ranks->size() : 1;
    if (ranks > 1 && !is_device(run.where)) return {};
    const auto [rate, is_new] = plain_rates_.try_emplace(run.where);
    if (is_new) rate->second = measure_plain_rate(run.where);
    if (!rate->second) return {};
    return ranks * *rate->second;
  }

  const std::vector<Plan>& plans_;
  const ResultsWriter& writer_;
  LevelPictures& pictures_;
  LivePage& page_;
  Results& results_;
  const RunEvents& events_;
  Refusals refusals_;
  std::map<BackendKind, std::optional<double>> plain_rates_;  ///< where they are asked for
};

}  // namespace

bool is_of_data(const BadValue& error) {
  return name(error.parameter()).starts_with("problem.");
}

bool varies_data(const Plan& plan) {
  return std::any_of(plan.varied.begin(), plan.varied.end(), [](const auto& varied) {
    return varied.first.starts_with("problem.") || varied.first.starts_with("domain.")
           || varied.first.starts_with("grid.");
  });
}

Results run_plans(const std::vector<Plan>& plans, const std::optional<std::filesystem::path>& json,
                  const RunEvents& events, Refusals refusals) {
  if (plans.empty()) throw std::invalid_argument("there is nothing to run");
  std::vector<PreparedRun> runs;
  for (const Plan& plan : plans) {
    runs.push_back(prepare_run(plan));
    require_memory(plan, runs.back());
  }
  const OutputOptions& output = plans.front().configuration.output;
  ResultsWriter writer = open_results(output.directory, json);
  Results results{make_meta(plans, runs), {}};
  tell(events.begin, plans, runs);
  LevelPictures pictures(plans.size());
  LivePage page(plans, runs, pictures, writer);
  Runner runner(plans, writer, pictures, page, results, events, refusals);
  try {
    for (std::size_t k = 0; k < plans.size(); ++k) runner.run(plans[k], runs[k]);
  } catch (const std::exception& error) {
    const Uninterrupted whole_files;
    page.fail(results, error.what());
    throw;
  }
  if (output.plots) runner.draw_overview();
  return results;
}

void follow_plans(const std::vector<Plan>& plans, Refusals refusals) {
  std::vector<PreparedRun> runs;
  for (const Plan& plan : plans) {
    runs.push_back(prepare_run(plan));
    require_memory(plan, runs.back());
  }
  LevelPictures pictures(plans.size());
  const std::filesystem::path& directory = plans.front().configuration.output.directory;
  for (std::size_t r = 0; r < plans.size(); ++r) {
    LevelSequence sequence;
    LevelFiles files(plans[r], directory / file_stem(plans[r], plans.size()), false);
    for (std::size_t k = 0; k < runs[r].levels.size(); ++k) {
      const PreparedSolve& solve = runs[r].levels[k];
      SolvedLevel level = solve_level_of(plans[r], runs[r], k, refusals, sequence);
      files.measure(solve, level);
      if (level.row.outcome == refused) continue;
      const LevelResult row = level.row;
      pictures.add(plans[r].name, solve, row, level);
      files.write(solve, row, level);
    }
    files.finish({});
  }
}

bool any_solved(const Results& results) {
  return std::any_of(results.runs.begin(), results.runs.end(), [](const RunResult& run) {
    return std::any_of(run.levels.begin(), run.levels.end(),
                       [](const LevelResult& level) { return level.outcome != refused; });
  });
}

bool all_converged(const Results& results) {
  bool any = false;
  for (const RunResult& run : results.runs) {
    for (const LevelResult& level : run.levels) {
      if (level.outcome != to_string(Outcome::converged)) return false;
      any = true;
    }
  }
  return any;
}

}  // namespace ninefold
