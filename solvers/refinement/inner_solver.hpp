#pragma once
// Solvers for corrections: A c = r in one format on one backend, as well as is asked for, from c =
// 0.
//
// Mathematics.  Any solver of the project can be one; which it is, is known at run time only, so
// that what couples it with an outer one (solvers/refinement/correction.hpp) depends on the two
// formats and on nothing else.
//
// Recording.  A solver that always takes the same number of multigrid cycles does the same work
// every time: it can be recorded together with the outer solver's part of a step.  One that stops
// by its residual records its own pieces, and the host looks at a number between them.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.2.
// Tests.      tests/solvers/refinement/refinement_test.cpp

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/backend/graph.hpp"
#include "gpu/operations/measure_operations.hpp"

#include "solvers/krylov/cg_solver.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/options.hpp"
#include "solvers/system/residual_norm.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// What is asked of one solve, beside what the solver was built for.
struct InnerDemand {
  bool full_multigrid = false;  ///< begin with a full multigrid cycle
  double enough = 0;            ///< end when the residual has fallen to this part of |r|
};

template <Backend B, Number T>
class InnerSolver {
 public:
  InnerSolver() = default;
  InnerSolver(const InnerSolver&) = delete;
  InnerSolver& operator=(const InnerSolver&) = delete;
  virtual ~InnerSolver() = default;

  /// r, to be written at the unknowns before each solve.  Always the same memory.
  virtual Field<T> right_hand_side() const = 0;
  /// c, zero at Dirichlet nodes.  Always the same memory.
  virtual Field<const T> correction() const = 0;

  /// True if solve() may be recorded: it neither waits nor reads, and `enough` means nothing to it.
  virtual bool is_recordable() const = 0;
  /// Returns the iterations of the last stage.
  virtual int solve(const InnerDemand& demand) = 0;

  /// True if the solver remembers something in the units of r: these change only where they must,
  /// and rescaled() says by which factor r has become larger.
  virtual bool remembers() const { return false; }
  virtual void rescaled([[maybe_unused]] double factor) {}
  /// Forgets what it remembers: another right-hand side follows.
  virtual void begin_anew() {}

  /// What it is made of, if that is multigrid, its right-hand side and correction being the finest
  /// level's; or nothing.
  virtual Multigrid<B, T>* multigrid() { return nullptr; }
  /// The same, if a solve of which nothing is demanded is its cycle_from_zero() and no more.
  virtual Multigrid<B, T>* single_cycle() { return nullptr; }
};

/// The part of |r| at which a solve that gains digits ends; 0 if it counts iterations only.
inline double inner_tolerance(const InnerStop& stop, const InnerDemand& demand) {
  const double tolerance = stop.digits ? std::pow(10.0, -*stop.digits) : 0.0;
  return std::max(tolerance, demand.enough);
}

/// Multigrid cycles.
template <Backend B, Number T>
class MultigridInner final : public InnerSolver<B, T> {
 public:
  MultigridInner(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
                 const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
                 const SolverOptions& options, const Smoothing& smoothing, const InnerStop& stop,
                 OperatorStorage storage = OperatorStorage::stored)
      : on_(on),
        multigrid_(on, grids, boundary, coefficients, form, smoothing, storage),
        stop_(stop),
        limit_(stop.iterations.value_or(options.max_iterations)),
        looks_(stop.digits.has_value() || options.refinement.stop_at_tolerance),
        square_(on, 1) {
    if (!looks_) return;
    size_of_b_.emplace(on_, [this] {
      dot<B, T>(on_, A().unknowns, multigrid_.b(), multigrid_.b(), square_.data());
    });
    first_.emplace(on_, [this] { first_cycle({}); });
    if (options.start == Start::full_multigrid) {
      full_.emplace(on_, [this] { first_cycle({.full_multigrid = true}); });
    }
    next_.emplace(on_, [this] {
      multigrid_.cycle();
      look();
    });
  }

  Field<T> right_hand_side() const override { return multigrid_.b(); }
  Field<const T> correction() const override { return multigrid_.x(); }
  bool is_recordable() const override { return !looks_; }
  Multigrid<B, T>* multigrid() override { return &multigrid_; }
  Multigrid<B, T>* single_cycle() override {
    return !looks_ && limit_ == 1 ? &multigrid_ : nullptr;
  }

