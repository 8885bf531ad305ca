// The division of rows among ranks: complete, even, and the same from grid to grid.

#include "grids/slabs.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("slabs cover each grid once, from the bottom up", "[slabs]") {
  const int ranks = GENERATE(1, 2, 3, 4, 7, 16), cells_each = GENERATE(1, 16, 64);
  const Slabs slabs(ranks, cells_each);
  for (const int ny : {2, 3, 5, 17, 33, 34, 65, 100, 101, 129, 1025, 3073, 65537}) {
    CAPTURE(ranks, cells_each, ny);
    if (!slabs.divide(ny)) {
      CHECK(slabs.rows(ny, ranks - 1) == RowRange{0, ny});
      continue;
    }
    int next = 0;
    for (int r = 0; r < ranks; ++r) {
      const RowRange own = slabs.rows(ny, r);
      CHECK(own.first == next);
      CHECK(own.count() >= Slabs::fewest_cells);
      CHECK(own.first % Slabs::row_multiple == 0);
      next = own.last;
    }
    CHECK(next == ny);
  }
}

TEST_CASE("a slab is that of the next coarser grid", "[slabs]") {
  const int ranks = GENERATE(2, 3, 4, 7);
  const Slabs slabs(ranks, 16);
  for (int ny = 5; ny < 70000; ny = 2 * ny - 1) {
    const int finer = 2 * ny - 1;
    int next = 0;
    for (int r = 0; r < ranks; ++r) {
      CAPTURE(ranks, ny, r);
      const RowRange own = slabs.rows(finer, r), coarse = slabs.coarse_rows(finer, r);
      if (slabs.divide(ny)) {
        CHECK(coarse == slabs.rows(ny, r));
        CHECK(own.first == 2 * coarse.first);
      }
      if (!slabs.divide(finer)) continue;
      CHECK(coarse.first == next);  // each coarse row lies on one rank's own
      CHECK(2 * coarse.first >= own.first);
      CHECK(2 * (coarse.last - 1) < own.last);
      next = coarse.last;
    }
    if (slabs.divide(finer)) CHECK(next == ny);
  }
}

TEST_CASE("slabs are even", "[slabs]") {
  const int ranks = GENERATE(2, 3, 4, 7);
  const Slabs slabs(ranks, 64);
  int least = 65537, most = 0;
  for (int r = 0; r < ranks; ++r) {
    const int rows = slabs.rows(65537, r).count();
    least = std::min(least, rows);
    most = std::max(most, rows);
  }
  CHECK(most <= 1.26 * least);
}

TEST_CASE("grids that methods solve as a whole are not divided", "[slabs]") {
  CHECK_FALSE(Slabs(2, 1).divide(Slabs::most_undivided));
  CHECK(Slabs(2, 1).divide(Slabs::most_undivided + 1));
  CHECK_FALSE(Slabs(1, 1).divide(65537));
}

}  // namespace
}  // namespace ninefold
