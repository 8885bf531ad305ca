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
#include <vector>

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/refinement/correction.hpp"

namespace ninefold {

template <Backend B, Number High, class Matrix = Operator<High>>
class FlexibleCg {
 public:
  using C = Arithmetic<High>;

  /// As IterativeRefinement; r, p and q are for the solver's own use, zero at Dirichlet nodes.
  FlexibleCg(const B& on, const Matrix& A, const Field<const High>& b,
             const CgVectors<High>& vectors, Correction<B, High, Matrix>& correction)
      : on_(on),
        A_(A),
        b_(b),
        v_(vectors),
        correction_(correction),
        scale_(on, 1),
        unit_(on, std::vector<RefinementState<C>>{{C(0), C(1), C(1)}}),
        state_(on, 1),
        step_(on, correction, [this] { outer_part(); }) {}
  FlexibleCg(const FlexibleCg&) = delete;
  FlexibleCg& operator=(const FlexibleCg&) = delete;

  /// |r0| of the x that is there.
  double start(int max_iterations) {
    residual_rounded<B, High, High>(on_, A_, b_, v_.x, v_.r, unit_.data());
    on_.copy_within(&scale_.data()->square, &unit_.data()->square, sizeof(C));
    store_residual();
    CgState<C> scalars{};
    scalars.rr = read_value(on_, &scale_.data()->square);
    const double rr0 = static_cast<double>(scalars.rr);
    scalars.target = C(0);  // the host looks after every step
    scalars.max_iterations = max_iterations;
    scalars.active = 1;
    on_.copy_in(state_.data(), &scalars, sizeof scalars);
    return std::sqrt(rr0);
  }

  /// One step; the norm is the recursive residual's.
  RefinementStep step(double before, const InnerDemand& demand) {
    RefinementStep done{0, step_.run(demand)};
    done.norm = std::sqrt(static_cast<double>(read_value(on_, &scale_.data()->square)));
    // What the inner solver gets next is then the true residual; CG keeps its recursive one.
    if (correction_.storage().is_left_by(done.norm / before)) store_residual();
    return done;
  }

  Work outer_work() const { return step_.outer_work(); }

 private:
  void store_residual() { correction_.store_residual(A_, b_, v_.x, scale_.data()); }

  void outer_part() {
    CgState<C>* const state = state_.data();
    RefinementState<C>* const scale = scale_.data();
    const Box& box = A_.unknowns;
    correction_.dot(box, v_.r, scale, &state->rz_new);
    correction_.dot(box, v_.q, scale, &state->qz);
    cg_beta(on_, BetaForm::flexible, state);
    correction_.direct(box, &state->beta, scale, v_.p);
    product_dot<B, High>(on_, A_, v_.p, v_.q, &state->pq);
    cg_alpha(on_, state);
    correction_.update(box, v_, scale, state);
    on_.copy_within(&scale->square, &state->rr, sizeof(C));
    cg_count(on_, state);
  }

  B on_;
  Matrix A_;
  Field<const High> b_;
  CgVectors<High> v_;
  Correction<B, High, Matrix>& correction_;
  Array<B, RefinementState<C>> scale_, unit_;
  Array<B, CgState<C>> state_;
  OuterStep<B, High, Matrix> step_;
};

}  // namespace ninefold
