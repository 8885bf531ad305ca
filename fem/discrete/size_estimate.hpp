#pragma once
// How large a load is, and about how large the solution will be.
//
// Tests.  tests/fem/discrete/scaling_test.cpp

#include "grids/tensor_grid.hpp"

#include "fem/discrete/load.hpp"
#include "fem/problem/problems.hpp"

namespace ninefold {

struct LoadSize {
  /// The largest |b| at the unknowns: of all of them where b is known node by node; where it is a
  /// sum of products, of some hundred thousand, those included where a factor is largest.  NaN or
  /// infinite if a value anywhere is.
  double largest = 0;
  /// About the largest |x| for this load and boundary values of zero (fem/discrete/scaling.hpp says
  /// how); 0 if `largest` is not finite.
  double solution = 0;
};

/// W is double or DoubleDouble.
template <class W>
LoadSize size_of_load(const Problem& problem, const TensorGrid& grid, const Load<W>& load);

}  // namespace ninefold
