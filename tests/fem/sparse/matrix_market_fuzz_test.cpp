// Small files, changed at random: each is read or refused by std::invalid_argument, whatever its
// bytes, and never more than that.  Under the sanitizers nothing else happens, either.

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "fem/sparse/compressed_text.hpp"
#include "fem/sparse/matrix_market.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/mutations.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

const std::vector<std::string> files{
    "%%MatrixMarket matrix coordinate real general\n% text\n3 3 4\n1 1 4.5\n2 2 4\n3 3 1e3\n3 1 "
    "-2\n",
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 1 -1\n3 2 -1\n3 3 4\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n1 1\n2 1\n4 4\n",
    "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 9007199254740993\n2 2 -7\n",
    "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
    "%%MatrixMarket matrix array real symmetric\n2 2\n1.0\n-2.5e-3\n3\n",
};

/// What files are made of, so that a change often leaves something that is nearly one.
const std::vector<std::string> words{"0",
                                     "1",
                                     "2",
                                     "-1",
                                     "2147483647",
                                     "2147483648",
                                     "nan",
                                     "inf",
                                     "1e400",
                                     "1e-400",
                                     "\n",
                                     "\n\n",
                                     " ",
                                     "%",
                                     "real",
                                     "pattern",
                                     "integer",
                                     "complex",
                                     "symmetric",
                                     "general",
                                     "hermitian",
                                     "array",
                                     "\r\n",
                                     "\t",
                                     "18446744073709551617",
                                     std::string(1, '\0'),
                                     "\xff"};

constexpr int usual_samples = 10'000;

}  // namespace

TEST_CASE("a file of any bytes is read or refused", "[fem][sparse][matrix-market]") {
  const int n = samples_or(usual_samples);
  std::mt19937_64 random(1);
  int read = 0, refused = 0;
  for (int k = 0; k < n; ++k) {
    const std::string text = mutated(files[random() % files.size()], words, 4, random);
    CAPTURE(k, text);
    try {
      const MatrixFile file = parse_matrix_market(text, "a");
      ++read;
      const SparsePattern& pattern = file.matrix.pattern;
      // Few rows for these few bytes; all in order; written and read, the same.
      REQUIRE(pattern.row_starts.size() == static_cast<std::size_t>(pattern.n_rows) + 1);
      REQUIRE(pattern.columns.size() == file.matrix.values.size());
      if (pattern.n_rows > 1000) continue;
      for (int i = 0; i < pattern.n_rows; ++i) {
        const auto row = pattern.row(i);
        for (std::size_t c = 0; c < row.size(); ++c) {
          REQUIRE((row[c] >= 0 && row[c] < pattern.n_columns));
          REQUIRE((c == 0 || row[c] > row[c - 1]));
          REQUIRE(std::isfinite(file.matrix.row_values(i)[c]));
        }
      }
      REQUIRE(parse_matrix_market(matrix_market_text(file.matrix), "a").matrix == file.matrix);
    } catch (const std::invalid_argument& error) {
      ++refused;
      REQUIRE(std::string(error.what()).starts_with("a, line "));
    }
    try {
      (void)parse_vector(text, "a", 2);
    } catch (const std::invalid_argument&) {
    }
  }
  CHECK(read > n / 20);
  CHECK(refused > n / 4);
}

TEST_CASE("compressed files of any bytes are read or refused", "[fem][sparse][matrix-market]") {
  if (!has_zlib()) return;
  std::mt19937_64 random(2);
  const std::string bytes = compressed(files[0]);
  for (int k = 0; k < samples_or(usual_samples) / 10; ++k) {
    std::string wrong = bytes;
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      wrong[random() % wrong.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) wrong.resize(random() % wrong.size());
    try {
      (void)parse_matrix_market(decompressed(wrong, "a"), "a");
    } catch (const std::invalid_argument&) {
    }
  }
}
