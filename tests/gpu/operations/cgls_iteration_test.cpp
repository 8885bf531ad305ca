#include "gpu/operations/cgls_iteration.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "fem/sparse/random_rows.hpp"
#include "fem/sparse/rectangular.hpp"

#include "gpu/operations/any_least_squares_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/sparse_sample.hpp"
#include "tests/support/types.hpp"

using namespace ninefold;
using namespace ninefold::testing;

namespace {

/// All of one system, on the host, which is its backend.
template <class T>
struct SystemOnHost {
  using C = Arithmetic<T>;

  SystemOnHost(const Host& on, const SparseMatrix& K, int first_bound, std::uint64_t seed)
      : x(on, n_of(K)),
        r(on, random_values<T>(m_of(K), seed, Range::tame)),
        p(on, random_values<T>(n_of(K), seed + 100, Range::tame)),
        q(on, m_of(K)),
        s(on, n_of(K)),
        weight(on, std::vector<T>{T(C(2))}),
        upper(on, std::vector<T>(n_of(K), T(C(0.25)))),
        outside(on, n_of(K)),
        changed(on, n_of(K)) {
    bounds.first = first_bound;
    state.rz = C(3);
    state.active = 1;
    state.max_iterations = 1 + static_cast<int>(seed);  // each ends at another one
    if (first_bound == K.pattern.n_rows) return;
    bounds = {first_bound, weight.data(), nullptr, upper.data(), outside.data(), changed.data()};
  }

  CglsSystem<T> view() {
    const auto field = [](const Array<Host, T>& v) {
      return Field<T>{v.data(), static_cast<int>(v.size()), 1};
    };
    return {field(x), field(r), field(p), field(q), field(s), nullptr, bounds, {}, &sums, &state};
  }
  std::vector<T> values() const {
    std::vector<T> all;
    for (const Array<Host, T>* v : {&x, &r, &p, &q, &s}) {
      all.insert(all.end(), v->data(), v->data() + v->size());
    }
    return all;
  }

  static std::size_t n_of(const SparseMatrix& K) {
    return static_cast<std::size_t>(K.pattern.n_columns);
  }
  static std::size_t m_of(const SparseMatrix& K) {
    return static_cast<std::size_t>(K.pattern.n_rows);
  }

  Array<Host, T> x, r, p, q, s, weight, upper;
  Array<Host, std::uint8_t> outside, changed;
  BoundRows<T> bounds{};
  CglsSums<C> sums{};
  CgState<C> state{};
};

template <class T>
void iterate_by_operations(const Host& on, const SparseOperator<T>& A,
                           const SparseOperator<T>& transposed, const CglsSystem<T>& of) {
  cgls_product<Host, T>(on, A, of.p, of.bounds, of.q, of.sums, of.state);
  cgls_update<Host, T>(on, of.p, of.q, of.bounds, of.x, of.r, of.state);
  cgls_gradient<Host, T>(on, transposed, of.r, of.c, of.bounds, of.s, of.sums, of.state);
  cg_direction<Host, T>(on, Box{0, of.p.nx, 0, 1}, of.s, of.state, of.p);
}

}  // namespace

TEMPLATE_TEST_CASE("iterations of several systems have the bits of each one's operations",
                   "[gpu][least_squares][several]", Half, float, DoubleSingle, double,
                   DoubleDouble) {
  using T = TestType;
  const Host on;
  const SparseMatrix above = random_rows({.rows = 2500, .columns = 1100, .entries = 12000}).A;
  // Long rows, whose sums have one place.
  const SparseMatrix wide = transposed(random_rows({.rows = 900, .columns = 5, .entries = 2500}).A);
  for (const SparseMatrix& A : {above, wide}) {
    for (const bool has_bounds : {false, true}) {
      const int n = A.pattern.n_columns;
      const SparseMatrix K = has_bounds ? stacked(A, identity_matrix(n), 2.0) : A;
      for (const SparseStorage storage :
           {SparseStorage::sliced, SparseStorage::compressed, SparseStorage::jagged}) {
        CAPTURE(A.pattern.n_rows, has_bounds, to_string(storage));
        const auto rows = stored_on<Host, T>(on, K, storage, OperatorForm::plain);
        const auto columns = stored_on<Host, T>(on, transposed(K), storage, OperatorForm::plain);
        std::vector<SystemOnHost<T>> together, alone;
        CglsSystems<T> all{most_columns, {}};
        for (std::uint64_t k = 0; k < most_columns; ++k) {
          together.emplace_back(on, K, A.pattern.n_rows, k);
          alone.emplace_back(on, K, A.pattern.n_rows, k);
        }
        for (std::size_t k = 0; k < most_columns; ++k) all.of[k] = together[k].view();
        for (int iteration = 0; iteration < 4; ++iteration) {
          cgls_iteration<Host, T>(on, on, rows.view(), columns.view(), all);
          for (std::size_t k = 0; k < most_columns; ++k) {
            iterate_by_operations<T>(on, rows.view(), columns.view(), alone[k].view());
            CAPTURE(iteration, k);
            CHECK(same_bits(together[k].values(), alone[k].values()));
            CHECK(together[k].state.iterations == alone[k].state.iterations);
            CHECK(same_bits(std::vector{together[k].state.beta, together[k].state.alpha},
                            std::vector{alone[k].state.beta, alone[k].state.alpha}));
          }
        }
      }
    }
  }
}

TEST_CASE("systems that do not belong together are no iteration", "[gpu][least_squares]") {
  const Host on;
  const SparseMatrix A = identity_matrix(3);
  const auto rows = stored_on<Host, double>(on, A, SparseStorage::sliced, OperatorForm::plain);
  SystemOnHost<double> one(on, A, 3, 1), other(on, A, 2, 2);
  CglsSystems<double> all{0, {one.view(), other.view()}};
  REQUIRE_THROWS_AS((cgls_iteration<Host, double>(on, on, rows.view(), rows.view(), all)),
                    std::logic_error);
  all.count = most_columns + 1;
  REQUIRE_THROWS_AS((cgls_iteration<Host, double>(on, on, rows.view(), rows.view(), all)),
                    std::logic_error);
  all.count = 2;
  REQUIRE_THROWS_AS((cgls_iteration<Host, double>(on, on, rows.view(), rows.view(), all)),
                    std::logic_error);
  all.count = 1;
  all.of[0].q.nx = 2;
  REQUIRE_THROWS_AS((cgls_iteration<Host, double>(on, on, rows.view(), rows.view(), all)),
                    std::invalid_argument);
}
