#include "experiments/program/range_check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "precision/bad_value.hpp"
#include "precision/precision.hpp"

#include "solvers/system/assembled_system.hpp"

namespace ninefold {
namespace {

/// True if a format's exponents are fewer than those of double and double-double, about.
bool is_narrow(Precision precision) {
  return facts(precision).min_exponent > -900;
}

/// Throws BadValue as the solve would.  In double, whatever a solve assembles in: only
/// binary exponents matter.
void require_ranges(const PreparedSolve& prepared) {
  const Load<double> load = lifted_load<double>(prepared.problem, prepared.finest(), nullptr).load;
  const LoadSize size = size_of_load(prepared.problem, prepared.finest(), load);
  (void)scaling_of<double>(prepared, size);
  if (load.is_zero()) return;  // there is nothing to refine
  for (std::size_t stage = 0; stage < prepared.options.refinement.inner.size(); ++stage) {
    (void)scaling_of_stage<double>(prepared, size, stage);
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
    } catch (const BadValue& error) {
      return RangeRefusal{prepared.level(), error.what(), is_of_data(error)};
    }
  }
  return {};
}

std::optional<double> find_stagnation(const PreparedSolve& solve) {
  if (measures_error(solve.options)) return {};  // no residual is asked for
  const Problem& problem = solve.problem;
  const std::vector<double>& x = solve.finest().x.width;
  const std::vector<double>& y = solve.finest().y.width;
  const auto [least_x, most_x] = std::minmax_element(x.begin(), x.end());
  const auto [least_y, most_y] = std::minmax_element(y.begin(), y.end());
  const bool squares = std::max(*most_x, *most_y) < (1 + 1e-6) * std::min(*least_x, *least_y);
  const double side = std::min(problem.width, problem.height);
  // The Laplacian makes gx + gy times pi^2 / side^2 of the smoothest solution.
  const bool like_laplacian =
      problem.gx == problem.gy && problem.reaction * side * side <= 10 * (problem.gx + problem.gy);
  if (!squares || !like_laplacian) return {};
  const double u = facts(solve.options.precision).unit_roundoff;
  const double left = std::ldexp(u, 2 * solve.level()) / 18;
  if (solve.options.tolerance >= left) return {};
  return left;
}

}  // namespace ninefold
