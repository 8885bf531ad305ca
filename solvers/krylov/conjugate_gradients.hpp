#pragma once
// Conjugate gradients, plain or preconditioned, without the host inside an iteration.
//
// Mathematics.  The standard recurrences (Hestenes and Stiefel 1952); with a preconditioner z =
// M^-1 r takes the place of r, and beta is taken in the flexible form where M need not be symmetric
// (Notay 2000): beta = (z_new, r_new - r) / (z, r) = -alpha (A p, z_new) / (z, r).
//
// Cost.  Plain: 20 values per node and iteration: 11 for q = A p with (p, q), 6 for the two updates
// with (r, r), 3 for p = r + beta p.
//
// Matrix.  Any that names what its vectors are, an Extent or a Box `unknowns`, and for which
// residual() and product_dot() are declared beside it: with or without a grid.
//
// Recording.  A block of iterations is recorded once and replayed; after each block the host reads
// the scalars.  Iterations after the target change nothing (CgState), so neither the count nor a
// bit of a converged solve depends on the length of a block; one that is given up ends with its
// block.  Where the target seems near, blocks are short (solvers/krylov/residual_pace.hpp), since
// iterations past it take as long as others.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.1 (CG).
// Tests.      tests/solvers/krylov/conjugate_gradients_test.cpp, tests/solvers/solve_test.cpp,
// tests/gpu/device/same_solves_test.cpp

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/backend/graph.hpp"
#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/cg_operations.hpp"

#include "solvers/krylov/residual_pace.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

/// The vectors of a CG solve.  x holds the start and then the solution; z
/// may be the same as r if there is no preconditioner.  Dirichlet nodes of all hold zeros.
template <class T>
struct CgVectors {
  Field<T> x, r, p, q, z;
  Field<T> other{};  ///< takes turns with p where x moves in every second iteration, or nothing

  CgVectors turned() const { return {x, r, other, q, z, p}; }
};

/// q = A p and (p, q): by the precondition, if that has multiply(A, v, state).
template <Backend B, Number T, class Matrix, class Precondition>
void multiply_direction(const B& on, const Matrix& A, const Precondition& by, const CgVectors<T>& v,
                        CgState<Arithmetic<T>>* state) {
  if constexpr (requires { by.multiply(A, v, state); }) {
    by.multiply(A, v, state);
  } else {
    product_dot(on, A, v.p, v.q, &state->pq);
  }
}

/// alpha and beta of the iterations: what the Lanczos matrix of M^-1 A is made of
/// (solvers/krylov/lanczos.hpp).
struct CgCoefficients {
  std::vector<double> steps, ratios;
};

/// Solves A x = b.  A precondition may do the work of vectors itself, if it has start(v, state),
/// update(v, has_beta, state), which takes alpha, counts and, if it is to, takes beta, and
/// direct(v, state), after which x has moved, too: z has no vector of its own then; multiply(A, v,
/// state), which takes q = A p and (p, q), it may have besides; or, of two
/// iterations, direct_first(v, state) and direct_second(v, state), after which x has moved twice:
/// of vectors that have another one for p.  One that has start(v, state) and iterate(v, state) does
/// all of an iteration, product included, and r and b are what it takes them for
/// (solvers/least_squares/cgls_steps.hpp); iterate_block(v, state, k) does all of k iterations;
/// system(v, state) and iterate_together(systems) do so for several (iterate_whole()).  Any other
/// `precondition` computes z = M^-1 r on the backend without waiting (it is recorded); pass
/// `nullptr` for plain CG, with z = r.  Returns the outcome by the recursive residual; the monitor
/// holds its history. 1 <= block_length <= cg_block: few where an iteration is long, as with a
/// multigrid preconditioner, since those recorded past the end are run in vain; 0 for one that is
/// iterated beside others (solvers/krylov/cg_together.hpp), which has no run(): its scalars may be
/// given a place, beside those of others.
template <Backend B, Number T, class Precondition, class Matrix = Operator<T>>
class ConjugateGradients {
 public:
  using C = Arithmetic<T>;
  static constexpr bool preconditioned = !std::is_same_v<Precondition, std::nullptr_t>;
  static constexpr bool fused =
      requires(const Precondition& by, const CgVectors<T>& v, CgState<C>* state) {
    by.update(v, true, state);
  };

  /// Those of x may be taken two at a time.
  static constexpr bool has_pairs =
      requires(const Precondition& by, const CgVectors<T>& v, CgState<C>* state) {
    by.direct_second(v, state);
  };

  /// The steps of an iteration, all of them.
  static constexpr bool whole =
      requires(const Precondition& by, const CgVectors<T>& v, CgState<C>* state) {
    by.iterate(v, state);
  };

  /// Those of several iterations.
  static constexpr bool has_blocks =
      requires(const Precondition& by, const CgVectors<T>& v, CgState<C>* state) {
    by.iterate_block(v, state, 1);
  };

