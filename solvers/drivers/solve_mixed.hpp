#pragma once
// A solve in mixed precision; compiled by solvers/drivers/compiled.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "solvers/drivers/discretisation_aim.hpp"
#include "solvers/drivers/outer_solvers.hpp"
#include "solvers/drivers/solve_in_format.hpp"
#include "solvers/drivers/solve_on.hpp"
#include "solvers/drivers/stages.hpp"
#include "solvers/drivers/standing_solve.hpp"
#include "solvers/estimate/error_equations.hpp"
#include "solvers/estimate/level_solution.hpp"
#include "solvers/refinement/correction.hpp"
#include "solvers/refinement/steps_needed.hpp"
#include "solvers/system/masses_on_backend.hpp"

namespace ninefold {

/// The iterations of the last stage that the steps of a solve may take in all.
inline std::int64_t most_inner_iterations(const SolverOptions& options) {
  const bool counted =
      inner_stop(options, options.refinement.inner.size() - 1).iterations.has_value();
  return counted ? std::numeric_limits<std::int64_t>::max()
                 : inner_iterations_factor * std::int64_t{options.max_iterations};
}

/// The corrections of a solve, where they are made, and what that costs.
template <Backend B, Number High>
struct Corrections {
  std::function<std::unique_ptr<Correction<B, High>>(const Stages&)> make;
  std::function<Work()> work;         ///< of all backends in it, so far
  std::function<std::size_t()> peak;  ///< the most bytes held where they are made
};

/// The system that is refined.
template <Backend B, Number High>
struct OuterSystem {
  OuterSystem(const B& on, const System<Assembly<High>>& system)
      : matrix(on, system.finest(), system.unknowns(), system.coefficients, system.prepared.form(),
               storage_of(system.options())),
        b_storage(on, system.finest().nx(), system.finest().ny()),
        x_storage(on, system.finest().nx(), system.finest().ny()) {}

  const Operator<High>& A() const { return matrix.view(); }
  Field<High> b() const { return b_storage.view(); }
  Field<High> x() const { return x_storage.view(); }

  Matrix<B, High> matrix;
  NodeVector<B, High> b_storage, x_storage;
};

/// The binary exponent of a norm, as each stage would have it whose own scaling of the load this
/// is.
inline std::vector<int> stage_exponents(double norm, const Scaling& scaling,
                                        const std::vector<int>& stage_loads) {
  std::vector<int> exponents;
  for (const int load : stage_loads) {
    exponents.push_back(nearest_exponent(norm) + scaling.load - load);
  }
  return exponents;
}

/// Refinement, of whatever variant, with all that it holds.
template <Backend B, Number High>
class MixedSolve final : public StandingIn<B, High> {
  using Base = StandingIn<B, High>;
  using W = Assembly<High>;

 public:
  MixedSolve(const B& on, System<W> system, Corrections<B, High> corrections)
      : Base(on, std::move(system)), outer_(on, system_), corrections_(std::move(corrections)) {
    Base::hold_data();
  }

  /// Makes what corrects, once there is a load, whose exponents in the formats of all stages these
  /// are.
  void make_solver(std::vector<int> exponents) {
    const PreparedSolve& prepared = system_.prepared;
    const SolverOptions& options = prepared.options;
    const Stages stages{prepared, system_.scaling, exponents};
    exponents_ = std::move(exponents);
    release_solver();
    if (options.refinement.variant == RefinementVariant::flexible_cg) {
      auto solver = std::make_unique<FlexibleSolver<B, High>>(
          on_, A(), b(), x(), options.max_iterations, [&] { return corrections_.make(stages); });
      correction_ = &solver->correction();
      solver_ = std::move(solver);
      return;
    }
    if (prepared.watches_changes && !watch_) {
      watch_.emplace(on_, accuracy(), A().unknowns, A().nx, A().ny);
    }
    owned_ = corrections_.make(stages);
    correction_ = owned_.get();
    if (options.to_discretisation) correction_->keep();
    if (options.method == Method::full_multigrid) {
      solver_ = std::make_unique<NestedSolver<B, High>>(on_, prepared, system_.coefficients,
                                                        LevelSystem<High>{A(), b(), x()},
                                                        Base::right_hand(), *correction_);
    } else {
      solver_ = std::make_unique<RefiningSolver<B, High>>(on_, A(), b(), x(), *correction_);
    }
  }

