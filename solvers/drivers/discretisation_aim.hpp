#pragma once
// When full multigrid is done: what its iteration leaves is small beside the discretisation error.
//
// Mathematics.  The next coarser level tells the discretisation error e (fem/discrete/
// level_error.hpp), whether an order is observed or not: without one it is of the size of what
// refinement changes.  A correction c_k after which corrections fall by q leaves
// |c_k| (q + q^2 + ...) = |c_k| q / (1 - q).  q is the quotient of residuals, or of corrections
// where rounding holds the residual and they still fall.  Of slow iterations no such sum is
// trusted: a hundredth of the goal is asked of the correction itself, enough for q to 0.99.
//
// The first correction is made whatever full multigrid has left: nothing else tells what that is.
//
// Tests.  tests/solvers/drivers/discretisation_aim_test.cpp

#include <algorithm>
#include <limits>
#include <optional>

namespace ninefold {

class DiscretisationAim {
 public:
  /// Nothing is met before the error is told.
  explicit DiscretisationAim(double fraction) : fraction_(fraction) {}

  /// The discretisation error in l2, once.
  void told(double error) { goal_ = fraction_ * error; }
  bool is_told() const { return goal_.has_value(); }

  /// After a step that has added a correction of this l2 norm and taken the residual's to this part
  /// of what it was.
  void corrected(double size, double residual_falls_to) {
    constexpr double fast = 0.5;
    double q = residual_falls_to;
    if (last_ && *last_ > 0 && !(q <= fast)) q = std::min(q, size / *last_);
    last_ = size;
    left_ = after(size, q);
  }

  /// What the iteration leaves, as far as is known.
  double left() const { return left_; }
  bool is_met() const { return goal_ && left_ <= *goal_; }

 private:
  static double after(double size, double q) {
    constexpr double slow = 0.9, sum_of_slow = 100;
    if (!(q >= 0)) return std::numeric_limits<double>::infinity();
    return q <= slow ? size * q / (1 - q) : sum_of_slow * size;
  }

  double fraction_;
  std::optional<double> goal_, last_;
  double left_ = std::numeric_limits<double>::infinity();
};

}  // namespace ninefold
