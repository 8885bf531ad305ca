#include "solvers/estimate/level_errors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "solvers/estimate/level_solution.hpp"

namespace ninefold {
namespace {

/// Falls that are those of an order: 1.3 to 2.5, the one before from 0.8 on.
constexpr double least_fall = 2.5, most_fall = 5.5, least_fall_before = 1.75;

constexpr int levels_before = 3;

bool fits_beside(const PreparedSolve& prepared) {
  const std::size_t bytes = level_solution_bytes(prepared.finest());
  const MemoryForecast& memory = prepared.memory;
  return is_device(prepared.where)
             ? memory.backend + bytes <= describe_cuda().memory_available
             : memory.backend + memory.host + bytes <= describe_host().memory_available;
}

}  // namespace

std::optional<double> FallingError::next(double told) {
  const std::optional<double> before = fall_;
  fall_.reset();
  if (told_ && *told_ > 0 && told > 0 && std::isfinite(told)) fall_ = *told_ / told;
  told_ = told;
  if (!fall_ || !before) return {};
  const bool is_order = *fall_ >= least_fall && *fall_ <= most_fall && *before >= least_fall_before;
  const double change = std::max(*fall_ / *before, *before / *fall_);
  return is_order && change <= most_change_ ? std::optional(told) : std::nullopt;
}

std::optional<double> FallingError::order() const {
  if (!fall_) return {};
  return std::log2(*fall_);
}

// The l2 norm is that of interpolation for the most part, which falls evenly; errors at nodes come
// and go with the place of a singularity between them.
FallingError LevelSequence::of_l2() {
  return FallingError(2.5);
}
FallingError LevelSequence::of_rms() {
  return FallingError(1.25);
}

EstimatedSolve LevelSequence::solve(const PreparedSolve& prepared, bool is_finer_next) {
  if (last_ != prepared.level() - 1) begin_at(prepared);
  return next(prepared, is_finer_next);
}

void LevelSequence::begin_at(const PreparedSolve& prepared) {
  *this = LevelSequence();
  for (int level = std::max(1, prepared.level() - levels_before); level < prepared.level();
       ++level) {
    const auto end = prepared.grids.begin() + level + 1;
    try {
      (void)next(prepare(prepared.problem, std::vector<TensorGrid>(prepared.grids.begin(), end),
                         prepared.options, prepared.where, false),
                 true);
    } catch (const std::invalid_argument& error) {  // the level itself may be possible all the same
      values_.reset();
      why_not_ = fmt::format("level {} is not possible: {}", level, error.what());
    }
    last_ = level;
  }
}

EstimatedSolve LevelSequence::next(const PreparedSolve& prepared, bool is_finer_next) {
  const bool is_kept = is_finer_next && fits_beside(prepared);
  EstimatedSolve level;
  level.solved = ninefold::solve(prepared, {values_, is_kept});
  if (values_ && prepared.keeps_solution) level.coarser = values_->on_host();
  // At the limit of a format a solution is as good as its digits.
  const Outcome outcome = level.solved.report.outcome;
  const bool is_solved = outcome == Outcome::converged || outcome == Outcome::stagnated;
  if (!values_ && last_) {
    level.remark = why_not_;
  } else if (is_solved && level.solved.level_errors) {
    const Errors& told = *level.solved.level_errors;
    level.discretisation.l2 = l2_.next(told.l2);
    level.discretisation.rms = rms_.next(told.rms);
    if (level.discretisation.l2) level.discretisation.order = l2_.order();
  }
  last_ = prepared.level();
  values_ = is_solved ? std::move(level.solved.values) : nullptr;
  why_not_.clear();  // an outcome speaks for itself
  if (is_solved && is_finer_next && !is_kept) {
    why_not_ = fmt::format("there is no memory for the solution of level {} beside the next one",
                           prepared.level());
  }
  if (!values_) l2_ = of_l2(), rms_ = of_rms();
  return level;
}

}  // namespace ninefold
