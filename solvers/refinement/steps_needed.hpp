#pragma once
// How many corrections follow each other before the host looks at a norm.
//
// Tests.  tests/solvers/refinement/refinement_stopping_test.cpp

namespace ninefold {

/// The fewest steps from a reduction to the tolerance, if each gains `gain` > 1 or less; from 1 to
/// `most`.  One where the reduction is no number.
inline int steps_needed(double reduction, double tolerance, double gain, int most) {
  int count = 1;
  for (double left = reduction / gain; count < most && left > tolerance; left /= gain) ++count;
  return count;
}

}  // namespace ninefold
