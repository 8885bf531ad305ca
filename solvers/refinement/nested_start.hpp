#pragma once
// A level in double that full multigrid begins on, solved at once: by waves, where all cells are
// equal (a fast Poisson solver: sine and cosine transforms).
//
// Why.  On levels of 513 and 1025 nodes in a direction an H200 solves by waves in 0.5 and 0.6 of
// the time that visits take up to there, and to tolerances that visits need corrections for in a
// quarter to a third (docs/performance.md, "Full multigrid on the H200").
//
// Which level.  The finest one with at most `most_cells` in each direction, if it has
// `fewest_cells`: on coarser ones waves take as long as visits.  The last level is one of these if
// corrections are in double; if they were asked for in another format, it is visited.  Of a finer
// last level the one before it is visited, too, by points, where that foresees its correction
// (solvers/refinement/nested_iteration.hpp).
//
// Not with corrections of less than 20 bits: what an exact coarser solution leaves is as smooth as
// can be, and their rounding then has a direction (rms on level 12, in no file, 3.9 of the exact
// one with bfloat16, 0.74 with half, instead of 0.99 and 1.00).
//
// On a host waves take 1.3 times as long as visits up to there; they gain where corrections would
// follow, to 1e-8 or the discretisation error (docs/performance.md).
//
// Ranks.  Each has its rows; which level it is does not depend on them.
//
// Rounding.  Of solvers/direct/fast_diagonalisation.hpp by waves: the same on all backends, for any
// number of ranks and threads.
//
// Tests.  tests/solvers/refinement/nested_start_test.cpp

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/line_spectrum.hpp"
#include "fem/problem/problems.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/direct/line_vectors.hpp"

#include "solvers/direct/fast_diagonalisation.hpp"

namespace ninefold {

template <Backend B>
class NestedStart {
 public:
  static constexpr int fewest_cells = 256, most_cells = 1024;

  /// True if it can be the level that full multigrid begins on.
  static bool suits(const TensorGrid& grid, const Boundary& boundary) {
    const auto has_waves = [](const Line& line, const HeldEnds& held) {
      return line.cells() <= most_cells
             && LineVectors<B, double>::is_by_waves(line, held, fewest_cells);
    };
    return has_waves(grid.x, held_ends_x(boundary)) && has_waves(grid.y, held_ends_y(boundary));
  }

  /// Of a grid that suits.  For as long as that takes it has a vector of its own: what solutions
  /// there are stay as they are.
  NestedStart(const B& on, const TensorGrid& grid, const Boundary& boundary,
              const Coefficients<double>& g)
      : inverse_(on, grid, boundary, g) {
    const NodeVector<B, double> zero(on, grid.nx(), grid.ny());
    inverse_.prepare(zero.view());
  }

  /// x = A^-1 b at the unknowns, without a mean where a constant is free.  Can be recorded.
  void solve(const Field<const double>& b, const Field<double>& x) const { inverse_.apply(b, x); }

 private:
  FastDiagonalisation<B, double> inverse_;
};

}  // namespace ninefold
