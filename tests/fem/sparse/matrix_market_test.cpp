#include "fem/sparse/matrix_market.hpp"

#include <fstream>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <omp.h>

#include "fem/sparse/compressed_text.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";

MatrixFile parse(const std::string& text) {
  return parse_matrix_market(text, "a.mtx");
}

std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// Dense, by rows.
std::vector<double> dense(const SparseMatrix& A) {
  std::vector<double> all;
  for (int i = 0; i < A.pattern.n_rows; ++i) {
    for (int j = 0; j < A.pattern.n_columns; ++j) all.push_back(A(i, j));
  }
  return all;
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a coordinate file is read entry by entry", "[fem][sparse][matrix-market]") {
  const MatrixFile file =
      parse(real + "% a comment\n%\n\n2 3 4\n1 1 1.5\n2 3 -2e-3\n 2\t1 0 \r\n\n1 3 +7");
  CHECK(file.header == "coordinate real general");
  CHECK(!file.symmetric);
  CHECK(file.stated_entries == 4);
  CHECK(file.remarks.empty());
  CHECK(file.matrix.pattern.entries() == 4);
  CHECK(dense(file.matrix) == std::vector<double>{1.5, 0, 7, 0, 0, -2e-3});
  CHECK(file.matrix.find(1, 0) >= 0);
}

TEST_CASE("all kinds of files that are taken", "[fem][sparse][matrix-market]") {
  CHECK(dense(parse(symmetric + "2 2 2\n1 1 4\n2 1 -1\n").matrix)
        == std::vector<double>{4, -1, -1, 0});
  CHECK(dense(parse("%%matrixmarket MATRIX Coordinate Pattern Symmetric\n2 2 2\n2 2\n2 1\n").matrix)
        == std::vector<double>{0, 1, 1, 1});
  CHECK(dense(parse("%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 -12\n").matrix)
        == std::vector<double>{0, -12});
  const MatrixFile array = parse("%%MatrixMarket matrix array real general\n2 2\n1\n2\n0\n4\n");
  CHECK(dense(array.matrix) == std::vector<double>{1, 0, 2, 4});
  CHECK(array.matrix.pattern.entries() == 4);
  CHECK(array.remarks.size() == 1);
  CHECK(
      dense(parse("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n").matrix)
      == std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6});
  CHECK(parse(real + "3 3 0\n").matrix.pattern.entries() == 0);
}

TEST_CASE("what a reader may not expect of a file is remarked", "[fem][sparse][matrix-market]") {
  const MatrixFile twice = parse(real + "2 2 4\n1 1 1\n2 1 2\n1 1 3\n2 1 5\n");
  CHECK(dense(twice.matrix) == std::vector<double>{4, 0, 7, 0});
  REQUIRE(twice.remarks.size() == 1);
  CHECK(twice.remarks[0]
        == "2 entries are given more than once and were added up; the first is that of row 1, "
           "column 1");
  const MatrixFile upper = parse(symmetric + "2 2 1\n1 2 3\n");
  CHECK(dense(upper.matrix) == std::vector<double>{0, 3, 3, 0});
  CHECK(upper.remarks.size() == 1);
  const MatrixFile large = parse(
      "%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 9007199254740993\n1 2 "
      "9223372036854775807\n");
  CHECK(large.matrix(0, 0) == 9007199254740992.0);
  CHECK_THAT(large.remarks.at(0), ContainsSubstring("2 integers beyond 2^53 were rounded"));
}

