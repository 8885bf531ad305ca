#pragma once
// A formula in x and y, given as text, as a function that several threads may call at once.
//
// Mathematics.  muParser syntax: + - * / ^, comparisons, `condition ? a : b`, sin, cos, exp, sqrt,
// abs, min, max, ...  Known names are x, y, width, height and pi.  The value is in double.
//
// Shape.  A parser holds the values of its variables, so each evaluation needs one of its own. They
// are kept in a pool of slots without locks, two for each core: a thread takes what its slot holds,
// or builds a new parser if it holds nothing, and puts it back when done.
//
// Cost.  About 50 ns for a short formula, once a thread's parser exists.
//
// Tests.  tests/fem/problem/expression_test.cpp

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace ninefold {

/// A text that is no formula: why, where, and how to write what is meant, where that can be told.
class FormulaError : public std::invalid_argument {
 public:
  FormulaError(const std::string& message, std::size_t position)
      : std::invalid_argument(message), position_(position) {}

  /// Of the byte where it goes wrong, from 0; that after the last one if something is missing.
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

class Expression {
 public:
  /// Throws FormulaError, with the place and the whole text, unless `text` is one formula in the
  /// known names.  Whether its values are finite is not checked.
  Expression(const std::string& text, double width, double height);

  /// The value at (x, y); copies of an Expression share one pool of parsers.
  double operator()(double x, double y) const;

 private:
  struct Pool;
  std::shared_ptr<const Pool> pool_;
};

}  // namespace ninefold
