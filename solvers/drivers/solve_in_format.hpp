#pragma once
// A solve in one number format on one backend; compiled by solvers/drivers/compiled.hpp.
//
// A solver is made whole before it has data: made on a Host that only counts, it tells its memory.

#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "precision/precision.hpp"

#include "gpu/backend/backend.hpp"
#include "gpu/backend/graph.hpp"

#include "solvers/drivers/cg_solve.hpp"
#include "solvers/drivers/direct_solve.hpp"
#include "solvers/drivers/standing_solve.hpp"
#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/change_verdict.hpp"
#include "solvers/judgement/change_watch.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/judgement/remarks.hpp"
#include "solvers/judgement/tolerance_check.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/solve.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// Multigrid cycles, with all that they hold.
template <Backend B, Number T>
class MultigridSolve final : public StandingIn<B, T> {
  using Base = StandingIn<B, T>;

 public:
  MultigridSolve(const B& on, System<Assembly<T>> system)
      : Base(on, std::move(system)),
        multigrid_(on, system_.prepared.grids, system_.problem().boundary, system_.coefficients,
                   system_.prepared.form(), system_.prepared.smoothing,
                   storage_of(system_.options())) {
    Base::hold_data();
    if (system_.prepared.watches_changes) {
      watch_.emplace(on, accuracy(), A().unknowns, A().nx, A().ny);
    }
  }

 protected:
  const Operator<T>& A() const override { return multigrid_.A(); }
  Field<T> b() const override { return multigrid_.b(); }
  Field<T> x() const override { return multigrid_.x(); }

  Report run(const typename Base::Beginning& beginning) override {
    const SolverOptions& options = system_.options();
    const double r0 = beginning.r0;
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A(), b(), x(), square_.data(), r0);
    };
    record();
    Base::prepare_judgement();
    on_.wait();

    Report report;
    Base::set_up(report);
    const Work work_before = on_.work();
    const auto solve_began = Clock::now();
    ResidualMonitor monitor(options.max_iterations, multigrid_patience);
    ChangeVerdict<B, T> verdict(watch_, x(), options);
    KnownBound<B, T> bound(accuracy(), A(), b(), x());
    report.outcome = iterate(beginning, monitor, bound, verdict, attainable);
    Base::iterated(report, solve_began);
    report.work = on_.work() - work_before;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    finish<B, T>(on_, system_, report, evidence(report, bound, verdict, attainable));
    return report;
  }

 private:
  using Base::accuracy;
  using Base::on_;
  using Base::square_;
  using Base::system_;

  void record() {
    if (step_) return;
    step_.emplace(on_, [this] {
      multigrid_.cycle();
      look();
    });
    if (system_.options().start == Start::full_multigrid) {
      first_.emplace(on_, [this] {
        multigrid_.full_cycle();
        look();
      });
    }
  }

  void look() {
    residual_square<B, T>(on_, multigrid_.A(), multigrid_.b(), multigrid_.x(), square_.data());
  }

  /// Replays steps, each with a look, until the monitor or the verdict ends it.
  template <class Attainable>
  Outcome iterate(const typename Base::Beginning& beginning, ResidualMonitor& monitor,
                  KnownBound<B, T>& bound, ChangeVerdict<B, T>& verdict,
                  const Attainable& attainable) {
    const SolverOptions& options = system_.options();
    const auto replay = [&](const Recording<B>& step) {
      step.replay();
      bound.forget();
      return std::sqrt(static_cast<double>(read_value(on_, square_.data()))) / beginning.r0;
    };
    ToleranceCheck<B, T> check(options, bound);
    const Recording<B>& next = *step_;
    const Recording<B>& first = beginning.from_zero && first_ ? *first_ : next;
    std::optional<Outcome> outcome =
        monitor.next(beginning.reduction, check.is_met(beginning.reduction), attainable);
    while (!outcome) {
      const double before = monitor.history().back();
      verdict.before_step();
      const double reduction = replay(monitor.iterations() == 0 ? first : next);
      outcome = monitor.next(reduction, check.is_met(reduction), attainable);
      if (!outcome && check.is_out_of_reach()) outcome = Outcome::stagnated;
      const bool may_go_on = monitor.iterations() + confirming_steps < options.max_iterations;
      verdict.after_step(
          before, reduction, may_go_on, [&] { monitor.append(replay(next)); }, outcome);
    }
    return *outcome;
  }

  /// Of the x that is there; b and the former x may then be used up.
  template <class Attainable>
  Evidence evidence(const Report& report, KnownBound<B, T>& bound,
                    const ChangeVerdict<B, T>& verdict, const Attainable& attainable) {
    const Operator<T>& A = multigrid_.A();
    const Field<const T> b = multigrid_.b(), x = multigrid_.x();
    const double reduction = report.residual_reduction;
    Change change{verdict.change(), {}};
    if (!change.size) {
      change = find_small_change<B, T>(on_, system_, accuracy(), b, x, bound, report, reduction);
    }
    Evidence found = gather(accuracy(), A, b, x, bound, reduction, attainable(), change);
    if (verdict.change() && found.rounding) {
      const double unit = accuracy().unit_of_changes(x);
      watch_->begin(x);  // b and x of the multigrid may be used up
      Base::b_is_used_up();
      found.rounding = unit
                       * confirmed_rounding(on_, accuracy(), multigrid_, b, watch_->start(),
                                            *found.rounding / unit);
      copy(on_, watch_->start(), multigrid_.x());
    }
    return found;
  }

  Multigrid<B, T> multigrid_;
  std::optional<ChangeWatch<B, T>> watch_;
  std::optional<Recording<B>> step_, first_;  ///< from any x; from zero, if that is another one
};

/// The solver of the method.
template <Backend B, Number T>
std::unique_ptr<StandingSolve> make_solver(const B& on, System<Assembly<T>> system) {
  if (system.options().method == Method::cg) {
    return std::make_unique<CgSolve<B, T>>(on, std::move(system));
  }
  if (is_direct(system.options())) {
    if constexpr (is_direct_format<T>) {
      return std::make_unique<DirectSolve<B, T>>(on, std::move(system));
    } else {
      throw std::logic_error("validate() has let a format pass that no direct solver has");
    }
  }
  return std::make_unique<MultigridSolve<B, T>>(on, std::move(system));
}

template <Backend B, Number T>
std::unique_ptr<StandingSolve> solver_in_format(const B& on, const PreparedSolve& prepared) {
  return make_solver<B, T>(on, assemble<Assembly<T>>(prepared));
}

/// Makes all that the same holds.
template <Number T>
void hold_in_format(const Host& on, const PreparedSolve& prepared) {
  using W = Assembly<T>;
  const auto solver = make_solver<Host, T>(on, without_data<W>(prepared));
  hold_judge<Host, T>(on, without_data<W>(prepared));
}

}  // namespace ninefold
