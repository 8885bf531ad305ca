#pragma once
// A step of the evaluation of a formula on a stack, for many points at once.
//
// Rounding.  + - * / and sqrt as IEEE 754 has them; the functions of precision/array_functions.hpp
// within what is stated there, so that their bits depend on no library; asin, acos, atan and atan2
// as the compiler's library has them; asinh, acosh and atanh by the formulas of the parser; whole
// powers by products.
//
// Tests.  tests/fem/problem/formula_rows_test.cpp

#include <cstddef>
#include <span>
#include <string_view>

namespace ninefold {

/// to[k] = f(x[k]); `to` may be x.
using OneArgument = void (*)(std::span<const double> x, double* to);

/// By the name that the parser has for it; nullptr if it is not known here.
OneArgument function_of_one(std::string_view name);

/// Points at once, which stay in cache.
inline constexpr std::size_t points_at_once = 512;

/// The largest exponent of FormulaStep::Kind::whole_power; a power has a relative error below so
/// many u.
inline constexpr std::size_t largest_whole_power = 8;

/// A step of an evaluation on a stack: a leaf is put there, all else takes its operands from it.
struct FormulaStep {
  enum class Kind {
    leaf,
    negative,
    sum,
    difference,
    product,
    quotient,
    whole_power,
    power,
    least,
    largest,
    direction,
    one
  };

  Kind kind;
  std::size_t number = 0;  ///< of the leaf, or the exponent
  OneArgument one = nullptr;

  bool has_two_operands() const {
    return kind != Kind::leaf && kind != Kind::negative && kind != Kind::whole_power
           && kind != Kind::one;
  }
};

/// One value, or one for each point.
struct Operand {
  const double* values;
  double value;

  double at(std::size_t i) const { return values == nullptr ? value : values[i]; }
};

/// The step's value for n <= points_at_once points; `to` may be where a has its values.  A leaf has
/// no value here.
void take(const FormulaStep& step, const Operand& a, const Operand& b, double* to, std::size_t n);

}  // namespace ninefold
