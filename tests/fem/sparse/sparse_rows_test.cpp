// Where storages have their entries: each entry once, columns ascending, zeros elsewhere.
#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/row_layouts.hpp"
#include "fem/sparse/row_order.hpp"
#include "fem/sparse/sparse_residual.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sparse_sample.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

/// How often each entry is stored, long rows included.
std::vector<int> counts(const SparsePattern& pattern, const RowLayout& layout) {
  std::vector<int> count(pattern.columns.size(), 0);
  for (const auto* entries : {&layout.entries, &layout.longer.entries}) {
    for (const EntryNumber entry : *entries) {
      if (entry != no_entry) ++count[std::size_t(entry)];
    }
  }
  return count;
}

RowLayout sliced(const char* name, int size) {
  return row_layout(generate_sparse({.name = name, .size = size}).pattern, SparseStorage::sliced);
}

}  // namespace

TEST_CASE("slices know whether neighbouring rows meet the same x", "[fem][sparse]") {
  CHECK(sliced("laplace-3d-7", 20).is_near);
  CHECK(sliced("triangles", 40).is_near);
  CHECK(sliced("elasticity-2d", 30).is_near);
  CHECK_FALSE(sliced("triangles-shuffled", 40).is_near);
  CHECK_FALSE(sliced("rows", 5000).is_near);
  CHECK_FALSE(sliced("triangles", 1).is_near);  // of one row there is nothing to be said
}

TEST_CASE("slices know whether batches of seven entries read, or wait, in vain", "[fem][sparse]") {
  CHECK(sliced("laplace-3d-7", 20).suits_pairs);
  CHECK_FALSE(sliced("laplace-3d-27", 20).suits_pairs);  // on diagonals, and more than one batch
  CHECK(sliced("elasticity-3d", 4).suits_pairs);         // 36 to 80 in a row, on none
  CHECK_FALSE(sliced("triangles", 40).suits_pairs);      // 5 to 9
  CHECK_FALSE(sliced("elasticity-2d", 30).suits_pairs);  // 18
}

TEST_CASE("and of a band of five entries in a row they wait for one, as those of nine do",
          "[fem][sparse]") {
  constexpr int n = 500, reach = 2;
  SparsePattern band{.n_rows = n, .n_columns = n, .row_starts = {0}};
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - reach); j <= std::min(n - 1, i + reach); ++j)
      band.columns.push_back(j);
    band.row_starts.push_back(static_cast<std::int64_t>(band.columns.size()));
  }
  CHECK(row_layout(band, SparseStorage::sliced).suits_pairs);
}

TEST_CASE("every storage holds each entry once", "[fem][sparse]") {
  for (const int n : {1, 2, 31, 64, 1500, 5000}) {
    const SparseMatrix A = random_sparse(n, 7, Range::tame);
    for (const SparseStorage storage : sparse_storages) {
      CAPTURE(n, to_string(storage));
      const RowLayout layout = row_layout(A.pattern, storage);
      const std::vector<int> count = counts(A.pattern, layout);
      REQUIRE(std::all_of(count.begin(), count.end(), [](int c) { return c == 1; }));
      REQUIRE(layout.stored_values() >= A.pattern.entries());
    }
  }
}

TEST_CASE("long rows are classed by their entries, and cut into chunks", "[fem][sparse]") {
  const SparseMatrix A = random_sparse(6000, 1, Range::tame);
  const RowLayout layout = row_layout(A.pattern, SparseStorage::sliced);
  REQUIRE(layout.longer.rows.size() > 10);
  REQUIRE(!layout.longer.chunked.empty());
  std::size_t next = 0;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    const bool is_long = A.pattern.length(i) > longest_chained_row;
    REQUIRE((layout.longer.position[std::size_t(i)] >= 0) == is_long);
    if (is_long) REQUIRE(layout.longer.rows[next++] == i);
  }
  for (const ChunkedRow& row : layout.longer.chunked) {
    const int length = layout.longer.lengths[std::size_t(row.row)];
    REQUIRE(row_class(length) == RowClass::chunked);
    int covered = 0;
    for (int p = row.first_piece; p < row.first_piece + row.pieces; ++p) {
      const LongPiece& piece = layout.longer.pieces[std::size_t(p)];
      REQUIRE(piece.first == layout.longer.starts[std::size_t(row.row)] + covered);
      REQUIRE((piece.count == row_chunk || p + 1 == row.first_piece + row.pieces));
      covered += piece.count;
    }
    REQUIRE(covered == length);
  }
}

