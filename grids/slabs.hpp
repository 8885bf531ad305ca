#pragma once
// How the rows of nodes of a hierarchy's grids are divided among ranks: slabs of whole rows, one
// above the other, rank 0 at the bottom.
//
// Shape.  On each grid every rank has rows that follow each other.  Coarse grids of too few rows
// are not divided: each rank has all of them.  Of the coarsest grid that is divided the rows are
// dealt out as evenly as they can be, and a finer grid's slab is that of the next coarser one: row
// J of it is row 2J, so that what is restricted or prolongated stays with its rank, but for a row
// at the border.  Slabs begin at multiples of 16 rows: a line across them is eliminated in pieces
// of so many unknowns (gpu/operations/line_systems.hpp), which thus lie within one or end in the
// row above it.
//
// Which grids are divided, and where, follows from the number of rows alone, so that grids of one
// hierarchy agree without being told of each other.
//
// Tests.  tests/grids/slabs_test.cpp

#include <algorithm>
#include <cstdint>

namespace ninefold {

/// The rows first <= j < last.
struct RowRange {
  int first, last;

  int count() const { return last - first; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

class Slabs {
 public:
  /// The rows of a neighbour that a rank has copies of, below and above its own.
  static constexpr int ghost_rows = 6;
  /// What the first row of each is a multiple of.
  static constexpr int row_multiple = 16;
  /// The fewest cells above each other that a rank may have on a grid that is divided.
  static constexpr int fewest_cells = row_multiple;

  /// Neither are grids of so many rows or fewer, which some methods solve as a whole
  /// (gpu/operations/coarse_operations.hpp, solvers/multigrid/base_solver.hpp).
  static constexpr int most_undivided = 65;

  /// Of at least one rank.  Grids of fewer than `cells` cells above each other for each rank, and
  /// of fewer than fewest_cells, are not divided.
  constexpr Slabs(int ranks, int cells) : ranks_(ranks), cells_(cells) {}

  constexpr int ranks() const { return ranks_; }
  /// True if rows of a grid of so many are divided.
  constexpr bool divide(int ny) const { return ranks_ > 1 && ny - 1 >= fewest(); }

  /// A rank's own rows of a grid of ny; all, if they are not divided.
  constexpr RowRange rows(int ny, int rank) const {
    if (!divide(ny)) return {0, ny};
    int cells = ny - 1, refinements = 0;
    while (cells % 2 == 0 && cells / 2 >= fewest()) {
      cells /= 2;
      ++refinements;
    }
    const auto start = [&](int r) {
      const auto even = static_cast<int>(std::int64_t{r} * cells / ranks_);
      return even / row_multiple * row_multiple << refinements;
    };
    return {start(rank), rank + 1 == ranks_ ? ny : start(rank + 1)};
  }

  /// The rows of the next coarser grid that lie on a rank's own rows of a grid of ny = 2 m + 1,
  /// whether the coarser grid's are divided (then these are its own) or not.
  constexpr RowRange coarse_rows(int ny, int rank) const {
    const RowRange own = rows(ny, rank);
    return {(own.first + 1) / 2, (own.last + 1) / 2};
  }

 private:
  /// With as many, none is left without rows by the multiple.
  constexpr int fewest() const {
    return std::max(ranks_ * std::max(cells_, fewest_cells), most_undivided);
  }

  int ranks_, cells_;
};

}  // namespace ninefold