  ConjugateGradients(const B& on, const Matrix& A, const Field<const T>& b, const CgVectors<T>& v,
                     Precondition precondition, BetaForm beta_form, int block_length,
                     CgState<C>* place = nullptr)
      : on_(on),
        A_(A),
        b_(b),
        v_(v),
        precondition_(std::move(precondition)),
        beta_form_(beta_form),
        block_length_(block_length),
        own_state_(on, place == nullptr ? 1 : 0),
        state_(place == nullptr ? own_state_.data() : place) {
    if (block_length == 0) return;
    block_.emplace(on, [this] { iterate_block(block_length_); });
    if (!has_blocks && block_length > short_cg_block) {
      short_block_.emplace(on, [this] { iterate_block(short_cg_block); });
    }
  }
  ConjugateGradients(const ConjugateGradients&) = delete;
  ConjugateGradients& operator=(const ConjugateGradients&) = delete;

  /// Those since the last start().
  const CgCoefficients& coefficients() const { return coefficients_; }

  /// Of a block, and how many iterations it has.
  Work work_of_block() const { return block_->work(); }
  int block_length() const { return block_length_; }

  /// |r0|, from the start in x.
  double start() {
    coefficients_ = {};
    if constexpr (!whole) {
      residual(on_, A_, b_, v_.x, v_.r);
      dot<B, T>(on_, A_.unknowns, v_.r, v_.r, &state()->rr);
    }
    if constexpr (fused || whole) {
      precondition_.start(v_, state());
    } else {
      apply_preconditioner();
      dot<B, T>(on_, A_.unknowns, v_.r, v_.z, &state()->rz);
      copy(on_, v_.z, v_.p);
    }
    return std::sqrt(static_cast<double>(read_value(on_, &state()->rr)));
  }

  /// Iterates until the monitor ends it; call after start().  The tolerance and the history are
  /// relative to |r0| of this start or, if it is given, to another norm.  `attainable()` estimates
  /// the attainable reduction for the x reached so far.
  template <class Attainable>
  Outcome run(double tolerance, int max_iterations, std::optional<double> reference,
              ResidualMonitor& monitor, Attainable&& attainable) {
    return iterate_on(monitor, attainable,
                      begin(tolerance, max_iterations, reference, monitor, attainable));
  }

  /// The same for a solve that goes on after another start(): the monitor has seen its beginning,
  /// and counts on towards max_iterations.
  template <class Attainable>
  Outcome resume(double tolerance, int max_iterations, double reference, ResidualMonitor& monitor,
                 Attainable&& attainable) {
    const int left = max_iterations - monitor.iterations();
    if (left <= 0) return Outcome::step_limit;
    rr0_ = reference * reference;
    if (!activate(tolerance, left)) return Outcome::converged;
    return iterate_on(monitor, attainable, {});
  }

  // --- the parts of run(), for those that iterate several side by side ---

  /// What comes before iterations; the outcome if there is nothing to do.
  template <class Attainable>
  std::optional<Outcome> begin(double tolerance, int max_iterations,
                               std::optional<double> reference, ResidualMonitor& monitor,
                               Attainable&& attainable) {
    const double rr_start = static_cast<double>(read_value(on_, state()).rr);
    rr0_ = reference ? *reference * *reference : rr_start;
    const bool active = activate(tolerance, max_iterations);
    return monitor.next(reference ? std::sqrt(rr_start / rr0_) : 1.0, !active, attainable);
  }

  const CgVectors<T>& vectors() const { return v_; }

  /// An iteration of each of these, by steps that do all of it for several at once.
  template <class Cgs>
  static void iterate_whole(const Cgs& all) {
    std::vector<decltype(all.front()->precondition_.system(all.front()->v_, all.front()->state()))>
        systems;
    for (const auto* one : all) systems.push_back(one->precondition_.system(one->v_, one->state()));
    if (!systems.empty()) all.front()->precondition_.iterate_together(systems);
  }
  /// Where (p, A p) belongs.
  C* product_with_direction() const { return &state()->pq; }

  /// On the host, whether an iteration would change anything; true on a device, which is not asked.
  bool may_be_active() const {
    if constexpr (std::is_same_v<B, Host>) return state()->active != 0;
    return true;
  }

  void iterate() const {
    if constexpr (whole) {
      precondition_.iterate(v_, state());
    } else {
      multiply(v_);
      iterate_with_product();
    }
  }

  /// An iteration after q = A p and (p, q).
  void iterate_with_product() const {
    if constexpr (fused) {
      precondition_.update(v_, true, state());
      precondition_.direct(v_, state());
    } else {
      cg_alpha(on_, state());
      cg_update(on_, A_.unknowns, v_.p, v_.q, v_.x, v_.r, state());
      cg_count(on_, state());
      if constexpr (preconditioned) {
        precondition_();
        dot<B, T>(on_, A_.unknowns, v_.r, v_.z, &state()->rz_new);
        if (beta_form_ == BetaForm::flexible) {
          dot<B, T>(on_, A_.unknowns, v_.q, v_.z, &state()->qz);
        }
      }
      cg_beta(on_, beta_form_, state());
      xpby(on_, A_.unknowns, &state()->beta, v_.z, v_.p);
    }
  }