  SolverErrors errors_of(const ErrorEquations& equations) override {
    if constexpr (is_mixed_pair<B, High, double>) {
      const auto* const all = dynamic_cast<const ErrorEquationsOn<B>*>(&equations);
      require(all != nullptr, "equations that lie on another backend");
      scaled_for_ = system_.size;
      SolverErrors errors;
      if (all->left) {
        set_zero(on_, b());
        add_to_b(*all->left, 1);
        errors.left = error_of_b(*all, true);
        set_zero(on_, b());
        add_to_b(*all->left, 1);
        add_to_b(all->algebraic, -1);
        errors.rounding = error_of_b(*all, true);
      }
      set_zero(on_, b());
      add_to_b(all->algebraic, 1);
      errors.algebraic = error_of_b(*all, false);
      if (!all->left) errors.left = errors.algebraic;
      if (!errors.algebraic || !errors.left || (all->left && !errors.rounding)) {
        errors.remark = "multigrid does not solve for the errors";
      }
      return errors;
    } else {
      return Base::errors_of(equations);
    }
  }

  /// What corrects takes no memory from here on.
  void release_solver() {
    solver_.reset();  // before the correction that it uses
    correction_ = nullptr;
    owned_.reset();
  }

 protected:
  const Operator<High>& A() const override { return outer_.A(); }
  Field<High> b() const override { return outer_.b(); }
  Field<High> x() const override { return outer_.x(); }
  std::size_t peak() const override { return corrections_.peak(); }

  void scaled_for(const LoadSize& load) override { scaled_for_ = load; }

  Report run(const typename Base::Beginning& beginning) override {
    const SolverOptions& options = system_.options();
    const double r0 = beginning.r0;
    const auto attainable = [&] {
      return attainable_reduction<B, High>(on_, A(), b(), x(), square_.data(), r0);
    };
    make_solver_for(beginning.scaled_norm);
    const std::size_t transferred_before = correction_->transferred_bytes();
    correction_->begin_anew();
    solver_->begin(beginning.from_zero, square_.data());
    Base::prepare_judgement();
    Report report;
    Base::set_up(report);
    const Work work_before = corrections_.work();
    ChangeVerdict<B, High> verdict(watch_, x(), options);
    KnownBound<B, High> bound(accuracy(), A(), b(), x());
    Change change;
    if (Base::aims()) {
      aim(beginning, attainable, report);
    } else {
      change.size = iterate(beginning, bound, attainable, verdict, report);
    }
    report.is_solved_by_vectors = solver_->solves_by_vectors(report.iterations);
    report.work = corrections_.work() - work_before;
    report.outer_work =
        std::max(0, report.iterations - solver_->first_steps()) * solver_->outer_work();
    report.transferred_bytes = correction_->transferred_bytes() - transferred_before;
    if (system_.prepared.judges_by_a_cycle) release_solver();  // its memory serves the judgement
    double true_reduction = report.history.back();
    if (options.refinement.variant == RefinementVariant::flexible_cg) {
      true_reduction = residual_norm<B, High>(on_, A(), b(), x(), square_.data()) / r0;
    }
    if (!change.size && !Base::aims()) {
      change = find_small_change<B, High>(on_, system_, accuracy(), b(), x(), bound, report,
                                          true_reduction);
    }
    Evidence evidence =
        gather<B, High>(accuracy(), A(), b(), x(), bound, true_reduction, attainable(), change);
    evidence.has_aimed = Base::aims();
    finish<B, High>(on_, system_, report, evidence);
    return report;
  }

 private:
  using Base::accuracy;
  using Base::on_;
  using Base::square_;
  using Base::system_;

  /// Full multigrid, then steps until what they leave is small beside the discretisation error.
  template <class Attainable>
  void aim(const typename Base::Beginning& beginning, const Attainable& attainable,
           Report& report) {
    const SolverOptions& options = system_.options();
    const MassesOnBackend<B> masses(on_, system_.finest());
    const auto levels = Base::compared_with(*Base::coarser());
    on_.wait();
    const auto began = Clock::now();
    DiscretisationAim aim(options.fraction);
    ResidualMonitor monitor(options.max_iterations, refinement_patience);
    ChangeTrend trend;
    bool falls = false;
    std::optional<Outcome> outcome = monitor.next(beginning.reduction, false, attainable);
    double norm = beginning.reduction * beginning.r0;
    while (!outcome) {
      const double before = norm, factor = aim.is_told() ? solver_->factor() : 0;
      const RefinementStep done = solver_->step(before, {});
      norm = done.norm;
      report.inner_history.push_back(done.inner_iterations);
      report.inner_iterations += done.inner_iterations;
      if (aim.is_told()) {
        correction_->mass_square(A().unknowns, masses.weights(), masses.sum());
        const double size = factor * std::sqrt(read_value(on_, masses.sum()));
        aim.corrected(std::ldexp(size, system_.scaling.solution()), norm / before);
        falls = trend.falls(size);
      } else if (solver_->solves_at_once()) {
        aim.solved();
      }
      if (!aim.is_told() || (aim.is_met() && !aim.is_sure())) {
        if (const auto told = levels.errors()) aim.told(told->l2);
      }
      outcome = monitor.next(norm / beginning.r0, aim.is_met(), attainable);
      if (outcome == Outcome::stagnated && falls) outcome.reset();  // of the residual alone
    }
    Base::iterated(report, began);
    report.outcome = *outcome;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
  }

