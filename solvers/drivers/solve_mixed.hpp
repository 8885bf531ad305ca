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
#include "solvers/krylov/flexible_cg.hpp"
#include "solvers/krylov/guided_cg.hpp"
#include "solvers/refinement/inner_solver.hpp"
#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/refinement/refinement.hpp"

namespace ninefold {

/// What every stage needs to know.
struct Stages {
  const Problem& problem;
  const std::vector<TensorGrid>& grids;
  const SolverOptions& options;
  Scaling scaling;             ///< of the outermost format; all stages share its matrix
  std::vector<int> exponents;  ///< of the norm of each stage's right-hand side

  const TensorGrid& finest() const { return grids.back(); }
  Box unknowns() const { return unknown_nodes(finest(), problem.boundary); }
  Precision precision(std::size_t stage) const { return options.refinement.inner[stage]; }
};

/// Calls run.template operator()<Low>() with the format of a stage, inside a solver in High.
template <Backend B, Number High, class Run>
decltype(auto) with_inner_type(Precision inner, Run&& run) {
  return with_type(inner, [&]<class Low>() -> decltype(run.template operator()<High>()) {
    if constexpr (is_mixed_pair<B, High, Low>) {
      return run.template operator()<Low>();
    } else {
      throw std::logic_error("validate() has let a pair of formats pass that there is not");
    }
  });
}

/// The solver of a stage, with all stages inside it.
template <Backend B, Number T>
std::unique_ptr<InnerSolver<B, T>> make_inner(const B& on, const Stages& stages,
                                              std::size_t stage) {
  const SolverOptions& options = stages.options;
  const auto coefficients = scaled_coefficients<Assembly<T>>(stages.problem, stages.scaling);
  const InnerStop stop = inner_stop(options, stage);
  const OperatorForm form = options.refinement.inner_form;
  const OperatorStorage storage = storage_of_stage(options, stage);
  if (stage + 1 < options.refinement.inner.size()) {
    const Precision next = stages.precision(stage + 1);
    return with_inner_type<B, T>(next, [&]<class Low>() -> std::unique_ptr<InnerSolver<B, T>> {
      return std::make_unique<RefinementInner<B, T, Low>>(
          on, stages.finest(), stages.unknowns(), coefficients, options, stop, storage,
          stages.exponents[stage + 1], widest_change(next),
          make_inner<B, Low>(on, stages, stage + 1));
    });
  }
  if (options.method == Method::multigrid) {
    return std::make_unique<MultigridInner<B, T>>(on, stages.grids, stages.problem.boundary,
                                                  coefficients, form, options, stop, storage);
  }
  return std::make_unique<CgInner<B, T>>(on, stages.grids, stages.problem.boundary, coefficients,
                                         form, options, stop, storage);
}

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
      change = confirm_change(
          moved, options.tolerance, outcome, [&] { monitor.append(run()); },
          [&] { return watch->moved(x); });
      if (change) {
        outcome = Outcome::converged;
      } else if (falls) {
        outcome.reset();
      }
    }
    if (!outcome && report.inner_iterations >= most_inner) {
      outcome = norm > slow_reduction * before ? Outcome::stagnated : Outcome::step_limit;
    }
    slow = watch && (small || norm > slow_reduction * before);
  }
  report.solve_seconds = seconds_since(began);
  report.outcome = *outcome;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  return change;
}

