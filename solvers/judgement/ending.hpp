#pragma once
// How a solve ends: its report and its solution; included by the files that instantiate solves.
//
// Tests.  tests/solvers/solve_test.cpp, tests/solvers/judgement/accuracy_test.cpp

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "precision/parameter_format.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/change_watch.hpp"
#include "solvers/judgement/judge.hpp"
#include "solvers/judgement/known_bound.hpp"
#include "solvers/judgement/remarks.hpp"
#include "solvers/judgement/rounding_response.hpp"
#include "solvers/judgement/thin_cells.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// The values of a solution as numbers of double, and what that leaves of wider ones.
inline Solved split(Report report, std::vector<double> values) {
  Solved result;
  result.report = std::move(report);
  result.solution = std::move(values);
  return result;
}
inline Solved split(Report report, const std::vector<DoubleDouble>& values) {
  Solved result = split(std::move(report), std::vector<double>(values.size()));
  result.solution_low.resize(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    result.solution[k] = values[k].high;
    result.solution_low[k] = values[k].low;
  }
  return result;
}
/// The solution on the host, where it is asked for, and its errors, where they can be measured on
/// the backend.
template <Backend B, Number T>
Solved solved(const System<Assembly<T>>& system, const DataOnBackend<B, T>& data, Report report,
              const Field<const T>& x) {
  using W = Assembly<T>;
  std::optional<Errors> errors;
  if (report.outcome != Outcome::not_finite) errors = data.errors(system, x);
  Solved result;
  const bool is_wanted =
      system.prepared.keeps_solution || (report.outcome != Outcome::not_finite && !errors);
  if (is_wanted) {
    std::vector<W> values = data.on_host(system, x);
    if (has_free_constant(system.problem())) {
      const W mean = data.mean(system, x);
      for (W& value : values) value = value - mean;
    }
    result = split(std::move(report), std::move(values));
    result.share = system.share;
  } else {
    result.report = std::move(report);
  }
  result.errors = errors;
  return result;
}

/// What an iteration, or cycles made for the judgement, have found of their own solution.
struct Change {
  std::optional<double> size;      ///< small, and confirmed (confirm_change)
  std::optional<double> rounding;  ///< confirmed_rounding(), where it is known
};

/// Of an x that is judged, whose bound this is: A x = b is the scaled system.
template <Backend B, Number T>
Evidence gather(const Accuracy<B, T>& accuracy, const std::type_identity_t<Operator<T>>& A,
                const Field<const T>& b, const Field<const T>& x, KnownBound<B, T>& bound,
                double true_reduction, double attainable, const Change& change) {
  Evidence evidence{true_reduction, attainable, {}, {}, change.size};
  if (accuracy.is_used() && std::isfinite(true_reduction)) {
    evidence.bound = bound.value();
    evidence.rounding = change.rounding ? change.rounding : accuracy.rounding(A, b, x);
    if (accuracy.in_one_norm()) {
      const double unit = accuracy.unit_of_errors(A, b, x);
      *evidence.rounding *= unit;
      if (evidence.change) *evidence.change *= changes_in_norm * unit;
    }
  }
  return evidence;
}

/// True of a solve that has come to its last step where the residual alone counts and rounding
/// holds it, so that more steps would not help: of the estimate of what rounding leaves a fifth is
/// sure.
inline bool is_held_by_rounding(const PreparedSolve& prepared, const Report& report,
                                const Evidence& evidence) {
  constexpr double sure = 0.1, much = 0.9, drift = 0.5;
  const bool by_residual = !evidence.has_aimed && !measures_error(prepared.options)
                           && !prepared.watches_changes && !prepared.judges_by_a_cycle;
  const double reached = evidence.true_reduction, attainable = evidence.attainable;
  if (!by_residual || !(reached <= attainable && prepared.options.tolerance < sure * attainable))
    return false;
  // A recursive residual falls on.
  if (report.residual_reduction < drift * reached) return true;
  const std::vector<double>& history = report.history;
  return history.size() > 1
         && history.back() > much * *std::min_element(history.begin(), history.end() - 1);
}

