#include "experiments/program/level_errors.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "precision/precision.hpp"

#include "fem/discrete/errors.hpp"

#include "solvers/stopping.hpp"

namespace ninefold {
namespace {

/// True if the level's error says something about the discretisation or the format.
bool has_usable_error(const LevelResult& level) {
  return level.error_l2 && std::isfinite(*level.error_l2) && *level.error_l2 > 0
         && level.outcome != to_string(Outcome::diverged);
}

}  // namespace

std::optional<double> reduction_factor(const RunResult& run, const LevelResult& level) {
  if (run.levels.empty() || run.levels.back().level + 1 != level.level) return {};
  const LevelResult& before = run.levels.back();
  if (!has_usable_error(before) || !has_usable_error(level)) return {};
  return *before.error_l2 / *level.error_l2;
}

std::optional<std::string> error_remark(const Configuration& c, const Problem& problem,
                                        const TensorGrid& grid, const RunResult& run,
                                        const LevelResult& level) {
  constexpr double fall = 1.5, visible = 1e-3, rounded = 100;
  const auto stays = [&](const LevelResult& l) {
    return l.reduction_factor && *l.reduction_factor < fall;
  };
  const std::string_view converged = to_string(Outcome::converged);
  if (!stays(level) || level.outcome != converged || run.levels.back().outcome != converged) {
    return {};
  }
  if (level.level != c.last_level && !stays(run.levels.back())) return {};
  // In plain form a smooth solution's products cancel to about 4^-level of their size.
  const double rounding = std::ldexp(facts(c.solver.precision).unit_roundoff, 2 * level.level);
  const double tolerance = c.solver.relative ? c.solver.tolerance : 0;
  const double share = std::max(visible, rounded * std::max(tolerance, rounding));
  if (!(*level.error_l2 > share * measure_solution(problem, grid))) return {};
  return "the l2 error does not fall from level to level: the data do not belong to the solution, "
         "the cells miss where it changes, or solver.tolerance is too large";
}

}  // namespace ninefold
