#include "fem/sparse/generators.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "grids/counter_random.hpp"

#include "fem/sparse/definiteness.hpp"
#include "fem/sparse/row_lengths.hpp"
#include "fem/sparse/symmetry.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

SparseMatrix generate(const std::string& name, int size) {
  return generate_sparse({.name = name, .size = size});
}

/// Whether all pivots of a textbook elimination are positive.
bool is_definite(const SparseMatrix& A) {
  const auto n = static_cast<std::size_t>(A.pattern.n_rows);
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] = A(static_cast<int>(i), static_cast<int>(j));
  }
  for (std::size_t k = 0; k < n; ++k) {
    if (!(a[k][k] > 0)) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  return true;
}

/// The bits of all values and columns in one number (FNV-1a).
std::uint64_t fingerprint(const SparseMatrix& A) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  for (const std::int64_t start : A.pattern.row_starts) add(static_cast<std::uint64_t>(start));
  for (const std::int32_t column : A.pattern.columns) add(static_cast<std::uint64_t>(column));
  for (const double value : A.values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    add(bits);
  }
  return hash;
}

}  // namespace

TEST_CASE("counted random numbers are those of SplitMix64", "[fem][sparse][generators]") {
  // The reference: state 0x9E37...15 * k, by the published constants.
  const CounterRandom random(1);
  const auto mixed = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  };
  const std::uint64_t step = 0x9E3779B97F4A7C15ULL, state = mixed(1 + step);
  for (std::uint64_t k = 0; k < 5; ++k) CHECK(random.bits(k) == mixed(state + (k + 1) * step));
  double sum = 0;
  for (std::uint64_t k = 0; k < 10'000; ++k) {
    const double u = random.unit(k);
    REQUIRE((u >= 0 && u < 1));
    sum += u;
  }
  CHECK(std::abs(sum / 10'000 - 0.5) < 0.02);
}

TEST_CASE("every generated matrix is exactly symmetric and positive definite",
          "[fem][sparse][generators]") {
  for (const std::string& name : generator_names()) {
    for (const int size : {1, 2, 4}) {
      CAPTURE(name, size);
      GeneratorOptions options{.name = name, .size = size};
      if (name == "rows") options.size = 60 * size, options.spread = 4;
      const SparseMatrix A = generate_sparse(options);
      const SymmetryFacts facts = symmetry_facts(A);
      REQUIRE(facts.pattern());
      REQUIRE(facts.values());
      REQUIRE(diagonal_facts(A).is_positive());
      REQUIRE(definiteness_facts(A).definite != Definite::no);
      REQUIRE(is_definite(A));
    }
  }
}

TEST_CASE("stencils in space are the textbook's", "[fem][sparse][generators]") {
  const SparseMatrix A = generate("laplace-3d-7", 5);
  CHECK(A.pattern.n_rows == 125);
  CHECK(A.pattern.entries() == 7 * 125 - 6 * 25);
  CHECK(A(62, 62) == 6);
  for (const int neighbour : {61, 63, 57, 67, 37, 87}) CHECK(A(62, neighbour) == -1);
  CHECK(A.find(62, 56) < 0);
  CHECK(A.find(4, 5) < 0);  // the next line
  const SparseMatrix B = generate("laplace-3d-27", 5);
  CHECK(B.pattern.entries() == 13 * 13 * 13);
  CHECK(B(62, 62) == 26);
  CHECK(B(62, 31) == -1);
}

TEST_CASE("linear elements leave constants and linear functions alone",
          "[fem][sparse][generators]") {
  const int N = 12;
  const SparseMatrix A = generate("triangles", N);
  CHECK(A.pattern.n_rows == N * N);
  for (int j = 1; j + 1 < N; ++j) {
    for (int i = 1; i + 1 < N; ++i) {
      double sum = 0, size = 0;
      for (const double value : A.row_values(j * N + i)) sum += value, size += std::abs(value);
      REQUIRE(std::abs(sum) <= 1e-14 * size);
    }
  }
  // Energy of the inner nodes' hat functions is that of the area in between: A 1 = 0 but at the
  // rim.
  const SparseMatrix B = generate("triangles-shuffled", N);
  CHECK(B.pattern.entries() == A.pattern.entries());
  CHECK(B != A);
  double one = 0, other = 0;
  for (int k = 0; k < N * N; ++k) one += A(k, k), other += B(k, k);
  CHECK(std::abs(one - other) < 1e-10);
}

TEST_CASE("elastic bodies do not resist translations, and stretch as they should",
          "[fem][sparse][generators]") {
  // Rows far from the held side: a translation costs nothing, nor does a rotation.
  const int N = 5;
  const SparseMatrix A = generate("elasticity-2d", N);
  CHECK(A.pattern.n_rows == 2 * N * (N + 1));
  const auto x = [&](int node) { return 1.0 + node % N; };
  const auto y = [&](int node) { return 0.0 + node / N; };
  for (int row = 0; row < A.pattern.n_rows; ++row) {
    if ((row / 2) % N == 0) continue;  // beside the held side
    double translated = 0, rotated = 0, size = 0;
    const auto columns = A.pattern.row(row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const int node = columns[k] / 2;
      const double value = A.row_values(row)[k];
      if (columns[k] % 2 == 0) translated += value;
      rotated += value * (columns[k] % 2 == 0 ? -y(node) : x(node));
      size += std::abs(value) * 10;
    }
    REQUIRE(std::abs(translated) <= 1e-14 * size);
    REQUIRE(std::abs(rotated) <= 1e-14 * size);
  }
  // Plane strain, E = 1, nu = 0.3: an inner row's own entry, by hand: (lambda + 3 mu) 4/3.
  const double mu = 1 / 2.6, lambda = 0.3 / (1.3 * 0.4);
  const int inner = 2 * (2 * N + 2);
  CHECK(A(inner, inner) == Catch::Approx(4.0 / 3 * (lambda + 3 * mu)));
  const SparseMatrix B = generate("elasticity-3d", 4);
  CHECK(B.pattern.n_rows == 3 * 4 * 25);
  CHECK(row_lengths(B.pattern).most == 81);
}

TEST_CASE("random rows have about the lengths that are asked for", "[fem][sparse][generators]") {
  const SparseMatrix A = generate_sparse(
      {.name = "rows", .size = 30'000, .mean = 21, .spread = 20, .blocks = 3, .bandwidth = 3000});
  const RowLengths lengths = row_lengths(A.pattern);
  CHECK(lengths.mean > 19);
  CHECK(lengths.mean < 23);
  CHECK(static_cast<double>(lengths.most) > 6 * lengths.mean);
  CHECK(lengths.least >= 3);
  CHECK(lengths.least % 3 == 0);
  for (int i = 0; i < 30'000; ++i) {
    REQUIRE(std::abs(A.pattern.row(i).front() - i) <= 3000 + 3);
  }
}

TEST_CASE("generated matrices depend on their seed alone", "[fem][sparse][generators]") {
  for (const char* name : {"triangles", "triangles-shuffled", "shell", "rows"}) {
    CAPTURE(name);
    GeneratorOptions options{.name = name, .size = 40};
    const SparseMatrix A = generate_sparse(options);
    CHECK(generate_sparse(options) == A);
    options.seed = 2;
    CHECK(generate_sparse(options) != A);
  }
}

TEST_CASE("generated matrices have the same bits everywhere", "[fem][sparse][generators]") {
  CHECK(fingerprint(generate("laplace-3d-7", 4)) == 0xa83041c6f3fa701b);
  CHECK(fingerprint(generate("triangles-shuffled", 20)) == 0xd977202f2c50552e);
  CHECK(fingerprint(generate("elasticity-3d", 3)) == 0xb9e6dfa116567deb);
  CHECK(fingerprint(generate("shell", 9)) == 0xc824f638df09c121);
  CHECK(fingerprint(generate("rows", 500)) == 0xf1b1113c1d0abb98);
}

TEST_CASE("what cannot be generated is refused", "[fem][sparse][generators]") {
  const auto complaint = [](const GeneratorOptions& options) -> std::string {
    try {
      generate_sparse(options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(complaint({.name = "laplace", .size = 3}),
             ContainsSubstring("there is no matrix \"laplace\"; there are laplace-3d-7, "));
  CHECK_THAT(complaint({.name = "shell", .size = 0}), ContainsSubstring("shell of size 0"));
  CHECK_THAT(complaint({.name = "laplace-3d-7", .size = 2000}), ContainsSubstring("at most 1290"));
  CHECK_THAT(complaint({.name = "shell", .size = 20'000}), ContainsSubstring("2400000000 rows"));
  CHECK_THAT(complaint({.name = "elasticity-3d", .size = 30'000}), ContainsSubstring("rows"));
  CHECK_THAT(complaint({.name = "rows", .size = 10, .mean = 20}), ContainsSubstring("mean length"));
  CHECK_THAT(complaint({.name = "rows", .size = 10, .mean = 2, .blocks = 3}),
             ContainsSubstring("divide the size, 10"));
  CHECK_THAT(complaint({.name = "rows", .size = 10, .mean = 2, .spread = 0.5}),
             ContainsSubstring("spread = 0.5"));
}
