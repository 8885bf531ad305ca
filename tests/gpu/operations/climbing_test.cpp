// Rows of factors, climbed column by column, have the bits of rows by themselves.
#include "gpu/launch/climbing.hpp"

#include <algorithm>
#include <vector>

#include <omp.h>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/soft_float.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/vector.hpp"

// clang-format off
#include "gpu/launch/launch_host.hpp"

#include "gpu/compiled/elsewhere.hpp"
#include "gpu/meaning/generic_row_operations.hpp"
// clang-format on

#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::NodeValues;
using testing::Range;

struct Stated {
  int level;
  Boundary boundary;
  double reaction;
};

/// One column and one row more, or less, than climb together; and grids with hardly a node.
std::vector<Stated> problems() {
  Boundary corner, neumann;
  corner[Side::right] = corner[Side::top] = BoundaryKind::neumann;
  for (const Side side : all_sides) neumann[side] = BoundaryKind::neumann;
  return {{1, {}, 0},   {2, corner, 0.3}, {6, {}, 0},
          {8, {}, 0.3}, {8, corner, 0},   {8, neumann, 0.3}};
}

/// A functor that is summed, row by row.
template <class F>
struct ByItself {
  static constexpr int batch = 1;
  F f;
  auto read(int i, int j) const { return f.read(i, j); }
  template <class V>
  auto write(int i, int j, const V& value) const {
    return f.write(i, j, value);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("rows that are climbed have the bits of rows by themselves", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const testing::InFormat<TestType> format;
  using T = typename testing::InFormat<TestType>::T;
  using W = Assembly<T>;
  const Host on;
  const int threads = omp_get_max_threads();
  omp_set_num_threads(GENERATE(1, 7));
  for (const Stated& stated : problems()) {
    CAPTURE(stated.level, stated.reaction, stated.boundary[Side::right]);
    const TensorGrid grid =
        make_hierarchy(1.0, 0.5, stated.level, {0.45, {Side::right, Side::bottom}}).back();
    const FactoredMatrix<Host, T> matrix(on, grid, unknown_nodes(grid, stated.boundary),
                                         {W(1.0), W(0.7), W(stated.reaction)});
    const FactoredRows<T>& A = matrix.view();
    const NodeValues<T> x(A.nx, A.ny, 3, Range::tame), b(A.nx, A.ny, 4, Range::tame);
    const Leading<T> omega(0.75F);
    NodeValues<T> y(A.nx, A.ny), own_y(A.nx, A.ny), r(A.nx, A.ny), own_r(A.nx, A.ny),
        step(A.nx, A.ny), own_step(A.nx, A.ny);
    product(on, A, x.read(), y.view());
    residual(on, A, b.read(), x.read(), r.view());
    jacobi_step(on, A, b.read(), omega, x.read(), step.view());
    for (int j = A.unknowns.j0; j < A.unknowns.j1; ++j) {
      for (int i = A.unknowns.i0; i < A.unknowns.i1; ++i) {
        const RowValue<T> row = FactoredForm::value(A, x.read(), i, j);
        const Arithmetic<T> right = b(i, j), before = x(i, j);
        own_y.view()(i, j) = T(row.product);
        own_r.view()(i, j) = T(right - row.product);
        const auto left = static_cast<Leading<T>>(right - row.product);
        own_step.view()(i, j) = T(fused(omega, left / row.diagonal, before));
      }
    }
    using Square = ResidualSquare<FactoredForm, T, FactoredRows<T>>;
    using Dot = ProductDot<FactoredForm, T, FactoredRows<T>>;
    static_assert(Climbing<Square> && Climbing<Dot> && !Climbing<ByItself<Square>>);
    const Host summing(sum_scratch_bytes(A.nx, A.ny));
    const auto sum = [&](const auto& f) {
      Scalar<T> result(0);
      sum_nodes(summing, A.unknowns, f, &result);
      return result;
    };
    NodeValues<T> q(A.nx, A.ny), own_q(A.nx, A.ny);
    const Square square{A, b.read(), x.read()};
    CHECK(testing::same_bits(sum(square), sum(ByItself<Square>{square})));
    CHECK(testing::same_bits(sum(Dot{A, x.read(), q.view()}),
                             sum(ByItself<Dot>{{A, x.read(), own_q.view()}})));
    CHECK(q.equals(own_q));
    CHECK(y.equals(own_y));
    CHECK(r.equals(own_r));
    CHECK(step.equals(own_step));
  }
  omp_set_num_threads(threads);
}

TEMPLATE_TEST_CASE("neighbours that climb together have the bits of rows by themselves",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const testing::InFormat<TestType> format;
  using T = typename testing::InFormat<TestType>::T;
  using C = Arithmetic<T>;
  using W = Assembly<T>;
  constexpr int n = 2;
  const Host on;
  const TensorGrid grid = make_hierarchy(1.0, 0.5, 5, {0.45, {Side::right, Side::bottom}}).back();
  const FactoredMatrix<Host, T> matrix(on, grid, unknown_nodes(grid, {}), {W(1.0), W(0.7), W(0.3)});
  const FactoredRows<T>& A = matrix.view();
  const NodeValues<T> values(A.nx, A.ny, 3, Range::tame);
  const NodeVector<Host, T> memory(on, A.nx, A.ny);
  const Field<const T> x = memory.view();
  REQUIRE(is_aligned_for<n>(x));
  for (int j = 0; j < A.ny; ++j) std::copy_n(values.read().row(j), A.nx, memory.view().row(j));
  const Product<FactoredForm, T, FactoredRows<T>> f{A, x, memory.view()};
  const auto around = [&](int i, int j) { return NeighbourNodes<C, n>::around(x.row(j) + i); };
  for (int i = n; i + n < A.nx; i += n) {
    CAPTURE(i);
    Climb<T> column[n];
    for (int c = 0; c < n; ++c) column[c].start(A.row(i + c, 1), around(i, 0)[c], around(i, 1)[c]);
    for (int j = 1; j + 1 < A.ny; ++j) {
      for (int c = 0; c < n; ++c) {
        const VisitedRow<T> row = column[c].climb(f, A.y[j], A.reaction, around(i, j + 1)[c]);
        CHECK(testing::same_bits(f.value(row), T(FactoredForm::product(A, x, i + c, j))));
        CHECK(testing::same_bits(T(row.x), x(i + c, j)));
      }
    }
  }
}

}  // namespace ninefold
