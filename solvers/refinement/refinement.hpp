#pragma once
// Iterative refinement: residuals and the solution in High, corrections in Low.
//
// Mathematics.  One step, for the residual r = d (b - A x) that is stored in Low:
//
//     A c = r          roughly, in Low (InnerSolver)
//     x = x + c / d    in High
//     d = 2^e / |b - A x|, or the power of two next to it
//     r = d (b - A x)  computed in High, stored in Low, with |b - A x|
//
// The |b - A x| from which d follows is the one before the last correction: the new one is known
// only when r has been stored.  With powers of two this changes no bit, unless values leave Low's
// range; where a step has changed the norm by more than a quarter of that range, r is stored again
// (but for the steps of a stage that only counts them and is recorded as a whole, and for those of
// several at once that are not the last: most_steps() asks for a range that is wide enough).
//
// Cost.  Four or five kernels beside the inner solver, a sum being two or three: x + c / d moves
// two values of High and one of Low, r the same where A is computed in High, as it is by default
// (fem/matrix/computed_bands.hpp), and nine more where it is stored.  Where a device's cycle ends
// in steps that one pass does, x + c / d is a part of that, and c is neither stored nor read.
//
// Recording.  Where the inner solver can be recorded, a whole step is one recording.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.2.
// Tests.      tests/solvers/refinement/refinement_test.cpp

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/number.hpp"
#include "precision/require.hpp"

#include "gpu/backend/graph.hpp"

#include "solvers/refinement/correction.hpp"
#include "solvers/refinement/inner_solver.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number High, class Matrix = Operator<High>>
class IterativeRefinement {
 public:
  using C = Arithmetic<High>;

  /// The memory of `A`, `b`, `x`, and `correction`, must outlive this.
  IterativeRefinement(const B& on, const Matrix& A, const Field<const High>& b,
                      const Field<High>& x, Correction<B, High, Matrix>& correction)
      : on_(on),
        A_(A),
        b_(b),
        x_(x),
        correction_(correction),
        state_(on, 1),
        step_(
            on, correction, [this] { correct(); },
            [this] { return correction_.solve_and_correct(A_, b_, x_, state_.data()); }) {}
  IterativeRefinement(const IterativeRefinement&) = delete;
  IterativeRefinement& operator=(const IterativeRefinement&) = delete;

  /// For the x that is there: stores the residual; neither waits nor reads.
  void begin() {
    residual_square<B, High>(on_, A_, b_, x_, &state_.data()->square);
    begin(&state_.data()->square);
  }

  /// The same where |b - A x|^2 is known.
  void begin(const C* square) {
    take_norm(square);
    store_residual();
  }
  /// For an x that comes otherwise: the norm of the residual before it.
  void take_norm(const C* square) {
    begin_scales(on_, square, state_.data());
    scaled_at_.reset();
  }

  /// For an x that has come otherwise, after begin() or take_norm(): stores its residual as a step
  /// does.  May be recorded, as a part of what makes x; judge_begun() comes after it.
  void begin_again() { store_residual(); }
  /// The norm of that residual, `before` being the one before x; waits for it.
  double judge_begun(double before) {
    const double now = norm();
    if (correction_.storage().is_left_by(now / before)) store_again(now);
    scaled_at_.reset();
    return now;
  }

  /// |b - A x| of the last residual; waits for it.
  double norm() const {
    return std::sqrt(static_cast<double>(read_value(on_, &state_.data()->square)));
  }

  /// What the next step multiplies its c by; waits for it.
  double factor() const { return static_cast<double>(read_value(on_, &state_.data()->up)); }

  /// A step after begin() or a step, `before` being the norm before it.
  RefinementStep step(double before, const InnerDemand& demand) {
    RefinementStep done{0, step_.run(demand)};
    done.norm = norm();
    if (!correction_.remembers() || !scaled_at_) scaled_at_ = before;
    if (correction_.storage().is_left_by(done.norm / *scaled_at_)) store_again(done.norm);
    return done;
  }

  /// How many steps() there may be.
  int most_steps() const {
    // None is stored again meanwhile: no correction changes a norm by half as much.
    const bool has_range = correction_.storage().widest_change > 0x1p40;
    return !correction_.remembers() && step_.is_whole() && has_range
               ? 1 + RefinementState<C>::squares_before
               : 1;
  }
  /// So many of them, `before` being the norm before the first; waits for the last alone.
  std::vector<RefinementStep> steps(int count, double before) {
    require(count <= most_steps(), "more steps than have their norms kept");
    std::vector<RefinementStep> done(static_cast<std::size_t>(count));
    for (RefinementStep& step : done) step.inner_iterations = step_.run({});
    const RefinementState<C> state = read_value(on_, state_.data());
    const auto norm_of = [](const C& square) { return std::sqrt(static_cast<double>(square)); };
    for (int k = 0; k < count; ++k) {
      const int later = count - 1 - k;
      done[static_cast<std::size_t>(k)].norm =
          norm_of(later == 0 ? state.square : state.before[later - 1]);
    }
    // What the last residual has been stored with follows from the norm before it.
    const double now = done.back().norm;
    if (count > 1) before = done[static_cast<std::size_t>(count) - 2].norm;
    if (correction_.storage().is_left_by(now / before)) store_again(now);
    return done;
  }

