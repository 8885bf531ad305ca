#pragma once
// A level in double that full multigrid begins on, solved at once: by waves, where all cells are
// equal.
//
// Why.  On levels of 513 and 1025 nodes in a direction an H200 solves by waves in 0.5 and 0.6 of
// the time that visits take up to there (docs/performance.md, "Full multigrid on the H200").
//
// Which level.  The finest one before the last with at most `most_cells` in each direction, if it
// has `fewest_cells`: a level coarser waves take as long as visits.  The last level is always
// visited, so that corrections are in the format that was asked for.  Not where a constant is free,
// nor with corrections in 16 bits: what an exact coarser solution leaves is as smooth as can be,
// and their rounding then has a direction (rms on level 12 3.9 of the exact one with bfloat16, 0.74
// with half, instead of 0.99 and 1.00).
//
// Ranks.  The level is small: each solves all of it, and keeps its own rows.
//
// Rounding.  Of solvers/direct/fast_diagonalisation.hpp by waves: the same on all backends, for any
// number of ranks and threads.
//
// Tests.  tests/solvers/refinement/nested_start_test.cpp

#include <cstddef>
#include <optional>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/line_spectrum.hpp"
#include "fem/problem/problems.hpp"

#include "gpu/backend/vector.hpp"

#include "solvers/direct/fast_diagonalisation.hpp"

namespace ninefold {

template <Backend B>
class NestedStart {
 public:
  static constexpr int fewest_cells = 256, most_cells = 1024;

  /// True if it can be the level that full multigrid begins on.
  static bool suits(const TensorGrid& grid, const Boundary& boundary,
                    const Coefficients<double>& g) {
    const auto has_waves = [](const Line& line, const HeldEnds& held) {
      return line.cells() <= most_cells
             && LineVectors<B, double>::is_by_waves(line, held, fewest_cells);
    };
    const bool is_regular = boundary.any_dirichlet() || g.c > 0;
    return is_regular && has_waves(grid.x, held_ends_x(boundary))
           && has_waves(grid.y, held_ends_y(boundary));
  }

  /// Of a grid that suits; `zero` is a vector of it, and stays that.
  NestedStart(const B& on, const TensorGrid& grid, const Boundary& boundary,
              const Coefficients<double>& g, const Field<double>& zero)
      : on_(on), inverse_(on, grid, boundary, g) {
    if (own_rows(on, grid.ny()) != RowRange{0, grid.ny()}) {
      whole_.emplace(NodeVector<B, double>::undivided(on, grid.nx(), grid.ny()));
    }
    inverse_.prepare(whole_ ? whole_->view() : zero);
  }

  /// x = A^-1 b at the unknowns, this rank's own.  Can be recorded.
  void solve(const Field<const double>& b, const Field<double>& x) const {
    if (!whole_) return inverse_.apply(b, x);
    const Field<double> all = whole_->view();
    const RowRange own = own_rows(on_, x.ny);
    const auto bytes_of = [&x](int rows) {
      return static_cast<std::size_t>(rows) * static_cast<std::size_t>(x.pitch) * sizeof(double);
    };
    on_.copy_within(all.row(own.first), b.row(own.first), bytes_of(own.count()));
    std::vector<std::size_t> begin;  // of each rank's rows
    for (int rank = 0; rank < on_.ranks()->size(); ++rank) {
      begin.push_back(bytes_of(on_.ranks()->slabs().rows(x.ny, rank).first));
    }
    begin.push_back(bytes_of(x.ny));
    on_.gather(all.data, begin);
    inverse_.apply(all, all);
    on_.copy_within(x.row(own.first), all.row(own.first), bytes_of(own.count()));
  }

 private:
  B on_;
  FastDiagonalisation<B, double> inverse_;
  std::optional<NodeVector<B, double>> whole_;  ///< where ranks divide the level: b, then x
};

}  // namespace ninefold
