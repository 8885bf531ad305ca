// Which slices lie on diagonals, and that columns are told by what is held of them.
#include "fem/sparse/slices.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/row_layouts.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

SparsePattern generated(const std::string& name, int size) {
  return generate_sparse({.name = name, .size = size}).pattern;
}

/// Of the values of all slices, those on diagonals.
double share(const SparsePattern& pattern) {
  double all = 0, told = 0;
  for (const SliceShape& slice : slices_of(pattern).shapes) {
    all += static_cast<double>(slice.values());
    if (slice.is_on_diagonals) told += static_cast<double>(slice.values());
  }
  return told / all;
}

/// The k-th of the values of 32 bits from `first` on.
std::int32_t wide_at(const RowLayout& layout, std::int64_t first, std::int64_t k) {
  std::int32_t value;
  std::memcpy(&value, layout.short_columns.data() + first + 2 * k, sizeof(value));
  return value;
}

/// Column k of a lane, whose row is `row`.
std::int32_t column(const RowLayout& layout, const Slice& slice, int k, int lane, int row) {
  const std::int64_t place = std::int64_t{slice_rows} * k + lane;
  if (slice.column_0 >= 0) {
    return slice.column_0 + layout.short_columns[std::size_t(slice.columns + place)];
  }
  if (slice.column_0 == wide_columns) return wide_at(layout, slice.columns, place);
  return row - row % layout.together + wide_at(layout, slice.columns, k);
}

