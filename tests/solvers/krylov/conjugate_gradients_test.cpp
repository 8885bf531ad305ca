// Conjugate gradients on a matrix that has no grid.

#include "solvers/krylov/conjugate_gradients.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/vector_operations.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace testing {

/// A chain of n unknowns: 2 + shift_k on the diagonal, -1 beside it.
template <class T>
struct Chain {
  Extent unknowns;
  std::int64_t n;
  const T* shift;

  T product(const T* x, std::int64_t k) const {
    T sum = (T(2) + shift[k]) * x[k];
    if (k > 0) sum = sum - x[k - 1];
    if (k + 1 < n) sum = sum - x[k + 1];
    return sum;
  }
};

template <Number T>
void residual(const Host&, const Chain<T>& A, const Field<const T>& b, const Field<T>& x,
              const Field<T>& r) {
  for (std::int64_t k = 0; k < A.n; ++k) r.data[k] = b.data[k] - A.product(x.data, k);
}

template <Number T>
void product_dot(const Host& on, const Chain<T>& A, const Field<T>& p, const Field<T>& q,
                 Scalar<T>* result) {
  for (std::int64_t k = 0; k < A.n; ++k) q.data[k] = A.product(p.data, k);
  dot<Host, T>(on, A.unknowns, p, q, result);
}

}  // namespace testing

namespace {

TEMPLATE_TEST_CASE("conjugate gradients take a matrix without a grid", "[solvers][cg]", double,
                   DoubleDouble) {
  using T = TestType;
  // More than one chunk of a sum, the last one not full.
  constexpr std::int64_t n = 5003;
  const Host on;
  const Vector<Host, T> x(on, n), r(on, n), p(on, n), q(on, n), z(on, n), b(on, n);
  std::vector<T> shift(n), exact(n);
  for (std::int64_t k = 0; k < n; ++k) {
    const double at = static_cast<double>(k);
    shift[static_cast<std::size_t>(k)] = T(0.01 * std::pow(1e4, at / n));
    exact[static_cast<std::size_t>(k)] = T(std::sin(0.01 * at) + 0.25);
  }
  const testing::Chain<T> A{b.view().extent(), n, shift.data()};
  for (std::int64_t k = 0; k < n; ++k) b.view()[k] = A.product(exact.data(), k);

  const CgVectors<T> vectors{x.view().rows(), r.view().rows(), p.view().rows(), q.view().rows(),
                             z.view().rows()};
  const double tolerance = std::is_same_v<T, double> ? 1e-11 : 1e-24;
  std::vector<int> iterations;
  for (const bool scaled : {false, true}) {
    const std::function<void()> precondition = [&] {
      for (std::int64_t k = 0; k < n; ++k) {
        const T diagonal = T(2) + shift[static_cast<std::size_t>(k)];
        z.view()[k] = scaled ? r.view()[k] / diagonal : r.view()[k];
      }
    };
    for (std::int64_t k = 0; k < n; ++k) x.view()[k] = T(0);
    ConjugateGradients<Host, T, std::function<void()>, testing::Chain<T>> cg(
        on, A, b.view().rows(), vectors, precondition, BetaForm::standard, cg_block);
    (void)cg.start();
    ResidualMonitor monitor(5000, cg_patience);
    CAPTURE(scaled);
    REQUIRE(cg.run(tolerance, 5000, {}, monitor, [] { return 0.0; }) == Outcome::converged);
    iterations.push_back(monitor.iterations());

    // The smallest eigenvalue is above 0.01: |e|_2 <= 100 |r|_2 <= 100 tolerance |b|_2.
    double error = 0, size = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const double e = static_cast<double>(x.view()[k] - exact[static_cast<std::size_t>(k)]);
      const double s = static_cast<double>(b.view()[k]);
      error += e * e;
      size += s * s;
    }
    CHECK(std::sqrt(error) <= 100 * tolerance * std::sqrt(size));
  }
  CHECK(iterations[1] < iterations[0]);
}

}  // namespace
}  // namespace ninefold
