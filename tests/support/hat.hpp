#pragma once
// The coarse hat functions at the nodes of a refined line, in 50 digits: what transfers between
// grids are judged by.

#include <cstddef>
#include <cstdlib>

#include "grids/tensor_grid.hpp"

#include "tests/support/exact.hpp"

namespace ninefold::testing {

/// The hat function of coarse node I at fine node i, from the widths.
inline Exact hat(const Line& fine, int I, int i) {
  if (i == 2 * I) return 1;
  if (std::abs(i - 2 * I) != 1) return 0;
  const auto cell = static_cast<std::size_t>(i - 1);  // the first of the two around an odd node
  const Exact before(fine.width[cell]), after(fine.width[cell + 1]);
  return (i < 2 * I ? before : after) / (before + after);
}

}  // namespace ninefold::testing
