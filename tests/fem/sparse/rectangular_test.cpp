#include "fem/sparse/rectangular.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "fem/sparse/random_rows.hpp"
#include "fem/sparse/row_layouts.hpp"
#include "fem/sparse/tomography.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

// [1 0 2; 0 3 0]
const SparseMatrix wide{
    {.n_rows = 2, .n_columns = 3, .row_starts = {0, 2, 3}, .columns = {0, 2, 1}}, {1, 2, 3}};

}  // namespace

TEST_CASE("a matrix of any shape is transposed with its values", "[fem][sparse]") {
  const SparseMatrix tall = transposed(wide);
  CHECK(tall.pattern.n_rows == 3);
  CHECK(tall.pattern.n_columns == 2);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) CHECK(tall(j, i) == wide(i, j));
  }
  CHECK(transposed(tall) == wide);
}

TEST_CASE("one matrix stands over another", "[fem][sparse]") {
  const SparseMatrix both = stacked(wide, identity_matrix(3), 0.5);
  CHECK(both.pattern.n_rows == 5);
  CHECK(both(1, 1) == 3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) CHECK(both(2 + i, j) == (i == j ? 0.5 : 0.0));
  }
  CHECK_THROWS_AS(stacked(wide, identity_matrix(2), 1), std::invalid_argument);
}

TEST_CASE("differences of an image's neighbours are in both directions", "[fem][sparse]") {
  const SparseMatrix L = difference_matrix(3, 2);
  CHECK(L.pattern.n_rows == 4 + 3);
  const WideVector none, x{{1, 2, 4, 8, 16, 32}, {}};
  const WideVector d = wide_residual(L, none, x);  // -L x
  CHECK(d.high == std::vector<double>{-1, -2, -8, -16, -7, -14, -28});
  CHECK(difference_matrix(4, 1).pattern.n_rows == 3);
  CHECK_THROWS_WITH(difference_matrix(1, 1), ContainsSubstring("1 x 1"));
  CHECK_THROWS_WITH(difference_matrix(40000, 40000), ContainsSubstring("1600000000 values"));
}

TEST_CASE("empty rows and columns are found, also of zeros", "[fem][sparse]") {
  CHECK(!first_empty_row(wide));
  CHECK(!first_empty_column(wide));
  SparseMatrix zero = wide;
  zero.values[2] = 0;
  CHECK(first_empty_row(zero) == 1);
  CHECK(first_empty_column(zero) == 1);
}

TEST_CASE("residuals and norms have more digits than doubles", "[fem][sparse]") {
  // 1 + 2^-60 - 1, which doubles make 0.
  const SparseMatrix row{{.n_rows = 1, .n_columns = 2, .row_starts = {0, 2}, .columns = {0, 1}},
                         {1, 0x1p-60}};
  const WideVector r = wide_residual(row, {{1}, {}}, {{1, -1}, {}});
  CHECK(r.high.front() == 0x1p-60);
  CHECK(norm_of({{3e200, 4e200}, {}}) == Approx(5e200));
  CHECK(norm_of({{0, 0}, {}}) == 0);
  CHECK(!std::isfinite(norm_of({{1, NAN}, {}})));
  CHECK(size_product(wide, {1, 1, 10}) == std::vector<double>{21, 3});
}

TEST_CASE("a pattern of any shape is laid out but in blocks", "[fem][sparse]") {
  for (const SparseStorage storage :
       {SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged}) {
    CHECK(row_layout(wide.pattern, storage).n == 2);
  }
  CHECK_THROWS_AS(row_layout(wide.pattern, SparseStorage::blocks_2), std::invalid_argument);
}

