#pragma once
// Values of a bilinear interpolant at evenly spread places, for pictures.
//
// Tests.  tests/output/plots/plot_test.cpp, tests/output/document/raster_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"

namespace ninefold {

struct Samples {
  int nx, ny;
  std::vector<double> value;  ///< of row 0, the bottom, then row 1, ...
};

/// `longer` places along the longer side and, to scale, at least `fewest` along the other.  Throws
/// std::invalid_argument if the values do not fit the grid.
Samples sample(const TensorGrid& grid, const NodalValues<double>& values, int longer, int fewest);

}  // namespace ninefold