template <Backend B, Number T>
void finish(const B& on, const System<Assembly<T>>& system, Report& report,
            const Evidence& evidence) {
  report.true_residual_reduction = evidence.true_reduction;
  report.attainable_reduction = evidence.attainable;
  const PreparedSolve& prepared = system.prepared;
  const SolverOptions& options = prepared.options;
  const bool in_norm = measures_error(options);
  const std::optional<double> by_change = in_norm ? error_by_change(evidence) : evidence.change;
  const bool is_bounded = in_norm && by_change && evidence.bound && *evidence.bound <= *by_change;
  report.judged_by_change = by_change.has_value() && !is_bounded;
  report.error_bound = report.judged_by_change ? by_change : evidence.bound;
  const Problem& problem = prepared.problem;
  const std::string hint = smoother_hint(options, prepared.smoothing, prepared.suitable);
  const auto at_its_limit = [&] {
    return stagnation_remark(options, prepared.form(), report, evidence,
                             prepared.has_detached_thin_cells, hint, factored_rows(prepared),
                             tolerance_for_changes(prepared, evidence));
  };
  if ((report.outcome != Outcome::step_limit || in_norm) && report.outcome != Outcome::not_finite) {
    report.outcome = judge(options, evidence, report.outcome, report.remark);
  }
  if (report.outcome == Outcome::stagnated && evidence.has_aimed) {
    report.remark = open_aim_remark(options);
    report.is_ended_by_rounding = holds_matrix(evidence);
  } else if (report.outcome == Outcome::stagnated && in_norm) {
    report.remark = norm_remark(options, evidence, prepared.has_detached_thin_cells, hint);
  } else if (report.outcome == Outcome::stagnated) {
    report.remark = at_its_limit();
  } else if (report.outcome == Outcome::step_limit) {
    report.remark = is_held_by_rounding(prepared, report, evidence)
                        ? limit_reached(options, report.iterations < options.max_iterations) + "; "
                              + at_its_limit()
                        : step_limit_remark(options, report.iterations, hint);
  } else if (report.outcome == Outcome::diverged) {
    report.remark = divergence_remark(options, hint);
  } else if (report.outcome == Outcome::not_finite) {
    report.remark = range_remark(options);
  } else if (report.outcome == Outcome::converged) {
    const std::string slow = slow_corrections_remark(prepared, report);
    if (!slow.empty()) report.remark += (report.remark.empty() ? "" : "; ") + slow;
  }
  // Where a smoother that does not suit explains more, its hint is there.
  if (report.outcome != Outcome::converged && report.outcome != Outcome::step_limit && hint.empty()
      && !(in_norm && report.outcome == Outcome::stagnated)) {
    std::string lost =
        lost_cells_remark(prepared, report.outcome, tolerance_for_changes(prepared, evidence));
    if (lost.empty()) lost = lost_constant_remark(prepared);
    if (lost.empty() && report.outcome != Outcome::stagnated) lost = lost_hold_remark(prepared);
    if (!lost.empty()) {
      report.remark = lost;
      report.is_ended_by_rounding = false;  // by more than that
    }
  }
  if constexpr (std::is_same_v<Assembly<T>, DoubleDouble>) {
    if (!has_wide_data(problem)) {
      report.remark += report.remark.empty() ? "" : "; ";
      report.remark += "the problem's functions are evaluated in double, all else is double-double";
    }
  }
  report.memory_bytes = on.peak();
}

/// The report of a system that needs no solving: its load is zero, or rounding.
template <Backend B, Number T>
Report nothing_to_do(const B& on, const System<Assembly<T>>& system, const Accuracy<B, T>& accuracy,
                     const std::type_identity_t<Operator<T>>& A, const Field<const T>& b,
                     const Field<const T>& x) {
  Report report;
  report.outcome = Outcome::converged;
  report.history = {0.0};
  if (accuracy.is_used()) report.error_bound = KnownBound<B, T>(accuracy, A, b, x).value();
  report.remark = system.lifting.largest() == 0
                      ? "the right-hand side is zero at all Gauss points, and so is the solution"
                  : system.problem().boundary.any_dirichlet()
                      ? "the boundary values, carried inward, solve the system as they are"
                      : "a constant, the load's mean over the reaction, solves the system as it is";
  const SolverOptions& options = system.options();
  if (measures_error(options) && !(*report.error_bound <= options.tolerance)) {
    // There is nothing to do but for the rounding of the values that are there.
    report.outcome = Outcome::stagnated;
    report.remark =
        norm_remark(options, {0, 0, report.error_bound, report.error_bound, {}}, false, "");
  }
  report.setup_seconds = seconds_since(system.began);
  report.memory_bytes = on.peak();
  return report;
}

