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
#include "solvers/judgement/accuracy.hpp"
#include "solvers/judgement/ending.hpp"
#include "solvers/system/assembled_system.hpp"
#include "solvers/system/data_on_backend.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
class DirectSolve {
 public:
  /// `system` must outlive this.
  DirectSolve(const B& on, System<Assembly<T>>& system)
      : on_(on),
        system_(system),
        matrix_(on, system.finest(), system.unknowns(), system.coefficients, system.prepared.form(),
                storage_of(system.options())),
        b_(on, system.finest().nx(), system.finest().ny()),
        x_(on, system.finest().nx(), system.finest().ny()),
        r_(on, system.finest().nx(), system.finest().ny()),
        square_(on, 1),
        one_(on, 1),
        data_(on, system.prepared),
        accuracy_(on, system, data_),
        inverse_(on, system.finest(), system.problem().boundary, system.coefficients) {}
  DirectSolve(const DirectSolve&) = delete;
  DirectSolve& operator=(const DirectSolve&) = delete;

  Solved run() {
    data_.upload_load(system_, b_.view());
    system_.load = {};
    const Operator<T>& A = matrix_.view();
    const Field<const T> b = b_.view(), x = x_.view();
    const double r0 = residual_norm<B, T>(on_, A, b, x, square_.data());
    if (r0 == 0 || accuracy_.starts_at_the_end(A, b, x)) {
      return solved<B, T>(on_, system_, data_, nothing_to_do(on_, system_, accuracy_, A, b, x), x);
    }
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A, b, x, square_.data(), r0);
    };
    const Arithmetic<T> one(1);
    on_.copy_in(one_.data(), &one, sizeof one);
    inverse_.prepare(r_.view());
    const Recording<B> first(on_, [this] {
      inverse_.apply(b_.view(), x_.view());
      look();
    });
    const Recording<B> next(on_, [this] {
      refine();
      look();
    });
    accuracy_.prepare(A, b, x);
    on_.wait();

    Report report;
    report.setup_seconds = seconds_since(system_.began);
    const Work work_before = on_.work();
    const auto solve_began = Clock::now();
    ResidualMonitor monitor(system_.options().max_iterations, direct_patience);
    report.outcome = iterate(first, next, r0, monitor, attainable);
    report.solve_seconds = seconds_since(solve_began);
    report.work = on_.work() - work_before;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    const double reduction = report.residual_reduction;
    const Change change =
        find_small_change<B, T>(on_, system_, accuracy_, A, b, x, report, reduction);
    finish<B, T>(on_, system_, report, gather(accuracy_, A, b, x, reduction, attainable(), change));
    return solved<B, T>(on_, system_, data_, std::move(report), x);
  }

 private:
  void look() { residual_square<B, T>(on_, matrix_.view(), b_.view(), x_.view(), square_.data()); }
  /// x += A^-1 (b - A x)
  void refine() {
    residual(on_, matrix_.view(), b_.view(), x_.view(), r_.view());
    inverse_.apply(r_.view(), r_.view());
    xpby(on_, matrix_.view().unknowns, one_.data(), r_.view(), x_.view());
  }

  template <class Attainable>
  Outcome iterate(const Recording<B>& first, const Recording<B>& next, double r0,
                  ResidualMonitor& monitor, const Attainable& attainable) {
    std::optional<Outcome> outcome = monitor.next(1.0, false, attainable);
    while (!outcome) {
      (monitor.iterations() == 0 ? first : next).replay();
      const double reduction = std::sqrt(static_cast<double>(read_value(on_, square_.data()))) / r0;
      const bool met = reduction <= system_.options().tolerance
                       && accuracy_.suffices(matrix_.view(), b_.view(), x_.view());
      outcome = monitor.next(reduction, met, attainable);
    }
    return *outcome;
  }

  B on_;
  System<Assembly<T>>& system_;
  Matrix<B, T> matrix_;
  NodeVector<B, T> b_, x_, r_;
  Array<B, Arithmetic<T>> square_, one_;
  DataOnBackend<B, T> data_;
  Accuracy<B, T> accuracy_;
  FastDiagonalisation<B, T> inverse_;
};

}  // namespace ninefold
