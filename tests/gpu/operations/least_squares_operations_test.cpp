#include "gpu/operations/least_squares_operations.hpp"

#include <cmath>
#include <vector>

#include "fem/sparse/rectangular.hpp"

#include "gpu/operations/any_least_squares_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sparse_sample.hpp"

using namespace ninefold;
using namespace ninefold::testing;
using Catch::Approx;

namespace {

constexpr SparseStorage storages[] = {SparseStorage::sliced, SparseStorage::compressed,
                                      SparseStorage::jagged};

/// The first columns of a random matrix, with rows of all classes.
SparseMatrix tall(int n_rows, int n_columns) {
  const SparseMatrix A = random_sparse(n_rows, 7, Range::alike);
  std::vector<SparseEntry> entries;
  for (int i = 0; i < n_rows; ++i) {
    const auto columns = A.pattern.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] < n_columns) entries.push_back({i, columns[k], A.row_values(i)[k]});
    }
  }
  return assemble_sparse(n_rows, n_columns, entries);
}

/// Values of a vector on the host, which is their backend.
template <class T>
class HostVector {
 public:
  HostVector(const Host& on, std::vector<T> values) : values_(on, values) {}
  Field<T> field() const { return {values_.data(), static_cast<int>(values_.size()), 1}; }
  T& operator[](int k) const { return values_.data()[k]; }
  std::vector<double> all() const {
    std::vector<double> result;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      result.push_back(static_cast<double>(values_.data()[k]));
    }
    return result;
  }

 private:
  Array<Host, T> values_;
};

template <class T>
HostVector<T> random_vector(const Host& on, int n, std::uint64_t seed) {
  return {on, random_values<T>(static_cast<std::size_t>(n), seed, Range::alike)};
}

}  // namespace

TEMPLATE_TEST_CASE("products with matrices of any shape round as their rows do",
                   "[gpu][least_squares]", float, double) {
  using T = TestType;
  const Host on;
  SparseMatrix A = tall(6000, 2100);
  for (double& value : A.values) value = static_cast<double>(static_cast<T>(value));
  for (const SparseMatrix& K : {A, transposed(A)}) {
    const int m = K.pattern.n_rows, n = K.pattern.n_columns;
    const HostVector<T> x = random_vector<T>(on, n, 1), b = random_vector<T>(on, m, 2),
                        y = random_vector<T>(on, m, 3), r = random_vector<T>(on, m, 4);
    const WideVector exact = wide_residual(K, {b.all(), {}}, {x.all(), {}});
    std::vector<double> sizes = x.all();
    for (double& size : sizes) size = std::abs(size);
    const std::vector<double> bounds = size_product(K, sizes);
    for (const SparseStorage storage : storages) {
      const auto matrix = stored_on<Host, T>(on, K, storage, OperatorForm::plain);
      multiply<Host, T>(on, matrix.view(), x.field(), y.field());
      least_squares_residual<Host, T>(on, matrix.view(), b.field(), x.field(),
                                      {m, {}, {}, {}, {}, {}}, r.field());
      bool all = true;
      for (int i = 0; i < m; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double roundings = 2 + K.pattern.length(i);
        const double bound =
            roundings * unit_roundoff<T>() * (bounds[k] + std::abs(static_cast<double>(b[i])));
        const double product = static_cast<double>(b[i]) - exact.high[k];
        all = all && std::abs(static_cast<double>(y[i]) - product) <= bound
              && std::abs(static_cast<double>(r[i]) - exact.high[k]) <= bound;
      }
      CAPTURE(m, to_string(storage));
      CHECK(all);
    }
  }
}

TEST_CASE("an iteration's steps are those of CGLS", "[gpu][least_squares]") {
  // A = [2 0; 0 3; 1 1] over bounds of weight 4: x <= 1.
  const Host on;
  const SparseMatrix A = assemble_sparse(3, 2, {{0, 0, 2}, {1, 1, 3}, {2, 0, 1}, {2, 1, 1}});
  const SparseMatrix K = stacked(A, identity_matrix(2), 4), transpose = transposed(K);
  const HostVector<double> weight(on, {4}), upper(on, {1, 1}), x(on, {0.5, 0.5}), p(on, {1, 0.25}),
      q(on, {9, 9, 9, 9, 9}), r(on, {1, 1, 1, 7, 7}), s(on, {0, 0}), c(on, {10, 20});
  const HostVector<std::uint8_t> outside(on, {0, 1}), changed(on, {0, 0});
  const BoundRows<double> bounds{3,           &weight[0], nullptr, upper.field().data,
                                 &outside[0], &changed[0]};
  CgState<double> state{};
  state.rz = 30;
  state.active = 1;
  state.max_iterations = 5;
  CglsSums<double> sums{};
  const auto rows = stored_on<Host, double>(on, K, SparseStorage::sliced, OperatorForm::plain);
  const auto columns =
      stored_on<Host, double>(on, transpose, SparseStorage::sliced, OperatorForm::plain);

  // Of the bounds the second takes part.
  cgls_product<Host, double>(on, rows.view(), p.field(), bounds, q.field(), &sums, &state);
  CHECK(q.all() == std::vector<double>{2, 0.75, 1.25, 0, 1});
  CHECK(state.pq == 4 + 0.5625 + 1.5625 + 1);
  CHECK(state.alpha == Approx(30 / 7.125));

  state.alpha = 2;
  cgls_update<Host, double>(on, p.field(), q.field(), bounds, x.field(), r.field(), &state);
  CHECK(x.all() == std::vector<double>{2.5, 1});
  CHECK(r.all() == std::vector<double>{-3, -0.5, -1.5, 4 * (1 - 2.5), 0});
  CHECK(outside.all() == std::vector<double>{1, 0});  // both have changed
  CHECK(changed.all() == std::vector<double>{1, 1});

  cgls_gradient<Host, double>(on, columns.view(), r.field(), nullptr, bounds, s.field(), &sums,
                              &state);
  CHECK(s.all() == std::vector<double>{-6 - 1.5 - 24, -1.5 - 1.5});
  CHECK(state.rr == 31.5 * 31.5 + 9);
  CHECK(state.iterations == 1);
  CHECK(state.beta == 0);  // it begins anew
  CHECK(state.rz == state.rr);

  // Where nothing changes beta is that of CG, and c is added.
  changed[0] = changed[1] = 0;
  cgls_gradient<Host, double>(on, columns.view(), r.field(), c.field().data, bounds, s.field(),
                              &sums, &state);
  CHECK(s.all() == std::vector<double>{10 - 31.5, 20 - 3});
  CHECK(state.beta == Approx((21.5 * 21.5 + 17 * 17) / (31.5 * 31.5 + 9)));

  // Past the end nothing moves.
  state.active = 0;
  cgls_update<Host, double>(on, p.field(), q.field(), bounds, x.field(), r.field(), &state);
  CHECK(x.all() == std::vector<double>{2.5, 1});
  const RefinementState<double> scale{0, 0.5, 2};
  const Array<Host, float> narrowed_s(on, 2);
  narrow<Host, double, float>(on, s.field(), &scale, {narrowed_s.data(), 2, 1});
  CHECK(narrowed_s.data()[0] == -10.75F);
}
