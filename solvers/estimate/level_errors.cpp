#include "solvers/estimate/level_errors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "solvers/estimate/level_solution.hpp"
#include "solvers/judgement/remarks.hpp"
#include "solvers/judgement/thin_cells.hpp"

namespace ninefold {
namespace {

/// Falls are those of orders from 1.3 to 2.5, at the nodes from 1.6, the ones before from 0.8 on.
constexpr double least_fall = 2.5, least_fall_at_nodes = 3, most_fall = 5.5,
                 least_fall_before = 1.75;

/// Of bilinear elements: faster falls, of levels that are too coarse, end soon.
constexpr double fall_of_smooth = 4;

constexpr int levels_before = 3;

/// What iteration and rounding leave, an l2 norm, hides the discretisation error from an eighth of
/// it on; in rms, too, where nodes count alike.
bool hides(std::optional<double> left, double e, double times = 1) {
  constexpr double part = 0.125;
  return left && *left > times * part * e;
}

/// True if there is memory for the solve beside what is held now, on all ranks.
bool fits(const PreparedSolve& prepared, std::size_t beside = 0) {
  MemoryForecast memory = prepared.memory;
  memory.backend += beside;
  return fits_memory(memory, prepared.where, prepared.options.ranks.get());
}

/// What is to be said where nothing is told.
std::string open_words(const FallingError& l2, const Errors& told, std::optional<double> left) {
  if (told.l2 == 0) return "is not estimated: the next coarser level has the same solution";
  if (hides(left, told.l2)) {
    return "is not seen: what iteration and rounding leave hides the solution's change from the "
           "next coarser level";
  }
  if (l2.falls() < 2) {
    return "is not estimated: that takes three comparisons in a row with the next coarser level";
  }
  return "is not resolved yet: from level to level the solution does not change as an order would "
         "have it";
}

}  // namespace

std::optional<double> FallingError::next(double told) {
  const std::optional<double> before = fall_;
  fall_.reset();
  if (told_ && *told_ > 0 && told > 0 && std::isfinite(told)) fall_ = *told_ / told;
  falls_ = fall_ ? falls_ + 1 : 0;
  told_ = told;
  if (!fall_ || !before) return {};
  const bool is_order =
      *fall_ >= least_fall_ && *fall_ <= most_fall && *before >= least_fall_before;
  const double change = std::max(*fall_ / *before, *before / *fall_);
  return is_order && change <= most_change_ ? std::optional(told) : std::nullopt;
}

std::optional<double> FallingError::expected() const {
  if (!fall_) return {};
  return *told_ / std::min(*fall_, fall_of_smooth);
}

std::optional<double> FallingError::order() const {
  if (!fall_) return {};
  return std::log2(*fall_);
}

// The l2 norm is that of interpolation for the most part, which falls evenly; errors at nodes come
// and go with the place of a singularity between them.
FallingError LevelSequence::of_l2() {
  return {least_fall, 2.5};
}
FallingError LevelSequence::of_rms() {
  return {least_fall_at_nodes, 1.25};
}

EstimatedSolve LevelSequence::solve(const PreparedSolve& prepared, bool is_finer_next) {
  const auto began = std::chrono::steady_clock::now();
  if (last_ != prepared.level() - 1) begin_at(prepared);
  const std::chrono::duration<double> before = std::chrono::steady_clock::now() - began;
  EstimatedSolve level = next(prepared, is_finer_next, true);
  level.coarser_seconds = before.count();
  return level;
}

void LevelSequence::begin_at(const PreparedSolve& prepared) {
  *this = LevelSequence();
  for (int level = std::max(1, prepared.level() - levels_before); level < prepared.level();
       ++level) {
    const auto end = prepared.grids.begin() + level + 1;
    try {
      (void)next(prepare(prepared.problem, std::vector<TensorGrid>(prepared.grids.begin(), end),
                         prepared.options, prepared.where, false),
                 true, false);
    } catch (const std::invalid_argument& error) {  // the level itself may be possible all the same
      break_off(fmt::format("level {} is not possible: {}", level, error.what()));
    }
    last_ = level;
  }
}

std::optional<double> LevelSequence::next_l2(double e, std::optional<double> left) {
  if (!hides(left, e)) return l2_.next(e);
  // Rounding grows by four from level to level, where the discretisation error falls by four:
  // what is less than 16 times too much has hidden nothing on the level before.
  const double expected = l2_.expected().value_or(0);
  return l2_.next(is_left_known_ || !hides(left, expected, 16) ? expected : 0);
}

void LevelSequence::break_off(std::string why) {
  values_.reset();
  l2_ = of_l2();
  rms_ = of_rms();
  why_not_ = std::move(why);
}

namespace {

/// The solve has judged by what levels tell, which is mostly what hides the discretisation error.
void judge_by_expected(const PreparedSolve& prepared, double left, std::optional<double> rounding,
                       double expected, Report& report) {
  const SolverOptions& options = prepared.options;
  constexpr double exactness = 2;
  const double most = options.fraction * expected;
  if (!options.to_discretisation || !(expected > 0 && left > most)) return;
  if (rounding) *rounding /= expected;
  const bool by_iteration = rounding && *rounding <= 0.5 * options.fraction;
  if (by_iteration && report.outcome == Outcome::converged && left <= exactness * most) return;
  report.outcome = Outcome::stagnated;
  report.remark = lost_cells_remark(prepared, report.outcome);
  if (!report.remark.empty()) return;
  report.remark = by_iteration && !report.is_ended_by_rounding
                      ? slow_aim_remark(left / expected, smoother_hint(options, prepared.smoothing,
                                                                       prepared.suitable))
                      : aim_remark(options, left / expected, rounding, false);
}

}  // namespace

namespace {

/// True of a level that says of itself that it is not solved, and is so far off that the next one's
/// change would be this one's error.  At the limit of a format a solution is as good as its digits.
bool is_far_off(const PreparedSolve& prepared, const EstimatedSolve& level,
                std::optional<double> left) {
  constexpr double far = 100, half = 0.5;
  if (level.solved.report.outcome != Outcome::stagnated || !left) return false;
  if (level.discretisation.is_expected) return *left > far * *level.discretisation.l2;
  return prepared.options.to_discretisation && level.solved.level_errors
         && *left > half * level.solved.level_errors->l2;
}

}  // namespace

EstimatedSolve LevelSequence::next(const PreparedSolve& prepared, bool is_finer_next,
                                   bool is_asked_for) {
  const std::size_t kept = is_finer_next ? level_solution_bytes(prepared.finest()) : 0;
  if (values_ && !fits(prepared, kept)) {
    break_off(fmt::format("there is no memory for level {} beside the solution of the one before",
                          prepared.level()));
  }
  const bool is_kept = is_finer_next && fits(prepared, kept);
  EstimatedSolve level;
  // A level that the next one's aim rests on must not be off without saying so.
  const bool is_judged = is_asked_for || prepared.options.to_discretisation;
  level.solved = ninefold::solve(prepared, {values_, is_kept, is_judged});
  const Outcome outcome = level.solved.report.outcome;
  const bool is_solved = outcome == Outcome::converged || outcome == Outcome::stagnated;
  const auto& own = level.solved.solver_errors;
  const std::optional<double> left = own ? own->left : std::nullopt;
  if (!values_) {
    level.remark = why_not_;
    if (why_not_.empty()) level.discretisation.open = open_words(l2_, Errors{1, 1, 1}, {});
  } else if (is_solved && level.solved.level_errors) {
    const Errors& told = *level.solved.level_errors;
    DiscretisationError& error = level.discretisation;
    error.l2 = next_l2(told.l2, left);
    error.rms = rms_.next(hides(left, told.rms) ? 0 : told.rms);
    // What is as large as the solution tells that levels are too coarse, not how far off they are.
    constexpr double half = 0.5;
    const bool is_as_large = error.l2 && level.solved.l2 && !(*error.l2 < half * *level.solved.l2);
    if (is_as_large) error.l2 = error.rms = {};
    if (prepared.keeps_solution) level.coarser = values_->on_host();
    if (error.l2) {
      error.is_expected = hides(left, told.l2);
      if (error.is_expected) {
        judge_by_expected(prepared, *left, own->rounding, *error.l2, level.solved.report);
      } else {
        error.order = l2_.order();
      }
    } else {
      error.open = is_as_large ? "is not resolved yet: the solution changes from level to level by "
                                 "as much as it is itself"
                               : open_words(l2_, told, left);
    }
  }
  if (values_ && outcome == Outcome::step_limit) {
    level.discretisation.open = "is not estimated: the iteration was ended before";
  }
  last_ = prepared.level();
  is_left_known_ = left.has_value();
  if (!is_solved || is_far_off(prepared, level, left) || (values_ && !level.solved.level_errors)) {
    break_off("");  // an outcome speaks for itself
  } else if (is_finer_next && !is_kept) {
    break_off(fmt::format("there is no memory for the solution of level {} beside its solve",
                          prepared.level()));
  } else {
    values_ = std::move(level.solved.values);
    if (values_) why_not_.clear();
  }
  level.solved.values.reset();
  return level;
}

}  // namespace ninefold
