#pragma once
// A solve by fast diagonalisation, refined by itself; included by
// solvers/drivers/solve_in_format.hpp.
//
// A step is one application of the inverse, to the load first and then to residuals, until the
// tolerance is met or the residual stays: one to three in all, where eigenvectors are good.
//
// Tests.  tests/solvers/direct/direct_solve_test.cpp

#include <cmath>
#include <optional>
#include <utility>

#include "gpu/backend/graph.hpp"

#include "solvers/direct/fast_diagonalisation.hpp"
#include "solvers/drivers/standing_solve.hpp"
#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/judgement/tolerance_check.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
class DirectSolve final : public StandingIn<B, T> {
  using Base = StandingIn<B, T>;

 public:
  DirectSolve(const B& on, System<Assembly<T>> system)
      : Base(on, std::move(system)),
        matrix_(on, system_.finest(), system_.unknowns(), system_.coefficients,
                system_.prepared.form(), storage_of(system_.options())),
        b_(on, system_.finest().nx(), system_.finest().ny()),
        x_(on, system_.finest().nx(), system_.finest().ny()),
        r_(on, system_.finest().nx(), system_.finest().ny()),
        one_(on, 1) {
    Base::hold_data();
    inverse_.emplace(on, system_.finest(), system_.problem().boundary, system_.coefficients);
  }

 protected:
  const Operator<T>& A() const override { return matrix_.view(); }
  Field<T> b() const override { return b_.view(); }
  Field<T> x() const override { return x_.view(); }

  Report run(const typename Base::Beginning& beginning) override {
    const double r0 = beginning.r0;
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A(), b(), x(), square_.data(), r0);
    };
    record();
    if (is_spoiled_) {  // nodes without unknowns, too
      set_zero(on_, x_.view());
      set_zero(on_, r_.view());
    }
    Base::prepare_judgement();
    on_.wait();

    Report report;
    Base::set_up(report);
    const Work work_before = on_.work();
    const auto solve_began = Clock::now();
    ResidualMonitor monitor(system_.options().max_iterations, direct_patience);
    KnownBound<B, T> bound(accuracy(), A(), b(), x());
    report.outcome = iterate(beginning, monitor, bound, attainable);
    is_spoiled_ = report.outcome == Outcome::diverged;
    Base::iterated(report, solve_began);
    report.work = on_.work() - work_before;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    const double reduction = report.residual_reduction;
    const Change change =
        find_small_change<B, T>(on_, system_, accuracy(), b(), x(), bound, report, reduction);
    finish<B, T>(on_, system_, report,
                 gather<B, T>(accuracy(), A(), b(), x(), bound, reduction, attainable(), change));
    return report;
  }

 private:
  using Base::accuracy;
  using Base::on_;
  using Base::square_;
  using Base::system_;

  void record() {
    if (first_) return;
    const Arithmetic<T> one(1);
    on_.copy_in(one_.data(), &one, sizeof one);
    inverse_->prepare(r_.view());
    first_.emplace(on_, [this] {
      inverse_->apply(b_.view(), x_.view());
      look();
    });
    next_.emplace(on_, [this] {
      refine();
      look();
    });
  }

  void look() { residual_square<B, T>(on_, matrix_.view(), b_.view(), x_.view(), square_.data()); }
  /// x += A^-1 (b - A x)
  void refine() {
    residual(on_, matrix_.view(), b_.view(), x_.view(), r_.view());
    inverse_->apply(r_.view(), r_.view());
    xpby(on_, matrix_.view().unknowns, one_.data(), r_.view(), x_.view());
  }

  template <class Attainable>
  Outcome iterate(const typename Base::Beginning& beginning, ResidualMonitor& monitor,
                  KnownBound<B, T>& bound, const Attainable& attainable) {
    ToleranceCheck<B, T> check(system_.options(), bound);
    std::optional<Outcome> outcome =
        monitor.next(beginning.reduction, check.is_met(beginning.reduction), attainable);
    while (!outcome) {
      (monitor.iterations() == 0 ? *first_ : *next_).replay();
      bound.forget();
      const double reduction =
          std::sqrt(static_cast<double>(read_value(on_, square_.data()))) / beginning.r0;
      outcome = monitor.next(reduction, check.is_met(reduction), attainable);
      if (!outcome && check.is_out_of_reach()) outcome = Outcome::stagnated;
    }
    return *outcome;
  }

  Matrix<B, T> matrix_;
  NodeVector<B, T> b_, x_, r_;
  Array<B, Arithmetic<T>> one_;
  std::optional<FastDiagonalisation<B, T>> inverse_;
  std::optional<Recording<B>> first_, next_;
  bool is_spoiled_ = false;  ///< by numbers that are not finite
};

}  // namespace ninefold
