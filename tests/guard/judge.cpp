#include "tests/guard/judge.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "fem/discrete/error_bound.hpp"

#include "solvers/solve.hpp"

#include "tests/support/judged.hpp"

namespace ninefold::guard {
namespace {

using testing::DirectSystem;
using testing::Quad;
using testing::size_of;
using Values = DirectSystem::Values;

Values all_digits(const Solved& solved) {
  Values x(solved.solution.begin(), solved.solution.end());
  for (std::size_t k = 0; k < solved.solution_low.size(); ++k) x[k] += solved.solution_low[k];
  return x;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Deviation deviation(const DirectSystem& system, const Values& e, const Values& x) {
  return {system.relative_l2(e, x), DirectSystem::relative_max(e, x)};
}

Quad largest_entry(const DirectSystem& system) {
  Quad most = 0;
  for (std::size_t node = 0; node < system.nodes(); ++node) {
    if (!system.is_dirichlet(node)) most = std::max(most, system.coupling(node, 4));
  }
  return most;
}

}  // namespace

double stated_rounding(const Report& report) {
  const std::string words = "may leave an error of up to ";
  const std::size_t at = report.remark.find(words);
  return at == std::string::npos ? 0 : std::stod(report.remark.substr(at + words.size()));
}

namespace {

/// Of a tolerance of the error in one norm: nothing is excused, since rounding is in the bound.
Finding find_in_norm(const SolverOptions& options, const Report& report, const Verdict& v) {
  constexpr double data = 1e-9, overrated = 1e-3;
  const double tolerance = options.tolerance;
  if (report.outcome == Outcome::converged) {
    if (report.iterations > options.max_iterations) return Finding::contradicted;
    if (!(report.error_bound && *report.error_bound <= tolerance)) return Finding::contradicted;
    return v.in_norm <= (1 + data) * tolerance ? Finding::right : Finding::wrong;
  }
  if (!(v.in_norm <= overrated * tolerance) || v.has_thin_cells) return Finding::right;
  return v.rounding_in_norm <= overrated * tolerance ? Finding::lost : Finding::out_of_reach;
}

}  // namespace

Finding find(const SolverOptions& options, const Report& report, const Verdict& v) {
  const double worst = std::max(v.error.l2, v.error.max);
  const bool in_norm = measures_error(options);
  if (in_norm && report.outcome == Outcome::converged) return find_in_norm(options, report, v);
  if (report.outcome == Outcome::converged) {
    if (report.iterations > options.max_iterations) return Finding::contradicted;
    const double promise = promise_of(options);
    if (v.error.l2 <= promise && v.error.max <= promise) return Finding::right;
    // A matrix that the format does not hold may have any solution: that must have been said.
    if (std::max(v.rounding.l2, v.rounding.max) >= void_allowance) {
      return report.remark.find("rounding") != std::string::npos ? Finding::right : Finding::wrong;
    }
    // Factored rows perturb the coefficients of cells by a few roundoffs, no more; what the load's
    // rounding adds must have been said.
    const bool factored = options.storage == OperatorStorage::factored;
    const double few =
        std::max(64 * facts(options.precision).unit_roundoff, stated_rounding(report));
    const Deviation allowed = factored ? Deviation{few, few} : v.rounding;
    const bool right = v.error.l2 <= promise + allowed.l2 && v.error.max <= promise + allowed.max;
    return right ? Finding::right : Finding::wrong;
  }
  if (report.outcome == Outcome::step_limit) {
    // Of outer steps, or of inner ones in all.
    const double most = options.max_iterations;
    const bool reached =
        report.iterations >= most || report.inner_iterations >= inner_iterations_factor * most;
    return reached ? Finding::right : Finding::contradicted;
  }
  if (in_norm) return find_in_norm(options, report, v);
  // A residual above the first one: the start was as good by chance.
  if (report.true_residual_reduction > 1) return Finding::right;
  if (!(worst <= as_good_as_right * options.tolerance)) return Finding::right;
  const bool in_reach =
      std::max(v.rounding.l2, v.rounding.max) <= as_good_as_right * options.tolerance;
  return in_reach ? Finding::lost : Finding::out_of_reach;
}

std::string_view to_string(Finding finding) {
  switch (finding) {
    case Finding::right:
      return "right";
    case Finding::out_of_reach:
      return "right, called lost beyond the format's reach";
    case Finding::refused:
      return "refused";
    case Finding::not_judged:
      return "not judged";
    case Finding::wrong:
      return "WRONG, BUT CONVERGED";
    case Finding::lost:
      return "RIGHT, BUT CALLED LOST";
    case Finding::contradicted:
      return "CONTRADICTED";
  }
  throw std::logic_error("a finding without a name");
}

Values rounding_at_nodes(const DirectSystem& system, const Values& x, Precision outer,
                         OperatorForm form) {
  const FormatFacts format = facts(outer);
  const Quad u = format.unit_roundoff, u_double = 0x1p-53;
  // Entries are computed in double, or double-double: 9 roundings, of pairs 26 roundoffs.
  const bool wide = outer == Precision::double_double;
  const Quad row = 3 * u + (wide ? 26 * u : 9 * u_double);
  Quad smallest = largest_entry(system);
  for (int k = 0; k > format.min_exponent; --k) smallest /= 2;
  Values m(system.nodes());
  for (std::size_t i = 0; i < system.nodes(); ++i) {
    if (system.is_dirichlet(i)) continue;
    const bool plain = form == OperatorForm::plain;
    m[i] = (row + 4 * u_double) * system.load_size(i);
    if (!plain) m[i] += row * size_of(system.row_sum(i) * x[i]);
    for (std::size_t k = 0; k < 9; ++k) {
      const Quad a = system.coupling(i, k);
      if (a == 0) continue;
      const Quad neighbour = x[DirectSystem::neighbour(i, k, system.nx())];
      const Quad factor = plain ? neighbour : neighbour - x[i];
      m[i] += row * std::max(size_of(a), smallest) * size_of(factor);
    }
  }
  Values e = system.respond(m);
  for (std::size_t i = 0; i < system.nodes(); ++i) {
    e[i] = size_of(e[i]) + (2 * u + 4 * u_double) * size_of(x[i]);
  }
  return e;
}

Deviation rounding_allowance(const DirectSystem& system, const Values& x, Precision outer,
                             OperatorForm form) {
  return deviation(system, rounding_at_nodes(system, x, outer, form), x);
}

namespace {

void compare(const Trial& trial, const SolverOptions& options, Verdict& v) {
  const TensorGrid& grid = trial.grids.back();
  const SolverOptions chosen = settled(options, trial.problem, grid);
  const bool wide = chosen.precision == Precision::double_double;
  DirectSystem system(testing::stated_directly(trial.problem, grid, wide));
  const Values x = system.solve();
  const Values rounding = rounding_at_nodes(system, x, chosen.precision, chosen.form.value());
  v.rounding = deviation(system, rounding, x);
  v.has_thin_cells = has_detached_thin_cells(trial.problem.boundary, grid);
  const bool in_norm = measures_error(chosen);
  if (in_norm) v.rounding_in_norm = testing::error_in(chosen, system, rounding, x);
  if (all_finite(trial.solved.solution)) {
    Values e = all_digits(trial.solved);
    for (std::size_t k = 0; k < e.size(); ++k) e[k] -= x[k];
    v.error = deviation(system, e, x);
    if (in_norm) v.in_norm = testing::error_in(chosen, system, e, x);
  } else {
    v.error.l2 = v.error.max = v.in_norm = std::numeric_limits<double>::quiet_NaN();
  }
  const double unit =
      chosen.relative ? 1 : testing::size_in(chosen.norm, system, x);  // uncertain is a part of x
  const bool certain = system.uncertainty() * unit < 0.1 * options.tolerance;
  v.finding = certain ? find(chosen, trial.solved.report, v) : Finding::not_judged;
}

}  // namespace

Trial attempt(const Configuration& c) {
  Trial trial;
  const auto start = std::chrono::steady_clock::now();
  try {
    validate(c.solver);
    trial.problem = make_problem(c.problem, c.width, c.height);
    trial.grids = make_hierarchy(c.width, c.height, c.last_level, c.grading);
    trial.solved = solve(trial.problem, trial.grids, c.solver, BackendKind::host);
  } catch (const std::invalid_argument& refusal) {
    trial.refusal = refusal.what();
  }
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return trial;
}

Verdict said_by(const Trial& trial) {
  Verdict v;
  v.seconds = trial.seconds;
  if (!trial.refusal.empty()) {
    v.finding = Finding::refused;
    v.outcome = trial.refusal;
    return v;
  }
  v.outcome = to_string(trial.solved.report.outcome);
  v.iterations = trial.solved.report.iterations;
  v.true_residual_reduction = trial.solved.report.true_residual_reduction;
  return v;
}

Verdict judge(const Trial& trial, const SolverOptions& options) {
  Verdict v = said_by(trial);
  if (v.finding == Finding::refused) return v;
  try {
    compare(trial, options, v);
  } catch (const testing::NotDefinite&) {
    v.finding = Finding::not_judged;
  }
  return v;
}

}  // namespace ninefold::guard