TEST_CASE("sizes that are told are those of what is stored", "[fem][sparse]") {
  const std::map<std::string, SparseStorage> names{
      {"CRS", SparseStorage::compressed},       {"sliced", SparseStorage::sliced},
      {"jagged", SparseStorage::jagged},        {"blocks of 2", SparseStorage::blocks_2},
      {"blocks of 3", SparseStorage::blocks_3}, {"blocks of 4", SparseStorage::blocks_4}};
  for (const int n : {30, 1100, 6000}) {
    const SparseMatrix A = random_sparse(n, 2, Range::tame);
    int compared = 0;
    for (const StorageSize& size : storage_sizes(A.pattern)) {
      const auto found = names.find(size.name);
      if (found == names.end()) continue;
      CAPTURE(n, size.name);
      CHECK(row_layout(A.pattern, found->second).stored_values() == size.stored);
      ++compared;
    }
    CHECK(compared == 6);
  }
}

TEST_CASE("a pattern that is not square has no layout in blocks, one without rows none",
          "[fem][sparse]") {
  SparsePattern pattern{.n_rows = 1, .n_columns = 2, .row_starts = {0, 1}, .columns = {1}};
  CHECK_THROWS_AS(row_layout(pattern, SparseStorage::blocks_2), std::invalid_argument);
  CHECK_THROWS_AS(row_layout({}, SparseStorage::sliced), std::invalid_argument);
}

TEST_CASE("what a solution leaves is computed in more digits than it has", "[fem][sparse]") {
  // [4 1; 1 3] x = b for x = (1, 2 + 2^-52).
  const SparseMatrix A{
      {.n_rows = 2, .n_columns = 2, .row_starts = {0, 2, 4}, .columns = {0, 1, 0, 1}},
      {4, 1, 1, 3}};
  const std::vector<double> x{1, 2 + 0x1p-51};
  const WideVector b = sparse_product(A, x);
  CHECK(b.high[0] + b.low[0] == 6 + 0x1p-51);
  CHECK(sparse_residual(A, b, {x, {}}).norm == 0);
  const SparseResidual left = sparse_residual(A, b, {{1, 2}, {}});
  CHECK(left.exponent == -2);  // the largest value of b is 7
  CHECK(left.norm == std::sqrt(0x1p-102 + 9 * 0x1p-102) / 4);
  CHECK(left.scaled_square == (0x1p-102 / 4 + 9 * 0x1p-102 / 3) / 16);
  CHECK(left.backward_error == Catch::Approx(3 * 0x1p-51 / 14).epsilon(1e-12));
  CHECK(left.energy_square == Catch::Approx((4 + 2 * 2 + 12) / 4.0));
}

TEST_CASE("what a solution leaves does not depend on the units of a matrix and of values",
          "[fem][sparse]") {
  const auto matrix = [](double unit) {
    return SparseMatrix{
        {.n_rows = 2, .n_columns = 2, .row_starts = {0, 2, 4}, .columns = {0, 1, 0, 1}},
        {4 * unit, unit, unit, 3 * unit}};
  };
  const std::vector<double> x{1 / 3.0, 1 / 7.0};
  const auto left = [&](double of_matrix, double of_x) {
    const WideVector b{{of_matrix * of_x, 2 * of_matrix * of_x}, {}};
    return sparse_residual(matrix(of_matrix), b, {{of_x * x[0], of_x * x[1]}, {}});
  };
  const SparseResidual plain = left(1, 1);
  CHECK(plain.norm > 0.1);
  // Subnormal entries, and products beyond the range.
  for (const auto& [of_matrix, of_x] : {std::pair{0x1p-1073, 1.0},
                                        {0x1p-1073, 0x1p900},
                                        {0x1p-600, 0x1p-400},
                                        {0x1p1020, 0x1p-3},
                                        {0x1p1000, 0x1p20}}) {
    CAPTURE(of_matrix, of_x);
    const SparseResidual moved = left(of_matrix, of_x);
    CHECK(moved.norm == plain.norm);
    CHECK(moved.right_norm == plain.right_norm);
    CHECK(moved.backward_error == plain.backward_error);
    CHECK(moved.row_sizes == plain.row_sizes);
  }
}