TEST_CASE("what is refused is named with file, line and value", "[fem][sparse][matrix-market]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "a.mtx, line 1: a Matrix Market file begins with %%MatrixMarket"},
      {"hello", "line 1: a Matrix Market file begins"},
      {"%%MatrixMarket vector array real general\n1 1\n", "line 1: \"vector\" is no object"},
      {"%%MatrixMarket matrix coordinate complex general\n",
       "\"complex\" is no field that is taken: real, integer, pattern"},
      {"%%MatrixMarket matrix coordinate real hermitian\n",
       "\"hermitian\" is no symmetry that is taken: general, symmetric"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n",
       "\"skew-symmetric\" is no symmetry"},
      {"%%MatrixMarket matrix coordinate real\n", "the symmetry is missing"},
      {"%%MatrixMarket matrix coordinate real general twice\n", "\"twice\" follows the header"},
      {"%%MatrixMarket matrix array pattern general\n1 1\n", "line 1: an array without values"},
      {real, "line 2: the line of sizes is missing"},
      {real + "2 2\n", "line 2: the number of entries is missing"},
      {real + "2 2 x\n", "line 2: \"x\" is not a number of entries"},
      {real + "-2 2 1\n", "line 2: \"-2\" is not a number of rows"},
      {real + "2 2 1 7\n", "line 2: \"7\" follows the sizes"},
      {real + "0 0 0\n", "line 2: 0 x 0: rows and columns are from 1 to 2147483647"},
      {real + "2147483648 1 0\n", "line 2: 2147483648 x 1: rows"},
      {real + "99999999999999999999 1 0\n", "more than can be counted"},
      {real + "2147483647 2147483647 1\n1 1 1\n",
       "line 2: 2147483647 x 2147483647 with 1 entries: almost all rows"},
      {symmetric + "2 3 1\n1 1 1\n", "line 2: a symmetric matrix of 2 x 3"},
      {real + "2 2 1\n0 1 5\n", "line 3: row 0: they are from 1 to 2"},
      {real + "2 2 1\n1 3 5\n", "line 3: column 3: they are from 1 to 2"},
      {real + "2 2 1\n-1 1 5\n", "line 3: row -1"},
      {real + "2 2 1\n99999999999999999999999 1 5\n", "line 3: row 99999999999999999999999"},
      {real + "2 2 1\n1.0 1 5\n", "line 3: \"1.0\" is not the number of a row"},
      {real + "2 2 1\n1\n", "line 3: the column is missing"},
      {real + "2 2 1\n1 1\n", "line 3: the value is missing"},
      {real + "2 2 1\n1 1 x\n", "line 3: \"x\" is not a number"},
      {real + "2 2 1\n1 1 1,5\n", "line 3: \"1,5\" is not a number"},
      {real + "2 2 1\n1 1 1.0D+00\n", "line 3: \"1.0D+00\" is not a number"},
      {real + "2 2 1\n1 1 +-1\n", "line 3: \"+-1\" is not a number"},
      {real + "2 2 1\n1 1 nan\n", "line 3: \"nan\" is not finite"},
      {real + "2 2 1\n1 1 -inf\n", "line 3: \"-inf\" is not finite"},
      {real + "2 2 1\n1 1 1e999\n", "line 3: \"1e999\" is beyond the range of a double"},
      {real + "2 2 1\n1 1 5 6\n", "line 3: \"6\" follows the entry"},
      {real + "2 2 2\n1 1 5\n",
       "line 3: the file ends after 1 of the 2 entries that line 2 states"},
      {real + "2 2 1\n\n1 1 5\n2 2 5\n", "line 5: more entries than the 1 that line 2 states"},
      {real + "2 2 1\n1 1 5\ngarbage\n", "line 4: \"garbage\" is not the number of a row"},
      {real + "2 2 1\n% no\n1 1 5\n", "line 3: a comment stands before the sizes"},
      {real + "2 2 1\n1 1 5\x01\x7f\n", "line 3: \"5\\x01\\x7f\" is not a number"},
      {symmetric + "3 3 2\n2 1 5\n2 3 5\n",
       "line 4: an entry above the diagonal, while that of line 3 is below it"},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
       "\"1.5\" is not an integer"},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9223372036854775808\n",
       "has more than 63 bits"},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "ends after 3 of the 4 entries"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK_THAT(complaint(text), ContainsSubstring(expected));
    CHECK_THAT(complaint(text), ContainsSubstring("a.mtx, line "));
  }
}

TEST_CASE("a sum beyond the range of a double is refused", "[fem][sparse][matrix-market]") {
  CHECK(complaint(real + "2 2 2\n1 2 1e308\n1 2 1e308\n")
        == "a.mtx: what is given for row 1, column 2 adds up beyond the range of a double");
}

