#pragma once
// Functions on the rectangle: in double, and where there is one, the same in double-double.
//
// Rounding.  What is assembled in double-double asks for values in it.  A function that has none,
// such as a formula from a config file, is evaluated in double at the point rounded to double:
// has_wide() tells.
//
// Tests.  tests/fem/discrete/wide_assembly_test.cpp

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "precision/double_word.hpp"

namespace ninefold {

/// A point of the rectangle by its distances to the four sides, so that functions which vanish
/// on a side can be evaluated without cancellation next to it.
template <class W>
struct PointOf {
  W left, right, bottom, top;
  W x() const { return left; }
  W y() const { return bottom; }
};

using Point = PointOf<double>;
using WidePoint = PointOf<DoubleDouble>;
using WideFunction = std::function<DoubleDouble(const WidePoint&)>;

/// Empty or callable, like std::function.
class Function {
 public:
  Function() = default;

  /// Of double only.
  template <class F>
  requires(!std::same_as<F, Function> && std::is_invocable_r_v<double, F&, const Point&>)
      Function(F in_double)
      : narrow_(std::move(in_double)) {}

  /// Requires two forms of one function, which is not checked.
  Function(std::function<double(const Point&)> in_double, WideFunction in_double_double)
      : narrow_(std::move(in_double)), wide_(std::move(in_double_double)) {}

  explicit operator bool() const { return static_cast<bool>(narrow_); }

  /// The value in double; throws std::bad_function_call if empty.
  double operator()(const Point& p) const { return narrow_(p); }

  /// The value in the point's format, as far as it is known in that; same exception.
  template <class W>
  W at(const PointOf<W>& p) const {
    if constexpr (std::same_as<W, double>) {
      return narrow_(p);
    } else {
      if (wide_) return wide_(p);
      return narrow_({static_cast<double>(p.left), static_cast<double>(p.right),
                      static_cast<double>(p.bottom), static_cast<double>(p.top)});
    }
  }

  /// Whether there is a form for double-double.
  bool has_wide() const { return static_cast<bool>(wide_); }

 private:
  std::function<double(const Point&)> narrow_;
  WideFunction wide_;
};

}  // namespace ninefold
