#pragma once
// A solve in one number format on one backend; included by the files that compile it and by
// solvers/drivers/solve_mixed.hpp.

#include <cmath>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/precision.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/change_watch.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/judgement/remarks.hpp"
#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
Solved solve_by_multigrid(const B& on, System<Assembly<T>>& system) {
  const SolverOptions& options = system.options;
  Multigrid<B, T> multigrid(on, system.grids, system.problem.boundary, system.coefficients,
                            system.form, options.multigrid, storage_of(options));
  const Array<B, Arithmetic<T>> square(on, 1);
  const Accuracy<B, T> accuracy(on, system);
  const bool watches = watches_changes(options, system.problem, system.finest());
  upload(on, system.load, -system.scaling.load, multigrid.b());
  system.load = {};
  const Operator<T>& A = multigrid.A();
  const Field<const T> b = multigrid.b(), x = multigrid.x();
  std::optional<ChangeWatch<B, T>> watch;
  if (watches) watch.emplace(on, accuracy, A.unknowns, A.nx, A.ny);
  const double r0 = residual_norm<B, T>(on, A, b, x, square.data());
  if (r0 == 0 || accuracy.starts_at_the_end(A, b, x)) {
    return solved<B, T>(on, system, nothing_to_do(on, system, accuracy, A, b, x), x);
  }
  const auto attainable = [&] {
    return attainable_reduction<B, T>(on, A, b, x, square.data(), r0);
  };
  const auto look = [&] { residual_square<B, T>(on, A, b, x, square.data()); };
  const Recording<B> step(on, [&] {
    multigrid.cycle();
    look();
  });
  std::optional<Recording<B>> first;
  if (options.start == Start::full_multigrid) {
    first.emplace(on, [&] {
      multigrid.full_cycle();
      look();
    });
  }
  on.wait();

  Report report;
  report.setup_seconds = seconds_since(system.began);
  const Work work_before = on.work();
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, multigrid_patience);
  std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
  std::optional<double> change;
  ChangeTrend trend;
  bool slow = false;  // the residual tells no more: look at what a cycle changes
  const auto run = [&](const Recording<B>& steps) {
    steps.replay();
    return std::sqrt(static_cast<double>(read_value(on, square.data()))) / r0;
  };
  while (!outcome) {
    const double before = monitor.history().back();
    if (slow) watch->begin(x);
    const double reduction = run(first && monitor.iterations() == 0 ? *first : step);
    const bool met = reduction <= options.tolerance && accuracy.suffices(A, b, x);
    outcome = monitor.next(reduction, met, attainable);
    const bool may_go_on = monitor.iterations() + confirming_steps < options.max_iterations;
    if (slow && !met && may_go_on && (!outcome || *outcome == Outcome::stagnated)) {
      const double moved = watch->moved(x);
      const bool falls = trend.falls(moved);
      const bool small_change = is_small_change(moved, options.tolerance, outcome);
      change = confirm_change(
          moved, options.tolerance, outcome, [&] { monitor.append(run(step)); },
          [&] { return watch->moved(x); });
      if (change) {
        outcome = Outcome::converged;
      } else if (falls || (small_change && trend.may_try_again())) {
        outcome.reset();
      }
    }
    const bool unseen = watches && !slow && may_go_on && outcome == Outcome::stagnated;
    if (unseen) outcome.reset();  // not before a look at a change
    slow = watches
           && (unseen || reduction <= options.tolerance || reduction > slow_reduction * before);
  }
  report.solve_seconds = seconds_since(solve_began);
  report.work = on.work() - work_before;
  report.outcome = *outcome;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  if (!change) {
    change = find_small_change<B, T>(on, system, accuracy, A, b, x, report, report.history.back());
  }
  finish<B, T>(on, system, report,
               gather(accuracy, A, b, x, report.history.back(), attainable(), change));
  return solved<B, T>(on, system, std::move(report), x);
}

