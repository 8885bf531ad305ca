#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "fem/sparse/definiteness.hpp"
#include "fem/sparse/generators.hpp"
#include "fem/sparse/row_lengths.hpp"
#include "fem/sparse/row_parts.hpp"
#include "fem/sparse/symmetry.hpp"
#include "fem/sparse/value_range.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

SparseMatrix mirrored(int n, const std::vector<SparseEntry>& lower) {
  return assemble_sparse(n, n, lower, true);
}

Definite definite(const SparseMatrix& A) {
  return definiteness_facts(A).definite;
}

}  // namespace

TEST_CASE("what is not symmetric is counted and placed", "[fem][sparse][analysis]") {
  const SparseMatrix A =
      assemble_sparse(3, 3, {{0, 0, 8}, {0, 1, 2}, {1, 0, 2}, {1, 2, 3}, {2, 1, 5}, {2, 0, 0}});
  const SymmetryFacts facts = symmetry_facts(A);
  CHECK(facts.unmatched == 1);
  CHECK(facts.unequal == 2);
  CHECK(facts.below == 3);
  CHECK(facts.above == 2);
  CHECK(facts.largest_difference == 2);
  CHECK(facts.relative_difference() == 0.25);
  CHECK(facts.row == 1);
  CHECK(facts.column == 2);
  CHECK(!facts.one_triangle());
  CHECK(symmetry_facts(assemble_sparse(2, 2, {{0, 0, 1}, {1, 0, 1}})).one_triangle());
  CHECK(!symmetry_facts(assemble_sparse(2, 2, {{0, 0, 1}, {1, 1, 1}})).one_triangle());
}

TEST_CASE("diagonals that are missing or not positive are found", "[fem][sparse][analysis]") {
  const DiagonalFacts facts =
      diagonal_facts(assemble_sparse(5, 5, {{0, 0, 3}, {2, 2, 0}, {3, 3, -4}, {4, 0, 1}}));
  CHECK(facts.missing == 2);
  CHECK(facts.first_missing == 1);
  CHECK(facts.not_positive == 2);
  CHECK(facts.first_not_positive == 2);
  CHECK(facts.smallest == -4);
  CHECK(facts.largest == 3);
  CHECK(!facts.is_positive());
}

TEST_CASE("what is known of definiteness is right, and no more is said",
          "[fem][sparse][analysis]") {
  CHECK(definite(mirrored(2, {{0, 0, 2}, {1, 1, 2}, {1, 0, -1}})) == Definite::yes);
  // A chain held at one end: equal rows, but for one.
  CHECK(definite(mirrored(3, {{0, 0, 2}, {1, 1, 2}, {2, 2, 1}, {1, 0, -1}, {2, 1, -1}}))
        == Definite::yes);
  // Held nowhere: singular.
  const SparseMatrix free = mirrored(3, {{0, 0, 1}, {1, 1, 2}, {2, 2, 1}, {1, 0, -1}, {2, 1, -1}});
  CHECK(definite(free) == Definite::unknown);
  CHECK(definiteness_facts(free).equal_rows == 3);
  // Two parts, one of them held nowhere.
  CHECK(definite(mirrored(4, {{0, 0, 2}, {1, 1, 2}, {1, 0, -1}, {2, 2, 1}, {3, 3, 1}, {3, 2, -1}}))
        == Definite::unknown);
  CHECK(definiteness_facts(mirrored(4, {{0, 0, 2}, {1, 1, 2}, {1, 0, -1}, {2, 2, 1}, {3, 3, 1}}))
            .parts
        == 3);
  // Definite, but not by its rows' sums.
  CHECK(definite(mirrored(2, {{0, 0, 1}, {1, 1, 100}, {1, 0, 5}})) == Definite::unknown);
  const DefinitenessFacts no =
      definiteness_facts(mirrored(2, {{0, 0, 1}, {1, 1, 100}, {1, 0, 11}}));
  CHECK(no.definite == Definite::no);
  CHECK(no.row == 0);
  CHECK(no.column == 1);
  CHECK(definite(mirrored(2, {{0, 0, 1}, {1, 0, 0.1}})) == Definite::no);
  // Rounding is not taken for dominance: 0.1 + 0.2 - 0.3 is not 0.
  CHECK(definiteness_facts(
            mirrored(3, {{0, 0, 0.3}, {1, 1, 9}, {2, 2, 9}, {1, 0, -0.1}, {2, 0, -0.2}}))
            .strict_rows
        == 2);
}

TEST_CASE("eigenvalues lie where Gershgorin says", "[fem][sparse][analysis]") {
  const DefinitenessFacts facts =
      definiteness_facts(generate_sparse({.name = "laplace-3d-7", .size = 4}));
  CHECK(facts.lowest == 0);
  CHECK(facts.highest == 12);
  CHECK(std::abs(facts.scaled_lowest) < 1e-15);
  CHECK(facts.definite == Definite::yes);
  CHECK(facts.equal_rows == 8);
  CHECK(facts.strict_rows == 56);
  CHECK(facts.parts == 1);
}

