#pragma once
// Is a computed value as close to the exact one as its derivation promises?
//
// Mathematics.  |computed - exact| <= roundoffs u magnitude, u the unit roundoff of the computed
// value's format.  Bounds of the form n u / (1 - n u) are covered by one roundoff more than n.

#include <cmath>
#include <ostream>
#include <string>

#include "tests/support/exact.hpp"

namespace ninefold::testing {

/// The outcome of one comparison, or the worst of many; converts to bool and prints itself, so that
/// REQUIRE(within(...)) shows the numbers.
struct Closeness {
  double ratio = 0;  ///< error / bound; more than 1 is a failure, NaN too
  double computed = 0, exact = 0, error = 0, bound = 0;
  std::string where;

  explicit operator bool() const { return ratio <= 1; }

  friend std::ostream& operator<<(std::ostream& out, const Closeness& c) {
    out.precision(17);
    return out << c.where << " computed " << c.computed << ", exact " << c.exact << ", error "
               << c.error << ", bound " << c.bound;
  }
};

template <class T>
Closeness within(const T& computed, const Exact& exact, double roundoffs, const Exact& magnitude) {
  const Exact error = abs(Exact(computed) - exact);
  const Exact bound = Exact(roundoffs * Format<T>::unit_roundoff) * abs(magnitude);
  Closeness result;
  result.computed = static_cast<double>(computed);
  result.exact = static_cast<double>(exact);
  result.error = static_cast<double>(error);
  result.bound = static_cast<double>(bound);
  if (error == 0) {
    result.ratio = 0;
  } else {
    result.ratio = bound > 0 ? static_cast<double>(Exact(error / bound)) : INFINITY;
  }
  if (!std::isfinite(result.computed)) result.ratio = INFINITY;
  return result;
}

/// The worst of the comparisons of a whole field: one REQUIRE for many nodes.
class Worst {
 public:
  void add(const Closeness& closeness, int i, int j) {
    ++count_;
    if (closeness.ratio <= worst_.ratio) return;
    worst_ = closeness;
    worst_.where = "node (" + std::to_string(i) + ", " + std::to_string(j) + "):";
  }
  const Closeness& value() const { return worst_; }
  int count() const { return count_; }

 private:
  Closeness worst_;
  int count_ = 0;
};

}  // namespace ninefold::testing
