#pragma once
// Which datum it is that is infinite or not a number where a grid needs it.
//
// Usage.  Where a load, boundary values or errors have turned out not to be finite: a search is not
// made before.
//
// Cost.  As long as the assembly of a load, or the measuring of errors, on one thread.
//
// Tests.  tests/fem/discrete/finite_data_test.cpp

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

namespace ninefold {

/// Throws BadValue, with parameter, value and place, if the source or a flux is not finite at a
/// Gauss point of this grid, or boundary values at a node; in double at the points of the format W,
/// double or DoubleDouble.
template <class W>
void require_finite_load(const Problem& problem, const TensorGrid& grid);

/// Throws BadValue: a solution of this size is beyond what the formats hold that it is assembled
/// in.
[[noreturn]] void refuse_solution(double size);

/// The same as require_finite_load() of the solution at the nodes and at the Gauss points by which
/// errors are measured.
template <class W>
void require_finite_solution(const Problem& problem, const TensorGrid& grid);

}  // namespace ninefold
