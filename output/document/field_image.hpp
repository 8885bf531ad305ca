#pragma once
// An image of nodal values for a page.
//
// Tests.  tests/output/document/raster_test.cpp

#include <string>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"

#include "output/document/document.hpp"

namespace ninefold {

/// The bilinear interpolant of nodal values, to scale; its description says between what values it
/// lies and where the largest is, its place so in words.  Without an image if no value is finite.
/// Throws std::invalid_argument if the values do not fit the grid.
Image field_image(const TensorGrid& grid, const NodalValues<double>& values,
                  const std::string& title);

}  // namespace ninefold
