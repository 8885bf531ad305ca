#pragma once
// Where on a grid the error lies, as the next coarser level tells it.
//
// Tests.  tests/fem/discrete/level_error_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"

namespace ninefold {

/// The size of the error of a level's nodal values, told by those of the next coarser level, at
/// each node: the largest root mean square over the coarser cells that it touches
/// (fem/discrete/level_error.hpp).  Of the rows that are here, but zero beside the own ones and the
/// next one above them.  Throws std::invalid_argument unless the sizes are theirs.
std::vector<double> error_distribution(const TensorGrid& grid, const NodalValues<double>& values,
                                       const NodalValues<double>& coarser);

}  // namespace ninefold
