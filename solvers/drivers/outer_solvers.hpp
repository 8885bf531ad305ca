#pragma once
// Outer solvers of a solve in mixed precision, as its iteration (solvers/drivers/solve_mixed.hpp)
// sees them: refinement, the same with full multigrid as its first step, flexible conjugate
// gradients.
//
// Tests.  tests/solvers/refinement/, tests/solvers/drivers/

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "precision/require.hpp"

#include "fem/discrete/restricted_load.hpp"

#include "gpu/backend/graph.hpp"

#include "solvers/krylov/flexible_cg.hpp"
#include "solvers/prepared_solve.hpp"
#include "solvers/refinement/correction.hpp"
#include "solvers/refinement/nested_iteration.hpp"
#include "solvers/refinement/refinement.hpp"

namespace ninefold {

/// An outer solver in a format whose scalars are C, as the iteration sees it.
template <class C>
class OuterSolver {
 public:
  OuterSolver() = default;
  OuterSolver(const OuterSolver&) = delete;
  OuterSolver& operator=(const OuterSolver&) = delete;
  virtual ~OuterSolver() = default;

  /// Takes the b and x that are there, and |b - A x|^2; from zero, if x is that.
  virtual void begin(bool from_zero, const C* square) = 0;
  virtual RefinementStep step(double before, const InnerDemand& demand) = 0;
  /// How many steps may be asked for at once.
  virtual int most_steps() const { return 1; }
  /// So many steps of which nothing is demanded; waits for the last alone.
  virtual std::vector<RefinementStep> steps(int count, double before) {
    require(count == 1, "steps at once by a solver that makes one at a time");
    return {step(before, {})};
  }
  /// What the next step multiplies its correction by; waits for it.
  virtual double factor() const = 0;
  /// Of the outer part of a step.
  virtual Work outer_work() const = 0;
  /// Steps after begin() that have no outer part of that kind.
  virtual int first_steps() const { return 0; }
  /// True if the step from zero leaves an error of rounding alone.
  virtual bool solves_at_once() const { return false; }
  /// True if so many steps from begin() on are by eigenvectors alone.
  virtual bool solves_by_vectors(int) const { return false; }
};

/// Iterative refinement.
template <Backend B, Number High, class Matrix = Operator<High>>
class RefiningSolver final : public OuterSolver<Arithmetic<High>> {
  using C = Arithmetic<High>;

 public:
  RefiningSolver(const B& on, const Matrix& A, const Field<High>& b, const Field<High>& x,
                 Correction<B, High, Matrix>& correction)
      : on_(on), refinement_(on, A, b, x, correction) {}

  void begin(bool, const C* square) override {
    refinement_.begin(square);
    on_.wait();
  }
  RefinementStep step(double before, const InnerDemand& demand) override {
    return refinement_.step(before, demand);
  }
  double factor() const override { return refinement_.factor(); }
  Work outer_work() const override { return refinement_.outer_work(); }

 private:
  B on_;
  IterativeRefinement<B, High, Matrix> refinement_;
};

/// The same with full multigrid as the first step from zero.
template <Backend B, Number High>
class NestedSolver final : public OuterSolver<Arithmetic<High>> {
  using C = Arithmetic<High>;

 public:
  /// `load` is what b is whenever begin() is called; it must outlive this, too.
  NestedSolver(const B& on, const PreparedSolve& prepared,
               const Coefficients<Assembly<High>>& coefficients, const LevelSystem<High>& system,
               const ScaledLoad<Assembly<High>>& load, Correction<B, High>& correction)
      : on_(on),
        load_(load),
        is_held_(prepared.problem.boundary.any_dirichlet() || has_free_constant(prepared.problem)),
        refinement_(on, system.A, system.b, system.x, correction),
        nested_(on, prepared.grids, prepared.problem.boundary, coefficients,
                {prepared.form(), storage_of(prepared.options), correction.storage(),
                 prepared.options.multigrid.cycles_per_level},
                system, levels_of(correction)) {}

  void begin(bool from_zero, const C* square) override {
    if (from_zero) {
      // Before any work is given: other ranks may wait for what comes after that.
      if (nested_.take_load(load_) || !first_) record();
      nested_.scale();
      refinement_.take_norm(square);
    } else {
      refinement_.begin(square);
    }
    on_.wait();
    is_first_ = begins_nested_ = from_zero;
  }
  RefinementStep step(double before, const InnerDemand& demand) override {
    if (!is_first_) return refinement_.step(before, demand);
    is_first_ = false;
    first_->replay();
    return {refinement_.judge_begun(before), nested_.cycles()};
  }
  int most_steps() const override { return is_first_ ? 1 : refinement_.most_steps(); }
  std::vector<RefinementStep> steps(int count, double before) override {
    require(!is_first_, "steps at once before the nested iteration");
    return refinement_.steps(count, before);
  }
  double factor() const override { return refinement_.factor(); }
  Work outer_work() const override { return refinement_.outer_work(); }
  int first_steps() const override { return begins_nested_ ? 1 : 0; }
  bool solves_at_once() const override {
    return begins_nested_ && is_held_ && nested_.solves_at_once();
  }
  bool solves_by_vectors(int steps) const override {
    return nested_.solves_by_vectors(begins_nested_, steps);
  }

 private:
  static LevelCorrections<B, High>& levels_of(Correction<B, High>& correction) {
    LevelCorrections<B, High>* const levels = correction.on_levels();
    require(levels != nullptr, "full multigrid by corrections without levels");
    return *levels;
  }

  void record() {
    first_.reset();
    first_.emplace(on_, [this] {
      nested_.run();
      refinement_.begin_again();
    });
  }

  B on_;
  const ScaledLoad<Assembly<High>>& load_;
  bool is_held_;  ///< by a side, or freely: where a reaction alone does, it multiplies rounding
  IterativeRefinement<B, High> refinement_;
  NestedIteration<B, High> nested_;
  std::optional<Recording<B>> first_;
  bool is_first_ = false, begins_nested_ = false;
};

/// Flexible conjugate gradients, with vectors that suit the matrix.
template <Backend B, Number High, class Matrix = Operator<High>, class Vector = NodeVector<B, High>>
class FlexibleSolver final : public OuterSolver<Arithmetic<High>> {
  using C = Arithmetic<High>;

 public:
  /// `make` makes the correction, after the vectors.
  template <class Make>
  FlexibleSolver(const B& on, const Matrix& A, const Field<High>& b, const Field<High>& x,
                 int max_iterations, const Make& make)
      : max_iterations_(max_iterations),
        r_(on, A.nx, A.ny),
        p_(on, A.nx, A.ny),
        q_(on, A.nx, A.ny),
        correction_(make()),
        cg_(on, A, b, {x, r_.view(), p_.view(), q_.view(), r_.view()}, *correction_) {}

  void begin(bool, const C*) override { (void)cg_.start(max_iterations_); }
  RefinementStep step(double before, const InnerDemand& demand) override {
    return cg_.step(before, demand);
  }
  double factor() const override {
    throw std::logic_error("flexible conjugate gradients add no corrections as they are");
  }
  Work outer_work() const override { return cg_.outer_work(); }
  Correction<B, High, Matrix>& correction() const { return *correction_; }

 private:
  int max_iterations_;
  Vector r_, p_, q_;
  std::unique_ptr<Correction<B, High, Matrix>> correction_;
  FlexibleCg<B, High, Matrix> cg_;
};

}  // namespace ninefold