  int solve(const InnerDemand& demand) override {
    if (!looks_) {
      first_cycle(demand);
      for (int k = 1; k < limit_; ++k) multigrid_.cycle();
      return limit_;
    }
    size_of_b_->replay();
    const double r0 = norm();
    if (r0 == 0) set_zero(on_, multigrid_.x());  // the last solve's correction is there
    const double tolerance = inner_tolerance(stop_, demand);
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, A(), multigrid_.b(), multigrid_.x(), square_.data(),
                                        r0);
    };
    ResidualMonitor monitor(limit_, multigrid_patience);
    std::optional<Outcome> outcome = monitor.next(1.0, r0 == 0, attainable);
    for (const Recording<B>* step = demand.full_multigrid ? &*full_ : &*first_; !outcome;
         step = &*next_) {
      step->replay();
      const double reduction = norm() / r0;
      outcome = monitor.next(reduction, reduction <= tolerance, attainable);
    }
    return monitor.iterations();
  }

 private:
  const Operator<T>& A() const { return multigrid_.A(); }

  void first_cycle(const InnerDemand& demand) {
    if (demand.full_multigrid) {
      set_zero(on_, multigrid_.x());
      multigrid_.full_cycle();
    } else {
      multigrid_.cycle_from_zero();
    }
    if (looks_) look();
  }

  void look() { residual_square<B, T>(on_, A(), multigrid_.b(), multigrid_.x(), square_.data()); }
  double norm() const { return std::sqrt(static_cast<double>(read_value(on_, square_.data()))); }

  B on_;
  Multigrid<B, T> multigrid_;
  InnerStop stop_;
  int limit_;
  bool looks_;
  Array<B, Arithmetic<T>> square_;
  std::optional<Recording<B>> size_of_b_, first_, full_, next_;
};

/// Conjugate gradients, plain or preconditioned.
template <Backend B, Number T>
class CgInner final : public InnerSolver<B, T> {
 public:
  CgInner(const B& on, const std::vector<TensorGrid>& grids, const Boundary& boundary,
          const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
          const SolverOptions& options, const Smoothing& smoothing, const InnerStop& stop,
          OperatorStorage storage)
      : on_(on),
        stop_(stop),
        limit_(stop.iterations.value_or(options.max_iterations)),
        square_(on, 1),
        cg_(on, grids, boundary, coefficients, form, options, smoothing, storage) {}

  Field<T> right_hand_side() const override { return cg_.b(); }
  Field<const T> correction() const override { return cg_.x(); }
  bool is_recordable() const override { return false; }

  int solve(const InnerDemand& demand) override {
    set_zero(on_, cg_.x());
    std::optional<double> r0;
    if (demand.full_multigrid) {
      // The preconditioner's own vectors hold the residual and the start.
      Multigrid<B, T>& multigrid = cg_.multigrid();
      dot<B, T>(on_, cg_.A().unknowns, cg_.b(), cg_.b(), square_.data());
      r0 = std::sqrt(static_cast<double>(read_value(on_, square_.data())));
      copy(on_, cg_.b(), multigrid.b());
      set_zero(on_, multigrid.x());
      multigrid.full_cycle();
      copy(on_, multigrid.x(), cg_.x());
    }
    return cg_.with_cg([&](auto& cg) { return run(cg, r0, demand); });
  }

 private:
  template <class Solver>
  int run(Solver& cg, std::optional<double> r0, const InnerDemand& demand) {
    const double at_start = cg.start();
    if (at_start == 0) return 0;
    const double scale = r0.value_or(at_start);
    const auto attainable = [&] {
      return attainable_reduction<B, T>(on_, cg_.A(), cg_.b(), cg_.x(), square_.data(), scale);
    };
    ResidualMonitor monitor(limit_, cg_patience);
    // How it ended is for the outer solver to see, by what it has gained.
    (void)cg.run(inner_tolerance(stop_, demand), limit_, r0, monitor, attainable);
    return monitor.iterations();
  }

  B on_;
  InnerStop stop_;
  int limit_;
  Array<B, Arithmetic<T>> square_;
  CgSolver<B, T> cg_;
};

}  // namespace ninefold
