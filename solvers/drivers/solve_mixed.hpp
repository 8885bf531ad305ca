#pragma once
// A solve in mixed precision; compiled by solvers/drivers/compiled.hpp.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/drivers/solve_in_format.hpp"
#include "solvers/drivers/solve_on.hpp"
#include "solvers/drivers/stages.hpp"
#include "solvers/krylov/flexible_cg.hpp"
#include "solvers/refinement/correction.hpp"
#include "solvers/refinement/nested_iteration.hpp"
#include "solvers/refinement/refinement.hpp"

namespace ninefold {

/// The iterations of the last stage that the steps of a solve may take in all.
inline std::int64_t most_inner_iterations(const SolverOptions& options) {
  const bool counted =
      inner_stop(options, options.refinement.inner.size() - 1).iterations.has_value();
  return counted ? std::numeric_limits<std::int64_t>::max()
                 : inner_iterations_factor * std::int64_t{options.max_iterations};
}

/// A solver that is made and has its first residual, as the iteration sees it.
struct OuterSolver {
  std::function<RefinementStep(double before, const InnerDemand& demand)> step;
  std::function<Work()> work;  ///< of the outer part of a step
  std::function<std::size_t()> transferred_bytes;
  int first_steps = 0;  ///< that have no outer part of that kind
};

/// The iteration common to all variants, and the report of it.  suffices() says whether x is
/// accurate enough where the residual is.  Returns the change by which the iteration has ended, if
/// it has.
template <class Attainable, class Verdict>
std::optional<double> iterate_outer(const SolverOptions& options, double r0,
                                    const OuterSolver& solver, const Attainable& attainable,
                                    const std::function<bool()>& suffices, Verdict& verdict,
                                    Report& report) {
  const auto began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, refinement_patience);
  std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
  double norm = r0, target = options.tolerance;
  const std::int64_t most_inner = most_inner_iterations(options);
  const bool by_recursion = options.refinement.variant == RefinementVariant::flexible_cg;
  const auto run = [&] {
    InnerDemand demand;
    demand.full_multigrid = options.start == Start::full_multigrid && report.inner_history.empty();
    if (options.refinement.stop_at_tolerance) demand.enough = target * r0 / norm;
    const RefinementStep done = solver.step(norm, demand);
    norm = done.norm;
    report.inner_history.push_back(done.inner_iterations);
    report.inner_iterations += done.inner_iterations;
    return norm / r0;
  };
  while (!outcome) {
    const double before = norm;
    verdict.before_step();
    const double reduction = run();
    const bool small = reduction <= options.tolerance;
    if (small) target = 0.1 * reduction;  // if it goes on all the same
    outcome = monitor.next(reduction, small && suffices(), attainable);
    // A recursive residual falls on where rounding holds the true one, until it leaves the range.
    if (!outcome && small && by_recursion && reduction < 0.1 * attainable()) {
      outcome = Outcome::stagnated;
    }
    const bool may_go_on = monitor.iterations() + confirming_steps < options.max_iterations;
    verdict.after_step(
        before / r0, reduction, may_go_on, [&] { monitor.append(run()); }, outcome);
    if (!outcome && report.inner_iterations >= most_inner) {
      outcome = norm > slow_reduction * before ? Outcome::stagnated : Outcome::step_limit;
    }
  }
  report.solve_seconds = seconds_since(began);
  report.outcome = *outcome;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  return verdict.change();
}

/// What an outer solver holds, whatever corrects its solution.
template <Backend B, Number High>
struct OuterSystem {
  OuterSystem(const B& on, const System<Assembly<High>>& system)
      : matrix(on, system.finest(), system.unknowns(), system.coefficients, system.prepared.form(),
               storage_of(system.options())),
        b_storage(on, system.finest().nx(), system.finest().ny()),
        x_storage(on, system.finest().nx(), system.finest().ny()),
        square(on, 1),
        data(on, system.prepared),
        accuracy(on, system, data) {}

