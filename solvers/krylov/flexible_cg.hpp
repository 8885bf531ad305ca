#pragma once
// Flexible conjugate gradients in High with a solver in Low as the preconditioner.
//
// Mathematics.  z = M^-1 r is what the inner solver makes of the residual rounded to Low; M changes
// from step to step, so that beta takes the flexible form (solvers/krylov/conjugate_gradients.hpp).
//
// Cost.  Beside the inner solver, per node: 12 values of High and 4 of Low; A is not stored.
//
// Recording.  As in solvers/refinement/refinement.hpp.
//
// Reference.  Cevahir, Nukada, Matsuoka 2009 (mixed precision); Notay 2000 (flexible CG).
// Tests.      tests/solvers/refinement/refinement_test.cpp

#include <cmath>
#include <optional>
#include <type_traits>

#include "gpu/backend/graph.hpp"

#include "solvers/refinement/inner_solver.hpp"
#include "solvers/refinement/refinement.hpp"

namespace ninefold {

template <Backend B, Number High, Number Low>
class FlexibleCg {
 public:
  using C = Arithmetic<High>;

  /// As IterativeRefinement; r, p and q are for the solver's own use, zero at Dirichlet nodes.
  FlexibleCg(const B& on, const Operator<High>& A, Field<const High> b,
             const CgVectors<High>& vectors, InnerSolver<B, Low>& inner, RefinementScaling scaling,
             int exponent, double change)
      : on_(on),
        A_(A),
        b_(b),
        v_(vectors),
        inner_(inner),
        scaling_(scaling),
        exponent_(exponent),
        widest_change_(change),
        scale_(on, 1),
        unit_(on, std::vector<RefinementState<C>>{{C(0), C(1), C(1)}}),
        state_(on, 1),
        outer_(on, [this] { outer_part(); }) {
    if (inner_.is_recordable()) {
      step_.emplace(on, [this] {
        recorded_iterations_ = inner_.solve({});
        if constexpr (std::is_same_v<B, Host>) {
          outer_.replay();  // knows its work then
        } else {
          outer_part();
        }
      });
    }
  }
  FlexibleCg(const FlexibleCg&) = delete;
  FlexibleCg& operator=(const FlexibleCg&) = delete;

  /// |r0| of the x that is there.
  double start(int max_iterations) {
    residual_rounded<B, High, High>(on_, A_, b_, v_.x, v_.r, unit_.data());
    on_.copy_within(&scale()->square, &unit_.data()->square, sizeof(C));
    set_scale(on_, scaling_, exponent_, scale());
    residual_rounded<B, High, Low>(on_, A_, b_, v_.x, inner_.right_hand_side(), scale());
    CgState<C> scalars{};
    scalars.rr = read_value(on_, &scale()->square);
    const double rr0 = static_cast<double>(scalars.rr);
    scalars.target = C(0);  // the host looks after every step
    scalars.max_iterations = max_iterations;
    scalars.active = 1;
    on_.copy_in(state_.data(), &scalars, sizeof scalars);
    return std::sqrt(rr0);
  }

  /// One step; the norm is the recursive residual's.
  RefinementStep step(double before, const InnerDemand& demand) {
    RefinementStep done{0, 0};
    if (step_ && !demand.full_multigrid) {
      step_->replay();
      done.inner_iterations = recorded_iterations_;
    } else {
      done.inner_iterations = inner_.solve(demand);
      outer_.replay();
    }
    done.norm = std::sqrt(static_cast<double>(read_value(on_, &scale()->square)));
    const double change = done.norm / before;
    if (leaves_range(change, widest_change_)) {
      // What the inner solver gets next is the true residual; CG keeps its recursive one.
      set_scale(on_, scaling_, exponent_, scale());
      residual_rounded<B, High, Low>(on_, A_, b_, v_.x, inner_.right_hand_side(), scale());
    }
    return done;
  }

  Work outer_work() const { return outer_.work(); }

 private:
  RefinementState<C>* scale() const { return scale_.data(); }

  void outer_part() {
    CgState<C>* const state = state_.data();
    const Box& box = A_.unknowns;
    const Field<const Low> c = inner_.correction();
    dot_widened<B, High, Low>(on_, box, v_.r, c, scale(), &state->rz_new);
    dot_widened<B, High, Low>(on_, box, v_.q, c, scale(), &state->qz);
    cg_beta(on_, BetaForm::flexible, state);
    xpby_widened<B, High, Low>(on_, box, &state->beta, c, scale(), v_.p);
    product_dot<B, High>(on_, A_, v_.p, v_.q, &state->pq);
    cg_alpha(on_, state);
    set_scale(on_, scaling_, exponent_, scale());
    cg_update_rounded<B, High, Low>(on_, box, v_.p, v_.q, v_.x, v_.r, inner_.right_hand_side(),
                                    scale(), state);
    on_.copy_within(&scale()->square, &state->rr, sizeof(C));
    cg_count(on_, state);
  }

  B on_;
  Operator<High> A_;
  Field<const High> b_;
  CgVectors<High> v_;
  InnerSolver<B, Low>& inner_;
  RefinementScaling scaling_;
  int exponent_;
  double widest_change_;
  Array<B, RefinementState<C>> scale_, unit_;
  Array<B, CgState<C>> state_;
  Recording<B> outer_;
  std::optional<Recording<B>> step_;
  int recorded_iterations_ = 0;
};

}  // namespace ninefold
