#include "solvers/solve.hpp"

#include <utility>

#include "precision/require.hpp"

#include "solvers/drivers/solve_on.hpp"
#include "solvers/judgement/remarks.hpp"
#include "solvers/judgement/thin_cells.hpp"
#include "solvers/timeline.hpp"

namespace ninefold {

std::vector<DoubleDouble> wide_solution(const Solved& solved) {
  require(solved.solution_low.size() == solved.solution.size(),
          "only a double-double solve has a solution wider than double");
  std::vector<DoubleDouble> values(solved.solution.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = {solved.solution[k], solved.solution_low[k]};
  }
  return values;
}

namespace {

/// What levels tell is no aim where it is rounding itself, of which they see a quarter in plain
/// form, and all where it comes by chance.
/// And what is left is measured once more, by other means than the iteration had: where rounding
/// has ended it, corrections of its size tell nothing, and this alone does.
void judge_aim(const PreparedSolve& prepared, Solved& solved) {
  constexpr double visible = 0.5, exactness = 2;
  const SolverOptions& options = prepared.options;
  Report& report = solved.report;
  if (!solved.level_errors || report.iterations == 0) return;  // there was nothing to do
  const SolverErrors& left = *solved.solver_errors;
  const double told = solved.level_errors->l2;
  const auto part_of = [&](double error) { return error / told; };
  const auto remark_on = [&](double part) {
    return aim_remark(options, part, part_of(*left.rounding), part > visible);
  };
  if (report.is_ended_by_rounding) {
    if (!left.left || !left.rounding || !(told > 0)) return;
    const double part = part_of(*left.left);
    const bool is_met = part <= options.fraction;
    if (is_met) report.outcome = Outcome::converged;
    report.remark = is_met ? "" : remark_on(part);
  } else if (report.outcome != Outcome::converged) {
    return;
  } else if (left.rounding && *left.rounding > visible * told) {
    report.outcome = Outcome::stagnated;
    report.remark = remark_on(part_of(std::max(left.left.value_or(0), *left.rounding)));
  } else if (left.algebraic && *left.algebraic > exactness * options.fraction * told) {
    report.outcome = Outcome::stagnated;
    report.remark = lost_cells_remark(prepared, report.outcome);
    if (report.remark.empty()) {
      report.remark = slow_aim_remark(
          part_of(*left.algebraic), smoother_hint(options, prepared.smoothing, prepared.suitable));
    }
  }
}

}  // namespace

Solved solve(const PreparedSolve& prepared, const Neighbours& neighbours) {
  require_memory(prepared.memory, prepared.where, prepared.options.ranks.get());
  std::unique_ptr<StandingSolve> standing = make_standing(prepared);
  standing->aim_by(neighbours.coarser);
  Solved solved = standing->solve();
  Timeline timeline(std::move(solved.report.timeline));
  solved.report.smoother = smoother_words(prepared, solved.report);
  if (solved.report.outcome != Outcome::not_finite) {
    if (neighbours.coarser) {
      solved.level_errors = standing->level_errors(*neighbours.coarser);
      solved.l2 = standing->solution_size();
    }
    if (neighbours.is_finer_next) solved.values = standing->values();
    if (neighbours.coarser || neighbours.is_finer_next) timeline.mark(part::levels);
    if (neighbours.estimates_solver_errors) {
      solved.solver_errors = estimate_solver_errors(prepared, std::move(standing));
      timeline.mark(part::estimate);
      if (prepared.options.to_discretisation) judge_aim(prepared, solved);
    }
  }
  solved.report.timeline = timeline.parts();
  return solved;
}

Solved solve(const Problem& problem, const std::vector<TensorGrid>& grids,
             const SolverOptions& options, BackendKind where) {
  return solve(prepare(problem, grids, options, where));
}

}  // namespace ninefold
