#pragma once
// One direction of a grid on every level: how cells become narrower towards a refined side.
//
// Mathematics.  Level l has n = 2^l cells; node i of level l is node 2i of level l + 1.  On a
// direction of length X with one refined side, seen from there:
//   anisotropic  the first cell is split at nu/2 of its width, all others are halved;
//   geometric    node i is X (g^(i/n) - 1) / (g - 1) away, g the expansion ratio: each cell is
//                g^(1/n) times as wide as the one before it, the last g^(1 - 1/n) times as
//                the first;
//   shishkin     the layer, tau X wide, and the rest hold n/2 cells of equal width each.
// With both sides refined the direction is symmetric, its middle a node: geometric cells grow to
// the middle, each layer of a Shishkin grid holds n/4 cells and the middle n/2, and where there are
// too few cells for that, on level 1, they are halves.  nu = 1, g = 1, tau = 1/2 (1/4 at two sides)
// are uniform, and so is a direction without a refined side.
//
// Widths of the user's own stand for the level of their number; finer levels halve the cells,
// coarser ones join neighbours.
//
// Rounding.  A level adds at most 2 roundings to a width and 1 to a distance where cells are split.
// Geometric widths and distances are within 2 roundings each (they are computed in long double);
// own widths are halved exactly and summed to the last digit.
//
// Tests.  tests/grids/grading_test.cpp, tests/grids/tensor_grid_test.cpp

#include <vector>

#include "grids/tensor_grid.hpp"

namespace ninefold {

/// Which ends of a direction are refined sides.
struct RefinedEnds {
  bool start = false, end = false;

  bool any() const { return start || end; }
  bool both() const { return start && end; }
};

/// Levels 0 to `level` of a direction of this length.  Requires what make_hierarchy() requires.
std::vector<Line> graded_lines(double length, int level, const GridGrading& grading,
                               RefinedEnds refined);

/// The same from the widths of 2^k cells, 1 <= k <= max_level.  Throws std::invalid_argument for
/// any other number of cells and for widths that make_line() refuses.
std::vector<Line> own_lines(const std::vector<double>& widths, int level);

}  // namespace ninefold
