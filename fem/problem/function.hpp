#pragma once
// Functions on the rectangle: in double, and where there is one, the same in double-double.
//
// A function may be a sum of products of a function of x and one of y.  Its integrals and its
// values on a tensor-product grid then follow from those on two lines.
//
// Rounding.  What is assembled in double-double asks for values in it.  A function that has none,
// such as a formula from a config file, is evaluated in double at the point rounded to double:
// has_wide() tells.  So are the factors of its products, whose product is then formed in the
// point's format.
//
// A function may know a faster way to its values at many points of a tensor product, row by row.
//
// Tests.  tests/fem/discrete/wide_assembly_test.cpp, tests/solvers/system/data_on_backend_test.cpp,
// tests/fem/problem/formula_rows_test.cpp

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "precision/double_word.hpp"

#include "grids/tensor_grid.hpp"

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

/// A function of one direction, of the distances to its start and its end; threads may call it at
/// once.
class LineFunction {
 public:
  LineFunction() = default;

  /// Requires two forms of one function, which is not checked.
  LineFunction(std::function<double(double, double)> in_double,
               std::function<DoubleDouble(DoubleDouble, DoubleDouble)> in_double_double)
      : narrow_(std::move(in_double)), wide_(std::move(in_double_double)) {}

  /// Of double only.
  explicit LineFunction(std::function<double(double, double)> in_double)
      : narrow_(std::move(in_double)) {}

  /// True if there is a form for double, from which values in double-double follow.
  bool is_known() const { return static_cast<bool>(narrow_); }

  /// Whether there is a form for double-double.
  bool has_wide() const { return static_cast<bool>(wide_); }

  template <class W>
  W at(const W& from_start, const W& from_end) const {
    if constexpr (std::same_as<W, double>) {
      return narrow_(from_start, from_end);
    } else {
      if (wide_) return wide_(from_start, from_end);
      return narrow_(static_cast<double>(from_start), static_cast<double>(from_end));
    }
  }

 private:
  std::function<double(double, double)> narrow_;
  std::function<DoubleDouble(DoubleDouble, DoubleDouble)> wide_;
};

/// factor x(left, right) y(bottom, top)
struct ProductFunction {
  double factor;
  LineFunction x, y;

  template <class W>
  W at(const PointOf<W>& p) const {
    return factor * (x.at(p.left, p.right) * y.at(p.bottom, p.top));
  }
};

/// values[i] = the value at (x_i, y_j) for all points of a line along x; threads may call it at
/// once.
template <class W>
using RowValues = std::function<void(std::size_t j, W* values)>;

/// The row values at points whose distances from the left and the lower side are given.
using RowFunction =
    std::function<RowValues<double>(const std::vector<double>& x, const std::vector<double>& y)>;

/// Empty or callable, like std::function.
class Function {
 public:
  Function() = default;

  /// The sum of products, their values added in their order; throws std::invalid_argument if there
  /// is none, or if a factor is not known.  In double only, if a factor is.
  explicit Function(std::vector<ProductFunction> products);

  /// Of double only.
  template <class F>
  requires(!std::same_as<F, Function> && std::is_invocable_r_v<double, F&, const Point&>)
      Function(F in_double)
      : narrow_(std::move(in_double)) {}

  /// Requires two forms of one function, which is not checked.
  Function(std::function<double(const Point&)> in_double, WideFunction in_double_double)
      : narrow_(std::move(in_double)), wide_(std::move(in_double_double)) {}

  /// Of double only, with the products that it is the sum of, but for rounding; they may be none.
  /// Requires two forms of one function, which is not checked.
  Function(std::function<double(const Point&)> in_double, std::vector<ProductFunction> products)
      : narrow_(std::move(in_double)), products_(std::move(products)) {}

  /// The same in double only, with a faster way to the values on rows, or without one.  Requires
  /// the same values but for rounding, which is not checked.
  Function(std::function<double(const Point&)> in_double, RowFunction rows)
      : narrow_(std::move(in_double)), rows_(std::move(rows)) {}

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

  /// The values on the tensor product of two lines of points, in the points' format as at() has
  /// them; all three must outlive what is returned.
  template <class W>
  RowValues<W> on_rows(const Distances<W>& x, const Distances<W>& y) const {
    if constexpr (std::same_as<W, double>) {
      if (rows_) return rows_(x.from_start, y.from_start);
    }
    return [this, &x, &y](std::size_t j, W* values) {
      for (std::size_t i = 0; i < x.from_start.size(); ++i) {
        values[i] = at(PointOf<W>{x.from_start[i], x.from_end[i], y.from_start[j], y.from_end[j]});
      }
    };
  }

  /// Whether there is a form for double-double.
  bool has_wide() const { return static_cast<bool>(wide_); }

  /// What the function is a sum of; nothing if it is not known as one.
  const std::vector<ProductFunction>& products() const { return products_; }

 private:
  std::function<double(const Point&)> narrow_;
  WideFunction wide_;
  std::vector<ProductFunction> products_;
  RowFunction rows_;
};

/// The sum of factor times function, each a sum of products itself, or std::invalid_argument.
Function sum_of(const std::vector<std::pair<double, Function>>& terms);

/// The same value everywhere.
Function constant(double value);

}  // namespace ninefold
