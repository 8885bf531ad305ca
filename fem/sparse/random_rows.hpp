#pragma once
// Random sparse rows of a given shape, for products and least squares of the papers' sizes.
//
// Shape.  `entries` are shared out evenly: two rows' numbers differ by one at most.  Row i has an
// entry in column i mod columns, so that no column is empty, and the others anywhere; values are in
// [1/2, 3/2).  The truth is in [0, 1).
//
// Rounding.  As fem/sparse/generators.hpp: the same bits everywhere.
//
// Reference.  Stock and Koch, table 2: 81,545 x 3,072 with 854,129 entries.
// Tests.      tests/fem/sparse/rectangular_test.cpp

#include <cstdint>

#include "fem/sparse/tomography.hpp"

namespace ninefold {

struct RandomRowsOptions {
  int rows = 81'545, columns = 3'072;
  std::int64_t entries = 854'129;
  double noise = 0.01;
  std::uint64_t seed = 1;
};

/// Throws std::invalid_argument for options out of their ranges: no fewer rows than columns, and
/// from one entry a row to `columns`.
MeasuredRows random_rows(const RandomRowsOptions& options);

}  // namespace ninefold
