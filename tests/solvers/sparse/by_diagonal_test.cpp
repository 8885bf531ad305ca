// Conjugate gradients whose preconditioner is in the passes of vectors have the bits of those that
// store z.
#include "solvers/sparse/by_diagonal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "gpu/operations/any_sparse_rows.hpp"

#include "solvers/krylov/guided_cg.hpp"
#include "solvers/sparse/by_blocks.hpp"

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

/// How an iteration goes on: to its tolerance, or to a number of iterations.
struct Run {
  bool in_pairs = false;
  double tolerance = 1e-6;
  int most = 40;
};

template <class T, class MakePrecondition>
Found<T> iterated(const SparseMatrix& A, const MakePrecondition& make, const Run& run = {}) {
  const Host on;
  const int n = A.pattern.n_rows;
  const auto matrix = stored_on<Host, T>(on, A, SparseStorage::sliced, OperatorForm::plain);
  const RowVector<Host, T> x(on, n, 1), b(on, n, 1), r(on, n, 1), p(on, n, 1), q(on, n, 1),
      z(on, n, 1), other(on, n, 1);
  for (int k = 0; k < n; ++k) b.view().data[k] = static_cast<T>(1 + 0.25 * (k % 7));
  const CgVectors<T> vectors{x.view(), r.view(), p.view(),
                             q.view(), z.view(), run.in_pairs ? other.view() : Field<T>{}};
  auto precondition = make(on, matrix.view().diagonal(), vectors);
  ConjugateGradients<Host, T, decltype(precondition), SparseOperator<T>> cg(
      on, matrix.view(), b.view(), vectors, std::move(precondition), BetaForm::standard, cg_block);
  cg.start();
  ResidualMonitor monitor(run.most, cg_patience);
  (void)cg.run(run.tolerance, run.most, {}, monitor, [] { return 0.0; });
  return {std::vector<T>(x.view().data, x.view().data + n), monitor.history(),
          cg.coefficients().steps, cg.coefficients().ratios};
}

/// z = M r, in a vector of its own.
template <class T>
Found<T> with_stored(const SparseMatrix& A, const DiagonalBlocks<T>& M) {
  return iterated<T>(A,
                     [M](const Host& on, const T*, const CgVectors<T>& v) -> std::function<void()> {
                       return [on, M, v] { multiply_blocks<Host, T>(on, M, v.r, v.z); };
                     });
}

template <class T>
void check_same(const Found<T>& one, const Found<T>& other) {
  CHECK(same_bits(one.x, other.x));
  CHECK(same_bits(one.history, other.history));
  CHECK(same_bits(one.steps, other.steps));
  CHECK(same_bits(one.ratios, other.ratios));
}

}  // namespace

TEMPLATE_TEST_CASE("a preconditioner in the passes of vectors changes no bit",
                   "[solvers][sparse][cg]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 40});
  const auto with_z = [](const Host& on, const T* d,
                         const CgVectors<T>& v) -> std::function<void()> {
    return [on, d, v] { divide<Host, T>(on, v.r, d, v.z); };
  };
  const auto in_passes = [](const Host& on, const T* d, const CgVectors<T>&) {
    return ByDiagonal<Host, T>(on, d);
  };
  const auto stored = iterated<T>(A, with_z);
  REQUIRE(stored.history.size() > 20);
  check_same(stored, iterated<T>(A, in_passes));
  check_same(stored, iterated<T>(A, in_passes, {.in_pairs = true}));
}

TEST_CASE("steps that are taken two at a time are all taken, wherever an iteration ends",
          "[solvers][sparse][cg]") {
  using D = double;
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 40});
  const auto of = [&](const Run& run) {
    return iterated<D>(
        A,
        [](const Host& on, const D* d, const CgVectors<D>&) { return ByDiagonal<Host, D>(on, d); },
        run);
  };
  // Within the first block of iterations, at its end and behind it; even and odd; by their number
  // and by the tolerance that so many just meet, if no fewer do.
  std::array<int, 2> by_tolerance{};
  for (int most = 1; most <= cg_block + 3; ++most) {
    CAPTURE(most);
    const Found<D> one = of({.tolerance = 0, .most = most});
    REQUIRE(one.history.size() == static_cast<std::size_t>(most) + 1);
    check_same(one, of({.in_pairs = true, .tolerance = 0, .most = most}));
    const double just_met = one.history.back() * 1.0001;
    if (*std::min_element(one.history.begin(), one.history.end() - 1) <= just_met) continue;
    check_same(one, of({.in_pairs = true, .tolerance = just_met, .most = 100}));
    ++by_tolerance[static_cast<std::size_t>(most % 2)];
  }
  CHECK(by_tolerance[0] >= 5);
  CHECK(by_tolerance[1] >= 5);
}

TEMPLATE_TEST_CASE("neither does one by blocks, whose z has its place in q",
                   "[solvers][sparse][cg]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const SparseMatrix A = generate_sparse({.name = "elasticity-2d", .size = 14});
  for (const int size : {2, 5}) {
    const BlockInverses<Host, T> inverses(Host(), A, size);
    const auto in_place = iterated<T>(A, [&](const Host& on, const T*, const CgVectors<T>&) {
      return ByBlocks<Host, T>(on, inverses.view());
    });
    REQUIRE(in_place.history.size() > 20);
    check_same(with_stored(A, inverses.view()), in_place);
  }
}

TEST_CASE("a guided solve leaves the correction whose residual is its own, last step included",
          "[solvers][sparse][cg][refinement]") {
  using D = double;
  const Host on;
  const SparseMatrix A = generate_sparse({.name = "triangles", .size = 24});
  const auto matrix = stored_on<Host, D>(on, A, SparseStorage::sliced, OperatorForm::plain);
  const int n = A.pattern.n_rows;
  const auto b = [](int k) { return 1 + 0.25 * (k % 7); };
  // Within a block of iterations, at its end and behind it; a solve that goes on after another.
  for (const int iterations : {5, cg_block, cg_block + 3}) {
    CAPTURE(iterations);
    using Owner = SparseMatrixOn<Host, D>;
    GuidedCg<Host, D, Owner, ByDiagonal<Host, D>> guided(
        on,
        [&] {
          return Owner(on,
                       std::make_shared<const LayoutOnBackend<Host>>(
                           on, row_layout(A.pattern, SparseStorage::sliced)),
                       A.pattern, A.values, OperatorForm::plain);
        },
        InnerStop{iterations, {}}, 100,
        [&](const SparseOperator<D>& rows) { return ByDiagonal<Host, D>(on, rows.diagonal()); });
    const RowVector<Host, D> r(on, n, 1), right(on, n, 1);
    for (int k = 0; k < n; ++k) right.view().data[k] = b(k);
    for (int solve = 0; solve < 2; ++solve) {
      copy<Host, D>(on, right.view(), guided.right_hand_side());
      REQUIRE(guided.solve({}) == iterations);
      residual<Host, D>(on, matrix.view(), right.view(), guided.correction(), r.view());
      double difference = 0, size = 0;
      for (int k = 0; k < n; ++k) {
        const double recursive = guided.right_hand_side().data[k];
        difference = std::max(difference, std::abs(r.view().data[k] - recursive));
        size = std::max(size, std::abs(recursive));
      }
      REQUIRE(size > 0);
      CHECK(difference <= 1e-9 * size);
      copy<Host, D>(on, r.view(), right.view());  // what is left is the next right-hand side
    }
  }
}

}  // namespace ninefold
