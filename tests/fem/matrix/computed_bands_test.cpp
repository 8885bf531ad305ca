// Entries that are computed where they are needed, and those that are stored: all bits.
#include "fem/matrix/computed_bands.hpp"

#include <cmath>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/backend.hpp"

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::NodeValues;
using testing::same_bits;

/// A grid with its sides and coefficients.
struct Stated {
  double width, height;
  GridGrading grading;
  Boundary boundary;
  double gx, gy, c;
};

std::vector<Stated> problems() {
  const std::vector<Side> all(all_sides.begin(), all_sides.end());
  Boundary dirichlet, corner, neumann;
  corner[Side::right] = corner[Side::top] = BoundaryKind::neumann;
  for (const Side side : all_sides) neumann[side] = BoundaryKind::neumann;
  return {{1, 1, {}, dirichlet, 1, 1, 0},
          {1, 1, {}, neumann, 1, 0.7, 0.3},
          {0.7, 3, {0.3, all}, dirichlet, 2.5, 0.3, 1.7},
          {1, 0.5, {0.45, {Side::right, Side::bottom}}, corner, 0.1, 4, 0},
          {2, 1, {0.6, {Side::left}}, neumann, 1.0 / 3, 1, 1e-3}};
}

TEMPLATE_TEST_CASE("computed entries are the stored ones", "[fem][computed_bands]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using W = Assembly<T>;
  const Host on;
  const Stated stated = GENERATE(from_range(problems()));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const int level = GENERATE(1, 2, 4);
  CAPTURE(stated.width, stated.grading.nu, stated.boundary[Side::left], stated.c, to_string(form),
          level);
  const TensorGrid grid = make_hierarchy(stated.width, stated.height, level, stated.grading).back();
  const Box unknowns = unknown_nodes(grid, stated.boundary);
  const Coefficients<W> g{W(stated.gx), W(stated.gy), W(stated.c)};
  const StoredMatrix<Host, T> matrix(on, grid, unknowns, g, form);
  const std::size_t before = on.allocated();
  const ComputedMatrix<Host, T> computed(on, grid, unknowns, g, form);
  const auto lines = static_cast<std::size_t>(grid.nx() + grid.ny());
  REQUIRE(on.allocated() - before == lines * LineCouplings<W>::numbers * sizeof(W));

  const NineBand<const T> A = matrix.view();
  const ComputedBands<T>& B = computed.view();
  REQUIRE(B.nx == A.nx);
  REQUIRE(B.ny == A.ny);
  REQUIRE(B.form == A.form);
  REQUIRE(B.unknowns == A.unknowns);
  const NodeValues<T> x(A.nx, A.ny, 5, testing::Range::tame);
  int differing = 0, rows = 0;
  const auto count = [&]<class V>(const V& stored, const V& mine) {
    differing += !same_bits(stored, mine);
  };
  const auto compare = [&]<class Form>(Form) {
    for (int j = unknowns.j0; j < unknowns.j1; ++j) {
      for (int i = unknowns.i0; i < unknowns.i1; ++i, ++rows) {
        const auto stored = A.row(i, j);
        const auto mine = B.row(i, j);
        for (int m = 0; m < 9; ++m) {
          if (m != 4) count(T(stored[m]), mine[m]);
        }
        if (form == OperatorForm::plain) {
          count(T(stored.diagonal()), mine.diagonal());
          count(T(stored[4]), mine[4]);
        } else {
          count(T(stored.row_sum()), mine.row_sum());
        }
        count(Form::product(A, x.read(), i, j), Form::product(B, x.read(), i, j));
        count(Form::diagonal(A, i, j), Form::diagonal(B, i, j));
        count(Form::leading_diagonal(A, i, j), Form::leading_diagonal(B, i, j));
      }
    }
  };
  if (form == OperatorForm::plain) {
    compare(Row<OperatorForm::plain>{});
  } else {
    compare(Row<OperatorForm::difference>{});
  }
  CHECK(differing == 0);
  CHECK(rows == unknowns.width() * unknowns.height());
}

// The diagonal of -Laplace on square cells is 8/3, its neighbours are -1/3.
TEMPLATE_TEST_CASE("computed entries are those of the Laplacian", "[fem][computed_bands]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using W = Assembly<T>;
  const Host on;
  const TensorGrid grid = make_hierarchy(1, 1, 3).back();
  const ComputedMatrix<Host, T> computed(on, grid, unknown_nodes(grid, {}), {W(1), W(1), W(0)},
                                         OperatorForm::plain);
  const auto row = computed.view().row(3, 5);
  for (int m = 0; m < 9; ++m) {
    const Exact exact = Exact(m == 4 ? 8 : -1) / 3;
    CAPTURE(m);
    // Nine roundings in the format of the assembly (README.md), one to T.
    const Exact bound =
        Exact(26 * unit_roundoff<W>() + unit_roundoff<T>()) * Exact(m == 4 ? 8.0 / 3 : 1);
    CHECK(abs(testing::to_exact(row[m]) - exact) <= bound);
  }
}

}  // namespace
}  // namespace ninefold
