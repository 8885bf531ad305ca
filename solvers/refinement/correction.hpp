#pragma once
// What couples an outer solver in High with the one that corrects it, in whatever format.
//
// Mathematics.  With the residual r = down (b - A x), rounded to Low, an InnerSolver finds
//
//     A c = r          roughly, in Low
//
// and x + up c, up = 1 / down or nearly that (ResidualStorage::over), is the better solution. Outer
// solvers know of Low by the size of its range alone: `Correction` is the seam, CorrectionIn the
// one on the other side of it.
//
// Cost.  One virtual call where operations are launched or recorded, none in what is replayed.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.2.
// Tests.      tests/solvers/refinement/refinement_test.cpp

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "precision/number.hpp"
#include "precision/precision.hpp"

#include "gpu/backend/graph.hpp"
#include "gpu/operations/measure_operations.hpp"
#include "gpu/operations/mixed_operations.hpp"

#include "solvers/refinement/inner_solver.hpp"
#include "solvers/refinement/level_corrections.hpp"

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

/// How residuals are stored in a format.
struct ResidualStorage {
  RefinementScaling scaling;
  int exponent;               ///< the norm is about 2^exponent
  double widest_change;       ///< of the norm, by a step: beyond it a residual is stored again
  OverCorrections over = {};  ///< how many times corrections are taken
  /// By what factor corrections reduce a norm at most, in the mean of several, as far as is
  /// known; one by itself by twice that.
  double most_gain = std::numeric_limits<double>::infinity();

  /// True if a change of the norm is wider; a norm of zero, or one that is no number, cannot be
  /// scaled.
  bool is_left_by(double change) const {
    return change > 0 && std::isfinite(change)
           && (change > widest_change || change < 1 / widest_change);
  }
};

/// For an outer solver in High on B, of a matrix with or without a grid
/// (solvers/krylov/conjugate_gradients.hpp).  `state` is its own, on B; boxes are those of A's
/// unknowns.
template <Backend B, Number High, class Matrix = Operator<High>>
class Correction {
 public:
  using C = Arithmetic<High>;

  explicit Correction(const ResidualStorage& storage) : storage_(storage) {}
  Correction(const Correction&) = delete;
  Correction& operator=(const Correction&) = delete;
  virtual ~Correction() = default;

  const ResidualStorage& storage() const { return storage_; }

  /// Solves for c; returns the iterations of the last stage.
  virtual int solve(const InnerDemand& demand) = 0;
  /// True if solve() may be recorded on B.
  virtual bool is_recordable() const = 0;
  /// True if the solver remembers something in the units of the last residual: `down` then stays as
  /// long as the format's range allows, and rescaled() says by which factor it has changed.
  virtual bool remembers() const = 0;
  virtual void rescaled(double factor) = 0;
  virtual void begin_anew() = 0;  ///< InnerSolver::begin_anew
  /// The same solver's corrections on all levels, if it is multigrid; or nothing.
  virtual LevelCorrections<B, High>* on_levels() { return nullptr; }

  /// A new `down`, from the norm of the last residual; then the residual, with its norm.
  virtual void store_residual(const Matrix& A, const Field<const High>& b,
                              const Field<const High>& x, RefinementState<C>* state) = 0;
  /// x = x + up c, and the residual of that, with the next `down` unless the old one stays.
  virtual void correct(const Matrix& A, const Field<const High>& b, const Field<High>& x,
                       RefinementState<C>* state) = 0;

  /// solve({}) and correct(), for which c need not be kept; returns what solve() does.
  virtual int solve_and_correct(const Matrix& A, const Field<const High>& b, const Field<High>& x,
                                RefinementState<C>* state) {
    const int iterations = solve({});
    correct(A, b, x, state);
    return iterations;
  }
  /// Keeps it all the same, for mass_square(); to be called before any step is recorded.
  void keep() { keeps_ = true; }

  /// *result = the sum of mass c^2, of the last solve; after solve_and_correct() only if it keeps c
  virtual void mass_square(const Box& box, const NodeWeights& masses, double* result) = 0;

  // For flexible conjugate gradients, with z = up c
  // (gpu/operations/mixed_vector_operations.hpp):
  /// *result = (v, z)
  virtual void dot(const Box& box, const Field<const High>& v, const RefinementState<C>* state,
                   C* result) = 0;
  /// p = z + *beta p
  virtual void direct(const Box& box, const C* beta, const RefinementState<C>* state,
                      const Field<High>& p) = 0;
  /// One step along p; the new residual is stored for the next solve with the next `down`.
  virtual void update(const Box& box, const CgVectors<High>& v, RefinementState<C>* state,
                      CgState<C>* cg) = 0;

  /// Of vectors, between host and device, so far.
  virtual std::size_t transferred_bytes() const { return 0; }

 protected:
  bool keeps() const { return keeps_; }

 private:
  ResidualStorage storage_;
  bool keeps_ = false;
};

/// Corrections by a solver in Low on the same backend.
template <Backend B, Number High, Number Low, class Matrix = Operator<High>>
class CorrectionIn final : public Correction<B, High, Matrix> {
 public:
  using typename Correction<B, High, Matrix>::C;

  CorrectionIn(const B& on, const ResidualStorage& storage,
               std::unique_ptr<InnerSolver<B, Low>> inner)
      : Correction<B, High, Matrix>(storage), on_(on), inner_(std::move(inner)) {}

