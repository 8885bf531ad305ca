#pragma once
// A solve in one number format on one backend; compiled by solvers/drivers/compiled.hpp.
//
// A solver is made whole before it has data: made on a Host that only counts, it tells its memory.

#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "precision/precision.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"

#include "solvers/drivers/direct_solve.hpp"
#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/change_verdict.hpp"
#include "solvers/judgement/change_watch.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/judgement/remarks.hpp"
#include "solvers/krylov/cg_solver.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// Multigrid cycles, with all that they hold.
template <Backend B, Number T>
class MultigridSolve {
 public:
  /// `system` must outlive this.
  MultigridSolve(const B& on, System<Assembly<T>>& system)
      : on_(on),
        system_(system),
        multigrid_(on, system.prepared.grids, system.problem().boundary, system.coefficients,
                   system.prepared.form(), system.prepared.smoothing, storage_of(system.options())),
        square_(on, 1),
        data_(on, system.prepared),
        accuracy_(on, system, data_) {
    const Operator<T>& A = multigrid_.A();
    if (system.prepared.watches_changes) watch_.emplace(on, accuracy_, A.unknowns, A.nx, A.ny);
  }
  MultigridSolve(const MultigridSolve&) = delete;
  MultigridSolve& operator=(const MultigridSolve&) = delete;

  Solved run() {
    const SolverOptions& options = system_.options();
    data_.upload_load(system_, multigrid_.b());
    system_.load = {};
    const Operator<T>& A = multigrid_.A();
    const Field<const T> b = multigrid_.b(), x = multigrid_.x();
    const double r0 = residual_norm<B, T>(on_, A, b, x, square_.data());
    if (r0 == 0 || accuracy_.starts_at_the_end(A, b, x)) {
      return solved<B, T>(on_, system_, data_, nothing_to_do(on_, system_, accuracy_, A, b, x), x);
    }
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A, b, x, square_.data(), r0);
    };
    const Recording<B> step(on_, [this] {
      multigrid_.cycle();
      look();
    });
    std::optional<Recording<B>> first;
    if (options.start == Start::full_multigrid) {
      first.emplace(on_, [this] {
        multigrid_.full_cycle();
        look();
      });
    }
    accuracy_.prepare(A, b, x);
    on_.wait();

    Report report;
    report.setup_seconds = seconds_since(system_.began);
    const Work work_before = on_.work();
    const auto solve_began = Clock::now();
    ResidualMonitor monitor(options.max_iterations, multigrid_patience);
    ChangeVerdict<B, T> verdict(watch_, x, options.tolerance);
    report.outcome = iterate(first ? *first : step, step, r0, monitor, verdict, attainable);
    report.solve_seconds = seconds_since(solve_began);
    report.work = on_.work() - work_before;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    finish<B, T>(on_, system_, report, evidence(report, verdict, attainable));
    return solved<B, T>(on_, system_, data_, std::move(report), x);
  }

 private:
  void look() {
    residual_square<B, T>(on_, multigrid_.A(), multigrid_.b(), multigrid_.x(), square_.data());
  }

  /// Replays `first` and then `next`, each a step and a look, until the monitor or the verdict ends
  /// it.
  template <class Attainable>
  Outcome iterate(const Recording<B>& first, const Recording<B>& next, double r0,
                  ResidualMonitor& monitor, ChangeVerdict<B, T>& verdict,
                  const Attainable& attainable) {
    const SolverOptions& options = system_.options();
    const auto replay = [&](const Recording<B>& step) {
      step.replay();
      return std::sqrt(static_cast<double>(read_value(on_, square_.data()))) / r0;
    };
    std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
    while (!outcome) {
      const double before = monitor.history().back();
      verdict.before_step();
      const double reduction = replay(monitor.iterations() == 0 ? first : next);
      const bool met = reduction <= options.tolerance
                       && accuracy_.suffices(multigrid_.A(), multigrid_.b(), multigrid_.x());
      outcome = monitor.next(reduction, met, attainable);
      const bool may_go_on = monitor.iterations() + confirming_steps < options.max_iterations;
      verdict.after_step(
          before, reduction, may_go_on, [&] { monitor.append(replay(next)); }, outcome);
    }
    return *outcome;
  }

  /// Of the x that is there; b and the former x may then be used up.
  template <class Attainable>
  Evidence evidence(const Report& report, const ChangeVerdict<B, T>& verdict,
                    const Attainable& attainable) {
    const Operator<T>& A = multigrid_.A();
    const Field<const T> b = multigrid_.b(), x = multigrid_.x();
    const double reduction = report.residual_reduction;
    Change change{verdict.change(), {}};
    if (!change.size) {
      change = find_small_change<B, T>(on_, system_, accuracy_, A, b, x, report, reduction);
    }
    Evidence found = gather(accuracy_, A, b, x, reduction, attainable(), change);
    if (verdict.change() && found.rounding) {
      watch_->begin(x);  // the multigrid's x may be used up
      found.rounding =
          confirmed_rounding(on_, accuracy_, multigrid_, b, watch_->start(), *found.rounding);
      copy(on_, watch_->start(), multigrid_.x());
    }
    return found;
  }

  B on_;
  System<Assembly<T>>& system_;
  Multigrid<B, T> multigrid_;
  Array<B, Arithmetic<T>> square_;
  DataOnBackend<B, T> data_;
  Accuracy<B, T> accuracy_;
  std::optional<ChangeWatch<B, T>> watch_;
};

