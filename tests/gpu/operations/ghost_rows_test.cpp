// Slabs of rows as vectors of their own, with their neighbours' rows in the margin: the operations
// on all slabs give the bits of those on the whole grid.

#include <algorithm>
#include <vector>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/row_operations.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;

/// The rows first <= j < last of a matrix.
template <class T>
NineBand<const T> slab_of(NineBand<const T> A, int first, int last) {
  for (const T*& band : A.band) band += std::ptrdiff_t{first} * A.nx;
  A.ny = last - first;
  A.unknowns.j0 = std::max(A.unknowns.j0 - first, 0);
  A.unknowns.j1 = std::min(A.unknowns.j1 - first, A.ny);
  return A;
}

/// The rows of a vector, and the rows of the neighbours where there are any.
template <class T>
NodeVector<Host, T> slab_of(const Host& on, const Field<const T>& x, int first, int last) {
  NodeVector<Host, T> slab(on, x.nx, last - first);
  const auto put = [&](int j) {
    on.copy_in(slab.view().row(j - first), x.row(j), static_cast<std::size_t>(x.nx) * sizeof(T));
  };
  for (int j = std::max(first - 1, 0); j < std::min(last + 1, x.ny); ++j) put(j);
  return slab;
}

template <class T>
void check_rows(const char* name, const Field<const T>& whole, const Field<const T>& slab,
                int first) {
  CAPTURE(name, first);
  std::size_t differing = 0;
  for (int j = 0; j < slab.ny; ++j) {
    for (int i = 0; i < slab.nx; ++i) {
      differing += !testing::same_bits(slab(i, j), whole(i, first + j));
    }
  }
  CHECK(differing == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("operations on slabs with their neighbours' rows have the bits of the whole",
                   "[gpu][operations]", NINEFOLD_DEVICE_FORMATS) {
  using T = TestType;
  const Host on;
  const int nx = 11, ny = 14;
  const auto form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const Box unknowns = GENERATE(Box{1, 10, 1, 13}, Box{0, 11, 0, 14});
  CAPTURE(to_string(form), unknowns.i0);
  const RandomMatrix<T> matrix(nx, ny, form, unknowns, 17, Range::tame);
  const NineBand<const T> A = matrix.view();
  const NodeValues<T> x(nx, ny, 18, Range::tame), b(nx, ny, 19, Range::tame);
  NodeValues<T> product_of_all(nx, ny), residual_of_all(nx, ny), step_of_all(nx, ny);
  product(on, A, x.read(), product_of_all.view());
  residual(on, A, b.read(), x.read(), residual_of_all.view());
  jacobi_step(on, A, b.read(), Leading<T>(0.7), x.read(), step_of_all.view());

  for (const std::vector<int>& ends : {std::vector<int>{0, 6, 14}, {0, 1, 9, 14}, {0, 2, 3, 14}}) {
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      const int first = ends[k], last = ends[k + 1];
      const NineBand<const T> rows = slab_of(A, first, last);
      if (rows.unknowns.empty()) continue;
      const auto own_x = slab_of(on, x.read(), first, last);
      const auto own_b = slab_of(on, b.read(), first, last);
      const NodeVector<Host, T> y(on, nx, last - first);
      const auto nothing_in_the_margin = [&] {
        return std::all_of(y.view().row(-1) - 1, y.view().row(0),
                           [](const T& v) { return testing::same_bits(v, T(0)); })
               && std::all_of(y.view().row(last - first), y.view().row(last - first + 1) + 1,
                              [](const T& v) { return testing::same_bits(v, T(0)); });
      };
      product<Host, T>(on, rows, own_x.view(), y.view());
      check_rows<T>("product", product_of_all.read(), y.view(), first);
      residual<Host, T>(on, rows, own_b.view(), own_x.view(), y.view());
      check_rows<T>("residual", residual_of_all.read(), y.view(), first);
      jacobi_step<Host, T>(on, rows, own_b.view(), Leading<T>(0.7), own_x.view(), y.view());
      check_rows<T>("jacobi_step", step_of_all.read(), y.view(), first);
      CHECK(nothing_in_the_margin());
    }
  }
}

}  // namespace ninefold
