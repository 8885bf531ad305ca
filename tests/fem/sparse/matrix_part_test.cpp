// Parts of a sparse matrix: together they are the matrix, and what one sends another expects.

#include "fem/sparse/matrix_part.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/random_rows.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

std::vector<MatrixPart> parts_of(const SparseMatrix& A, const std::vector<int>& rows,
                                 const std::vector<int>& columns, int c = 1) {
  std::vector<MatrixPart> parts;
  for (int r = 0; r + 1 < static_cast<int>(rows.size()); ++r) {
    parts.push_back(cut_rows(A, rows, columns, r, c));
  }
  return parts;
}

/// What each column of a part is of the whole, by what others say that they send.
std::vector<int> columns_of(const std::vector<MatrixPart>& parts, const std::vector<int>& begins,
                            std::size_t rank) {
  const MatrixPart& part = parts[rank];
  std::vector<int> columns(static_cast<std::size_t>(part.A.pattern.n_columns), -1);
  for (int k = 0; k < part.own; ++k) {
    columns[static_cast<std::size_t>(part.below + k)] = begins[rank] + k;
  }
  for (const HaloShare& share : part.shares) {
    const auto other = static_cast<std::size_t>(share.other);
    const auto back = std::find_if(
        parts[other].shares.begin(), parts[other].shares.end(),
        [&](const HaloShare& theirs) { return theirs.other == static_cast<int>(rank); });
    REQUIRE(back != parts[other].shares.end());
    REQUIRE(back->sent == share.met);
    for (int k = 0; k < share.met; ++k) {
      columns[static_cast<std::size_t>(share.met_first + k)] =
          begins[other] + parts[other].sent[static_cast<std::size_t>(back->sent_first + k)];
    }
  }
  return columns;
}

void check_parts(const SparseMatrix& A, const std::vector<int>& rows,
                 const std::vector<int>& columns, int c = 1) {
  const std::vector<MatrixPart> parts = parts_of(A, rows, columns, c);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    CAPTURE(r);
    const MatrixPart& part = parts[r];
    const std::vector<int> whole = columns_of(parts, columns, r);
    CHECK(std::is_sorted(whole.begin(), whole.end()));
    CHECK(part.below + part.own + part.above == part.A.pattern.n_columns);
    REQUIRE(part.first_row == rows[r]);
    REQUIRE(part.A.pattern.n_rows == rows[r + 1] - rows[r]);
    for (std::size_t k = 0; k < whole.size(); ++k) CHECK(whole[k] % c == static_cast<int>(k) % c);
    bool same = true;
    for (int i = 0; i < part.A.pattern.n_rows; ++i) {
      const auto own = part.A.pattern.row(i);
      const auto given = A.pattern.row(rows[r] + i);
      same = same && own.size() == given.size();
      for (std::size_t k = 0; same && k < own.size(); ++k) {
        same = whole[static_cast<std::size_t>(own[k])] == given[k]
               && part.A.row_values(i)[k] == A.row_values(rows[r] + i)[k];
      }
    }
    CHECK(same);
  }
}

TEST_CASE("rows are divided at multiples, by entries, and none is left without",
          "[fem][sparse][parts]") {
  const SparseMatrix A = generate_sparse({.name = "laplace-3d-7", .size = 16});
  CHECK(divided_rows(A.pattern, 4, 1024) == std::vector<int>{0, 1024, 2048, 3072, 4096});
  CHECK(divided_rows(A.pattern, 3, 1024) == std::vector<int>{0, 1024, 3072, 4096});
  CHECK(divided_rows(A.pattern, 1, 1024) == std::vector<int>{0, 4096});
  CHECK(divided_rows(A.pattern, 5, 1024).empty());
  CHECK(divided_rows(A.pattern, 2, 3072) == std::vector<int>{0, 3072, 4096});

  // Nearly all entries in the first rows.
  SparsePattern uneven{4000, 4000, {0}, {}};
  for (int i = 0; i < 4000; ++i) {
    const int length = i < 100 ? 4000 : 1;
    for (int j = 0; j < length; ++j) uneven.columns.push_back(length == 1 ? i : j);
    uneven.row_starts.push_back(static_cast<std::int64_t>(uneven.columns.size()));
  }
  CHECK(divided_rows(uneven, 4, 1000) == std::vector<int>{0, 1000, 2000, 3000, 4000});
}

TEST_CASE("parts are the matrix, and meet what others send", "[fem][sparse][parts]") {
  const SparseMatrix A = generate_sparse({.name = "laplace-3d-27", .size = 16});
  const std::vector<int> two{0, 2048, 4096}, four{0, 1024, 2048, 3072, 4096};
  check_parts(A, two, two);
  check_parts(A, four, four);
  check_parts(A, {0, 4096}, {0, 4096});
  check_parts(A, {0, 1024, 3072, 4096}, {0, 1024, 3072, 4096}, 4);

  // A part in the middle of a grid meets its neighbours' planes, no more.
  const MatrixPart part = cut_rows(A, four, four, 1);
  CHECK(part.below == 16 * 16);
  CHECK(part.above == 16 * 16);
  CHECK(part.shares == std::vector<HaloShare>{{0, 0, 256, 0, 256}, {2, 256, 256, 256 + 1024, 256}});
}

TEST_CASE("values that nobody needs follow each other", "[fem][sparse][parts]") {
  const auto kept = [](std::vector<std::int32_t> sent, int multiple) {
    MatrixPart part;
    part.own = 1000;
    part.sent = std::move(sent);
    const OwnRange range = longest_kept(part, multiple);
    return std::pair(range.first, range.last);
  };
  CHECK(kept({}, 64) == std::pair(0, 1000));
  CHECK(kept({0, 1, 2, 900, 999}, 1) == std::pair(3, 900));
  CHECK(kept({0, 1, 2, 900, 999}, 64) == std::pair(64, 896));
  CHECK(kept({500, 501, 40, 500}, 64) == std::pair(512, 1000));  // of two others
  CHECK(kept({10, 600}, 64) == std::pair(64, 576));
  CHECK(kept({700}, 64) == std::pair(0, 640));
  const auto [first, last] = kept({100, 200, 300, 400, 500, 600, 700, 800, 900}, 128);
  CHECK(first == last);
}

TEST_CASE("parts of matrices that are not square", "[fem][sparse][parts]") {
  const SparseMatrix A = random_rows({.rows = 5000, .columns = 2100, .entries = 45000}).A;
  check_parts(A, {0, 1024, 4096, 5000}, {0, 1024, 2048, 2100});
}

}  // namespace
}  // namespace ninefold