/// The change that cycles from zero on a residual make of x, if it is confirmed; multigrid.x() is
/// what the first of them has found.
template <Backend B, Number T>
std::optional<double> confirm_cycles(const Accuracy<B, T>& accuracy, Multigrid<B, T>& multigrid,
                                     const Field<const T>& x, double tolerance,
                                     std::optional<Outcome> outcome) {
  const ChangeLimit limit = limit_of_changes(accuracy, x, tolerance);
  const auto size = [&] {
    return accuracy.change(multigrid.A().unknowns, Field<const T>(multigrid.x()), x);
  };
  return confirm_change(
      size(), limit.tolerance, unit_roundoff<T>(), limit.may_settle ? outcome : std::nullopt,
      [&] { multigrid.cycle(); }, size);
}

/// What rounding leaves of an x that a change has confirmed: its bound, or the response where the
/// bound would void that and the response is small.  Then b and x of the multigrid are used up.
template <Backend B, Number T>
double confirmed_rounding(const B& on, const Accuracy<B, T>& accuracy, Multigrid<B, T>& multigrid,
                          const std::type_identity_t<Field<const T>>& b,
                          const std::type_identity_t<Field<const T>>& x, double bound) {
  // In one norm it is part of what is compared with the tolerance.
  if (bound <= hopeless_rounding && !accuracy.in_one_norm()) return bound;
  return std::min(bound, rounding_response(on, accuracy, multigrid, b, x).value_or(bound));
}

/// A change that cycles have confirmed, with what rounding leaves.
template <Backend B, Number T>
Change with_rounding(const B& on, const Accuracy<B, T>& accuracy, Multigrid<B, T>& multigrid,
                     const std::type_identity_t<Field<const T>>& b,
                     const std::type_identity_t<Field<const T>>& x, std::optional<double> size) {
  if (!size) return {};
  const double bound = accuracy.rounding(multigrid.A(), b, x);
  return {size, confirmed_rounding(on, accuracy, multigrid, b, x, bound)};
}

/// Multigrid as it suits the grid, whatever solves.
template <Backend B, Number T>
Multigrid<B, T> make_judge(const B& on, const System<Assembly<T>>& system) {
  const PreparedSolve& prepared = system.prepared;
  return {on,
          prepared.grids,
          prepared.problem.boundary,
          system.coefficients,
          prepared.form(),
          prepared.judging,
          judging_storage(prepared.options)};
}

/// Makes what the judgement at the end may hold, for a backend that only counts.
template <Backend B, Number T>
void hold_judge(const B& on, const System<Assembly<T>>& system) {
  if (system.prepared.judges_by_a_cycle) (void)make_judge<B, T>(on, system);
}

/// The change that multigrid, as it suits the grid, would make, where the residual and its bound do
/// not suffice and that does.
template <Backend B, Number T>
Change find_small_change(const B& on, const System<Assembly<T>>& system,
                         const Accuracy<B, T>& accuracy, const Field<const T>& b,
                         const Field<const T>& x, KnownBound<B, T>& bound, const Report& report,
                         double true_reduction) {
  const double tolerance = system.options().tolerance;
  const bool open = report.outcome == Outcome::converged || report.outcome == Outcome::stagnated;
  if (!accuracy.is_used() || !open || !std::isfinite(true_reduction)
      || ((true_reduction <= tolerance || accuracy.in_one_norm()) && bound.suffices())) {
    return {};
  }
  if (!system.prepared.judges_by_a_cycle) return {};
  Multigrid<B, T> multigrid = make_judge<B, T>(on, system);
  residual(on, multigrid.A(), b, x, multigrid.b());
  multigrid.cycle_from_zero();
  // That cycles are made here says that nothing else falls any more.
  return with_rounding(on, accuracy, multigrid, b, x,
                       confirm_cycles(accuracy, multigrid, x, tolerance, Outcome::stagnated));
}

}  // namespace ninefold
