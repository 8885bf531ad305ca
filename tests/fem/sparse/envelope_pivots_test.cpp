#include "fem/sparse/envelope_pivots.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "grids/counter_random.hpp"

#include "fem/sparse/generators.hpp"
#include "fem/sparse/reordering.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/ring.hpp"

using namespace ninefold;
using ninefold::testing::ring;

namespace {

std::vector<std::int32_t> natural(const SparseMatrix& A) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(A.pattern.n_rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// All leading minors of A - shift I, by a textbook elimination without an order or a band.
bool is_definite(const SparseMatrix& A, double shift) {
  const auto n = static_cast<std::size_t>(A.pattern.n_rows);
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] = A(static_cast<int>(i), static_cast<int>(j));
    a[i][i] -= shift;
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

SparseMatrix shifted(SparseMatrix A, double shift) {
  for (int i = 0; i < A.pattern.n_rows; ++i)
    A.values[static_cast<std::size_t>(A.find(i, i))] -= shift;
  return A;
}

}  // namespace

TEST_CASE("pivots of a small matrix, by hand", "[fem][sparse][analysis]") {
  const SparseMatrix A = assemble_sparse(2, 2, {{0, 0, 4}, {1, 0, 2}, {1, 1, 5}}, true);
  const auto pivots = envelope_pivots(A, natural(A));
  REQUIRE(pivots);
  CHECK(pivots->definite == Definite::yes);
  CHECK(pivots->smallest == 0.8);
  CHECK(pivots->row == 1);
  const auto backwards = envelope_pivots(A, {1, 0});
  CHECK(std::abs(backwards->smallest - 0.8) < 1e-15);
  CHECK(backwards->row == 0);
}

TEST_CASE("definite matrices are told from others, in any order", "[fem][sparse][analysis]") {
  for (const char* name : {"triangles-shuffled", "elasticity-2d", "shell", "rows"}) {
    GeneratorOptions options{.name = name, .size = 5};
    if (options.name == "rows") options.size = 40, options.mean = 5;
    const SparseMatrix A = generate_sparse(options);
    int definite = 0, others = 0;
    for (double shift = 1e-4; shift < 20; shift *= 1.7) {
      const SparseMatrix B = shifted(A, shift);
      bool positive = true;
      for (int i = 0; i < B.pattern.n_rows; ++i) positive = positive && B(i, i) > 0;
      if (!positive) continue;
      CAPTURE(name, shift);
      const bool expected = is_definite(A, shift);
      ++(expected ? definite : others);
      for (const auto& order : {natural(B), reverse_cuthill_mckee(B.pattern)}) {
        REQUIRE(envelope_pivots(B, order)->definite == (expected ? Definite::yes : Definite::no));
      }
    }
    CHECK(definite > 0);
    if (options.name != "rows") CHECK(others > 0);
  }
}

TEST_CASE("a singular matrix is neither, and a large envelope is left alone",
          "[fem][sparse][analysis]") {
  const SparseMatrix A = assemble_sparse(
      3, 3, {{0, 0, 0.1}, {1, 1, 0.4}, {2, 2, 0.3}, {1, 0, -0.1}, {2, 1, -0.3}}, true);
  CHECK(envelope_pivots(A, natural(A))->definite == Definite::unknown);
  const SparseMatrix B = generate_sparse({.name = "laplace-3d-7", .size = 10});
  CHECK(!envelope_pivots(B, natural(B), 1e4));
  CHECK(envelope_pivots(B, natural(B))->definite == Definite::yes);
}

TEST_CASE("whether many rows are singular is not told by rounding", "[fem][sparse][analysis]") {
  const auto definite = [](const SparseMatrix& A) {
    const Definite one = envelope_pivots(A, natural(A))->definite;
    CHECK(envelope_pivots(A, reverse_cuthill_mckee(A.pattern))->definite == one);
    return one;
  };
  CHECK(definite(ring(2000)) == Definite::unknown);
  CHECK(definite(shifted(ring(2000), -1e-8)) == Definite::yes);
  CHECK(definite(shifted(ring(2000), 1e-8)) == Definite::no);
  // Rows are wide, and rounding is small all the same.
  const SparseMatrix wide = generate_sparse({.name = "laplace-3d-7", .size = 14});
  const double lowest = 6 * (1 - std::cos(std::numbers::pi / 15));
  CHECK(definite(shifted(wide, lowest - 1e-10)) == Definite::yes);
  CHECK(definite(shifted(wide, lowest + 1e-10)) == Definite::no);
}
