#pragma once
// Residual-guided conjugate gradients: CG in Low whose residual is replaced, now and then, by the
// one that High knows; the search directions survive.
//
// Mathematics.  Refinement (solvers/refinement/refinement.hpp) with an inner solver that remembers:
// Low iterates for A c = d (b - A x) with directions p.  After some iterations
//
//     x = x + c / d,   c = 0,   r = d (b - A x)   (all in High, r stored in Low)
//
// and CG goes on with beta = (r, r)_new / (r, r)_old and the same p, as if nothing had happened:
// plain refinement would begin anew with p = r.  So does this where the true residual is more than
// twice the one that CG believed in, in its norm or in that of the preconditioner: p is then of no
// use, and beta too large.  The factor d stays; if the norm leaves a quarter of Low's range, d
// follows it and p is multiplied as r is.  Where constants are free, r is kept without the part
// that no correction takes away.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 5.4; residual replacement: van der Vorst, Ye
//             2000.
// Tests.      tests/solvers/refinement/refinement_test.cpp,
//             tests/solvers/sparse/by_diagonal_test.cpp, sparse_solve_test.cpp

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "gpu/backend/graph.hpp"
#include "gpu/operations/measure_operations.hpp"
#include "gpu/operations/mixed_operations.hpp"

#include "solvers/krylov/conjugate_gradients.hpp"
#include "solvers/krylov/residual_pace.hpp"
#include "solvers/refinement/inner_solver.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// `Owner` holds a matrix with the vectors that suit it.  A `Precondition` does the work of vectors
/// as that of ConjugateGradients may, also two iterations at a time; beta is taken here, so
/// update() leaves it out, take() makes rz_new of a residual that is there, and after finish() all
/// steps of x are taken.
template <Backend B, Number T, class Owner = Matrix<B, T>, class Precondition = std::nullptr_t>
class GuidedCg final : public InnerSolver<B, T> {
  using View = std::remove_cvref_t<decltype(std::declval<const Owner&>().view())>;
  using Vector = typename Owner::VectorOfRows;

 public:
  using S = Arithmetic<T>;

  /// `make` makes the matrix.  A solve ends as `stop` says, or after max_iterations.
  template <class Make>
  GuidedCg(const B& on, const Make& make, const InnerStop& stop, int max_iterations)
      : GuidedCg(on, make, stop, max_iterations, [](const View&) { return nullptr; }) {}
  /// `precondition` makes the Precondition of the matrix.
  template <class Make, class MakePrecondition>
  GuidedCg(const B& on, const Make& make, const InnerStop& stop, int max_iterations,
           const MakePrecondition& precondition)
      : on_(on),
        stop_(stop),
        limit_(stop.iterations.value_or(max_iterations)),
        matrix_(make()),
        c_(on, A().nx, A().ny),
        r_(on, A().nx, A().ny),
        p_(on, A().nx, A().ny),
        q_(on, A().nx, A().ny),
        other_(has_pairs ? std::optional<Vector>(std::in_place, on, A().nx, A().ny) : std::nullopt),
        precondition_(precondition(A())),
        state_(on, 1),
        factor_(on, 1),
        mean_(A().has_free_constant ? Array<B, S>(on, 1) : Array<B, S>()),
        take_(on, [this] { take_residual(); }),
        block_(on, [this] { iterate_block(cg_block); }),
        short_block_(on, [this] { iterate_block(short_cg_block); }) {}

  Field<T> right_hand_side() const override { return r_.view(); }
  Field<const T> correction() const override { return c_.view(); }
  bool is_recordable() const override { return false; }
  bool remembers() const override { return true; }

  /// The directions follow the residual's new units.
  void rescaled(double factor) override {
    const S s = static_cast<S>(factor);
    on_.copy_in(factor_.data(), &s, sizeof s);
    rescale<B, T>(on_, A().unknowns, factor_.data(), p_.view());
    CgState<S> scalars = read_value(on_, state_.data());
    scalars.rz = s * (s * scalars.rz);
    const double squared = static_cast<double>(s) * static_cast<double>(s);
    believed_ = {squared * believed_.rr, squared * believed_.rz};
    on_.copy_in(state_.data(), &scalars, sizeof scalars);
  }

  void begin_anew() override {
    set_zero(on_, p_.view());
    believed_ = {};
  }

