#pragma once
// A solve by conjugate gradients; included by solvers/drivers/solve_in_format.hpp.
//
// An iteration is a block of steps to a residual, then a look at what is true of x, and again from
// there on if that does not suffice.
//
// Tests.  tests/solvers/solve_test.cpp, tests/solvers/judgement/accuracy_test.cpp,
// tests/solvers/judgement/norm_test.cpp

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gpu/backend/backend.hpp"

#include "solvers/drivers/standing_solve.hpp"
#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/judgement/known_bound.hpp"
#include "solvers/judgement/tolerance_check.hpp"
#include "solvers/krylov/cg_solver.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// Conjugate gradients, plain or preconditioned, with all that they hold.
///
/// After a judgement by cycles the multigrid's b and x, which are r and z, hold theirs: a further
/// iteration takes cg.start() first.
template <Backend B, Number T>
class CgSolve final : public StandingIn<B, T> {
  using Base = StandingIn<B, T>;

 public:
  CgSolve(const B& on, System<Assembly<T>> system)
      : Base(on, std::move(system)),
        cg_(on, system_.prepared.grids, system_.problem().boundary, system_.coefficients,
            system_.prepared.form(), system_.options(), system_.prepared.smoothing,
            storage_of(system_.options()), has_free_constant(system_.problem())) {
    Base::hold_data();
  }

 protected:
  const Operator<T>& A() const override { return cg_.A(); }
  Field<T> b() const override { return cg_.b(); }
  Field<T> x() const override { return cg_.x(); }

  Report run(const typename Base::Beginning& beginning) override {
    return cg_.with_cg([&](auto& cg) { return run(cg, beginning); });
  }

 private:
  using Base::accuracy;
  using Base::on_;
  using Base::square_;
  using Base::system_;

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
  Report run(Cg& cg, const typename Base::Beginning& beginning) {
    const SolverOptions& options = system_.options();
    const Operator<T>& A = cg_.A();
    const Field<const T> b = cg_.b(), x = cg_.x();
    // CG's own norm of the first residual, where that is the load.
    std::optional<double> reference;
    if (!beginning.from_zero) reference = beginning.r0;
    if (beginning.from_zero && options.start == Start::full_multigrid) {
      reference = beginning.r0;
      improve();
    }
    const double at_start = cg.start();
    const double r0 = reference.value_or(at_start);
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A, b, x, square_.data(), r0);
    };
    Report report;
    Base::set_up(report);
    const Work work_before = on_.work();
    const auto solve_began = Clock::now();
    ResidualMonitor monitor(options.max_iterations, cg_patience);
    KnownBound<B, T> bound(accuracy(), A, b, x);
    const bool in_norm = measures_error(options);
    const double target =
        in_norm ? first_target(bound, at_start / r0, options.tolerance) : options.tolerance;
    report.outcome = cg.run(target, options.max_iterations, reference, monitor, attainable);
    Reached reached{residual_norm<B, T>(on_, A, b, x, square_.data()) / r0, 0};
    Change change;
    if (in_norm) {
      change.size = go_on_in_norm(cg, r0, target, monitor, attainable, report.outcome,
                                  reached.residual, bound);
    } else if (accuracy().is_used()) {
      reached.bound = accuracy().bound(A, b, x);
      change.size = go_on(cg, r0, monitor, attainable, report.outcome, reached);
    }
    Base::iterated(report, solve_began);
    report.work = on_.work() - work_before;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    bound.forget();
    change = change.size ? with_rounding(on_, accuracy(), cg_.multigrid(), b, x, change.size)
                         : find_small_change<B, T>(on_, system_, accuracy(), b, x, bound, report,
                                                   reached.residual);
    finish<B, T>(on_, system_, report,
                 gather(accuracy(), A, b, x, bound, reached.residual, attainable(), change));
    return report;
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
      return confirm_cycles(accuracy(), cg_.multigrid(), x, tolerance, ended);
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
      reached = {residual_norm<B, T>(on_, A, b, x, square_.data()) / r0, accuracy().bound(A, b, x)};
      if (!(reached.bound <= 0.5 * before)) break;
    }
    if (watches && outcome == Outcome::converged && !is_good()) return confirm(Outcome::stagnated);
    return {};
  }

  /// The residual to begin with: what the start's bound asks for, or, where that says nothing as
  /// the start is zero, the part of it that is asked of the error; no less than a roundoff of it,
  /// as recursive residuals fall on where true ones do not.
  static double first_target(KnownBound<B, T>& bound, double reduction, double tolerance) {
    constexpr double most = 0.3, late = 0.5;
    if (bound.suffices()) return 2 * reduction;
    const double excess = bound.value() / tolerance;
    const double asked = std::isfinite(excess) ? late / excess : tolerance;
    return reduction * std::clamp(asked, unit_roundoff<T>(), most);
  }

  /// Begins anew from the true residual until the bound, in one norm, meets the tolerance or falls
  /// no more: a look at it costs as much as an iteration, and the next is where the residual has
  /// fallen as far as the bound was above the tolerance.  Returns as go_on() does.
  template <class Cg, class Attainable>
  std::optional<double> go_on_in_norm(Cg& cg, double r0, double target, ResidualMonitor& monitor,
                                      const Attainable& attainable, Outcome& outcome,
                                      double& residual, KnownBound<B, T>& bound) {
    constexpr double least_fall = 1e-4, stays = 0.7;
    const SolverOptions& options = system_.options();
    const Operator<T>& A = cg_.A();
    const Field<const T> b = cg_.b(), x = cg_.x();
    BoundSchedule schedule(least_fall);
    bound.forget();
    while (outcome == Outcome::converged && !bound.suffices()) {
      const double before = bound.value(), residual_before = residual;
      if (bound.is_out_of_reach()) break;
      schedule.told(std::min(target, residual), before / options.tolerance);
      target = schedule.target();
      (void)cg.start();
      outcome = cg.resume(target, options.max_iterations, r0, monitor, attainable);
      residual = residual_norm<B, T>(on_, A, b, x, square_.data()) / r0;
      bound.forget();
      // The bound need not fall with every step.
      if (!(bound.value() <= stays * before) && !(residual <= stays * residual_before)) break;
    }
    if (!system_.prepared.watches_changes || outcome != Outcome::converged || bound.suffices()) {
      return {};
    }
    (void)cg.start();  // the preconditioned residual is what multigrid would correct
    return confirm_cycles(accuracy(), cg_.multigrid(), x, options.tolerance, Outcome::stagnated);
  }

  CgSolver<B, T> cg_;
};

}  // namespace ninefold
