// Inverses of blocks on the diagonal.
#include "fem/sparse/diagonal_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

double of(const std::vector<DoubleDouble>& inverses, int size, int i, int j) {
  return static_cast<double>(inverses.at(static_cast<std::size_t>(i * size + j)));
}

}  // namespace

TEST_CASE("each block times its inverse is the identity, the last one may be smaller",
          "[fem][sparse]") {
  const SparseMatrix A = generate_sparse({.name = "elasticity-3d", .size = 3});
  const int n = A.pattern.n_rows;
  for (const int size : {1, 2, 3, 5, 8}) {
    const std::vector<DoubleDouble> M = block_inverses(A, size);
    REQUIRE(M.size() == static_cast<std::size_t>(n) * static_cast<std::size_t>(size));
    double worst = 0;
    for (int first = 0; first < n; first += size) {
      const int rows = std::min(size, n - first);
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
          DoubleDouble sum(0.0);
          for (int k = 0; k < rows; ++k) {
            if (A.find(first + i, first + k) < 0) continue;
            const auto at = static_cast<std::size_t>((first + k) * size + j);
            sum = sum + DoubleDouble(A(first + i, first + k)) * M[at];
          }
          worst = std::max(worst,
                           std::abs(static_cast<double>(sum - DoubleDouble(i == j ? 1.0 : 0.0))));
          CHECK(of(M, size, first + i, j) == of(M, size, first + j, i));
        }
        for (int j = rows; j < size; ++j) CHECK(of(M, size, first + i, j) == 0);
      }
    }
    CHECK(worst < 1e-29);
  }
}

TEST_CASE("squares in the norm of the inverses are those of their definition", "[fem][sparse]") {
  const SparseMatrix A = generate_sparse({.name = "elasticity-2d", .size = 20});
  const int n = A.pattern.n_rows;
  WideVector v;
  for (int i = 0; i < n; ++i) v.high.push_back(std::sin(i));
  for (const int size : {2, 3}) {
    const std::vector<DoubleDouble> M = block_inverses(A, size);
    double square = 0;
    for (int i = 0; i < n; ++i) {
      for (int j = i / size * size; j < std::min(i / size * size + size, n); ++j) {
        square +=
            v.high[std::size_t(i)] * of(M, size, i, j - i / size * size) * v.high[std::size_t(j)];
      }
    }
    CHECK(block_square(M, size, v, 0) == Approx(square).epsilon(1e-12));
    CHECK(block_square(M, size, v, 3) == Approx(64 * square).epsilon(1e-12));
  }
}

TEST_CASE("a block that is not positive definite is named by its rows", "[fem][sparse]") {
  SparseMatrix A = generate_sparse({.name = "elasticity-2d", .size = 4});
  const double coupling = 2 * A(4, 4);
  A.values[static_cast<std::size_t>(A.find(5, 4))] = coupling;
  A.values[static_cast<std::size_t>(A.find(4, 5))] = coupling;
  CHECK_NOTHROW(block_inverses(A, 1));
  CHECK_THROWS_WITH(block_inverses(A, 2), ContainsSubstring("rows 5 to 6"));
}
