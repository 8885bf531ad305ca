#pragma once
// A solve in mixed precision; included by the generated files that compile it.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "solvers/drivers/solve_in_format.hpp"
#include "solvers/drivers/solve_on.hpp"
#include "solvers/drivers/stages.hpp"
#include "solvers/krylov/flexible_cg.hpp"
#include "solvers/refinement/correction.hpp"
#include "solvers/refinement/refinement.hpp"

namespace ninefold {

/// The iterations of the last stage that the steps of a solve may take in all.
inline std::int64_t most_inner_iterations(const SolverOptions& options) {
  const bool counted =
      inner_stop(options, options.refinement.inner.size() - 1).iterations.has_value();
  return counted ? std::numeric_limits<std::int64_t>::max()
                 : inner_iterations_factor * std::int64_t{options.max_iterations};
}

/// The iteration common to all variants: step(norm before, demand) and the report of it.
/// suffices() says whether x is accurate enough where the residual is.  With a `watch` the changes
/// of `x` are looked at where the residual tells no more.  Returns the change by which the
/// iteration has ended, if it has.
template <class Step, class Attainable, class Watch, class Solution>
std::optional<double> iterate_outer(const SolverOptions& options, double r0, const Step& step,
                                    const Attainable& attainable,
                                    const std::function<bool()>& suffices,
                                    const std::optional<Watch>& watch, const Solution& x,
                                    Report& report) {
  const auto began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, refinement_patience);
  std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
  double norm = r0, target = options.tolerance;
  std::optional<double> change;
  ChangeTrend trend;
  bool slow = false;
  const std::int64_t most_inner = most_inner_iterations(options);
  const auto run = [&] {
    InnerDemand demand;
    demand.full_multigrid = options.start == Start::full_multigrid && report.inner_history.empty();
    if (options.refinement.stop_at_tolerance) demand.enough = target * r0 / norm;
    const RefinementStep done = step(norm, demand);
    norm = done.norm;
    report.inner_history.push_back(done.inner_iterations);
    report.inner_iterations += done.inner_iterations;
    return norm / r0;
  };
  while (!outcome) {
    const double before = norm;
    if (slow) watch->begin(x);
    const double reduction = run();
    const bool small = reduction <= options.tolerance;
    if (small) target = 0.1 * reduction;  // if it goes on all the same
    outcome = monitor.next(reduction, small && suffices(), attainable);
    const bool may_go_on = monitor.iterations() + confirming_steps < options.max_iterations;
    if (slow && may_go_on && (!outcome || *outcome == Outcome::stagnated)) {
      const double moved = watch->moved(x);
      const bool falls = trend.falls(moved);
      const bool small_change = is_small_change(moved, options.tolerance, outcome);
      change = confirm_change(
          moved, options.tolerance, outcome, [&] { monitor.append(run()); },
          [&] { return watch->moved(x); });
      if (change) {
        outcome = Outcome::converged;
      } else if (falls || (small_change && trend.may_try_again())) {
        outcome.reset();
      }
    }
    if (!outcome && report.inner_iterations >= most_inner) {
      outcome = norm > slow_reduction * before ? Outcome::stagnated : Outcome::step_limit;
    }
    const bool unseen = watch && !slow && may_go_on && outcome == Outcome::stagnated;
    if (unseen) outcome.reset();  // not before a look at a change
    slow = watch && (unseen || small || norm > slow_reduction * before);
  }
  report.solve_seconds = seconds_since(began);
  report.outcome = *outcome;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  return change;
}

/// The corrections of a solve, where they are made, and what that costs.
template <Backend B, Number High>
struct Corrections {
  std::function<std::unique_ptr<Correction<B, High>>(const Stages&)> make;
  std::function<Work()> work;         ///< of all backends in it, so far
  std::function<std::size_t()> peak;  ///< the most bytes held where they are made
};

