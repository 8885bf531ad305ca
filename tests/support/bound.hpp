#pragma once
// Is a computed value as close to the exact one as its derivation promises?
//
// Mathematics.  |computed - exact| <= roundoffs u magnitude, u the unit roundoff of the format that
// was computed in, Arithmetic<T>.  `loss` says how many roundoffs an operation costs.  Bounds of
// the form n u / (1 - n u) are covered by one roundoff more than n.  A storage format rounds the
// result once more.
//
// Tests.  tests/support/bound_test.cpp, tests/precision/number_test.cpp

#include <cmath>
#include <concepts>
#include <ostream>
#include <string>

#include "precision/double_word.hpp"

#include "tests/support/exact.hpp"

namespace ninefold::testing {

/// What one operation loses at most, in unit roundoffs of its exact result; `fused` of the product
/// alone, while what it is added to loses `sum`.
struct Loss {
  double sum = 1, product = 1, fused = 1, quotient = 1;
};

/// One rounding for correctly rounded formats; for pairs the bounds of precision/double_word.hpp,
/// their terms in u^3 included.
template <class T>
inline constexpr Loss loss =
    is_double_word<Arithmetic<T>> ? Loss{3 + 13 * 0x1p-24, 4, 7 + 30 * 0x1p-24, 15 + 56 * 0x1p-24}
                                  : Loss{};

/// What a ProductSum of n products loses at most, in unit roundoffs of the sum of their sizes.
template <class T>
constexpr double product_sum_loss(int n) {
  return is_double_word<Arithmetic<T>> ? 0.5 * n * n + 3.5 * n + 6 : n;
}

/// What a b + c loses at most by `fused`, the product a b and the result being given.
template <class T>
Exact fused_error(const Exact& product, const Exact& result) {
  const Exact u(unit_roundoff<Arithmetic<T>>());
  // A pair's product is not rounded once with the sum, but on its own.
  if constexpr (is_double_word<Arithmetic<T>>) {
    const Exact of_product = Exact(loss<T>.product) * u * abs(product);
    return of_product + Exact(loss<T>.sum) * u * (abs(result) + of_product);
  }
  return u * abs(result);
}

/// The error bound of a result that is stored as T, before which it was off by `error` at most.
template <class T>
Exact stored(const Exact& exact, const Exact& error) {
  if constexpr (std::same_as<T, Arithmetic<T>>) {
    return error;
  } else {
    // Half of the last bit, that of subnormal numbers at least.
    const Exact size = abs(exact) + error, normal(std::ldexp(1.0, Format<T>::min_exponent));
    return error + Exact(Format<T>::unit_roundoff) * (size > normal ? size : normal);
  }
}

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

/// Compares with an error that is given before storing.
template <class T>
Closeness within_error(const T& computed, const Exact& exact, const Exact& largest) {
  const Exact error = abs(to_exact(computed) - exact);
  const Exact bound = stored<T>(exact, largest);
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

template <class T>
Closeness within(const T& computed, const Exact& exact, double roundoffs, const Exact& magnitude) {
  const double u = unit_roundoff<Arithmetic<T>>();
  return within_error(computed, exact, Exact(roundoffs) * Exact(u) * abs(magnitude));
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