  using Scaled = typename ErrorEquationsOn<B>::Scaled;

  void add_to_b(const Scaled& r, int sign) const {
    add_scaled<B, High>(on_, A().unknowns, r.values.view(), sign, r.exponent - system_.scaling.load,
                        b());
  }

  /// The l2 norm of the e of A e = b, together with what the solution has lost where that counts;
  /// nothing if multigrid does not solve for e.
  std::optional<double> error_of_b(const ErrorEquationsOn<B>& all, bool with_lost) {
    if (!solves_for_b()) return {};
    if (!with_lost || !all.lost) return size_of(x(), 0);
    const int ours = system_.scaling.solution();
    add_scaled<B, High>(on_, A().unknowns, all.lost->values.view(), 1, all.lost->exponent - ours,
                        x());
    return size_of(x(), std::ldexp(all.lost_at_sides, -ours));
  }

  /// x := the e of A e = b, as good as a few steps make it; false if they do not.
  bool solves_for_b() {
    constexpr double enough = 0.1;
    constexpr int most_steps = 10;
    Base::b_is_any_vector();
    // A part that no x reaches: rounding, of right-hand sides that leave a constant free.
    if (has_free_constant(system_.problem())) {
      remove_mean(on_, A().unknowns, b(), square_.data());
    }
    set_zero(on_, x());
    const double before = residual_norm<B, High>(on_, A(), b(), x(), square_.data());
    if (before == 0) return true;
    if (!std::isfinite(before)) return false;
    make_solver_for(before);
    correction_->begin_anew();
    solver_->begin(true, square_.data());
    double now = before;
    for (int k = 0; k < most_steps && !(now <= enough * before); ++k)
      now = solver_->step(now, {}).norm;
    return now <= enough * before;
  }

  /// The l2 norm, by lumped masses, of what v stands for, at Dirichlet nodes of what has this
  /// norm in the units of v; without a mean that is free.
  double size_of(const Field<const High>& v, double norm_at_sides) const {
    const TensorGrid& grid = system_.finest();
    const MassesOnBackend<B> masses(on_, grid);
    mass_square<B, High>(on_, A().unknowns, v, masses.weights(), masses.sum());
    double square = read_value(on_, masses.sum()) + norm_at_sides * norm_at_sides;
    if (has_free_constant(system_.problem())) {
      const auto mean = static_cast<double>(Base::data().mean_of(system_, v));
      square -= mean * mean * grid.x.from_start.back() * grid.y.from_start.back();
    }
    return std::ldexp(std::sqrt(std::max(0.0, square)), system_.scaling.solution());
  }