  int solve(const InnerDemand& demand) override { return inner_->solve(demand); }
  bool is_recordable() const override { return inner_->is_recordable(); }
  bool remembers() const override { return inner_->remembers(); }
  void rescaled(double factor) override { inner_->rescaled(factor); }
  void begin_anew() override { inner_->begin_anew(); }
  LevelCorrections<B, High>* on_levels() override {
    Multigrid<B, Low>* const multigrid = inner_->multigrid();
    if (multigrid != nullptr && !on_levels_) on_levels_.emplace(on_, *multigrid);
    return on_levels_ ? &*on_levels_ : nullptr;
  }

  void store_residual(const Matrix& A, const Field<const High>& b, const Field<const High>& x,
                      RefinementState<C>* state) override {
    scale(state);
    residual_rounded<B, High, Low>(on_, A, b, x, inner_->right_hand_side(), state);
  }
  void correct(const Matrix& A, const Field<const High>& b, const Field<High>& x,
               RefinementState<C>* state) override {
    add_correction<B, High, Low>(on_, A.unknowns, state, inner_->correction(), x);
    store_next(A, b, x, state);
  }
  int solve_and_correct(const Matrix& A, const Field<const High>& b, const Field<High>& x,
                        RefinementState<C>* state) override {
    if constexpr (corrects_in_passes_on<B, High, Low>) {
      Multigrid<B, Low>* const multigrid = this->keeps() ? nullptr : inner_->single_cycle();
      if (multigrid != nullptr && multigrid->ends_in_steps()) {
        const auto last = multigrid->cycle_without_last_steps();
        add_correction_after_steps<High, Low>(on_, last.transfer, last.coarse, last.A, last.b,
                                              last.relaxations, state, x, FusedBy::size,
                                              last.others);
        store_next(A, b, x, state);
        return 1;
      }
    }
    return Correction<B, High, Matrix>::solve_and_correct(A, b, x, state);
  }

  void mass_square(const Box& box, const NodeWeights& masses, double* result) override {
    ninefold::mass_square<B, Low>(on_, box, inner_->correction(), masses, result);
  }

  void dot(const Box& box, const Field<const High>& v, const RefinementState<C>* state,
           C* result) override {
    dot_widened<B, High, Low>(on_, box, v, inner_->correction(), state, result);
  }
  void direct(const Box& box, const C* beta, const RefinementState<C>* state,
              const Field<High>& p) override {
    xpby_widened<B, High, Low>(on_, box, beta, inner_->correction(), state, p);
  }
  void update(const Box& box, const CgVectors<High>& v, RefinementState<C>* state,
              CgState<C>* cg) override {
    scale(state);
    cg_update_rounded<B, High, Low>(on_, box, v.p, v.q, v.x, v.r, inner_->right_hand_side(), state,
                                    cg);
  }

 private:
  void scale(RefinementState<C>* state) const {
    set_scale(on_, this->storage().scaling, this->storage().exponent, state, this->storage().over);
  }
  /// The residual of an x that has been corrected.
  void store_next(const Matrix& A, const Field<const High>& b, const Field<const High>& x,
                  RefinementState<C>* state) {
    if (!inner_->remembers()) scale(state);
    residual_rounded<B, High, Low>(on_, A, b, x, inner_->right_hand_side(), state);
  }

  B on_;
  std::unique_ptr<InnerSolver<B, Low>> inner_;
  std::optional<LevelCorrectionsIn<B, High, Low>> on_levels_;
};

/// What one step of an outer solver has done.
struct RefinementStep {
  double norm;           ///< |b - A x| after it
  int inner_iterations;  ///< of the last stage
};

/// A correction's solve and what the outer solver makes of it, as one recording where the former
/// can be recorded, and else as two.  `whole` does both, for a demand of nothing, and returns the
/// iterations of the last stage.
template <Backend B, Number High, class Matrix = Operator<High>>
class OuterStep {
 public:
  /// `correction`, and what the parts use, must outlive this.
  template <class OuterPart>
  OuterStep(const B& on, Correction<B, High, Matrix>& correction, const OuterPart& outer_part)
      : OuterStep(on, correction, outer_part, [&correction, outer_part] {
          const int iterations = correction.solve({});
          outer_part();
          return iterations;
        }) {}
  template <class OuterPart, class Whole>
  OuterStep(const B& on, Correction<B, High, Matrix>& correction, const OuterPart& outer_part,
            const Whole& whole)
      : correction_(correction), outer_(on, outer_part) {
    if (!correction.is_recordable()) return;
    whole_.emplace(on, [this, outer_part, whole] {
      if constexpr (std::is_same_v<B, Host>) {
        recorded_iterations_ = correction_.solve({});
        outer_.replay();  // knows its work then
      } else {
        recorded_iterations_ = whole();
      }
    });
  }
  OuterStep(const OuterStep&) = delete;
  OuterStep& operator=(const OuterStep&) = delete;

  /// Returns the iterations of the last stage.
  int run(const InnerDemand& demand) {
    if (whole_ && !demand.full_multigrid) {
      whole_->replay();
      return recorded_iterations_;
    }
    const int iterations = correction_.solve(demand);
    outer_.replay();
    return iterations;
  }

  /// True if all of it is one recording.
  bool is_whole() const { return whole_.has_value(); }

  /// Of the outer part.
  Work outer_work() const { return outer_.work(); }

 private:
  Correction<B, High, Matrix>& correction_;
  Recording<B> outer_;
  std::optional<Recording<B>> whole_;
  int recorded_iterations_ = 0;
};

}  // namespace ninefold