  const Operator<High>& A() const { return matrix.view(); }
  Field<High> b() const { return b_storage.view(); }
  Field<High> x() const { return x_storage.view(); }
  double norm(const B& on) const {
    return residual_norm<B, High>(on, A(), b(), x(), square.data());
  }

  Matrix<B, High> matrix;
  NodeVector<B, High> b_storage, x_storage;
  Array<B, Arithmetic<High>> square;
  DataOnBackend<B, High> data;
  Accuracy<B, High> accuracy;
  std::optional<ChangeWatch<B, High>> watch;
};

/// The corrections of a solve, where they are made, and what that costs.
template <Backend B, Number High>
struct Corrections {
  std::function<std::unique_ptr<Correction<B, High>>(const Stages&)> make;
  std::function<Work()> work;         ///< of all backends in it, so far
  std::function<std::size_t()> peak;  ///< the most bytes held where they are made
};

/// A solver whose first step is full multigrid, and whose other ones are refinement.
template <Backend B, Number High>
void with_nested_iteration(const B& on, OuterSystem<B, High>& outer, const Stages& stages,
                           Correction<B, High>& correction, IterativeRefinement<B, High>& solver,
                           const std::function<void(const OuterSolver&)>& use) {
  const PreparedSolve& prepared = stages.prepared;
  LevelCorrections<B, High>* const on_levels = correction.on_levels();
  require(on_levels != nullptr, "full multigrid by corrections without levels");
  NestedIteration<B, High> nested(
      on, prepared.grids, prepared.problem.boundary,
      scaled_coefficients<Assembly<High>>(prepared.problem, stages.scaling),
      {prepared.form(), storage_of(prepared.options), correction.storage(),
       prepared.options.multigrid.cycles_per_level},
      {outer.A(), outer.b(), outer.x()}, *on_levels);
  const Recording<B> first(on, [&] { nested.run(); });
  nested.scale();
  solver.begin();
  on.wait();
  bool has_begun = false;
  use({[&](double norm, const InnerDemand& demand) -> RefinementStep {
         if (has_begun) return solver.step(norm, demand);
         has_begun = true;
         first.replay();
         return {solver.begin_again(norm), nested.cycles()};
       },
       [&] { return solver.outer_work(); }, [&] { return correction.transferred_bytes(); }, 1});
}

/// Makes the solver of the variant with all that it holds, and calls use(solver) while it lives.
template <Backend B, Number High>
void with_outer_solver(const B& on, OuterSystem<B, High>& outer, const Stages& stages,
                       const Corrections<B, High>& corrections,
                       const std::function<void(const OuterSolver&)>& use) {
  const SolverOptions& options = stages.options();
  const Operator<High>& A = outer.A();
  const Field<High> b = outer.b(), x = outer.x();
  const auto use_made = [&](auto& solver, const Correction<B, High>& correction) {
    use({[&](double norm, const InnerDemand& demand) { return solver.step(norm, demand); },
         [&] { return solver.outer_work(); }, [&] { return correction.transferred_bytes(); }});
  };
  if (options.refinement.variant == RefinementVariant::flexible_cg) {
    const auto vector = [&] { return NodeVector<B, High>(on, A.nx, A.ny); };
    const NodeVector<B, High> r = vector(), p = vector(), q = vector();
    const auto correction = corrections.make(stages);
    const CgVectors<High> vectors{x, r.view(), p.view(), q.view(), r.view()};
    FlexibleCg<B, High> solver(on, A, b, vectors, *correction);
    (void)solver.start(options.max_iterations);
    use_made(solver, *correction);
    return;
  }
  if (stages.prepared.watches_changes) {
    outer.watch.emplace(on, outer.accuracy, A.unknowns, A.nx, A.ny);
  }
  const auto correction = corrections.make(stages);
  IterativeRefinement<B, High> solver(on, A, b, x, *correction);
  if (options.method == Method::full_multigrid) {
    return with_nested_iteration<B, High>(on, outer, stages, *correction, solver, use);
  }
  solver.begin();
  on.wait();
  use_made(solver, *correction);
}

