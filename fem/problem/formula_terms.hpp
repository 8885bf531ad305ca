#pragma once
// A formula in x and y as a sum of products of a formula in x and one in y.
//
// Mathematics.  What depends on one of x and y alone stays as it is.  Of the rest,
//
//     a + b, a - b, -a        are the terms of a and b
//     a b                     every term of a by every one of b
//     a / b                   if b is one term
//     a^n                     of one term its factors' powers; of several the product a a ... a;
//                             n that are not whole only where all factors are surely >= 0
//     c^(a + b), exp(a + b)   c^a c^b for a in x alone, b in y alone and a number c > 0
//     sqrt(a), abs(a)         if a is one term, and for the root all factors are surely >= 0
//
// and nothing else.  That a sum is equal to the formula says nothing on its rounding: a term may be
// larger than the sum, or leave the range of double; see fem/problem/separation.hpp.
//
// Tests.  tests/fem/problem/separation_test.cpp

#include <string>
#include <vector>

namespace ninefold {

/// factor x y, where x and y are formulas in one variable; an empty one is 1.
struct FormulaTerm {
  double factor = 1;
  std::string x, y;
  bool x_nonnegative = true, y_nonnegative = true;  ///< surely so on the rectangle
};

inline constexpr int max_formula_terms = 16;

/// The terms that the rules lead to, in their order; nothing if they do not lead to any, or to more
/// than max_formula_terms on the way.  Requires a formula that Expression takes.
std::vector<FormulaTerm> terms_of(const std::string& formula, double width, double height);

/// Fewer terms, where some have the same x or the same y: of these the others are added.
std::vector<FormulaTerm> merged(const std::vector<FormulaTerm>& terms);

}  // namespace ninefold
