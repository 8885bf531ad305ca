#pragma once
// Residual-guided conjugate gradients: CG in Low whose residual is replaced, now and then, by the
// one that High knows; the search directions survive.
//
// Mathematics.  Low iterates for A c = d (b - A x) with directions p.  After some iterations
//
//     x = x + c / d,   c = 0,   r = d (b - A x)   (all in High, r stored in Low)
//
// and CG goes on with beta = (r, r)_new / (r, r)_old and the same p, as if nothing had happened:
// plain refinement would begin anew with p = r.  So does this where the true residual is more than
// twice the one that CG believed in: p is then of no use, and beta too large.  The factor d stays;
// if the norm leaves a quarter of Low's range, d follows it and p is multiplied as r is.  Where
// constants are free, r is kept without the part that no correction takes away.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 5.4; residual replacement: van der Vorst, Ye
//             2000.
// Tests.      tests/solvers/refinement/refinement_test.cpp

#include <cmath>
#include <optional>

#include "gpu/backend/graph.hpp"
#include "gpu/operations/measure_operations.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/refinement/refinement.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number High, Number Low>
class GuidedCg {
 public:
  using C = Arithmetic<High>;
  using S = Arithmetic<Low>;

  /// `low` is the matrix in Low; b and x are High's.  Their memory must outlive this.
  GuidedCg(const B& on, const Operator<High>& A, Field<const High> b, Field<High> x,
           const Operator<Low>& low, const RefinementOptions& options, int exponent, double change)
      : on_(on),
        A_(A),
        b_(b),
        x_(x),
        low_(low),
        scaling_(options.scaling),
        exponent_(exponent),
        widest_change_(change),
        c_(on, A.nx, A.ny),
        r_(on, A.nx, A.ny),
        p_(on, A.nx, A.ny),
        q_(on, A.nx, A.ny),
        scale_(on, 1),
        state_(on, 1),
        factor_(on, 1),
        mean_(low.has_free_constant ? Array<B, S>(on, 1) : Array<B, S>()),
        block_(on,
               [this] {
                 for (int k = 0; k < cg_block; ++k) {
                   if constexpr (std::is_same_v<B, Host>) {
                     if (!state_.data()->active) break;
                   }
                   iterate();
                 }
               }),
        correct_(on, [this] { correct(); }) {}
  GuidedCg(const GuidedCg&) = delete;
  GuidedCg& operator=(const GuidedCg&) = delete;

  /// |b - A x| of the x that is there.
  double start() {
    residual_square<B, High>(on_, A_, b_, x_, &scale_.data()->square);
    set_scale(on_, scaling_, exponent_, scale_.data());
    store_residual();
    scaled_at_ = norm();
    return scaled_at_;
  }

  /// Iterations in Low until one of both ends them, then a correction.
  RefinementStep step(const InnerStop& stop, int max_iterations, const InnerDemand& demand) {
    CgState<S> scalars = read_value(on_, state_.data());
    if (static_cast<double>(scalars.rr) > 4 * believed_) scalars.rz = S(0);  // beta = 0
    const double tolerance = inner_tolerance(stop, demand);
    scalars.target = static_cast<S>(tolerance * tolerance * static_cast<double>(scalars.rr));
    scalars.iterations = 0;
    scalars.max_iterations = stop.iterations.value_or(max_iterations);
    scalars.active = scalars.rr > scalars.target;
    on_.copy_in(state_.data(), &scalars, sizeof scalars);
    believed_ = static_cast<double>(scalars.rr);
    double best = believed_;
    for (int progress = 0; scalars.active && scalars.iterations - progress < most_idle;) {
      const int seen = scalars.iterations;
      block_.replay();
      scalars = read_value(on_, state_.data());
      for (int k = seen; k < scalars.iterations; ++k) {
        believed_ = static_cast<double>(scalars.history[k % cg_block]);
        if (!(believed_ < 0.98 * 0.98 * best)) continue;
        best = believed_;
        progress = k;
      }
    }
    correct_.replay();
    const double now = norm(), change = now / scaled_at_;
    if (leaves_range(change, widest_change_)) follow(now);
    return {now, scalars.iterations};
  }

  Work outer_work() const { return correct_.work(); }

 private:
  /// Iterations in Low without progress after which a correction is worth more: none is lost by it,
  /// since the directions stay.
  static constexpr int most_idle = 1000;

  double norm() const {
    return std::sqrt(static_cast<double>(read_value(on_, &scale_.data()->square)));
  }

  void iterate() {
    CgState<S>* const state = state_.data();
    cg_beta(on_, BetaForm::standard, state);
    cg_direction(on_, A_.unknowns, r_.view(), state, p_.view());
    product_dot<B, Low>(on_, low_, p_.view(), q_.view(), &state->pq);
    cg_alpha(on_, state);
    cg_update(on_, A_.unknowns, p_.view(), q_.view(), c_.view(), r_.view(), state);
    cg_count(on_, state);
    if (low_.has_free_constant) {
      project();
      dot<B, Low>(on_, A_.unknowns, r_.view(), r_.view(), &state->rz_new);
    }
  }

  void project() { remove_mean(on_, A_.unknowns, r_.view(), mean_.data()); }

  void correct() {
    add_correction<B, High, Low>(on_, A_.unknowns, scale_.data(), c_.view(), x_);
    set_zero(on_, c_.view());
    store_residual();
  }

  /// r in Low, and its square as the next direction needs it.
  void store_residual() {
    residual_rounded<B, High, Low>(on_, A_, b_, x_, r_.view(), scale_.data());
    if (low_.has_free_constant) project();
    CgState<S>* const state = state_.data();
    dot<B, Low>(on_, A_.unknowns, r_.view(), r_.view(), &state->rr);
    on_.copy_within(&state->rz_new, &state->rr, sizeof(S));
  }

  /// A new factor for a norm that has come out of range; p and (r, r)_old go with it.
  void follow(double now) {
    const C before = read_value(on_, &scale_.data()->down);
    set_scale(on_, scaling_, exponent_, scale_.data());
    const C ratio = read_value(on_, &scale_.data()->down) / before;
    const S factor = static_cast<S>(static_cast<double>(ratio));
    on_.copy_in(factor_.data(), &factor, sizeof factor);
    rescale<B, Low>(on_, A_.unknowns, factor_.data(), p_.view());
    CgState<S> scalars = read_value(on_, state_.data());
    scalars.rz = factor * (factor * scalars.rz);
    believed_ *= static_cast<double>(factor) * static_cast<double>(factor);
    on_.copy_in(state_.data(), &scalars, sizeof scalars);
    store_residual();
    scaled_at_ = now;
  }

  B on_;
  Operator<High> A_;
  Field<const High> b_;
  Field<High> x_;
  Operator<Low> low_;
  RefinementScaling scaling_;
  int exponent_;
  double widest_change_, scaled_at_ = 0;
  double believed_ = 0;  ///< (r, r) by the recurrence, before the last correction
  NodeVector<B, Low> c_, r_, p_, q_;
  Array<B, RefinementState<C>> scale_;
  Array<B, CgState<S>> state_;
  Array<B, S> factor_, mean_;
  Recording<B> block_, correct_;
};

}  // namespace ninefold
