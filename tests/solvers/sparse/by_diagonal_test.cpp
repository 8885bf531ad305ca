// Conjugate gradients whose preconditioner is in the passes of vectors have the bits of those that
// store z.
#include "solvers/sparse/by_diagonal.hpp"

#include <functional>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "gpu/operations/any_sparse_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/sparse_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using namespace testing;

/// x, history and coefficients of so many iterations.
template <class T>
struct Found {
  std::vector<T> x;
  std::vector<double> history, steps, ratios;
};

template <class T, class MakePrecondition>
Found<T> iterated(const SparseMatrix& A, const MakePrecondition& make) {
  const Host on;
  const int n = A.pattern.n_rows;
  const auto matrix = stored_on<Host, T>(on, A, SparseStorage::sliced, OperatorForm::plain);
  const RowVector<Host, T> x(on, n, 1), b(on, n, 1), r(on, n, 1), p(on, n, 1), q(on, n, 1),
      z(on, n, 1);
  for (int k = 0; k < n; ++k) b.view().data[k] = static_cast<T>(1 + 0.25 * (k % 7));
  const CgVectors<T> vectors{x.view(), r.view(), p.view(), q.view(), z.view()};
  auto precondition = make(on, matrix.view().diagonal(), vectors);
  ConjugateGradients<Host, T, decltype(precondition), SparseOperator<T>> cg(
      on, matrix.view(), b.view(), vectors, std::move(precondition), BetaForm::standard, cg_block);
  cg.start();
  ResidualMonitor monitor(40, cg_patience);
  (void)cg.run(1e-6, 40, {}, monitor, [] { return 0.0; });
  return {std::vector<T>(x.view().data, x.view().data + n), monitor.history(),
          cg.coefficients().steps, cg.coefficients().ratios};
}

}  // namespace

TEMPLATE_TEST_CASE("a preconditioner in the passes of vectors changes no bit",
                   "[solvers][sparse][cg]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 40});
  const auto stored = iterated<T>(
      A, [](const Host& on, const T* d, const CgVectors<T>& v) -> std::function<void()> {
        return [on, d, v] { divide<Host, T>(on, v.r, d, v.z); };
      });
  const auto fused = iterated<T>(A, [](const Host& on, const T* d, const CgVectors<T>&) {
    return ByDiagonal<Host, T>(on, d);
  });
  REQUIRE(stored.history.size() > 20);
  CHECK(same_bits(stored.x, fused.x));
  CHECK(same_bits(stored.history, fused.history));
  CHECK(same_bits(stored.steps, fused.steps));
  CHECK(same_bits(stored.ratios, fused.ratios));
}

}  // namespace ninefold
