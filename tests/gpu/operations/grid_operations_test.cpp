// The operations between grids and the coarsest solve on Host, against 50 digits; README.md derives
// the bounds.
#include <cmath>

#include "grids/tensor_grid.hpp"

#include "gpu/operations/row_operations.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::InFormat;
using testing::loss;
using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;
using testing::Signs;
using testing::stored;
using testing::to_exact;
using testing::within;
using testing::Worst;

/// Two nested grids, values on both, and the unknowns of both.
template <class T>
struct TwoGrids {
  using C = Arithmetic<T>;
  double nu = GENERATE(1.0, 0.7);
  int level = GENERATE(2, 3, 5, 7);
  int west = GENERATE(0, 1);  // is the west side a Dirichlet side?
  Line fine = make_hierarchy(1, 1, level, {.nu = nu}).back().x;
  std::vector<TransferWeights<C>> weights = transfer_weights<C>(fine);
  int n = fine.nodes(), m = n / 2 + 1;
  Box fine_box{west, n - 1, 1, n}, coarse_box{west, m - 1, 1, m};
  NodeValues<T> fine_values{n, n, 3, Range::hurtful};
  NodeValues<T> coarse_values{m, m, 4, Range::hurtful};

  Transfer<C> transfer() const { return {weights.data(), weights.data()}; }
  /// The stored weight of coarse node I in fine node i.
  Exact share(int I, int i) const {
    const auto& w = weights[std::size_t(i)];
    if (i / 2 == I) return to_exact(w.lower);
    return i % 2 == 1 && i / 2 + 1 == I ? to_exact(w.upper) : Exact(0);
  }
};

// Weights are data here; grids/transfer_test.cpp compares them with the hat functions.
TEMPLATE_TEST_CASE("restrict_residual applies the transposed weights and ignores Dirichlet nodes",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  TwoGrids<T> g;
  CAPTURE(g.nu, g.level, g.west);
  const NodeValues<T> before = g.coarse_values;
  restrict_residual(Host(), g.coarse_box, g.fine_box, g.transfer(), g.fine_values.view(),
                    g.coarse_values.view());
  // A term enters a row's sum, to which one more is added, and with that the sum of the rows.
  const double roundoffs = 2 * (loss<T>.fused + loss<T>.sum) + 1;
  Worst worst;
  for (int J = g.coarse_box.j0; J < g.coarse_box.j1; ++J) {
    for (int I = g.coarse_box.i0; I < g.coarse_box.i1; ++I) {
      Exact exact = 0, magnitude = 0;
      for (int j = 2 * J - 1; j <= 2 * J + 1; ++j) {
        for (int i = 2 * I - 1; i <= 2 * I + 1; ++i) {
          if (!g.fine_box.contains(i, j)) continue;
          const Exact term = g.share(I, i) * g.share(J, j) * g.fine_values.exact(i, j);
          exact += term;
          magnitude += abs(term);
        }
      }
      worst.add(within(g.coarse_values(I, J), exact, roundoffs, magnitude), I, J);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(g.coarse_values.differs_only_in(g.coarse_box, before));
}

TEMPLATE_TEST_CASE("add_prolongated adds the interpolated correction", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  TwoGrids<T> g;
  CAPTURE(g.nu, g.level, g.west);
  const NodeValues<T> before = g.fine_values;
  add_prolongated(Host(), g.fine_box, g.transfer(), g.coarse_values.view(), g.fine_values.view());
  // A product and a sum in each direction, the sum with x.
  const double roundoffs = 2 * (loss<T>.product + loss<T>.sum) + loss<T>.sum + 1;
  Worst worst;
  for (int j = g.fine_box.j0; j < g.fine_box.j1; ++j) {
    for (int i = g.fine_box.i0; i < g.fine_box.i1; ++i) {
      Exact exact = before.exact(i, j), magnitude = abs(exact);
      for (int J = j / 2; J <= std::min(j / 2 + 1, g.m - 1); ++J) {
        for (int I = i / 2; I <= std::min(i / 2 + 1, g.m - 1); ++I) {
          const Exact term = g.share(I, i) * g.share(J, j) * g.coarse_values.exact(I, J);
          exact += term;
          magnitude += abs(term);
        }
      }
      worst.add(within(g.fine_values(i, j), exact, roundoffs, magnitude), i, j);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(g.fine_values.differs_only_in(g.fine_box, before));
}

/// |L||U| of the textbook factorisation A = L U without pivoting, in 50 digits.
std::vector<std::vector<Exact>> factor_magnitude(std::vector<std::vector<Exact>> a) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      a[i][k] /= a[k][k];
      for (std::size_t j = k + 1; j < n; ++j) a[i][j] -= a[i][k] * a[k][j];
    }
  }
  std::vector<std::vector<Exact>> size(n, std::vector<Exact>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k <= std::min(i, j); ++k) {
        size[i][j] += (i == k ? Exact(1) : abs(a[i][k])) * abs(a[k][j]);
      }
    }
  }
  return size;
}

