#pragma once
// A formula in x and y, given as text, as a function that several threads may call at once.
//
// Mathematics.  muParser syntax: + - * / ^, comparisons, `condition ? a : b`, sin, cos, exp, sqrt,
// abs, min, max, ...  Known names are x, y, width, height and pi.  The value is in double.
//
// Shape.  A parser holds the values of its variables, so each evaluation needs one of its own. They
// are kept in a pool of slots without locks: a thread takes what its slot holds, or builds a new
// parser if it holds nothing, and puts it back when done.
//
// Cost.  About 50 ns for a short formula, once a thread's parser exists.
//
// Tests.  tests/fem/problem/expression_test.cpp

#include <memory>
#include <string>

namespace ninefold {

class Expression {
 public:
  /// Throws std::invalid_argument, with the place and the whole text, unless `text` is one formula
  /// in the known names.  Whether its values are finite is not checked.
  Expression(const std::string& text, double width, double height);

  /// The value at (x, y); copies of an Expression share one pool of parsers.
  double operator()(double x, double y) const;

 private:
  struct Pool;
  std::shared_ptr<const Pool> pool_;
};

}  // namespace ninefold