/// CG with z = M^-1 r by `precondition`, all vectors and the matrix being in place.  `improve`, if
/// it is not empty, is called with a scalar that it may use, to better the start in x.  `multigrid`
/// is there if that preconditions.
template <Backend B, Number T, class Precondition>
Solved run_cg(const B& on, System<Assembly<T>>& system, const Operator<T>& A,
              const Field<const T>& b, const CgVectors<T>& vectors, Precondition precondition,
              BetaForm beta_form, Multigrid<B, T>* multigrid = nullptr,
              const std::function<void(Arithmetic<T>*)>& improve = {}) {
  const SolverOptions& options = system.options;
  const Array<B, Arithmetic<T>> square(on, 1);
  const Accuracy<B, T> accuracy(on, system);
  const bool watches = watches_changes(options, system.problem, system.finest());
  const Field<const T> x = vectors.x;
  system.load = {};
  ConjugateGradients<B, T, Precondition> cg(
      on, A, b, vectors, std::move(precondition), beta_form,
      // An iteration with multigrid is long, and those recorded past the end are run in vain.
      beta_form == BetaForm::flexible ? 1 : cg_block);
  if (accuracy.starts_at_the_end(A, b, x)) {
    return solved<B, T>(on, system, nothing_to_do(on, system, accuracy, A, b, x), x);
  }
  std::optional<double> reference;
  if (improve) {
    reference = residual_norm<B, T>(on, A, b, x, square.data());
    if (*reference != 0) improve(square.data());
  }
  const double at_start = cg.start();
  const double r0 = reference.value_or(at_start);
  if (r0 == 0) return solved<B, T>(on, system, nothing_to_do(on, system, accuracy, A, b, x), x);
  const auto attainable = [&] {
    return attainable_reduction<B, T>(on, A, b, x, square.data(), r0);
  };
  Report report;
  report.setup_seconds = seconds_since(system.began);
  const Work work_before = on.work();
  const auto solve_began = Clock::now();
  ResidualMonitor monitor(options.max_iterations, cg_patience);
  report.outcome =
      cg.run(options.tolerance, options.max_iterations, reference, monitor, attainable);
  double true_reduction = residual_norm<B, T>(on, A, b, x, square.data()) / r0;
  std::optional<double> change;
  if (accuracy.is_used()) {
    const double enough = promise(options.tolerance);
    double bound = accuracy.bound(A, b, x), target = options.tolerance;
    const auto good = [&] {
      return bound <= enough && (!watches || true_reduction <= options.tolerance);
    };
    const auto confirm = [&](std::optional<Outcome> outcome) {
      (void)cg.start();  // the preconditioned residual is what multigrid would correct
      return confirm_cycles(accuracy, *multigrid, x, options.tolerance, outcome);
    };
    while (report.outcome == Outcome::converged && !good()) {
      if (watches) {
        change = confirm({});
        if (change) break;
      }
      // A new start from the true residual, as far down as the bound asks for.
      target = std::min(target, true_reduction) * std::clamp(0.3 * enough / bound, 1e-4, 0.3);
      (void)cg.start();
      report.outcome = cg.resume(target, options.max_iterations, r0, monitor, attainable);
      const double before = bound;
      true_reduction = residual_norm<B, T>(on, A, b, x, square.data()) / r0;
      bound = accuracy.bound(A, b, x);
      if (!(bound <= 0.5 * before)) break;
    }
    if (watches && !change && report.outcome == Outcome::converged && !good()) {
      change = confirm(Outcome::stagnated);
    }
    if (!change) {
      change = find_small_change<B, T>(on, system, accuracy, A, b, x, report, true_reduction);
    }
  }
  report.solve_seconds = seconds_since(solve_began);
  report.work = on.work() - work_before;
  report.iterations = monitor.iterations();
  report.history = monitor.history();
  report.residual_reduction = report.history.back();
  finish<B, T>(on, system, report, gather(accuracy, A, b, x, true_reduction, attainable(), change));
  return solved<B, T>(on, system, std::move(report), x);
}

template <Backend B, Number T>
Solved solve_by_cg(const B& on, System<Assembly<T>>& system) {
  const TensorGrid& grid = system.finest();
  const int nx = grid.nx(), ny = grid.ny();
  const Preconditioning preconditioning = system.options.preconditioner;
  const NodeVector<B, T> x(on, nx, ny), p(on, nx, ny), q(on, nx, ny), r(on, nx, ny);

  if (preconditioning == Preconditioning::multigrid) {
    Multigrid<B, T> multigrid(on, system.grids, system.problem.boundary, system.coefficients,
                              system.form, system.options.multigrid, storage_of(system.options));
    // r is the multigrid's right-hand side and z its solution; b takes the vector r.
    upload(on, system.load, -system.scaling.load, r.view());
    const CgVectors<T> vectors{x.view(), multigrid.b(), p.view(), q.view(), multigrid.x()};
    std::function<void(Arithmetic<T>*)> improve;
    if (system.options.start == Start::full_multigrid) {
      improve = [&](Arithmetic<T>* scalar) {
        residual(on, multigrid.A(), r.view(), x.view(), multigrid.b());
        set_zero(on, multigrid.x());
        multigrid.full_cycle();
        const Arithmetic<T> one(1);
        on.copy_in(scalar, &one, sizeof one);
        xpby(on, multigrid.A().unknowns, scalar, multigrid.x(), x.view());
      };
    }
    return run_cg<B, T>(
        on, system, multigrid.A(), r.view(), vectors, [&multigrid] { multigrid.cycle_from_zero(); },
        BetaForm::flexible, &multigrid, improve);
  }

  const Matrix<B, T> matrix(on, grid, unknown_nodes(grid, system.problem.boundary),
                            system.coefficients, system.form, storage_of(system.options));
  const NodeVector<B, T> b(on, nx, ny);
  upload(on, system.load, -system.scaling.load, b.view());
  const bool singular = has_free_constant(system.problem);
  const Array<B, Arithmetic<T>> mean =
      singular ? Array<B, Arithmetic<T>>(on, 1) : Array<B, Arithmetic<T>>();
  const auto project = [&] {
    if (singular) remove_mean(on, matrix.view().unknowns, r.view(), mean.data());
  };
  if (preconditioning == Preconditioning::jacobi) {
    const NodeVector<B, T> z(on, nx, ny);
    const CgVectors<T> vectors{x.view(), r.view(), p.view(), q.view(), z.view()};
    return run_cg<B, T>(
        on, system, matrix.view(), b.view(), vectors,
        [&] {
          project();
          jacobi_start(on, matrix.view(), r.view(), Leading<T>(1), z.view());
        },
        BetaForm::standard);
  }
  const CgVectors<T> vectors{x.view(), r.view(), p.view(), q.view(), r.view()};
  if (singular) {
    return run_cg<B, T>(on, system, matrix.view(), b.view(), vectors, project, BetaForm::standard);
  }
  return run_cg<B, T>(on, system, matrix.view(), b.view(), vectors, nullptr, BetaForm::standard);
}

template <Backend B, Number T>
Solved solve_in_format(const B& on, const Problem& problem, const std::vector<TensorGrid>& grids,
                       const SolverOptions& options) {
  System<Assembly<T>> system = assemble<Assembly<T>>(problem, grids, options);
  return options.method == Method::cg ? solve_by_cg<B, T>(on, system)
                                      : solve_by_multigrid<B, T>(on, system);
}

}  // namespace ninefold
