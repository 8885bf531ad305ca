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
// (but for the steps of a stage that only counts them and is recorded as a whole).
//
// Cost.  Four or five kernels beside the inner solver, a sum being two or three: x + c / d moves
// two values of High and one of Low, r the same where A is computed in High, as it is by default
// (fem/matrix/computed_bands.hpp), and nine more where it is stored.
//
// Recording.  Where the inner solver can be recorded, a whole step is one recording.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.2.
// Tests.      tests/solvers/refinement/refinement_test.cpp

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "precision/number.hpp"
#include "precision/precision.hpp"

#include "gpu/backend/graph.hpp"

#include "solvers/refinement/inner_solver.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// The exponent of the power of two that is nearest to a norm.
inline int nearest_exponent(double norm) {
  int exponent = 0;
  return std::frexp(norm, &exponent) < std::sqrt(0.5) ? exponent - 1 : exponent;
}

/// By how much the norm of what is stored in a format may change between two looks at it: a quarter
/// of the format's range.
inline double widest_change(Precision precision) {
  const FormatFacts format = facts(precision);
  return std::ldexp(1.0, (format.max_exponent - format.min_exponent) / 4);
}

/// True if a change of the norm is wider than that; a norm of zero, or one that is no number,
/// cannot be scaled.
inline bool leaves_range(double change, double widest) {
  return change > 0 && std::isfinite(change) && (change > widest || change < 1 / widest);
}

/// What one step has done.
struct RefinementStep {
  double norm;           ///< |b - A x| after it
  int inner_iterations;  ///< of the last stage
};

template <Backend B, Number High, Number Low>
class IterativeRefinement {
 public:
  using C = Arithmetic<High>;

  /// Residuals are stored with a norm of about 2^exponent; `change` is the factor by which a step
  /// may change it.  The memory of `A`, `b`, `x`, and `inner`, must outlive this.
  IterativeRefinement(const B& on, const Operator<High>& A, Field<const High> b, Field<High> x,
                      InnerSolver<B, Low>& inner, RefinementScaling scaling, int exponent,
                      double change)
      : on_(on),
        A_(A),
        b_(b),
        x_(x),
        inner_(inner),
        scaling_(scaling),
        exponent_(exponent),
        widest_change_(change),
        state_(on, 1),
        store_(on, [this] { store_residual(); }),
        correct_(on, [this] { correct(); }) {
    if (inner_.is_recordable()) {
      step_.emplace(on, [this] {
        recorded_iterations_ = inner_.solve({});
        if constexpr (std::is_same_v<B, Host>) {
          correct_.replay();  // knows its work then
        } else {
          correct();
        }
      });
    }
  }
  IterativeRefinement(const IterativeRefinement&) = delete;
  IterativeRefinement& operator=(const IterativeRefinement&) = delete;

  /// For the x that is there: stores the residual; neither waits nor reads.
  void begin() {
    residual_square<B, High>(on_, A_, b_, x_, &state()->square);
    store_residual();
  }

  /// |b - A x| of the last residual; waits for it.
  double norm() const { return std::sqrt(static_cast<double>(read_value(on_, &state()->square))); }

  /// A step after begin() or a step, `before` being the norm before it.
  RefinementStep step(double before, const InnerDemand& demand) {
    RefinementStep done{0, 0};
    if (step_ && !demand.full_multigrid) {
      step_->replay();
      done.inner_iterations = recorded_iterations_;
    } else {
      done.inner_iterations = inner_.solve(demand);
      correct_.replay();
    }
    done.norm = norm();
    const double change = done.norm / before;
    if (leaves_range(change, widest_change_)) store_.replay();
    return done;
  }

  /// The same as a part of a recording.  No norm is read: a residual may be stored with the factor
  /// of the one before, however much has changed.
  int step_unseen(const InnerDemand& demand) {
    const int iterations = inner_.solve(demand);
    correct();
    return iterations;
  }

  static std::size_t transferred_bytes() { return 0; }

  /// Of the outer part of a step.
  Work outer_work() const { return correct_.work(); }

 private:
  RefinementState<C>* state() const { return state_.data(); }

  void store_residual() {
    set_scale(on_, scaling_, exponent_, state());
    residual_rounded<B, High, Low>(on_, A_, b_, x_, inner_.right_hand_side(), state());
  }

  void correct() {
    add_correction<B, High, Low>(on_, A_.unknowns, state(), inner_.correction(), x_);
    store_residual();
  }

  B on_;
  Operator<High> A_;
  Field<const High> b_;
  Field<High> x_;
  InnerSolver<B, Low>& inner_;
  RefinementScaling scaling_;
  int exponent_;
  double widest_change_;
  Array<B, RefinementState<C>> state_;
  Recording<B> store_, correct_;
  std::optional<Recording<B>> step_;
  int recorded_iterations_ = 0;
};

/// A stage of a cascade: refinement in High, by corrections in Low, that itself corrects the
/// solution of a more precise solver.
template <Backend B, Number High, Number Low>
class RefinementInner final : public InnerSolver<B, High> {
 public:
  RefinementInner(const B& on, const TensorGrid& grid, const Box& unknowns,
                  const Coefficients<Assembly<High>>& coefficients, const SolverOptions& options,
                  const InnerStop& stop, OperatorStorage storage, int exponent, double change,
                  std::unique_ptr<InnerSolver<B, Low>> inner)
      : on_(on),
        stop_(stop),
        limit_(stop.iterations.value_or(options.max_iterations)),
        looks_(stop.digits.has_value() || options.refinement.stop_at_tolerance
               || !inner->is_recordable()),
        A_(on, grid, unknowns, coefficients, options.refinement.inner_form, storage),
        b_(on, grid.nx(), grid.ny()),
        x_(on, grid.nx(), grid.ny()),
        square_(on, 1),
        inner_(std::move(inner)),
        refinement_(on, A_.view(), b_.view(), x_.view(), *inner_, options.refinement.scaling,
                    exponent, change) {}

  Field<High> right_hand_side() const override { return b_.view(); }
  Field<const High> correction() const override { return x_.view(); }
  bool is_recordable() const override { return !looks_; }

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
      return attainable_reduction<B, High>(on_, A_.view(), Field<const High>(b_.view()),
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
  Matrix<B, High> A_;
  NodeVector<B, High> b_, x_;
  Array<B, Scalar<High>> square_;
  std::unique_ptr<InnerSolver<B, Low>> inner_;
  IterativeRefinement<B, High, Low> refinement_;
};

}  // namespace ninefold
