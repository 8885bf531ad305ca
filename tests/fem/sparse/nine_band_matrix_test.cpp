#include "fem/sparse/nine_band_matrix.hpp"

#include <stdexcept>

#include "fem/sparse/matrix_market.hpp"
#include "fem/sparse/symmetry.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"

using namespace ninefold;
using namespace ninefold::testing;

TEST_CASE("a nine-band matrix that is written and read back is the same, entry by entry",
          "[fem][sparse][matrix-market]") {
  for (const Box& box : {Box{1, 8, 1, 5}, Box{0, 9, 0, 6}, Box{1, 9, 1, 6}}) {
    const RandomMatrix<double> sample(9, 6, OperatorForm::plain, box, 3, Range::tame,
                                      Signs::symmetric);
    const SparseMatrix A = sparse_matrix(sample.view());
    const SparseMatrix B = parse_matrix_market(matrix_market_text(A), "a.mtx").matrix;
    REQUIRE(B == A);
    REQUIRE(symmetry_facts(A).values());
    REQUIRE(A.pattern.n_rows == box.width() * box.height());
    for (int k = 0; k < A.pattern.n_rows; ++k) {
      const int i = box.i0 + k % box.width(), j = box.j0 + k / box.width();
      for (int l = 0; l < A.pattern.n_rows; ++l) {
        const int s = box.i0 + l % box.width() - i, t = box.j0 + l / box.width() - j;
        const bool near = std::abs(s) <= 1 && std::abs(t) <= 1;
        REQUIRE((B.find(k, l) >= 0) == near);
        if (near) REQUIRE(to_exact(B(k, l)) == sample.entry(i, j, s, t));
      }
    }
  }
}

TEST_CASE("a matrix in difference form is not taken for its entries", "[fem][sparse]") {
  const RandomMatrix<double> sample(5, 5, OperatorForm::difference, {1, 4, 1, 4}, 1, Range::tame);
  CHECK_THROWS_AS(sparse_matrix(sample.view()), std::invalid_argument);
}
