#pragma once
// The products that a formula is a sum of, where it may be evaluated by them.
//
// Why.  Data that are sums of products go to a backend as lines of values
// (fem/problem/function.hpp) and need no evaluation at each node.
//
// Rounding.  What the terms of a formula (fem/problem/formula_terms.hpp) add up to differs from the
// formula by some roundoffs of the terms, each of which is computed to a few of its own.  With u =
// 2^-53, f the formula and t_k its terms, the products are taken if at the samples
//
//     no factor exceeds 2^500, so that none leaves the range of double between them,
//     max sum_k |t_k| <= 8 max |f|:      (x - y)^2 = x^2 - 2xy + y^2 is, (x - y)^4 is not,
//     max |f - sum_k t_k| <= 64 u max |f|,
//
// so that loads and errors change by less than 1e-14 of the largest value, which leaves errors of
// 1e-10 of the solution four digits.  Formulas that cancel more, are infinite or not a number at a
// sample are left as they are.
//
// The samples.  Every factor at 2048 points of its line, both ends among them; the formula at the
// points of the tensor product of 48 of these and of those where the factors are largest, so that a
// peak of one thousandth of the rectangle is not missed.
//
// Cost.  Below a millisecond for a formula of a few terms.
//
// Tests.  tests/fem/problem/separation_test.cpp, tests/solvers/system/data_on_backend_test.cpp

#include <string>
#include <vector>

#include "fem/problem/function.hpp"

namespace ninefold {

/// The products on [0, width] x [0, height], in double alone; nothing where the formula is not to
/// be evaluated by them.  Requires a formula that Expression takes.
std::vector<ProductFunction> separated(const std::string& formula, double width, double height);

}  // namespace ninefold
