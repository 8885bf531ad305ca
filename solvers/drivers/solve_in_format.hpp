#pragma once
// A solve in one number format on one backend; compiled by solvers/drivers/compiled.hpp.
//
// A solver is made whole before it has data: made on a Host that only counts, it tells its memory.

#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "precision/precision.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"

#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/change_verdict.hpp"
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

/// Multigrid cycles, with all that they hold.
template <Backend B, Number T>
class MultigridSolve {
 public:
  /// `system` must outlive this.
  MultigridSolve(const B& on, System<Assembly<T>>& system)
      : on_(on),
        system_(system),
        multigrid_(on, system.prepared.grids, system.problem().boundary, system.coefficients,
                   system.prepared.form(), system.options().multigrid, system.prepared.smoothing,
                   storage_of(system.options())),
        square_(on, 1),
        accuracy_(on, system) {
    const Operator<T>& A = multigrid_.A();
    if (system.prepared.watches_changes) watch_.emplace(on, accuracy_, A.unknowns, A.nx, A.ny);
  }
  MultigridSolve(const MultigridSolve&) = delete;
  MultigridSolve& operator=(const MultigridSolve&) = delete;

  Solved run() {
    const SolverOptions& options = system_.options();
    upload(on_, system_.load, -system_.scaling.load, multigrid_.b());
    system_.load = {};
    const Operator<T>& A = multigrid_.A();
    const Field<const T> b = multigrid_.b(), x = multigrid_.x();
    const double r0 = residual_norm<B, T>(on_, A, b, x, square_.data());
    if (r0 == 0 || accuracy_.starts_at_the_end(A, b, x)) {
      return solved<B, T>(on_, system_, nothing_to_do(on_, system_, accuracy_, A, b, x), x);
    }
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A, b, x, square_.data(), r0);
    };
    const auto look = [&] { residual_square<B, T>(on_, A, b, x, square_.data()); };
    const Recording<B> step(on_, [&] {
      multigrid_.cycle();
      look();
    });
    std::optional<Recording<B>> first;
    if (options.start == Start::full_multigrid) {
      first.emplace(on_, [&] {
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
    std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
    ChangeVerdict<B, T> verdict(watch_, x, options.tolerance);
    const auto replay = [&](const Recording<B>& steps) {
      steps.replay();
      return std::sqrt(static_cast<double>(read_value(on_, square_.data()))) / r0;
    };
    while (!outcome) {
      const double before = monitor.history().back();
      verdict.before_step();
      const double reduction = replay(first && monitor.iterations() == 0 ? *first : step);
      const bool met = reduction <= options.tolerance && accuracy_.suffices(A, b, x);
      outcome = monitor.next(reduction, met, attainable);
      const bool may_go_on = monitor.iterations() + confirming_steps < options.max_iterations;
      verdict.after_step(
          before, reduction, may_go_on, [&] { monitor.append(replay(step)); }, outcome);
    }
    report.solve_seconds = seconds_since(solve_began);
    report.work = on_.work() - work_before;
    report.outcome = *outcome;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    Change change{verdict.change(), {}};
    if (!change.size) {
      change =
          find_small_change<B, T>(on_, system_, accuracy_, A, b, x, report, report.history.back());
    }
    Evidence evidence = gather(accuracy_, A, b, x, report.history.back(), attainable(), change);
    if (verdict.change() && evidence.rounding) {
      watch_->begin(x);  // the multigrid's x may be used up
      evidence.rounding =
          confirmed_rounding(on_, accuracy_, multigrid_, b, watch_->start(), *evidence.rounding);
      copy(on_, watch_->start(), multigrid_.x());
    }
    finish<B, T>(on_, system_, report, evidence);
    return solved<B, T>(on_, system_, std::move(report), x);
  }

 private:
  B on_;
  System<Assembly<T>>& system_;
  Multigrid<B, T> multigrid_;
  Array<B, Arithmetic<T>> square_;
  Accuracy<B, T> accuracy_;
  std::optional<ChangeWatch<B, T>> watch_;
};

/// Conjugate gradients, plain or preconditioned, with all that they hold.
///
/// Vectors.  x, p, q are its own, and r unless multigrid preconditions: then the residual is the
/// multigrid's right-hand side, z its solution, and the load b lies in the vector that would be r.
/// After a judgement by cycles r and z hold theirs: a further iteration takes cg.start() first.
template <Backend B, Number T>
class CgSolve {
 public:
  /// `system` must outlive this.
  CgSolve(const B& on, System<Assembly<T>>& system) : on_(on), system_(system) {
    const PreparedSolve& prepared = system.prepared;
    const Preconditioning preconditioning = prepared.options.preconditioner;
    vectors_.x = vector(x_);
    vectors_.p = vector(p_);
    vectors_.q = vector(q_);
    const Field<T> r = vector(r_);
    if (preconditioning == Preconditioning::multigrid) {
      multigrid_.emplace(on, prepared.grids, prepared.problem.boundary, system.coefficients,
                         prepared.form(), prepared.options.multigrid, prepared.smoothing,
                         storage_of(prepared.options));
      // r is the multigrid's right-hand side and z its solution; b takes the vector r.
      b_ = r;
      vectors_.r = multigrid_->b();
      vectors_.z = multigrid_->x();
    } else {
      matrix_.emplace(on, prepared.finest(), system.unknowns(), system.coefficients,
                      prepared.form(), storage_of(prepared.options));
      b_ = vector(b_storage_);
      vectors_.r = vectors_.z = r;
      if (has_free_constant(prepared.problem)) mean_ = Array<B, Arithmetic<T>>(on, 1);
      if (preconditioning == Preconditioning::jacobi) vectors_.z = vector(z_);
    }
    square_ = Array<B, Arithmetic<T>>(on, 1);
    accuracy_.emplace(on, system);
    const BetaForm beta = multigrid_ ? BetaForm::flexible : BetaForm::standard;
    // An iteration with multigrid is long, and those recorded past the end are run in vain.
    const int block = multigrid_ ? 1 : cg_block;
    if (preconditioning == Preconditioning::none && mean_.size() == 0) {
      plain_.emplace(on, A(), b_, vectors_, nullptr, beta, block);
    } else {
      preconditioned_.emplace(
          on, A(), b_, vectors_, [this] { precondition(); }, beta, block);
    }
  }
  CgSolve(const CgSolve&) = delete;
  CgSolve& operator=(const CgSolve&) = delete;

  Solved run() {
    upload(on_, system_.load, -system_.scaling.load, b_);
    system_.load = {};
    return plain_ ? run(*plain_) : run(*preconditioned_);
  }

 private:
  using Preconditioned = ConjugateGradients<B, T, std::function<void()>>;

  Field<T> vector(NodeVector<B, T>& storage) const {
    storage = NodeVector<B, T>(on_, system_.finest().nx(), system_.finest().ny());
    return storage.view();
  }
  const Operator<T>& A() const { return matrix_ ? matrix_->view() : multigrid_->A(); }

  void precondition() {
    if (multigrid_) return multigrid_->cycle_from_zero();
    if (mean_.size() > 0) remove_mean(on_, A().unknowns, vectors_.r, mean_.data());
    if (vectors_.z.data != vectors_.r.data) {
      jacobi_start(on_, A(), vectors_.r, Leading<T>(1), vectors_.z);
    }
  }

  /// A better start, by full multigrid; uses the scalar.
  void improve() {
    residual(on_, A(), b_, vectors_.x, multigrid_->b());
    set_zero(on_, multigrid_->x());
    multigrid_->full_cycle();
    const Arithmetic<T> one(1);
    on_.copy_in(square_.data(), &one, sizeof one);
    xpby(on_, A().unknowns, square_.data(), multigrid_->x(), vectors_.x);
  }

  template <class Cg>
  Solved run(Cg& cg) {
    const SolverOptions& options = system_.options();
    const Accuracy<B, T>& accuracy = *accuracy_;
    const Operator<T>& A = this->A();
    const Field<const T> b = b_, x = vectors_.x;
    const auto norm = [&] { return residual_norm<B, T>(on_, A, b, x, square_.data()); };
    if (accuracy.starts_at_the_end(A, b, x)) {
      return solved<B, T>(on_, system_, nothing_to_do(on_, system_, accuracy, A, b, x), x);
    }
    std::optional<double> reference;
    if (options.start == Start::full_multigrid) {
      reference = norm();
      if (*reference != 0) improve();
    }
    const double at_start = cg.start();
    const double r0 = reference.value_or(at_start);
    if (r0 == 0) {
      return solved<B, T>(on_, system_, nothing_to_do(on_, system_, accuracy, A, b, x), x);
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
    change = change.size ? with_rounding(on_, accuracy, *multigrid_, b, x, change.size)
                         : find_small_change<B, T>(on_, system_, accuracy, A, b, x, report,
                                                   reached.residual);
    finish<B, T>(on_, system_, report,
                 gather(accuracy, A, b, x, reached.residual, attainable(), change));
    return solved<B, T>(on_, system_, std::move(report), x);
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
    const Field<const T> b = b_, x = vectors_.x;
    const auto is_good = [&] {
      return reached.bound <= enough && (!watches || reached.residual <= tolerance);
    };
    const auto confirm = [&](std::optional<Outcome> ended) {
      (void)cg.start();  // the preconditioned residual is what multigrid would correct
      return confirm_cycles(*accuracy_, *multigrid_, x, tolerance, ended);
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
      reached = {residual_norm<B, T>(on_, A(), b, x, square_.data()) / r0,
                 accuracy_->bound(A(), b, x)};
      if (!(reached.bound <= 0.5 * before)) break;
    }
    if (watches && outcome == Outcome::converged && !is_good()) return confirm(Outcome::stagnated);
    return {};
  }

  B on_;
  System<Assembly<T>>& system_;
  NodeVector<B, T> x_, p_, q_, r_, b_storage_, z_;
  Field<T> b_{};
  CgVectors<T> vectors_{};
  std::optional<Multigrid<B, T>> multigrid_;  ///< one of these two
  std::optional<Matrix<B, T>> matrix_;
  Array<B, Arithmetic<T>> mean_, square_;
  std::optional<Accuracy<B, T>> accuracy_;
  std::optional<ConjugateGradients<B, T, std::nullptr_t>> plain_;  ///< one of these two
  std::optional<Preconditioned> preconditioned_;
};

/// use(solver), made for the method.
template <Backend B, Number T, class Use>
decltype(auto) with_solver(const B& on, System<Assembly<T>>& system, const Use& use) {
  if (system.options().method == Method::cg) {
    CgSolve<B, T> solver(on, system);
    return use(solver);
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
