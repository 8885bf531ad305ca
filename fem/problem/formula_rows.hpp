#pragma once
// A formula in x and y for whole rows of points of a tensor product.
//
// Why.  A formula that is no sum of products (fem/problem/separation.hpp) has a value for each of
// 10^8 points, and 50 ns for each of them is longer than the solve.  Here what depends on x alone,
// or on y alone, is evaluated once for each point of its line, and what joins the two by loops over
// the points of a row.
//
// Rounding.  What depends on x or y alone is computed by Expression; what joins them, by
// fem/problem/formula_steps.hpp, so that a function's value may differ from Expression's in its
// last place or two, and a whole power is made of products.  Taken only if at 64 x 64 samples no
// value differs by more than 64 u of the largest, u = 2^-53, and all are finite: names that mean
// something else to the parser are found so, too.
//
// Cost.  Below a nanosecond for each operation, 1 to 4 for each function of both x and y, 5 to 20
// for asin, acos, atan and atan2.
//
// Tests.  tests/fem/problem/formula_rows_test.cpp

#include <string>

#include "fem/problem/function.hpp"

namespace ninefold {

/// The formula on rows; empty where it is not to be evaluated so: for conditions and comparisons of
/// both x and y, and functions of several arguments but min, max and atan2.  Requires a formula
/// that Expression takes.
RowFunction formula_rows(const std::string& formula, double width, double height);

}  // namespace ninefold
