#pragma once
// When full multigrid is done: what its iteration leaves is small beside the discretisation error.
//
// Mathematics.  The next coarser level tells the discretisation error e (fem/discrete/
// level_error.hpp), whether an order is observed or not: without one it is of the size of what
// refinement changes.  A correction c_k after which corrections fall by q leaves
// |c_k| (q + q^2 + ...) = |c_k| q / (1 - q).  q is the larger of the last quotients of residuals
// and of corrections; where the residual stays, since rounding holds it, of two quotients of
// corrections.  The first correction has none before it, and a residual that falls fast, as that of
// rough errors does, says little of smooth ones: its q is 1/2 at least.  Of q above 0.9 no sum is
// trusted, and where rounding is all that corrections are there is none: a hundredth of the goal,
// or less, is asked of the correction itself.  That an iteration does not fall more slowly still is
// seen after it (solvers/solve.cpp).
//
// The first correction is made whatever full multigrid has left, but where it has solved the level
// at once: nothing else tells what that is.
// What was left when e was told may have been in it: where the corrections since, twice their sum
// taken off e, would show, e is told again when it is met.
//
// Tests.  tests/solvers/drivers/discretisation_aim_test.cpp

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace ninefold {

class DiscretisationAim {
 public:
  /// Nothing is met before the error is told.
  explicit DiscretisationAim(double fraction) : fraction_(fraction) {}

  /// The discretisation error in l2: the least that has been told counts.
  void told(double error) {
    error_ = error_ ? std::min(*error_, error) : error;
    moved_ = 0;
  }
  bool is_told() const { return error_.has_value(); }

  /// After a step that has left rounding alone.
  void solved() { left_ = 0; }
  /// After a step that has added a correction of this l2 norm and taken the residual's to this part
  /// of what it was.
  void corrected(double size, double residual_falls_to) {
    constexpr double fast = 0.5;
    const double quotient = last_ > 0 ? size / last_ : unknown;
    const double q = residual_falls_to > fast ? std::max(quotient, last_quotient_)
                     : last_ > 0              ? std::max(residual_falls_to, quotient)
                                              : std::max(residual_falls_to, fast);  // a NaN stays
    last_ = size;
    last_quotient_ = quotient;
    moved_ += size;
    left_ = size == 0 ? 0 : after(size, q);
  }

  /// What the iteration leaves, as far as is known.
  double left() const { return left_; }
  bool is_met() const { return error_ && left_ <= fraction_ * *error_; }
  /// True if that would be so whatever the corrections since have taken away from the error.
  bool is_sure() const { return error_ && left_ <= fraction_ * (*error_ - 2 * moved_); }

 private:
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  static double after(double size, double q) {
    constexpr double slow = 0.9, least_of_slow = 100;
    if (std::isnan(q)) return unknown;
    if (q <= slow) return size * q / (1 - q);
    return size * (q < 1 ? std::max(q / (1 - q), least_of_slow) : least_of_slow);
  }

  double fraction_;
  std::optional<double> error_;
  double moved_ = 0;  ///< since it was told
  double last_ = 0, last_quotient_ = unknown, left_ = unknown;
};

}  // namespace ninefold
