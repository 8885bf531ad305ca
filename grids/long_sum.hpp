#pragma once
// Sums of many lengths, to the last digit of a double and well beyond.
//
// Rounding.  value() is within u^2 of the sum (u = 2^-53): of the three words the third, `rest`, is
// rounded, which after n terms loses less than n^2 u^3.
//
// Tests.  tests/grids/tensor_grid_test.cpp

#include "precision/double_word.hpp"

namespace ninefold {

/// The sum as three words, the first two a normalised pair.
class LongSum {
 public:
  void add(double x) {
    const Rounded<double> first = two_sum(high_, x);
    const Rounded<double> second = two_sum(low_, first.error);
    const Rounded<double> pair = quick_two_sum(first.value, second.value);
    high_ = pair.value;
    low_ = pair.error;
    rest_ += second.error;
  }
  DoubleDouble value() const { return DoubleDouble::normalise(high_, low_ + rest_); }

 private:
  double high_ = 0, low_ = 0, rest_ = 0;
};

}  // namespace ninefold