TEST_CASE("a long word is shown shortened", "[fem][sparse][matrix-market]") {
  CHECK(complaint(real + "2 2 1\n1 1 " + std::string(100'000, '7') + "x\n").size() < 200);
}

TEST_CASE("large files give the same on any number of threads, and name the right line",
          "[fem][sparse][matrix-market]") {
  const int n = 250'000;  // several megabytes, so that there are several pieces
  std::string text = symmetric + fmt::format("{} {} {}\n", n, n, 2 * n - 1);
  for (int i = 1; i <= n; ++i) {
    text += fmt::format("{} {} {}\n", i, i, 2 + 1.0 / i);
    if (i > 1) text += fmt::format("{} {} {}\n", i, i - 1, -1.0 / i);
  }
  const MatrixFile one = parse(text);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(threads == 7 ? 5 : 7);
  const MatrixFile other = parse(text);
  std::string wrong = text;
  wrong.replace(wrong.size() - 10, 1, "x");
  const std::string told = complaint(wrong), more = complaint(text + "1 1 1\n");
  omp_set_num_threads(threads);
  CHECK(one.matrix == other.matrix);
  CHECK(one.matrix.pattern.entries() == 3 * n - 2);
  CHECK(one.matrix(n - 2, n - 1) == -1.0 / n);
  CHECK_THAT(told, ContainsSubstring(fmt::format("line {}: ", 2 * n + 1)));
  CHECK_THAT(more, ContainsSubstring(fmt::format("line {}: more entries", 2 * n + 2)));
}

TEST_CASE("a matrix that is written reads back as the same", "[fem][sparse][matrix-market]") {
  const SparseMatrix A = assemble_sparse(
      3, 3, {{0, 0, 0.1}, {1, 1, std::numeric_limits<double>::max()}, {2, 0, 0}, {2, 2, 5e-324}},
      true);
  const std::string text = matrix_market_text(A);
  CHECK_THAT(text, ContainsSubstring("coordinate real symmetric\n3 3 4\n1 1 0.1\n"));
  CHECK(parse(text).matrix == A);
  const SparseMatrix B = assemble_sparse(2, 3, {{0, 2, 1.0 / 3}, {1, 0, -0.0}});
  CHECK_THAT(matrix_market_text(B), ContainsSubstring("real general\n2 3 2\n"));
  CHECK(parse(matrix_market_text(B)).matrix == B);
  const SparseMatrix C = assemble_sparse(2, 2, {{0, 1, 1}, {1, 0, 2}});
  CHECK(parse(matrix_market_text(C)).matrix == C);
}

TEST_CASE("vectors are read from both formats, and need their length",
          "[fem][sparse][matrix-market]") {
  const std::vector<double> vector{0.5, 0, -3e300};
  CHECK(parse_vector(matrix_market_text(vector), "b.mtx", 3) == vector);
  CHECK(parse_vector(real + "3 1 1\n2 1 4\n", "b.mtx", 3) == std::vector<double>{0, 4, 0});
  CHECK_THROWS_WITH(parse_vector(matrix_market_text(vector), "b.mtx", 4),
                    "b.mtx, line 2: 3 x 1, where a vector of 4 x 1 is needed");
  CHECK_THROWS_WITH(parse_vector(real + "1 3 1\n1 2 4\n", "b.mtx", 3),
                    ContainsSubstring("1 x 3, where a vector"));
}

TEST_CASE("files are read plain and compressed", "[fem][sparse][matrix-market]") {
  const TemporaryDirectory folder;
  const std::string text = symmetric + "2 2 2\n1 1 4\n2 1 -1\n";
  write(folder.path() / "a.mtx", text);
  CHECK(read_matrix_market(folder.path() / "a.mtx").matrix == parse(text).matrix);
  CHECK_THROWS_WITH(read_matrix_market(folder.path() / "b.mtx"),
                    ContainsSubstring("b.mtx cannot be read: No such file"));
  CHECK_THROWS_WITH(read_matrix_market(folder.path()),
                    ContainsSubstring("is a folder, not a Matrix Market file"));
  if (!has_zlib()) {
    write(folder.path() / "a.mtx.gz", "\x1f\x8b");
    CHECK_THROWS_WITH(read_matrix_market(folder.path() / "a.mtx.gz"),
                      ContainsSubstring("without zlib; gunzip the file first"));
    return;
  }
  const std::string bytes = compressed(text);
  CHECK(is_compressed(bytes));
  write(folder.path() / "a.mtx.gz", bytes);
  CHECK(read_matrix_market(folder.path() / "a.mtx.gz").matrix == parse(text).matrix);
  CHECK(decompressed(bytes + bytes, "a") == text + text);  // gzip's members follow each other
  CHECK_THROWS_WITH(decompressed(bytes.substr(0, bytes.size() - 3), "a"),
                    "a ends before what gzip has compressed does");
  CHECK_THROWS_WITH(decompressed(bytes + "more", "a"), ContainsSubstring("holds other bytes"));
  std::string wrong = bytes;
  wrong[wrong.size() - 6] ^= 1;
  CHECK_THROWS_WITH(decompressed(wrong, "a"), ContainsSubstring("is damaged"));
  CHECK(decompressed(compressed(std::string(3'000'000, 'x')), "a") == std::string(3'000'000, 'x'));
  CHECK(decompressed(compressed(""), "a").empty());
}

TEST_CASE("columns of a file are vectors", "[fem][sparse][matrix_market]") {
  const std::string head = "%%MatrixMarket matrix array real general\n";
  const auto read = parse_vectors(head + "3 2\n1\n2\n3\n4\n5\n6\n", "b.mtx", 3);
  CHECK(read == std::vector<std::vector<double>>{{1, 2, 3}, {4, 5, 6}});
  const auto sparse = parse_vectors(
      "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 7\n3 2 8\n", "b.mtx", 3);
  CHECK(sparse == std::vector<std::vector<double>>{{7, 0, 0}, {0, 0, 8}});
  REQUIRE_THROWS_AS(parse_vectors(head + "3 2\n1\n2\n3\n4\n5\n6\n", "b.mtx", 2),
                    std::invalid_argument);
  // Of a triangle the other half would be missing.
  REQUIRE_THROWS_AS(
      parse_vectors("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", "b.mtx", 2),
      std::invalid_argument);
}
