// A vector that ranks make in parts, what others need first, and the values that come beside it.
#include "solvers/sparse/halo_beside.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/matrix_part.hpp"
#include "fem/sparse/row_layouts.hpp"

#include "gpu/backend/vector_part.hpp"

#include "solvers/sparse/matrix_on_backend.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/ranked_matrix.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

using Ranges = std::vector<std::pair<int, int>>;  // firsts and lasts

/// The ranges in which a vector of 0, 1, 2, ... is made, which must come with others' values.
Ranges ranges_of(const SparseMatrix& A, const std::vector<int>& begins,
                 const std::shared_ptr<const Ranks>& ranks) {
  const int rank = ranks->rank(), begin = begins[static_cast<std::size_t>(rank)];
  const MatrixPart part = cut_rows(A, begins, begins, rank);
  const Host on = Host().among(ranks).divided(
      std::make_shared<VectorPart>(begins, rank, part.below, part.above));
  const auto layout = std::make_shared<const LayoutOnBackend<Host>>(
      on, row_layout(part.A.pattern, SparseStorage::sliced, false, true), &part);
  const SparseMatrixOn<Host, double> matrix(on, layout, part.A.pattern, part.A.values,
                                            OperatorForm::plain);
  const RowVector<Host, double> x(on, part.own, 1);
  Ranges ranges;
  const HaloBeside<Host, double> beside(on, matrix.view().rows());
  beside.fill(x.view(), [&](const Host&, int first, int n) {
    ranges.emplace_back(first, first + n);
    for (int k = first; k < first + n; ++k) x.view().data[k] = begin + k;
  });
  // A row of the part has the columns of the whole one.
  bool same = true;
  for (int i = 0; i < part.own; ++i) {
    const auto own = part.A.pattern.row(i), whole = A.pattern.row(begin + i);
    for (std::size_t k = 0; k < own.size(); ++k) {
      same = same && x.view().data[own[k] - part.below] == whole[k];
    }
  }
  CHECK(same);
  return ranges;
}

std::vector<Ranges> ranges_of_all(const SparseMatrix& A, const std::vector<int>& begins) {
  return solve_on_ranks(
      static_cast<int>(begins.size()) - 1,
      [&](const std::shared_ptr<const Ranks>& ranks) { return ranges_of(A, begins, ranks); });
}

}  // namespace

TEST_CASE("what others need of a vector is made first", "[solvers][sparse][ranks]") {
  // Planes of 400 nodes.
  const SparseMatrix A = generate_sparse({.name = "laplace-3d-7", .size = 20});
  CHECK(ranges_of_all(A, {0, 3072, 6144, 8000})
        == std::vector<Ranges>{{{2624, 3072}, {0, 2624}},
                               {{0, 448}, {2624, 3072}, {448, 2624}},
                               {{0, 448}, {448, 1856}}});
}

TEST_CASE("a vector of which all or nothing is needed is made at once",
          "[solvers][sparse][ranks]") {
  const SparseMatrix all = generate_sparse({.name = "rows", .size = 3072, .mean = 20});
  CHECK(ranges_of_all(all, {0, 2048, 3072}) == std::vector<Ranges>{{{0, 2048}}, {{0, 1024}}});
  CHECK(ranges_of_all(two_chains(2048, 1024), {0, 2048, 3072})
        == std::vector<Ranges>{{{0, 2048}}, {{0, 1024}}});
}

TEST_CASE("a whole matrix has nothing to exchange", "[solvers][sparse]") {
  const SparseMatrix A = two_chains(5, 3);
  const auto layout = std::make_shared<const LayoutOnBackend<Host>>(
      Host(), row_layout(A.pattern, SparseStorage::sliced));
  const SparseMatrixOn<Host, double> matrix(Host(), layout, A.pattern, A.values,
                                            OperatorForm::plain);
  const RowVector<Host, double> x(Host(), 8, 1);
  CHECK_THROWS_AS((exchange_halo<Host, double>(Host(), matrix.view().rows(), x.view())),
                  std::invalid_argument);
}