template <Backend B, Number High>
Solved solve_mixed(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                   const SolverOptions& options, const Corrections<B, High>& corrections) {
  using W = Assembly<High>;
  System<W> system = assemble<W>(problem, grids, options);
  Stages stages{problem, grids, options, system.scaling, {}};
  const TensorGrid& grid = stages.finest();
  const Matrix<B, High> matrix(on, grid, stages.unknowns(), system.coefficients, system.form,
                               storage_of(options));
  const Operator<High>& A = matrix.view();
  const NodeVector<B, High> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  const Array<B, Arithmetic<High>> square(on, 1);
  upload(on, system.load, -system.scaling.load, b.view());
  const double r0 = residual_norm<B, High>(on, A, b.view(), x.view(), square.data());
  const Accuracy<B, High> accuracy(on, system);
  if (r0 == 0 || accuracy.starts_at_the_end(A, b.view(), x.view())) {
    const Field<const High> start = x.view();
    return solved<B, High>(
        on, system, nothing_to_do(on, system, accuracy, A, Field<const High>(b.view()), start),
        start);
  }
  for (std::size_t stage = 0; stage < options.refinement.inner.size(); ++stage) {
    const Precision inner = stages.precision(stage);
    const Parameter parameter = inner_parameter(options.refinement);
    const Scaling scaling = choose_scaling(problem, grid, system.load, range_of(inner, parameter));
    require_rows(problem, grid, scaling, inner, parameter, storage_of_stage(options, stage),
                 options.refinement.inner_form);
    stages.exponents.push_back(nearest_exponent(r0) + system.scaling.load - scaling.load);
  }
  system.load = {};

  const Field<const High> right = b.view(), solution = x.view();
  const auto attainable = [&] {
    return attainable_reduction<B, High>(on, A, right, solution, square.data(), r0);
  };
  Report report;
  std::optional<double> change;
  std::optional<ChangeWatch<B, High>> watch;
  const bool flexible = options.refinement.variant == RefinementVariant::flexible_cg;
  const auto run = [&](auto& solver) {
    report.setup_seconds = seconds_since(system.began);
    const Work before = corrections.work();
    const auto step = [&](double norm, const InnerDemand& demand) {
      return solver.step(norm, demand);
    };
    const auto suffices = [&] { return accuracy.suffices(A, right, solution); };
    change = iterate_outer(options, r0, step, attainable, suffices, watch, solution, report);
    report.work = corrections.work() - before;
    report.outer_work = report.iterations * solver.outer_work();
  };
  std::unique_ptr<Correction<B, High>> correction;
  NodeVector<B, High> r, p, q;
  std::optional<IterativeRefinement<B, High>> refinement;
  std::optional<FlexibleCg<B, High>> flexible_cg;
  if (flexible) {
    for (NodeVector<B, High>* v : {&r, &p, &q}) *v = NodeVector<B, High>(on, grid.nx(), grid.ny());
    correction = corrections.make(stages);
    const CgVectors<High> vectors{x.view(), r.view(), p.view(), q.view(), r.view()};
    flexible_cg.emplace(on, A, right, vectors, *correction);
    (void)flexible_cg->start(options.max_iterations);
    run(*flexible_cg);
  } else {
    const bool restarts = options.refinement.variant == RefinementVariant::refinement;
    if (restarts && watches_changes(options, problem, grid)) {
      watch.emplace(on, accuracy, A.unknowns, A.nx, A.ny);
    }
    correction = corrections.make(stages);
    refinement.emplace(on, A, right, x.view(), *correction);
    refinement->begin();
    on.wait();
    run(*refinement);
  }
  report.transferred_bytes = correction->transferred_bytes();
  double true_reduction = report.history.back();
  if (flexible) {
    true_reduction = residual_norm<B, High>(on, A, right, solution, square.data()) / r0;
  }
  if (!change) {
    change = find_small_change<B, High>(on, system, accuracy, A, right, solution, report,
                                        true_reduction);
  }
  finish<B, High>(on, system, report,
                  gather(accuracy, A, right, solution, true_reduction, attainable(), change));
  report.memory_bytes = corrections.peak();
  return solved<B, High>(on, system, std::move(report), solution);
}

template <Backend B, Number High>
Solved solve_mixed_in(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                      const SolverOptions& options) {
  return solve_mixed<B, High>(
      on, problem, grids, options,
      {[&](const Stages& stages) { return make_correction<B, High>(on, stages, 0); },
       [&] { return on.work(); }, [&] { return on.peak(); }});
}

}  // namespace ninefold
