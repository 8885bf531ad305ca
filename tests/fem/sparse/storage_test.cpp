#include <algorithm>
#include <set>
#include <utility>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/row_order.hpp"
#include "fem/sparse/storage_size.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

const StorageSize& named(const std::vector<StorageSize>& sizes, const std::string& name) {
  return *std::find_if(sizes.begin(), sizes.end(),
                       [&](const StorageSize& size) { return size.name == name; });
}

}  // namespace

TEST_CASE("the order of a row's sum goes by its length", "[fem][sparse][storage]") {
  CHECK(row_class(0) == RowClass::chained);
  CHECK(row_class(128) == RowClass::chained);
  CHECK(row_class(129) == RowClass::laned);
  CHECK(row_class(2048) == RowClass::laned);
  CHECK(row_class(2049) == RowClass::chunked);
}

TEST_CASE("the storages of a small matrix, by hand", "[fem][sparse][storage]") {
  // 5 rows: 3, 1, 0, 2, 2 entries.
  const SparsePattern pattern =
      assemble_sparse(
          5, 5,
          {{0, 0, 1}, {0, 1, 1}, {0, 4, 1}, {1, 1, 1}, {3, 2, 1}, {3, 3, 1}, {4, 0, 1}, {4, 4, 1}})
          .pattern;
  const auto sizes = storage_sizes(pattern);
  REQUIRE(sizes.size() == 8);
  const StorageSize &crs = named(sizes, "CRS"), &jagged = named(sizes, "jagged");
  CHECK(crs.stored == 8);
  CHECK(crs.index_bytes == 8 * 4 + 6 * 8);
  CHECK(crs.bytes(8) == 8 * 8 + 8 * 4 + 6 * 8);
  // One slice of 32 rows as wide as the longest one.
  CHECK(named(sizes, "sliced").stored == 96);
  CHECK(named(sizes, "sliced").index_bytes == 96 * 4 + 8 + 5 * 2);
  CHECK(named(sizes, "sliced, 16 bits").index_bytes == 96 * 2 + 8 + 4 + 5 * 2);
  CHECK(named(sizes, "sliced, 16 bits").short_share == 1);
  CHECK(named(sizes, "sliced, diagonals").index_bytes
        == named(sizes, "sliced, 16 bits").index_bytes);
  CHECK(named(sizes, "sliced, diagonals").diagonal_share == 0);  // no slice is full
  // Three diagonals of 4, 3 and 1, each padded to 16.
  CHECK(jagged.stored == 48);
  CHECK(jagged.index_bytes == 48 * 4 + 4 * 8 + 5 * 4);
  // Blocks of 2: (0,0) (0,2); (1,1); (2,0) (2,2).
  CHECK(named(sizes, "blocks of 2").stored == 5 * 4);
  CHECK(named(sizes, "blocks of 2").index_bytes == 5 * 4 + 4 * 8);
  CHECK(named(sizes, "blocks of 3").stored == 4 * 9);
  CHECK(named(sizes, "blocks of 4").stored == 4 * 16);
}

TEST_CASE("blocks are those that a set of them holds", "[fem][sparse][storage]") {
  for (const char* name : {"triangles-shuffled", "elasticity-2d", "elasticity-3d", "shell"}) {
    const SparsePattern pattern = generate_sparse({.name = name, .size = 6}).pattern;
    for (const int b : {1, 2, 3, 4, 6}) {
      std::set<std::pair<int, int>> blocks;
      for (int i = 0; i < pattern.n_rows; ++i) {
        for (const int j : pattern.row(i)) blocks.insert({i / b, j / b});
      }
      CAPTURE(name, b);
      CHECK(count_blocks(pattern, b) == static_cast<std::int64_t>(blocks.size()));
    }
  }
}

TEST_CASE("unknowns of a node make dense blocks", "[fem][sparse][storage]") {
  const auto stored = [](const char* name, int b) {
    const SparsePattern pattern = generate_sparse({.name = name, .size = 8}).pattern;
    return std::pair(count_blocks(pattern, b) * b * b, pattern.entries());
  };
  for (const auto& [name, b] : {std::pair("elasticity-2d", 2),
                                {"elasticity-3d", 3},
                                {"shell", 2},
                                {"shell", 3},
                                {"shell", 6}}) {
    CAPTURE(name, b);
    const auto [values, entries] = stored(name, b);
    CHECK(values == entries);
  }
  const auto [values, entries] = stored("elasticity-3d", 4);
  CHECK(values > entries);
}

TEST_CASE("slices sort rows within chunks only, and leave long rows beside them",
          "[fem][sparse][storage]") {
  std::vector<SparseEntry> entries;
  const int n = 3000;
  for (int i = 0; i < n; ++i) {
    const int length = i == 2000 ? 500 : i % 7;
    for (int j = 0; j < length; ++j) entries.push_back({i, (i + j) % n, 1});
  }
  const SparsePattern pattern = assemble_sparse(n, n, entries).pattern;
  const auto order = slice_order(pattern);
  for (int k = 0; k < n; ++k) {
    const int row = order[static_cast<std::size_t>(k)];
    REQUIRE(row / sorted_rows == k / sorted_rows);
    if (k % sorted_rows == 0) continue;
    const int before = order[static_cast<std::size_t>(k - 1)];
    REQUIRE(pattern.length(before) >= pattern.length(row));
    if (pattern.length(before) == pattern.length(row)) REQUIRE(before < row);
  }
  const auto sizes = storage_sizes(pattern);
  // Nearly no fill, although one row is long.
  CHECK(20 * named(sizes, "sliced").stored < 21 * pattern.entries());
}

TEST_CASE("slices on diagonals and beside them are told by shares", "[fem][sparse][storage]") {
  const auto sizes = storage_sizes(generate_sparse({.name = "laplace-3d-7", .size = 21}).pattern);
  const StorageSize& offsets = named(sizes, "sliced, diagonals");
  CHECK(offsets.diagonal_share > 0.5);
  CHECK(offsets.short_share > 0);
  CHECK(offsets.diagonal_share + offsets.short_share == Catch::Approx(1));
  CHECK(offsets.stored >= named(sizes, "sliced").stored);
}

TEST_CASE("columns that reach far need 32 bits", "[fem][sparse][storage]") {
  const int n = 70'000;
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n; ++i) entries.push_back({i, i, 1});
  entries.push_back({0, short_reach - 1, 1});  // just within reach
  CHECK(named(storage_sizes(assemble_sparse(n, n, entries).pattern), "sliced, 16 bits").short_share
        == 1);
  entries.push_back({0, short_reach, 1});
  CHECK(named(storage_sizes(assemble_sparse(n, n, entries).pattern), "sliced, 16 bits").short_share
        < 1);
}