  /// The iteration common to all variants, and the report of it.  Returns the change by which it
  /// has ended, if it has.
  template <class Attainable>
  std::optional<double> iterate(const typename Base::Beginning& beginning,
                                KnownBound<B, High>& bound, const Attainable& attainable,
                                ChangeVerdict<B, High>& verdict, Report& report) {
    const SolverOptions& options = system_.options();
    const double r0 = beginning.r0;
    const auto began = Clock::now();
    ToleranceCheck<B, High> check(options, bound);
    ResidualMonitor monitor(options.max_iterations, refinement_patience);
    std::optional<Outcome> outcome =
        monitor.next(beginning.reduction, check.is_met(beginning.reduction), attainable);
    double norm = beginning.reduction * r0, before = norm, target = check.target();
    const std::int64_t most_inner = most_inner_iterations(options);
    const bool by_recursion = options.refinement.variant == RefinementVariant::flexible_cg;
    const auto take = [&](const RefinementStep& done) {
      before = norm;
      norm = done.norm;
      report.inner_history.push_back(done.inner_iterations);
      report.inner_iterations += done.inner_iterations;
      return norm / r0;
    };
    const auto run_step = [&] {
      InnerDemand demand;
      demand.full_multigrid = beginning.from_zero && options.start == Start::full_multigrid
                              && report.inner_history.empty();
      if (options.refinement.stop_at_tolerance) demand.enough = target * r0 / norm;
      const RefinementStep done = solver_->step(norm, demand);
      bound.forget();
      return take(done);
    };
    const bool in_norm = measures_error(options);
    // Several where as many are needed in any case, and nobody looks at each.
    const auto run_steps = [&] {
      const int most =
          std::min(solver_->most_steps(), options.max_iterations - monitor.iterations());
      const int count = in_norm || watch_ ? 1
                                          : steps_needed(norm / r0, options.tolerance,
                                                         correction_->storage().most_gain, most);
      if (count == 1) return run_step();
      const std::vector<RefinementStep> done = solver_->steps(count, norm);
      bound.forget();
      for (int k = 0; k + 1 < count; ++k) {
        const double reduction = take(done[static_cast<std::size_t>(k)]);
        if (outcome) {
          monitor.append(reduction);
        } else {
          outcome = monitor.next(reduction, false, attainable);
        }
      }
      return take(done.back());
    };
    while (!outcome) {
      verdict.before_step();
      const double reduction = run_steps(), before_last = before;
      if (outcome) {
        monitor.append(reduction);
        break;
      }
      const bool small = in_norm || reduction <= options.tolerance;
      if (small) target = 0.1 * reduction;  // if it goes on all the same
      outcome = monitor.next(reduction, check.is_met(reduction), attainable);
      if (in_norm) target = check.target();
      if (!outcome && check.is_out_of_reach()) outcome = Outcome::stagnated;
      // A recursive residual falls on where rounding holds the true one, until it leaves the range.
      if (!outcome && small && by_recursion && reduction < 0.1 * attainable()) {
        outcome = Outcome::stagnated;
      }
      const bool may_go_on = monitor.iterations() + confirming_steps < options.max_iterations;
      verdict.after_step(
          before_last / r0, reduction, may_go_on, [&] { monitor.append(run_step()); }, outcome);
      if (!outcome && report.inner_iterations >= most_inner) {
        outcome = norm > slow_reduction * before_last ? Outcome::stagnated : Outcome::step_limit;
      }
    }
    Base::iterated(report, began);
    report.outcome = *outcome;
    report.iterations = monitor.iterations();
    report.history = monitor.history();
    report.residual_reduction = report.history.back();
    return verdict.change();
  }

  /// The one that is there serves on: its exponents are powers of two, which matter in narrow
  /// formats alone.
  void make_solver_for(double norm) {
    const std::vector<Precision>& inner = system_.options().refinement.inner;
    std::vector<int> loads;  // of each stage, its own scaling of the load
    for (std::size_t stage = 0; stage < inner.size(); ++stage) {
      loads.push_back(scaling_of_stage<W>(system_.prepared, scaled_for_, stage).load);
    }
    std::vector<int> exponents = stage_exponents(norm, system_.scaling, loads);
    const bool is_wide = std::all_of(inner.begin(), inner.end(), [](Precision precision) {
      return facts(precision).max_exponent >= facts(Precision::single_).max_exponent;
    });
    if (solver_ && (is_wide || exponents == exponents_)) return;
    make_solver(std::move(exponents));
  }

  OuterSystem<B, High> outer_;
  Corrections<B, High> corrections_;
  std::optional<ChangeWatch<B, High>> watch_;
  LoadSize scaled_for_;
  std::vector<int> exponents_;  ///< that the solver is made for
  std::unique_ptr<Correction<B, High>> owned_;
  Correction<B, High>* correction_ = nullptr;  ///< that, or one that the solver owns
  std::unique_ptr<OuterSolver<Arithmetic<High>>> solver_;
};

template <Backend B, Number High>
std::unique_ptr<StandingSolve> mixed_solver_in(const B& on, const PreparedSolve& prepared) {
  return std::make_unique<MixedSolve<B, High>>(
      on, assemble<Assembly<High>>(prepared),
      Corrections<B, High>{
          [on](const Stages& stages) { return make_correction<B, High>(on, stages, 0); },
          [on] { return on.work(); }, [on] { return on.peak(); }});
}

/// Makes all that the same holds, or that of a split solve.
template <Number High>
void hold_mixed_in(const Host& on, const Host& inner, const PreparedSolve& prepared) {
  using W = Assembly<High>;
  MixedSolve<Host, High> solver(
      on, without_data<W>(prepared),
      {[inner](const Stages& all) { return make_correction<Host, High>(inner, all, 0); },
       [on] { return on.work(); }, [on] { return on.peak(); }});
  solver.make_solver(std::vector<int>(prepared.options.refinement.inner.size()));
  if (prepared.judges_by_a_cycle) solver.release_solver();
  hold_judge<Host, High>(on, without_data<W>(prepared));
}

}  // namespace ninefold
