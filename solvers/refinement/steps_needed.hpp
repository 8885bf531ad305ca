#pragma once
// How many corrections follow each other before the host looks at a norm.
//
// Tests.  tests/solvers/refinement/refinement_stopping_test.cpp

namespace ninefold {

/// The fewest steps from a reduction to the tolerance, from 1 to `most`, if several gain `gain` > 1
/// each in the mean, or less, and one by itself twice that.  One where the reduction is no number.
inline int steps_needed(double reduction, double tolerance, double gain, int most) {
  int count = 1;
  double left = reduction / (2 * gain);
  while (count < most && left > tolerance) {
    left = count == 1 ? 2 * left / gain : left / gain;
    ++count;
  }
  return count;
}

}  // namespace ninefold