template <Backend B, Number High>
Solved solve_mixed(const B& on, const PreparedSolve& prepared,
                   const Corrections<B, High>& corrections) {
  using W = Assembly<High>;
  System<W> system = assemble<W>(prepared);
  const SolverOptions& options = prepared.options;
  Stages stages{prepared, system.scaling, {}};
  OuterSystem<B, High> outer(on, system);
  const Accuracy<B, High>& accuracy = outer.accuracy;
  const Operator<High>& A = outer.A();
  const Field<const High> b = outer.b(), x = outer.x();
  outer.data.upload_load(system, outer.b());
  const double r0 = outer.norm(on);
  if (r0 == 0 || accuracy.starts_at_the_end(A, b, x)) {
    Report report = nothing_to_do(on, system, accuracy, A, b, x);
    report.memory_bytes = corrections.peak();
    return solved<B, High>(on, system, outer.data, std::move(report), x);
  }
  for (std::size_t stage = 0; stage < stages.count(); ++stage) {
    const Scaling scaling = scaling_of_stage(prepared, system.load, stage);
    stages.exponents.push_back(nearest_exponent(r0) + system.scaling.load - scaling.load);
  }
  system.load = {};

  const auto attainable = [&] {
    return attainable_reduction<B, High>(on, A, b, x, outer.square.data(), r0);
  };
  Report report;
  Change change;
  with_outer_solver<B, High>(on, outer, stages, corrections, [&](const OuterSolver& solver) {
    accuracy.prepare(A, b, x);
    report.setup_seconds = seconds_since(system.began);
    const Work before = corrections.work();
    const auto suffices = [&] { return accuracy.suffices(A, b, x); };
    ChangeVerdict<B, High> verdict(outer.watch, x, options.tolerance);
    change.size = iterate_outer(options, r0, solver, attainable, suffices, verdict, report);
    report.work = corrections.work() - before;
    report.outer_work = std::max(0, report.iterations - solver.first_steps) * solver.work();
    report.transferred_bytes = solver.transferred_bytes();
  });
  double true_reduction = report.history.back();
  if (options.refinement.variant == RefinementVariant::flexible_cg) {
    true_reduction = outer.norm(on) / r0;
  }
  if (!change.size) {
    change = find_small_change<B, High>(on, system, accuracy, A, b, x, report, true_reduction);
  }
  finish<B, High>(on, system, report,
                  gather(accuracy, A, b, x, true_reduction, attainable(), change));
  report.memory_bytes = corrections.peak();
  return solved<B, High>(on, system, outer.data, std::move(report), x);
}

template <Backend B, Number High>
Solved solve_mixed_in(const B& on, const PreparedSolve& prepared) {
  return solve_mixed<B, High>(
      on, prepared,
      {[&](const Stages& stages) { return make_correction<B, High>(on, stages, 0); },
       [&] { return on.work(); }, [&] { return on.peak(); }});
}

/// Makes all that the same holds, or that of a split solve.
template <Number High>
void hold_mixed_in(const Host& on, const Host& inner, const PreparedSolve& prepared) {
  using W = Assembly<High>;
  const System<W> system = without_data<W>(prepared);
  Stages stages{prepared, system.scaling, {}};
  stages.exponents.resize(stages.count());
  OuterSystem<Host, High> outer(on, system);
  const Corrections<Host, High> corrections{
      [&](const Stages& all) { return make_correction<Host, High>(inner, all, 0); }, {}, {}};
  with_outer_solver<Host, High>(on, outer, stages, corrections, [](const OuterSolver&) {});
  hold_judge<Host, High>(on, system);
}

}  // namespace ninefold