  /// The same as a part of a recording.  No norm is read: a residual may be stored with the factor
  /// of the one before, however much has changed.
  int step_unseen(const InnerDemand& demand) {
    if (!demand.full_multigrid) return correction_.solve_and_correct(A_, b_, x_, state_.data());
    const int iterations = correction_.solve(demand);
    correct();
    return iterations;
  }

  /// Of the outer part of a step.
  Work outer_work() const { return step_.outer_work(); }

 private:
  void store_residual() { correction_.store_residual(A_, b_, x_, state_.data()); }
  void correct() { correction_.correct(A_, b_, x_, state_.data()); }

  void store_again(double norm) {
    if (!correction_.remembers()) return store_residual();
    const C before = read_value(on_, &state_.data()->down);
    store_residual();
    const C ratio = read_value(on_, &state_.data()->down) / before;
    correction_.rescaled(static_cast<double>(ratio));
    scaled_at_ = norm;
  }

  B on_;
  Matrix A_;
  Field<const High> b_;
  Field<High> x_;
  Correction<B, High, Matrix>& correction_;
  Array<B, RefinementState<C>> state_;
  OuterStep<B, High, Matrix> step_;
  std::optional<double> scaled_at_;  ///< the norm that `down` belongs to
};

/// A stage of a cascade: refinement in High, by corrections in Low, that itself corrects the
/// solution of a more precise solver.  `Owner` holds a matrix with the vectors that suit it.
template <Backend B, Number High, class Owner = Matrix<B, High>>
class RefinementInner final : public InnerSolver<B, High> {
  using View = std::remove_cvref_t<decltype(std::declval<const Owner&>().view())>;
  using Vector = typename Owner::VectorOfRows;

 public:
  /// `make` makes the matrix.
  template <class Make>
  RefinementInner(const B& on, const Make& make, const SolverOptions& options,
                  const InnerStop& stop, std::unique_ptr<Correction<B, High, View>> correction)
      : on_(on),
        stop_(stop),
        limit_(stop.iterations.value_or(options.max_iterations)),
        looks_(stop.digits.has_value() || options.refinement.stop_at_tolerance
               || !correction->is_recordable()),
        A_(make()),
        b_(on, A_.view().nx, A_.view().ny),
        x_(on, A_.view().nx, A_.view().ny),
        square_(on, 1),
        correction_(std::move(correction)),
        refinement_(on, A_.view(), b_.view(), x_.view(), *correction_) {}

  Field<High> right_hand_side() const override { return b_.view(); }
  Field<const High> correction() const override { return x_.view(); }
  bool is_recordable() const override { return !looks_; }
  void begin_anew() override { correction_->begin_anew(); }

  int solve(const InnerDemand& demand) override {
    set_zero(on_, x_.view());
    refinement_.begin();
    int iterations = 0;
    if (!looks_) {
      for (int k = 0; k < limit_; ++k)
        iterations += refinement_.step_unseen(k == 0 ? demand : InnerDemand{});
      return iterations;
    }
    const double r0 = refinement_.norm();
    const double tolerance = inner_tolerance(stop_, demand);
    const auto attainable = [&] {
      return attainable_reduction<B, High, View>(on_, A_.view(), Field<const High>(b_.view()),
                                                 Field<const High>(x_.view()), square_.data(), r0);
    };
    ResidualMonitor monitor(limit_, stage_patience);
    std::optional<Outcome> outcome = monitor.next(1.0, r0 == 0, attainable);
    double norm = r0;
    for (bool first = true; !outcome; first = false) {
      const RefinementStep done = refinement_.step(
          norm,
          {.full_multigrid = first && demand.full_multigrid, .enough = demand.enough * r0 / norm});
      norm = done.norm;
      iterations += done.inner_iterations;
      outcome = monitor.next(norm / r0, norm <= tolerance * r0, attainable);
    }
    return iterations;
  }

 private:
  B on_;
  InnerStop stop_;
  int limit_;
  bool looks_;
  Owner A_;
  Vector b_, x_;
  Array<B, Scalar<High>> square_;
  std::unique_ptr<Correction<B, High, View>> correction_;
  IterativeRefinement<B, High, View> refinement_;
};

}  // namespace ninefold