/// Conjugate gradients, plain or preconditioned, with all that they hold.
///
/// After a judgement by cycles the multigrid's b and x, which are r and z, hold theirs: a further
/// iteration takes cg.start() first.
template <Backend B, Number T>
class CgSolve {
 public:
  /// `system` must outlive this.
  CgSolve(const B& on, System<Assembly<T>>& system)
      : on_(on),
        system_(system),
        cg_(on, system.prepared.grids, system.problem().boundary, system.coefficients,
            system.prepared.form(), system.options(), system.prepared.smoothing,
            storage_of(system.options()), has_free_constant(system.problem())),
        square_(on, 1),
        data_(on, system.prepared),
        accuracy_(on, system, data_) {}
  CgSolve(const CgSolve&) = delete;
  CgSolve& operator=(const CgSolve&) = delete;

  Solved run() {
    data_.upload_load(system_, cg_.b());
    system_.load = {};
    return cg_.with_cg([this](auto& cg) { return run(cg); });
  }

 private:
  /// A better start, by full multigrid; uses the scalar.
  void improve() {
    Multigrid<B, T>& multigrid = cg_.multigrid();
    residual(on_, cg_.A(), cg_.b(), cg_.x(), multigrid.b());
    set_zero(on_, multigrid.x());
    multigrid.full_cycle();
    const Arithmetic<T> one(1);
    on_.copy_in(square_.data(), &one, sizeof one);
    xpby(on_, cg_.A().unknowns, square_.data(), multigrid.x(), cg_.x());
  }