TEST_CASE("rays cross as much of the image as geometry says", "[fem][sparse]") {
  const int N = 16;
  const MeasuredRows data =
      tomography({.image_size = N, .angles = 12, .detectors = 40, .noise = 0});
  CHECK(!first_empty_row(data.A));
  CHECK(!first_empty_column(data.A));
  double longest = 0;
  for (int i = 0; i < data.A.pattern.n_rows; ++i) {
    double length = 0;
    for (const double value : data.A.row_values(i)) length += value;
    longest = std::max(longest, length);
  }
  CHECK(longest <= std::sqrt(2.0) * N + 1e-9);
  CHECK(longest > N);  // of 45 degrees, near the diagonal
  // Rays of the first direction are rows of the image.
  double first = 0;
  for (const double value : data.A.row_values(0)) first += value;
  CHECK(first == Approx(N));
  CHECK(data.A.row_values(0).size() == N);
  // All rays of a direction together see the area, by their distance.
  double all = 0;
  for (const double value : data.A.values) all += value;
  const double distance = std::sqrt(2.0) * N / 40;
  CHECK(all * distance / 12 == Approx(N * N).epsilon(0.01));
}

TEST_CASE("data are those of the image, and noise has its size", "[fem][sparse]") {
  const TomographyOptions options{.image_size = 24, .angles = 20, .detectors = 36, .noise = 0};
  const MeasuredRows clean = tomography(options);
  CHECK(sparse_product(clean.A, clean.truth).high == clean.b);
  TomographyOptions noisy = options;
  noisy.noise = 0.05;
  const MeasuredRows moved = tomography(noisy);
  double square = 0, noise = 0;
  for (std::size_t i = 0; i < clean.b.size(); ++i) {
    square += clean.b[i] * clean.b[i];
    noise += (moved.b[i] - clean.b[i]) * (moved.b[i] - clean.b[i]);
  }
  CHECK(std::sqrt(noise / square) == Approx(0.05).epsilon(0.1));
  noisy.seed = 2;
  CHECK(tomography(noisy).b != moved.b);
  CHECK(*std::max_element(clean.truth.begin(), clean.truth.end()) == 1.0);  // of the skull
}

TEST_CASE("random rows have the papers' shape", "[fem][sparse]") {
  const MeasuredRows data = random_rows({});
  const SparsePattern& pattern = data.A.pattern;
  CHECK(pattern.n_rows == 81545);
  CHECK(pattern.n_columns == 3072);
  CHECK(pattern.entries() == 854129);
  int least = 100, most = 0;
  bool ascends = true;
  for (int i = 0; i < pattern.n_rows; ++i) {
    least = std::min(least, pattern.length(i));
    most = std::max(most, pattern.length(i));
    const auto row = pattern.row(i);
    for (std::size_t k = 1; k < row.size(); ++k) ascends = ascends && row[k - 1] < row[k];
  }
  CHECK(least == 10);
  CHECK(most == 11);
  CHECK(ascends);
  CHECK(!first_empty_column(data.A));
  CHECK_THROWS_WITH(random_rows({.rows = 5, .columns = 6}), ContainsSubstring("rows is 5"));
  CHECK_THROWS_WITH(random_rows({.rows = 6, .columns = 5, .entries = 31}),
                    ContainsSubstring("entries is 31: from 6, one a row, to 30"));
}

TEST_CASE("a series begins with the image alone, and its dark parts fill", "[fem][sparse]") {
  const TomographyOptions options{.image_size = 32, .angles = 9, .detectors = 40, .noise = 0.05};
  const MeasuredRows alone = tomography(options);
  const std::vector<MeasuredImage> series = image_series(alone.A, options, 4);
  REQUIRE(series.size() == 4);
  CHECK(series[0].truth == alone.truth);
  CHECK(series[0].b == alone.b);
  bool fills = true, noise_differs = false;
  for (std::size_t k = 1; k < series.size(); ++k) {
    std::size_t brighter = 0;
    for (std::size_t j = 0; j < alone.truth.size(); ++j) {
      fills = fills && series[k].truth[j] >= series[k - 1].truth[j];
      brighter += series[k].truth[j] > series[k - 1].truth[j];
    }
    fills = fills && brighter > 0;
    const std::vector<double> same_noise =
        noisy_product(alone.A, series[k].truth, options.noise, options.seed);
    noise_differs = noise_differs || same_noise != series[k].b;
  }
  CHECK(fills);
  CHECK(noise_differs);
}
