#pragma once
// The bound of an iteration's x, computed when it is asked for, and once for each x.
//
// Tests.  tests/solvers/judgement/accuracy_test.cpp, tests/solvers/judgement/norm_test.cpp

#include <cmath>
#include <optional>

#include "solvers/judgement/accuracy.hpp"

namespace ninefold {

/// The bound of an x, which is asked for several times between two steps; of one solve.
template <Backend B, Number T>
class KnownBound {
 public:
  /// All of these must outlive this.
  KnownBound(const Accuracy<B, T>& accuracy, const Operator<T>& A, const Field<const T>& b,
             const Field<const T>& x)
      : accuracy_(accuracy), A_(A), b_(b), x_(x) {}

  /// As it is compared with what is promised.
  double value() {
    if (!value_) value_ = accuracy_.in_one_norm() ? value_in_norm() : accuracy_.bound(A_, b_, x_);
    return *value_;
  }
  /// True if it is what `converged` promises, or nothing is asked.
  bool suffices() { return !accuracy_.is_used() || accuracy_.is_promised(value()); }
  /// In one norm: true if rounding alone is more than the tolerance, and the residual no more.
  bool is_out_of_reach() {
    (void)value();
    const double rounding = accuracy_.in_tolerances(error_.rounding, least_size_.value_or(0));
    return std::isfinite(*value_) && error_.by_residual <= error_.rounding
           && !accuracy_.is_promised(rounding);
  }
  /// When x has changed.
  void forget() { value_.reset(); }

 private:
  double value_in_norm() {
    constexpr double known = 0.1;
    error_ = accuracy_.error(A_, b_, x_);
    const double error = error_.all();
    // A size that no error blurs is measured once.
    if (accuracy_.is_relative() && !(least_size_ && told_by_ <= known * *least_size_)) {
      least_size_ = accuracy_.least_size(A_, b_, x_, error);
      told_by_ = error;
    }
    return accuracy_.in_tolerances(error, least_size_.value_or(0));
  }

  const Accuracy<B, T>& accuracy_;
  const Operator<T>& A_;
  Field<const T> b_, x_;
  std::optional<double> value_;
  ErrorInNorm error_;                 ///< of that value
  std::optional<double> least_size_;  ///< of the exact solution
  double told_by_ = 0;                ///< the error of the x that has told it
};

}  // namespace ninefold
