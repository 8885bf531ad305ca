#pragma once
// Whether an iteration has come as far as the tolerance asks, and when to look.
//
// Why.  Of norm "error" and "residual" the residual is looked at in each step, and its bound of the
// error once that has met the tolerance.  Where the tolerance is one of the error in one norm
// (measures_error) the residual says nothing by itself, and the bound takes two passes over the
// matrix, as much as a step of conjugate gradients.  But it falls about as the residual does: how
// far it was above the tolerance tells how far the residual has to fall until a look is worth it.
//
// Tests.  tests/solvers/judgement/tolerance_check_test.cpp, tests/solvers/judgement/norm_test.cpp

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/judgement/known_bound.hpp"
#include "solvers/options.hpp"

namespace ninefold {

/// Says when the bound of an iteration is to be computed next.
class BoundSchedule {
 public:
  /// From one look to the next residuals fall to no less than `least` of what they were, 0 < least
  /// < 1: small where a look is dear beside what steps in vain cost.
  explicit BoundSchedule(double least) : least_(least) {}

  /// Takes a bound, over the tolerance, at this residual.
  void told(double reduction, double excess) {
    reduction_ = reduction;
    excess_ = excess;
  }

  bool is_due(double reduction) const { return reduction <= next(); }

  /// The residual at which to look: infinite before the first look.  Somewhat above the one that is
  /// expected to suffice, as bounds may fall faster.
  double next() const {
    constexpr double early = 2, most = 0.7;
    return reduction_ * fall(early, most);
  }

  /// The residual that is likely to suffice.
  double target() const {
    constexpr double late = 0.5, most = 0.3;
    return reduction_ * fall(late, most);
  }

 private:
  double fall(double factor, double most) const {
    return std::isfinite(excess_) ? std::clamp(factor / excess_, least_, most) : least_;
  }

  double least_;
  double reduction_ = std::numeric_limits<double>::infinity();
  double excess_ = std::numeric_limits<double>::infinity();
};

/// Asked after each step of an iteration whose steps are long beside a look: cycles, corrections.
template <Backend B, Number T>
class ToleranceCheck {
 public:
  /// `bound` must outlive this.
  ToleranceCheck(const SolverOptions& options, KnownBound<B, T>& bound)
      : options_(options), bound_(bound), schedule_(0.1) {}

  /// True if the x that is there is what the tolerance asks for, the residual having fallen to
  /// `reduction`.
  bool is_met(double reduction) {
    if (!measures_error(options_)) return reduction <= options_.tolerance && bound_.suffices();
    has_looked_ = schedule_.is_due(reduction);
    if (!has_looked_) return false;
    schedule_.told(reduction, bound_.value() / options_.tolerance);
    return bound_.suffices();
  }

  /// True if the last look has shown that nothing but rounding is left, and that this is more than
  /// the tolerance.
  bool is_out_of_reach() { return has_looked_ && bound_.is_out_of_reach(); }

  /// The residual that is likely to suffice.
  double target() const {
    return measures_error(options_) ? schedule_.target() : options_.tolerance;
  }

 private:
  const SolverOptions& options_;
  KnownBound<B, T>& bound_;
  BoundSchedule schedule_;
  bool has_looked_ = false;
};

}  // namespace ninefold