  template <class Cg>
  Solved run(Cg& cg) {
    const SolverOptions& options = system_.options();
    const Accuracy<B, T>& accuracy = accuracy_;
    const Operator<T>& A = cg_.A();
    const Field<const T> b = cg_.b(), x = cg_.x();
    const auto norm = [&] { return residual_norm<B, T>(on_, A, b, x, square_.data()); };
    if (accuracy.starts_at_the_end(A, b, x)) {
      return solved<B, T>(on_, system_, data_, nothing_to_do(on_, system_, accuracy, A, b, x), x);
    }
    std::optional<double> reference;
    if (options.start == Start::full_multigrid) {
      reference = norm();
      if (*reference != 0) improve();
    }
    const double at_start = cg.start();
    const double r0 = reference.value_or(at_start);
    if (r0 == 0) {
      return solved<B, T>(on_, system_, data_, nothing_to_do(on_, system_, accuracy, A, b, x), x);
    }
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A, b, x, square_.data(), r0);
    };
    Report report;
    report.setup_seconds = seconds_since(system_.began);
    const Work work_before = on_.work();
    const auto solve_began = Clock::now();
    ResidualMonitor monitor(options.max_iterations, cg_patience);
    report.outcome =
        cg.run(options.tolerance, options.max_iterations, reference, monitor, attainable);
    Reached reached{norm() / r0, 0};
    Change change;
    if (accuracy.is_used()) {
      reached.bound = accuracy.bound(A, b, x);
      change.size = go_on(cg, r0, monitor, attainable, report.outcome, reached);
    }
    report.solve_seconds = seconds_since(solve_began);
    report.work = on_.work() - work_before;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    change = change.size ? with_rounding(on_, accuracy, cg_.multigrid(), b, x, change.size)
                         : find_small_change<B, T>(on_, system_, accuracy, A, b, x, report,
                                                   reached.residual);
    finish<B, T>(on_, system_, report,
                 gather(accuracy, A, b, x, reached.residual, attainable(), change));
    return solved<B, T>(on_, system_, data_, std::move(report), x);
  }

  /// Of the x that is there.
  struct Reached {
    double residual;  ///< |b - A x| / |r0|
    double bound;     ///< Accuracy::bound
  };

  /// Begins anew from the true residual until the bound is as `converged` promises, or falls no
  /// more.  Returns the change by which the multigrid that preconditions has found x good
  /// instead.
  template <class Cg, class Attainable>
  std::optional<double> go_on(Cg& cg, double r0, ResidualMonitor& monitor,
                              const Attainable& attainable, Outcome& outcome, Reached& reached) {
    const SolverOptions& options = system_.options();
    const bool watches = system_.prepared.watches_changes;
    const double tolerance = options.tolerance, enough = promise(tolerance);
    const Operator<T>& A = cg_.A();
    const Field<const T> b = cg_.b(), x = cg_.x();
    const auto is_good = [&] {
      return reached.bound <= enough && (!watches || reached.residual <= tolerance);
    };
    const auto confirm = [&](std::optional<Outcome> ended) {
      (void)cg.start();  // the preconditioned residual is what multigrid would correct
      return confirm_cycles(accuracy_, cg_.multigrid(), x, tolerance, ended);
    };
    double target = tolerance;
    while (outcome == Outcome::converged && !is_good()) {
      if (watches) {
        if (const auto change = confirm({})) return change;
      }
      // As far down as the bound asks for.
      target =
          std::min(target, reached.residual) * std::clamp(0.3 * enough / reached.bound, 1e-4, 0.3);
      (void)cg.start();
      outcome = cg.resume(target, options.max_iterations, r0, monitor, attainable);
      const double before = reached.bound;
      reached = {residual_norm<B, T>(on_, A, b, x, square_.data()) / r0, accuracy_.bound(A, b, x)};
      if (!(reached.bound <= 0.5 * before)) break;
    }
    if (watches && outcome == Outcome::converged && !is_good()) return confirm(Outcome::stagnated);
    return {};
  }

  B on_;
  System<Assembly<T>>& system_;
  CgSolver<B, T> cg_;
  Array<B, Arithmetic<T>> square_;
  DataOnBackend<B, T> data_;
  Accuracy<B, T> accuracy_;
};

/// use(solver), made for the method.
template <Backend B, Number T, class Use>
decltype(auto) with_solver(const B& on, System<Assembly<T>>& system, const Use& use) {
  if (system.options().method == Method::cg) {
    CgSolve<B, T> solver(on, system);
    return use(solver);
  }
  if (is_direct(system.options())) {
    if constexpr (is_direct_format<T>) {
      DirectSolve<B, T> solver(on, system);
      return use(solver);
    } else {
      throw std::logic_error("validate() has let a format pass that no direct solver has");
    }
  }
  MultigridSolve<B, T> solver(on, system);
  return use(solver);
}

template <Backend B, Number T>
Solved solve_in_format(const B& on, const PreparedSolve& prepared) {
  System<Assembly<T>> system = assemble<Assembly<T>>(prepared);
  return with_solver<B, T>(on, system, [](auto& solver) { return solver.run(); });
}

/// Makes all that the same holds.
template <Number T>
void hold_in_format(const Host& on, const PreparedSolve& prepared) {
  System<Assembly<T>> system = without_data<Assembly<T>>(prepared);
  with_solver<Host, T>(on, system, [&](const auto&) { hold_judge<Host, T>(on, system); });
}

}  // namespace ninefold