// Higham, Accuracy and Stability, theorem 9.4: |b - A x| <= 3 n u |L||U||x|, where n stands for
// n - 1 fused steps and a quotient; a diagonal computed from a difference row is off by four sums
// of its terms; moving up to 8 couplings to given values to the right-hand side adds 8 fused steps
// of |b| + |a||x|.  What is stored is rounded once more, which moves b - A x by |A| times that.
TEMPLATE_TEST_CASE("solve_coarsest solves as accurately as elimination can", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const Box box = GENERATE(Box{1, 2, 1, 2}, Box{1, 3, 1, 2}, Box{0, 3, 1, 3}, Box{0, 3, 0, 3});
  const Range range = GENERATE(Range::tame, Range::hurtful);
  const int seed = GENERATE(1, 2, 3);
  CAPTURE(to_string(form), box.i0, box.i1, box.j0, box.j1, int(range), seed);
  const RandomMatrix<T> A(3, 3, form, box, std::uint64_t(seed), range, Signs::dominant);
  const NodeValues<T> b(3, 3, std::uint64_t(seed) + 5, Range::hurtful);
  const NodeValues<T> before(3, 3, std::uint64_t(seed) + 6, Range::tame);
  NodeValues<T> x = before;
  solve_coarsest(Host(), A.view(), b.read(), x.view());
  REQUIRE(x.differs_only_in(box, before));

  std::vector<int> nodes;
  for (int k = 0; k < 9; ++k) {
    if (box.contains(k % 3, k / 3)) nodes.push_back(k);
  }
  const std::size_t n = nodes.size();
  std::vector<std::vector<Exact>> dense(n, std::vector<Exact>(n, Exact(0)));
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t q = 0; q < n; ++q) {
      const int s = nodes[q] % 3 - nodes[p] % 3, t = nodes[q] / 3 - nodes[p] / 3;
      if (std::abs(s) <= 1 && std::abs(t) <= 1) {
        dense[p][q] = A.entry(nodes[p] % 3, nodes[p] / 3, s, t);
      }
    }
  }
  const auto size = factor_magnitude(dense);
  const Exact u(unit_roundoff<Arithmetic<T>>());
  const double elimination = 3 * ((double(n) - 1) * loss<T>.fused + loss<T>.quotient) + 1;
  for (std::size_t p = 0; p < n; ++p) {
    const int i = nodes[p] % 3, j = nodes[p] / 3;
    Exact r = b.exact(i, j), magnitude = 0, from_storing = 0;
    for (std::size_t q = 0; q < n; ++q) {
      const Exact value = x.exact(nodes[q] % 3, nodes[q] / 3);
      const Exact rounding = stored<T>(value, Exact(0)) * Exact(1.01);
      r -= dense[p][q] * value;
      magnitude += size[p][q] * (abs(value) + rounding);
      from_storing += abs(dense[p][q]) * rounding;
    }
    magnitude *= Exact(elimination);
    Exact moved = abs(b.exact(i, j));
    for (int k = 0; k < 9; ++k) {
      const int s = k % 3 - i, t = k / 3 - j;
      if (box.contains(k % 3, k / 3) || std::abs(s) > 1 || std::abs(t) > 1) continue;
      const Exact term = A.stored(i, j, s, t) * x.exact(k % 3, k / 3);
      r -= term;
      moved += abs(term);
    }
    magnitude += Exact(8 * loss<T>.fused) * moved;
    if (form == OperatorForm::difference) {
      magnitude += Exact(4 * loss<T>.sum + 1) * A.diagonal_magnitude(i, j) * abs(x.exact(i, j));
    }
    CAPTURE(i, j);
    REQUIRE(abs(r) <= u * magnitude + from_storing);
  }
}

}  // namespace
}  // namespace ninefold
