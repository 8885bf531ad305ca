#include "experiments/program/range_check.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "precision/precision.hpp"

#include "solvers/system/assembled_system.hpp"

namespace ninefold {
namespace {

/// True if a format's exponents are fewer than those of double and double-double, about.
bool is_narrow(Precision precision) {
  return facts(precision).min_exponent > -900;
}

/// Throws std::invalid_argument as the solve would.  In double, whatever a solve assembles in: only
/// binary exponents matter.
void require_ranges(const PreparedSolve& prepared) {
  const std::vector<double> load = lifted_load<double>(prepared.problem, prepared.finest()).load;
  (void)scaling_of(prepared, load);
  const auto is_zero = [](double value) { return value == 0; };
  if (std::all_of(load.begin(), load.end(), is_zero)) return;  // there is nothing to refine
  for (std::size_t stage = 0; stage < prepared.options.refinement.inner.size(); ++stage) {
    (void)scaling_of_stage(prepared, load, stage);
  }
}

}  // namespace

std::optional<RangeRefusal> find_range_refusal(const PreparedRun& run) {
  const SolverOptions& options = run.levels.front().options;
  const std::vector<Precision>& inner = options.refinement.inner;
  if (!is_narrow(options.precision) && std::none_of(inner.begin(), inner.end(), is_narrow)) {
    return {};
  }
  for (const PreparedSolve& prepared : run.levels) {
    try {
      require_ranges(prepared);
    } catch (const std::invalid_argument& error) {
      return RangeRefusal{prepared.level(), error.what()};
    }
  }
  return {};
}

std::optional<double> find_unmet_tolerance(const PreparedSolve& solve) {
  const TensorGrid& grid = solve.finest();
  const auto is_uniform = [](const Line& line) {
    const auto [least, most] = std::minmax_element(line.width.begin(), line.width.end());
    return *most < (1 + 1e-6) * *least;
  };
  if (!is_uniform(grid.x) || !is_uniform(grid.y)) return {};
  const double u = facts(solve.options.precision).unit_roundoff;
  const double least = std::ldexp(u, 2 * solve.level()) / 18;
  if (solve.options.tolerance >= least) return {};
  return least;
}

}  // namespace ninefold