  /// Two iterations, of which the second alone moves x.  Not of vectors without another p.
  void iterate_twice() const {
    if constexpr (has_pairs) {
      const CgVectors<T> second = v_.turned();
      multiply(v_);
      precondition_.update(v_, true, state());
      precondition_.direct_first(v_, state());
      multiply(second);
      precondition_.update(second, true, state());
      precondition_.direct_second(second, state());
    }
  }

  /// Takes what a block of iterations has left; the outcome if that was the last one.
  template <class Attainable>
  std::optional<Outcome> look(ResidualMonitor& monitor, Attainable&& attainable) {
    return look(read_value(on_, state()), monitor, attainable);
  }
  /// The same of scalars that were read.
  template <class Attainable>
  std::optional<Outcome> look(const CgState<C>& scalars, ResidualMonitor& monitor,
                              Attainable&& attainable) {
    std::optional<Outcome> outcome;
    // As decided on the backend, in its format; rr may have moved in iterations past the end.
    const bool counted = scalars.iterations > 0;
    const C last = counted ? scalars.history[(scalars.iterations - 1) % cg_block] : scalars.rr;
    const bool met = last <= scalars.target;
    for (int k = seen_; k < scalars.iterations; ++k) {
      const double square = static_cast<double>(scalars.history[k % cg_block]);
      const double reduction = std::sqrt(square / rr0_);
      pace_.add(square);
      coefficients_.steps.push_back(static_cast<double>(scalars.steps[k % cg_block]));
      coefficients_.ratios.push_back(static_cast<double>(scalars.ratios[k % cg_block]));
      if (outcome) {
        monitor.append(reduction);  // the rest of a block in which the monitor gave up
      } else {
        outcome = monitor.next(reduction, met && k + 1 == scalars.iterations, attainable);
      }
    }
    seen_ = scalars.iterations;
    if (met) outcome = Outcome::converged;
    return outcome;
  }

  /// Further iterations change nothing.
  void end() {
    CgState<C> scalars = read_value(on_, state());
    scalars.active = 0;
    on_.copy_in(state(), &scalars, sizeof scalars);
  }

 private:
  /// True if there is something to do.
  bool activate(double tolerance, int max_iterations) {
    CgState<C> scalars = read_value(on_, state());
    scalars.target = static_cast<C>(tolerance * tolerance * rr0_);
    scalars.iterations = seen_ = 0;
    scalars.max_iterations = max_iterations;
    scalars.active = static_cast<double>(scalars.rr) > static_cast<double>(scalars.target);
    pace_.begin(static_cast<double>(scalars.rr));
    target_ = static_cast<double>(scalars.target);
    limit_ = max_iterations;
    on_.copy_in(state(), &scalars, sizeof scalars);
    return scalars.active != 0;
  }

  template <class Attainable>
  Outcome iterate_on(ResidualMonitor& monitor, Attainable&& attainable,
                     std::optional<Outcome> outcome) {
    while (!outcome) {
      const double left = std::min<double>(pace_.left(target_), limit_ - seen_);
      const bool is_near = short_block_ && is_near_end(left);
      (is_near ? short_block_ : block_)->replay();
      outcome = look(monitor, attainable);
    }
    return *outcome;
  }

  void iterate_block(int length) const {
    if constexpr (has_blocks) {
      precondition_.iterate_block(v_, state(), length);
    } else {
      for (int k = 0; k < length && may_be_active();) {
        if (has_pairs && v_.other.data != nullptr && k + 2 <= length) {
          iterate_twice();
          k += 2;
        } else {
          iterate();
          ++k;
        }
      }
    }
  }

  void multiply(const CgVectors<T>& v) const {
    multiply_direction<B, T>(on_, A_, precondition_, v, state());
  }

  CgState<C>* state() const { return state_; }

  void apply_preconditioner() const {
    if constexpr (preconditioned && !fused && !whole) precondition_();
  }

  B on_;
  Matrix A_;
  Field<const T> b_;
  CgVectors<T> v_;
  Precondition precondition_;
  BetaForm beta_form_;
  int block_length_;
  Array<B, CgState<C>> own_state_;
  CgState<C>* state_;
  CgCoefficients coefficients_;
  double rr0_ = 0;  ///< what residuals are relative to, squared
  double target_ = 0;
  int limit_ = 0;
  int seen_ = 0;  ///< iterations that the host has looked at
  ResidualPace pace_;
  std::optional<Recording<B>> block_, short_block_;
};

}  // namespace ninefold
