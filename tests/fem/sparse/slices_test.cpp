// Which slices lie on diagonals, and that columns are told by what is held of them.
#include "fem/sparse/slices.hpp"

#include <algorithm>
#include <cstring>
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

TEST_CASE("a slice lies on diagonals if it is full and all rows are alike", "[fem][sparse]") {
  constexpr int n = 100;  // three full slices and four rows
  SparsePattern pattern{.n_rows = n, .n_columns = n + 8};
  for (int i = 0; i < n; ++i) {
    for (const int apart : {0, 3, i == 70 ? 7 : 8}) pattern.columns.push_back(i + apart);
    pattern.row_starts.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  const Slices slices = slices_of(pattern);
  REQUIRE(slices.shapes.size() == 4);
  CHECK(slices.together == 1);
  CHECK(slices.shapes[0].is_on_diagonals);
  CHECK(slices.shapes[1].is_on_diagonals);
  CHECK_FALSE(slices.shapes[2].is_on_diagonals);  // row 70
  CHECK_FALSE(slices.shapes[3].is_on_diagonals);
  CHECK(slices.shapes[3].width == 3);
  CHECK(slices.shapes[0].left == 0);
  CHECK(slices.shapes[0].right == 39);
  const RowLayout layout = row_layout(pattern, SparseStorage::sliced);
  CHECK(layout.slices[0].column_0 == on_diagonals);
  CHECK(layout.slices[1].columns == 32);  // three offsets, filled up
  CHECK(layout.slices[2].column_0 == 64);
}

TEST_CASE("what is held tells each column", "[fem][sparse]") {
  for (const char* name : {"laplace-3d-7", "laplace-3d-27", "triangles", "triangles-shuffled",
                           "elasticity-2d", "elasticity-3d", "shell", "rows"}) {
    const SparsePattern pattern = generated(name, std::string(name) == "rows" ? 3000 : 13);
    const std::vector<std::int32_t> order = slice_order(pattern);
    for (const bool only_wide : {false, true}) {
      CAPTURE(name, only_wide);
      const RowLayout layout = row_layout(pattern, SparseStorage::sliced, only_wide);
      std::int64_t compared = 0;
      for (std::size_t k = 0; k < order.size(); ++k) {
        const int row = order[k];
        const Slice& slice = layout.slices[k / slice_rows];
        if (only_wide) REQUIRE(slice.column_0 == wide_columns);
        if (pattern.length(row) > slice.width) continue;  // a long one
        for (int e = 0; e < pattern.length(row); ++e) {
          REQUIRE(column(layout, slice, e, static_cast<int>(k % slice_rows), row)
                  == pattern.row(row)[std::size_t(e)]);
          ++compared;
        }
      }
      REQUIRE(compared > pattern.entries() / 2);
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