TEST_CASE("formats hold what they hold exactly", "[fem][sparse][analysis]") {
  const auto fits = [](std::vector<double> values, Precision format, bool scaled) {
    return value_range(values).fits(format, scaled);
  };
  CHECK(fits({6, -1}, Precision::half, false));
  CHECK(fits({2047, -0.5}, Precision::half, false));
  CHECK(!fits({2049}, Precision::half, true));
  CHECK(fits({2049}, Precision::single_, false));
  CHECK(fits({65504, 0x1p-24}, Precision::half, false));
  CHECK(!fits({65504, 0x1p-25}, Precision::half, true));
  CHECK(!fits({65536}, Precision::half, false));
  CHECK(fits({65536}, Precision::half, true));
  CHECK(fits({255, 0x1p100}, Precision::bfloat16, false));
  CHECK(!fits({257}, Precision::bfloat16, true));
  CHECK(fits({0x1.fffffep127, 0x1p-149}, Precision::single_, false));
  CHECK(!fits({0x1p128, 0x1p-149}, Precision::single_, true));
  CHECK(fits({0x1p128, 0x1p-148}, Precision::single_, true));
  CHECK(!fits({0.1}, Precision::single_, true));
  CHECK(fits({0.1, std::numeric_limits<double>::max(), 5e-324}, Precision::double_, false));
  CHECK(fits({0, -0.0}, Precision::half, false));
  const ValueRange range = value_range(std::vector<double>{0, -6, 0.75, 0});
  CHECK(range.zeros == 2);
  CHECK(range.others == 2);
  CHECK(range.smallest == 0.75);
  CHECK(range.largest == 6);
  CHECK(range.bits == 2);
  CHECK(range.lowest_bit == -2);
  CHECK(range.highest_bit == 2);
  CHECK(narrowest_format(range) == Precision::half);
  // Every value that a format rounds to is one that it holds.
  for (double x = 1e-7; x < 1e5; x *= 1.01) {
    const double rounded = static_cast<double>(static_cast<Half>(x));
    REQUIRE(fits({x}, Precision::half, false) == (rounded == x));
    if (std::isfinite(rounded)) REQUIRE(fits({rounded}, Precision::half, false));
  }
}

TEST_CASE("rows are counted by their lengths", "[fem][sparse][analysis]") {
  const RowLengths few = row_lengths(generate_sparse({.name = "laplace-3d-7", .size = 5}).pattern);
  CHECK(few.least == 4);
  CHECK(few.most == 7);
  CHECK(few.mean == 725.0 / 125);
  REQUIRE(few.histogram.size() == 4);
  const std::int64_t expected[4] = {8, 36, 54, 27};
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(few.histogram[k].first == static_cast<std::int64_t>(4 + k));
    CHECK(few.histogram[k].last == few.histogram[k].first);
    CHECK(few.histogram[k].rows == expected[k]);
  }
  // A triangle has rows of all lengths.
  std::vector<SparseEntry> entries;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < i; ++j) entries.push_back({i, j, 1});
  }
  const RowLengths many = row_lengths(assemble_sparse(20, 20, entries).pattern);
  REQUIRE(many.histogram.size() == 7);
  const std::int64_t ends[7] = {0, 1, 2, 4, 8, 16, 32}, rows[7] = {1, 1, 1, 2, 4, 8, 3};
  for (std::size_t k = 0; k < 7; ++k) {
    CHECK(many.histogram[k].last == ends[k]);
    CHECK(many.histogram[k].rows == rows[k]);
  }
  CHECK(many.histogram[6].first == 17);
}

TEST_CASE("parts hold all rows, and exchange what a count by hand says",
          "[fem][sparse][analysis]") {
  const SparsePattern pattern =
      generate_sparse({.name = "rows", .size = 600, .mean = 9, .spread = 10}).pattern;
  for (const int P : {1, 2, 3, 7}) {
    const auto parts = row_parts(pattern, P);
    REQUIRE(parts.size() == static_cast<std::size_t>(P));
    int next = 0;
    std::int64_t sent = 0, received = 0;
    for (const RowPart& part : parts) {
      REQUIRE(part.first_row == next);
      next = part.last_row;
      std::set<int> needed, wanted;
      std::int64_t entries = 0, from_here = 0;
      for (int i = part.first_row; i < part.last_row; ++i) {
        for (const int j : pattern.row(i)) {
          ++entries;
          if (j < part.first_row || j >= part.last_row) needed.insert(j);
        }
      }
      for (const RowPart& other : parts) {
        if (&other == &part) continue;
        wanted.clear();
        for (int i = other.first_row; i < other.last_row; ++i) {
          for (const int j : pattern.row(i)) {
            if (j >= part.first_row && j < part.last_row) wanted.insert(j);
          }
        }
        from_here += static_cast<std::int64_t>(wanted.size());
      }
      REQUIRE(part.entries == entries);
      REQUIRE(part.received == static_cast<std::int64_t>(needed.size()));
      REQUIRE(part.sent == from_here);
      sent += part.sent;
      received += part.received;
      // As even as whole rows allow.
      REQUIRE(std::abs(static_cast<double>(entries) - static_cast<double>(pattern.entries()) / P)
              <= 100);
    }
    REQUIRE(next == 600);
    REQUIRE(sent == received);
  }
}

TEST_CASE("parts may begin at whole chunks, and there may be more parts than rows",
          "[fem][sparse][analysis]") {
  const SparsePattern pattern = generate_sparse({.name = "laplace-3d-7", .size = 20}).pattern;
  for (const RowPart& part : row_parts(pattern, 3, 1024)) CHECK(part.first_row % 1024 == 0);
  const auto many = row_parts(generate_sparse({.name = "laplace-3d-7", .size = 1}).pattern, 5);
  CHECK(many.back().last_row == 1);
  CHECK_THROWS_AS(row_parts(pattern, 0), std::invalid_argument);
  CHECK_THROWS_AS(row_parts(assemble_sparse(2, 3, {{0, 0, 1}}).pattern, 2), std::invalid_argument);
}
