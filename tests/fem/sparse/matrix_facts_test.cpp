#include "fem/sparse/matrix_facts.hpp"

#include <filesystem>
#include <stdexcept>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/matrix_market.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/data_of_others.hpp"
#include "tests/support/skip.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string refusals(const SparseMatrix& A) {
  std::string text;
  for (const std::string& refusal : spd_refusals(matrix_facts(A))) text += refusal + "\n";
  return text;
}

}  // namespace

TEST_CASE("what cannot be a symmetric positive definite system is told why",
          "[fem][sparse][facts]") {
  CHECK(refusals(generate_sparse({.name = "laplace-3d-7", .size = 3})).empty());
  CHECK(refusals(assemble_sparse(2, 3, {{0, 0, 1}})) == "it is 2 x 3\n");
  CHECK_THAT(refusals(assemble_sparse(3, 3, {{0, 0, 2}, {1, 0, -1}, {1, 1, 2}, {2, 2, 2}})),
             ContainsSubstring("no entry is above the diagonal: if the other triangle is meant, "
                               "too, the file's header should say symmetric"));
  CHECK_THAT(refusals(assemble_sparse(2, 2, {{0, 0, 4}, {1, 0, -1}, {0, 1, -2}, {1, 1, 4}})),
             ContainsSubstring("2 entries differ from their counterparts, that of row 1, column 2 "
                               "by 1, 2.5e-01 of the largest entry"));
  CHECK(refusals(assemble_sparse(2, 2, {{0, 0, 4}, {1, 1, -4}}))
        == "one diagonal entry is not positive; the first is that of row 2\n");
  CHECK_THAT(refusals(assemble_sparse(2, 2, {{0, 0, 4}})),
             ContainsSubstring("of 2 rows one is without a diagonal entry; the first is row 2"));
  CHECK_THAT(refusals(assemble_sparse(2, 2, {{0, 0, 1}, {1, 0, 3}, {1, 1, 4}}, true)),
             ContainsSubstring("the entry of row 1, column 2 is larger than the diagonal allows"));
}

TEST_CASE("a matrix that only elimination finds not to be definite is refused, too",
          "[fem][sparse][facts]") {
  // |a_ij| < a_ii everywhere; eigenvalue 1 - 1.4.
  const SparseMatrix A = assemble_sparse(
      3, 3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {1, 0, -0.7}, {2, 0, -0.7}, {2, 1, -0.7}}, true);
  CHECK_THAT(refusals(A), ContainsSubstring("it is not positive definite: elimination leaves -"));
  const MatrixFacts facts = matrix_facts(A);
  CHECK_THAT(definiteness_words(*facts.square), ContainsSubstring("elimination ends in row"));
}

TEST_CASE("parts need a square matrix", "[fem][sparse][facts]") {
  CHECK_THROWS_AS(matrix_facts(assemble_sparse(2, 3, {{0, 0, 1}}), 2), std::invalid_argument);
  CHECK(matrix_facts(generate_sparse({.name = "shell", .size = 3}), 4).square->parts.size() == 4);
}

TEST_CASE("matrices of other programs are what these say", "[fem][sparse][facts]") {
  const std::filesystem::path debian = testing::matrices_of_others();
  if (!std::filesystem::exists(debian)) {
    testing::skip("the matrices of Debian's r-cran-matrix are not here: scripts/prepare.sh tests");
    return;
  }
  // Of the structure of an aeroplane's wing: 147 unknowns, 2449 entries, of which 1298 are stored.
  const MatrixFile lund = read_matrix_market(debian / "lund_a.mtx");
  CHECK(lund.symmetric);
  CHECK(lund.stated_entries == 1298);
  const MatrixFacts facts = matrix_facts(lund.matrix);
  CHECK(facts.n_rows == 147);
  CHECK(facts.entries == 2449);
  CHECK(spd_refusals(facts).empty());
  CHECK(facts.square->pivots->definite == Definite::yes);
  const MatrixFacts pores = matrix_facts(read_matrix_market(debian / "pores_1.mtx").matrix);
  CHECK(pores.n_rows == 30);
  CHECK(pores.entries == 180);
  CHECK(!spd_refusals(pores).empty());
  const MatrixFile graph = read_matrix_market(debian / "jgl009.mtx");
  CHECK(graph.header == "coordinate pattern general");
  CHECK(graph.matrix.pattern.n_rows == 9);
  CHECK(graph.matrix.pattern.entries() == 50);
  CHECK_THROWS_WITH(read_matrix_market(debian / "wrong.mtx"),
                    ContainsSubstring("row 0: they are from 1 to"));
}
