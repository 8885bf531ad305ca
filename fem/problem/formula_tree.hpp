#pragma once
// A formula in x and y (fem/problem/expression.hpp) as a tree, down to where taking it apart is of
// use.
//
// Shape.  Operators bind as muParser has them: ^ from the right, tighter than a sign, which binds
// as tight as * and /.  Comparisons, conditions and what they join are one opaque node.
//
// Tests.  tests/fem/problem/separation_test.cpp

#include <optional>
#include <string_view>
#include <vector>

namespace ninefold {

struct FormulaNode {
  enum class Kind { opaque, sum, difference, product, quotient, power, negative, call };

  Kind kind = Kind::opaque;
  std::string_view text;  ///< a part of the formula, which must outlive it
  bool in_x = false, in_y = false;
  bool nonnegative = false;           ///< surely so, wherever x, y >= 0 and the value is known
  std::string_view function;          ///< of a call
  std::vector<FormulaNode> operands;  ///< in their order
};

/// The tree of a formula that Expression takes; nothing for one that is longer than 4096 characters
/// or nested deeper than 100, or that this reader does not know.
std::optional<FormulaNode> formula_tree(std::string_view text);

}  // namespace ninefold
