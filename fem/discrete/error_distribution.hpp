#pragma once
// Where on a grid the error lies, as the next coarser level tells it.
//
// Tests.  tests/fem/discrete/level_error_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

namespace ninefold {

/// The size of the error of a level's nodal values, k = j nx + i, told by those of the next coarser
/// level, at each node: the largest root mean square over the coarser cells that it touches
/// (fem/discrete/level_error.hpp).  Throws std::invalid_argument unless the sizes are theirs.
std::vector<double> error_distribution(const TensorGrid& grid, const std::vector<double>& values,
                                       const std::vector<double>& coarser);

}  // namespace ninefold