/// Rows of 0, 3 and 8 behind the diagonal, but `own(row)` where that is not empty.
template <class Own>
SparsePattern banded(int n, int columns, const Own& own) {
  SparsePattern pattern{.n_rows = n, .n_columns = columns};
  for (int i = 0; i < n; ++i) {
    std::vector<int> apart = own(i);
    if (apart.empty()) apart = {0, 3, 8};
    for (const int d : apart) pattern.columns.push_back(i + d);
    pattern.row_starts.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

}  // namespace

TEST_CASE("inner nodes of a grid lie on diagonals, the components of a node with it",
          "[fem][sparse]") {
  CHECK(share(generated("laplace-3d-7", 40)) > 0.8);
  CHECK(share(generated("laplace-3d-27", 40)) > 0.8);
  CHECK(slices_of(generated("laplace-3d-7", 40)).together == 1);
  const SparsePattern plane = generated("elasticity-2d", 100),
                      space = generated("elasticity-3d", 20), shell = generated("shell", 40);
  CHECK(share(plane) > 0.8);
  CHECK(slices_of(plane).together == 2);
  CHECK(share(space) > 0.5);
  CHECK(slices_of(space).together == 3);
  CHECK(share(shell) > 0.5);
  CHECK(slices_of(shell).together == 6);
}

TEST_CASE("meshes without order do not", "[fem][sparse]") {
  CHECK(share(generated("triangles-shuffled", 60)) == 0);
  CHECK(share(generated("rows", 5000)) == 0);
}

TEST_CASE("a slice lies on diagonals if it is full and has few of them", "[fem][sparse]") {
  constexpr int n = 132;  // four full slices and four rows
  const SparsePattern pattern = banded(n, n + 8, [](int i) -> std::vector<int> {
    if (i == 40) return {0, 2, 3};                 // a fourth one
    if (i >= 70 && i < 73) return {0, 3, i - 66};  // 4, 5, 6 beside 8: six
    if (i == 100) return {3};                      // two zeros
    return {};
  });
  const Slices slices = slices_of(pattern);
  REQUIRE(slices.shapes.size() == 5);
  CHECK(slices.together == 1);
  CHECK(slices.order.front() == 0);
  CHECK(slices.shapes[0].is_on_diagonals);
  CHECK(slices.shapes[0].width == 3);
  CHECK(slices.shapes[0].left == 0);
  CHECK(slices.shapes[0].right == 39);
  CHECK(slices.shapes[1].is_on_diagonals);
  CHECK(slices.shapes[1].width == 4);
  CHECK_FALSE(slices.shapes[2].is_on_diagonals);
  CHECK(slices.shapes[2].width == 3);
  CHECK(slices.shapes[3].is_on_diagonals);
  CHECK(slices.shapes[3].width == 3);
  CHECK_FALSE(slices.shapes[4].is_on_diagonals);  // four rows
  CHECK(slices.shapes[4].width == 3);
  CHECK(slices.order[100] == 100);  // as given, although a shorter row
  const RowLayout layout = row_layout(pattern, SparseStorage::sliced);
  CHECK(layout.slices[0].column_0 == on_diagonals);
  CHECK(layout.slices[1].columns == 32);  // three offsets, filled up
  CHECK(layout.slices[2].column_0 == 64);

  const Slices own = slices_of(pattern, SliceColumns::own);
  CHECK(own.order == slice_order(pattern));
  CHECK(std::ranges::none_of(own.shapes, &SliceShape::is_on_diagonals));
  CHECK(own.shapes[1].width == 3);
}

TEST_CASE("what fills diagonals up has columns of the matrix", "[fem][sparse]") {
  constexpr int n = 64;
  // The last row, or the first, has no entry where others have one; a column more, and it might.
  const auto shorter = [](int row, std::vector<int> apart) {
    return [=](int i) { return i == row ? apart : std::vector<int>{}; };
  };
  CHECK_FALSE(slices_of(banded(n, n + 7, shorter(n - 1, {0, 3}))).shapes[1].is_on_diagonals);
  CHECK(slices_of(banded(n, n + 8, shorter(n - 1, {0, 3}))).shapes[1].is_on_diagonals);
  SparsePattern before = banded(n, n + 8, shorter(0, {3, 8}));
  for (std::size_t k = 2; k < before.columns.size(); k += 3) --before.columns[k];  // -1, 3, 8
  CHECK_FALSE(slices_of(before).shapes[0].is_on_diagonals);
  CHECK(slices_of(before).shapes[1].is_on_diagonals);
}

TEST_CASE("rows stay as given where diagonals hardly take more", "[fem][sparse]") {
  const SparsePattern grid = generated("triangles", 90);
  std::vector<std::int32_t> as_given(std::size_t(grid.n_rows));
  std::iota(as_given.begin(), as_given.end(), 0);
  CHECK(slices_of(grid).order == as_given);
  CHECK(share(grid) > 0.9);
  const SparsePattern shuffled = generated("triangles-shuffled", 90);
  CHECK(slices_of(shuffled).order == slice_order(shuffled));
}

TEST_CASE("what is held tells each column", "[fem][sparse]") {
  for (const char* name : {"laplace-3d-7", "laplace-3d-27", "triangles", "triangles-shuffled",
                           "elasticity-2d", "elasticity-3d", "shell", "rows"}) {
    const SparsePattern pattern = generated(name, std::string(name) == "rows" ? 3000 : 13);
    for (const bool only_wide : {false, true}) {
      CAPTURE(name, only_wide);
      const std::vector<std::int32_t> order =
          slices_of(pattern, only_wide ? SliceColumns::own : SliceColumns::own_or_on_diagonals)
              .order;
      const RowLayout layout = row_layout(pattern, SparseStorage::sliced, only_wide);
      std::vector<int> held(pattern.columns.size(), 0);
      std::int64_t of_long_rows = 0;
      for (std::size_t k = 0; k < order.size(); ++k) {
        const int row = order[k], lane = static_cast<int>(k % slice_rows);
        const Slice& slice = layout.slices[k / slice_rows];
        if (only_wide) REQUIRE(slice.column_0 == wide_columns);
        REQUIRE(layout.places[k] == row % sorted_rows);
        if (pattern.length(row) > 128) of_long_rows += pattern.length(row);
        std::int32_t before = -1;
        for (int e = 0; e < slice.width; ++e) {
          const std::int32_t own = column(layout, slice, e, lane, row);
          REQUIRE((own >= before && own < pattern.n_columns));
          before = std::max(own, 0);
          const EntryNumber entry =
              layout.entries[std::size_t(slice.values + slice_rows * std::int64_t{e} + lane)];
          if (entry == no_entry) continue;
          REQUIRE((entry >= pattern.start(row) && entry < pattern.start(row + 1)));
          REQUIRE(own == pattern.columns[std::size_t(entry)]);
          ++held[std::size_t(entry)];
        }
      }
      CHECK(std::ranges::count(held, 1) == pattern.entries() - of_long_rows);
      CHECK(std::ranges::count(held, 0) == of_long_rows);
    }
  }
}

TEST_CASE("a part of a grid's rows lies on diagonals, too", "[fem][sparse]") {
  const SparsePattern whole = generated("laplace-3d-7", 24);
  SparsePattern part{.n_rows = whole.n_rows / 2, .n_columns = whole.n_columns};
  part.columns.assign(whole.columns.begin(), whole.columns.begin() + whole.start(part.n_rows));
  part.row_starts.assign(whole.row_starts.begin(), whole.row_starts.begin() + part.n_rows + 1);
  CHECK(share(part) > 0.7);
}