  int solve(const InnerDemand& demand) override {
    take_.replay();
    CgState<S> scalars = read_value(on_, state_.data());
    const bool is_believed = static_cast<double>(scalars.rr) <= 4 * believed_.rr
                             && static_cast<double>(scalars.rz_new) <= 4 * believed_.rz;
    if (!is_believed) scalars.rz = S(0);  // beta = 0
    const double tolerance = inner_tolerance(stop_, demand);
    scalars.target = static_cast<S>(tolerance * tolerance * static_cast<double>(scalars.rr));
    scalars.alpha = S(0);
    scalars.iterations = 0;
    scalars.max_iterations = limit_;
    scalars.active = scalars.rr > scalars.target;
    on_.copy_in(state_.data(), &scalars, sizeof scalars);
    believed_ = of(scalars);
    double best = believed_.rr;
    pace_.begin(best);
    const auto target = static_cast<double>(scalars.target);
    for (int progress = 0; scalars.active && scalars.iterations - progress < most_idle;) {
      const int seen = scalars.iterations;
      const double left = std::min<double>(pace_.left(target), limit_ - seen);
      (is_near_end(left) ? short_block_ : block_).replay();
      scalars = read_value(on_, state_.data());
      for (int k = seen; k < scalars.iterations; ++k) {
        const auto square = static_cast<double>(scalars.history[k % cg_block]);
        pace_.add(square);
        if (!(square < 0.98 * 0.98 * best)) continue;
        best = square;
        progress = k;
      }
      believed_ = of(scalars);
    }
    if constexpr (preconditioned) precondition_.finish(vectors(), state_.data());
    return scalars.iterations;
  }

 private:
  /// What the recurrence says of the residual, before the last correction.
  struct Believed {
    double rr, rz;  ///< (r, r) and (r, M^-1 r)
  };
  static Believed of(const CgState<S>& scalars) {
    return {static_cast<double>(scalars.rr), static_cast<double>(scalars.rz_new)};
  }

  /// Iterations without progress after which a correction is worth more: none is lost by it, since
  /// the directions stay.
  static constexpr int most_idle = 1000;

  const View& A() const { return matrix_.view(); }

  static constexpr bool preconditioned = !std::is_same_v<Precondition, std::nullptr_t>;
  static constexpr bool has_pairs =
      requires(const Precondition& by, const CgVectors<T>& v, CgState<S>* state) {
    by.direct_second(v, state);
  };

  CgVectors<T> vectors() const {
    return {c_.view(), r_.view(), p_.view(),
            q_.view(), r_.view(), other_ ? other_->view() : Field<T>{}};
  }

  void iterate_block(int length) {
    for (int k = 0; k < length; ++k) {
      if constexpr (std::is_same_v<B, Host>) {
        if (k % 2 == 0 && !state_.data()->active) break;  // c has moved by the last two then
      }
      iterate(k % 2 == 0);
    }
  }

  void iterate([[maybe_unused]] bool is_first) {
    CgState<S>* const state = state_.data();
    cg_beta(on_, BetaForm::standard, state);
    CgVectors<T> v = vectors();
    if constexpr (has_pairs) {
      if (is_first) {
        precondition_.direct_first(v, state);
        v = v.turned();
      } else {
        precondition_.direct_second(v.turned(), state);
      }
    } else if constexpr (preconditioned) {
      precondition_.direct(v, state);
    } else {
      cg_direction(on_, A().unknowns, r_.view(), state, p_.view());
    }
    multiply_direction<B, T>(on_, A(), precondition_, v, state);
    if constexpr (preconditioned) {
      precondition_.update(v, false, state);
    } else {
      cg_alpha(on_, state);
      cg_update(on_, A().unknowns, p_.view(), q_.view(), c_.view(), r_.view(), state);
      cg_count(on_, state);
    }
    if (A().has_free_constant) {
      project();
      dot<B, T>(on_, A().unknowns, r_.view(), r_.view(), &state->rz_new);
    }
  }

  void project() { remove_mean(on_, A().unknowns, r_.view(), mean_.data()); }

  /// Begins with c = 0 and the residual that is there, with its square as the next direction needs
  /// it.
  void take_residual() {
    set_zero(on_, c_.view());
    if (A().has_free_constant) project();
    CgState<S>* const state = state_.data();
    dot<B, T>(on_, A().unknowns, r_.view(), r_.view(), &state->rr);
    if constexpr (preconditioned) {
      precondition_.take(vectors(), state);
    } else {
      on_.copy_within(&state->rz_new, &state->rr, sizeof(S));
    }
  }

  B on_;
  InnerStop stop_;
  int limit_;
  Believed believed_{};
  Owner matrix_;
  Vector c_, r_, p_, q_;
  std::optional<Vector> other_;  ///< for every second direction
  Precondition precondition_;
  Array<B, CgState<S>> state_;
  Array<B, S> factor_, mean_;
  ResidualPace pace_;
  Recording<B> take_, block_, short_block_;
};

}  // namespace ninefold
