#include "fem/sparse/sparse_matrix.hpp"

#include <map>
#include <random>
#include <utility>

#include <omp.h>

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

/// Entries at random places, many of them repeated; their values are whole numbers, so that sums
/// are exact.
std::vector<SparseEntry> random_entries(int n_rows, int n_columns, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<SparseEntry> entries;
  for (int k = 0; k < count; ++k) {
    const auto row = static_cast<int>(random() % static_cast<unsigned>(n_rows));
    const auto column = static_cast<int>(random() % static_cast<unsigned>(n_columns));
    entries.push_back({row, column, static_cast<double>(random() % 1000)});
  }
  return entries;
}

}  // namespace

TEST_CASE("entries find their places, and those at one place are added", "[fem][sparse]") {
  const int n_rows = 23, n_columns = 17;
  const auto entries = random_entries(n_rows, n_columns, 300, 1);
  std::map<std::pair<int, int>, double> expected;
  std::int64_t repeated = 0;
  for (const SparseEntry& entry : entries) {
    const auto [place, is_new] = expected.insert({{entry.row, entry.column}, 0.0});
    place->second += entry.value;
    if (!is_new) ++repeated;
  }
  SummedEntries summed;
  const SparseMatrix A = assemble_sparse(n_rows, n_columns, entries, false, &summed);
  CHECK(summed.repeated == repeated);
  REQUIRE(A.pattern.entries() == static_cast<std::int64_t>(expected.size()));
  for (int i = 0; i < n_rows; ++i) {
    for (int j = 0; j < n_columns; ++j) {
      const auto place = expected.find({i, j});
      REQUIRE((A.find(i, j) >= 0) == (place != expected.end()));
      REQUIRE(A(i, j) == (place == expected.end() ? 0.0 : place->second));
    }
  }
}

TEST_CASE("a mirrored matrix is symmetric and has its diagonal once", "[fem][sparse]") {
  const SparseMatrix A = assemble_sparse(3, 3, {{0, 0, 2}, {1, 0, -1}, {2, 2, 0}}, true);
  CHECK(A.pattern.entries() == 4);
  CHECK(A(0, 1) == -1);
  CHECK(A(1, 0) == -1);
  CHECK(A(0, 0) == 2);
  CHECK(A.find(2, 2) >= 0);  // a zero that was given is an entry
  CHECK(A.find(1, 1) < 0);
}

TEST_CASE("entries at one place are added in the order in which they are given", "[fem][sparse]") {
  SummedEntries summed;
  const SparseMatrix A =
      assemble_sparse(2, 2, {{1, 0, 1e16}, {0, 0, 1}, {1, 0, 1}, {1, 0, -1e16}}, true, &summed);
  CHECK(A(1, 0) == (1e16 + 1) - 1e16);
  CHECK(A(0, 1) == A(1, 0));
  CHECK(summed.repeated == 4);
  CHECK(summed.row == 0);
  CHECK(summed.column == 1);
}

TEST_CASE("a matrix does not depend on threads or on how its entries are cut", "[fem][sparse]") {
  auto entries = random_entries(5000, 5000, 200'000, 7);
  for (SparseEntry& entry : entries) entry.value = 1 / (1 + entry.value);
  const SparseMatrix one = assemble_sparse(5000, 5000, entries);
  const std::vector<std::vector<SparseEntry>> pieces{
      {entries.begin(), entries.begin() + 777}, {}, {entries.begin() + 777, entries.end()}};
  const int threads = omp_get_max_threads();
  omp_set_num_threads(threads == 5 ? 3 : 5);
  const bool same = assemble_sparse(5000, 5000, pieces) == one;
  omp_set_num_threads(threads);
  CHECK(same);
}

TEST_CASE("a pattern that is transposed twice is itself", "[fem][sparse]") {
  const SparsePattern pattern = assemble_sparse(40, 9, random_entries(40, 9, 100, 3)).pattern;
  const SparsePattern other = transposed(pattern);
  CHECK(other.n_rows == 9);
  CHECK(other.entries() == pattern.entries());
  CHECK(transposed(other) == pattern);
}