/// `make` says where the inner solvers run (Make::Inner) and makes that of the first stage,
/// make.template operator()<Low>(stages); make.refine couples it with the outer solver.
template <Backend B, Number High, class Make>
Solved solve_mixed(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                   const SolverOptions& options, const Make& make) {
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
    const char* const key = inner_key(options);
    const Scaling scaling = choose_scaling(problem, grid, system.load, range_of(inner, key));
    require_rows(problem, grid, scaling, inner, key, storage_of_stage(options, stage),
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
  const auto run = [&](auto& solver, const auto& step) {
    report.setup_seconds = seconds_since(system.began);
    const auto work = [&] {
      Work sum = on.work();
      if constexpr (!std::is_same_v<typename Make::Inner, B>) sum += make.on.work();
      return sum;
    };
    const Work before = work();
    const auto suffices = [&] { return accuracy.suffices(A, right, solution); };
    change = iterate_outer(options, r0, step, attainable, suffices, watch, solution, report);
    report.work = work() - before;
    report.outer_work = report.iterations * solver.outer_work();
  };
  const RefinementOptions& refinement = options.refinement;
  const double widest = widest_change(stages.precision(0));
  with_inner_type<typename Make::Inner, High>(stages.precision(0), [&]<class Low>() {
    const auto vector = [&] { return NodeVector<B, High>(on, grid.nx(), grid.ny()); };
    switch (refinement.variant) {
      case RefinementVariant::refinement: {
        if (watches_changes(options, problem, grid)) {
          watch.emplace(on, accuracy, A.unknowns, A.nx, A.ny);
        }
        const auto inner = make.template operator()<Low>(stages);
        auto solver =
            make.template refine<High, Low>(on, A, b.view(), x.view(), *inner, refinement.scaling,
                                            stages.exponents.front(), widest);
        solver.begin();
        on.wait();
        run(solver,
            [&](double norm, const InnerDemand& demand) { return solver.step(norm, demand); });
        report.transferred_bytes = solver.transferred_bytes();
        break;
      }
      case RefinementVariant::flexible_cg: {
        if constexpr (std::is_same_v<typename Make::Inner, B>) {
          const NodeVector<B, High> r = vector(), p = vector(), q = vector();
          const auto inner = make.template operator()<Low>(stages);
          const CgVectors<High> vectors{x.view(), r.view(), p.view(), q.view(), r.view()};
          FlexibleCg<B, High, Low> solver(on, A, b.view(), vectors, *inner, refinement.scaling,
                                          stages.exponents.front(), widest);
          (void)solver.start(options.max_iterations);
          run(solver,
              [&](double norm, const InnerDemand& demand) { return solver.step(norm, demand); });
          break;
        }
        throw std::logic_error("validate() has let a variant pass that cannot be split");
      }
      case RefinementVariant::residual_guided_cg: {
        const Matrix<B, Low> low(on, grid, stages.unknowns(),
                                 scaled_coefficients<Assembly<Low>>(problem, stages.scaling),
                                 refinement.inner_form, storage_of_stage(options, 0));
        GuidedCg<B, High, Low> solver(on, A, b.view(), x.view(), low.view(), refinement,
                                      stages.exponents.front(), widest);
        (void)solver.start();
        run(solver, [&](double, const InnerDemand& demand) {
          return solver.step(inner_stop(options, 0), options.max_iterations, demand);
        });
        break;
      }
    }
    double true_reduction = report.history.back();
    if (refinement.variant == RefinementVariant::flexible_cg) {
      true_reduction = residual_norm<B, High>(on, A, b.view(), x.view(), square.data()) / r0;
    }
    if (!change) {
      change = find_small_change<B, High>(on, system, accuracy, A, right, solution, report,
                                          true_reduction);
    }
    finish<B, High>(on, system, report,
                    gather(accuracy, A, right, solution, true_reduction, attainable(), change));
    report.memory_bytes = make.on.peak();
  });
  return solved<B, High>(on, system, std::move(report), solution);
}

/// Inner solvers on the backend of the outer one.
template <Backend B>
struct MakeInner {
  using Inner = B;

  const B& on;

  template <Number Low>
  std::unique_ptr<InnerSolver<B, Low>> operator()(const Stages& stages) const {
    return make_inner<B, Low>(on, stages, 0);
  }
  template <Number High, Number Low>
  IterativeRefinement<B, High, Low> refine(const B&, const Operator<High>& A, const Field<High>& b,
                                           const Field<High>& x, InnerSolver<B, Low>& inner,
                                           RefinementScaling scaling, int exponent,
                                           double change) const {
    return {on, A, b, x, inner, scaling, exponent, change};
  }
};

template <Backend B, Number High>
Solved solve_mixed_in(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                      const SolverOptions& options) {
  return solve_mixed<B, High>(on, problem, grids, options, MakeInner<B>{on});
}

}  // namespace ninefold
