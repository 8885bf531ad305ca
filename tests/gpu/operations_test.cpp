// Every operation of the vocabulary on Host, against 50 digits, with the componentwise bounds that
// tests/README.md derives; and that it writes to its box only.
#include "gpu/operations.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <catch2/catch.hpp>

#include "grids/tensor_grid.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Case;
using testing::cases;
using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;
using testing::Signs;
using testing::within;
using testing::Worst;

/// One matrix, vectors and what a test of them varies.
template <class T>
struct Sample {
  Case c = GENERATE(from_range(cases()));
  OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  Range range = GENERATE(Range::tame, Range::hurtful, Range::alike);
  std::uint64_t seed = 17;
  Box box = c.unknowns;
  RandomMatrix<T> A;
  NodeValues<T> x, b, y;

  explicit Sample(Signs signs = Signs::any)
      : A(c.nx, c.ny, form, c.unknowns, seed, range == Range::hurtful ? range : Range::tame, signs),
        x(c.nx, c.ny, seed + 1, range),
        b(c.nx, c.ny, seed + 2, range),
        y(c.nx, c.ny, seed + 3, Range::tame) {}

  bool difference() const { return form == OperatorForm::difference; }
  /// Roundings of one row product, one more than the longest chain: 9, or 10 with the differences.
  double row_roundoffs() const { return difference() ? 11 : 10; }

  template <class Check>
  void for_box(const Check& check) const {
    for (int j = box.j0; j < box.j1; ++j) {
      for (int i = box.i0; i < box.i1; ++i) check(i, j);
    }
  }
  /// |A||x| + |b| of the terms of row (i, j).
  Exact size(int i, int j) const { return A.row(x, i, j).magnitude + abs(b.exact(i, j)); }
  Exact residual(int i, int j) const { return b.exact(i, j) - A.row(x, i, j).value; }
};

#define CAPTURE_SAMPLE(s) \
  CAPTURE((s).c.nx, (s).c.ny, (s).box.i0, to_string((s).form), int((s).range), (s).seed)

/// A chunk of a row (3 in a lane, 8 in the tree), a round of partial sums (15 and 8), the
/// product, 1.
constexpr double sum_roundoffs = 36;

TEMPLATE_TEST_CASE("set_zero and copy reach every node and nothing else", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  copy(Host(), s.x.view(), s.y.view());
  for (int k = 0; k < s.c.nx * s.c.ny; ++k) REQUIRE(s.y.read().data[k] == s.x.read().data[k]);
  REQUIRE(s.y.differs_only_in({0, s.c.nx, 0, s.c.ny}, before));
  set_zero(Host(), s.y.view());
  for (int k = 0; k < s.c.nx * s.c.ny; ++k) REQUIRE(s.y.read().data[k] == 0);
  REQUIRE(s.y.differs_only_in({0, s.c.nx, 0, s.c.ny}, before));
}

TEMPLATE_TEST_CASE("dot is the sum over its box to the roundings of the summation tree",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact term = s.x.exact(i, j) * s.b.exact(i, j);
    exact += term;
    magnitude += abs(term);
  });
  TestType result = -77;
  dot(Host(), s.box, s.x.view(), s.b.view(), &result);
  REQUIRE(within(result, exact, sum_roundoffs, magnitude));
}

TEMPLATE_TEST_CASE("dot adds rows of more than one chunk and more rows than one chunk",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  const auto [nx, ny] = GENERATE(std::array{4099, 3}, std::array{3, 4201}, std::array{8193, 2});
  CAPTURE(nx, ny);
  const NodeValues<TestType> x(nx, ny, 5, Range::tame), y(nx, ny, 6, Range::hurtful);
  Exact exact = 0, magnitude = 0;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const Exact term = x.exact(i, j) * y.exact(i, j);
      exact += term;
      magnitude += abs(term);
    }
  }
  TestType result = -77;
  dot(Host(), Box{0, nx, 0, ny}, x.read(), y.read(), &result);
  REQUIRE(within(result, exact, sum_roundoffs + 23, magnitude));
}

TEMPLATE_TEST_CASE("xpby is exact up to its one rounding", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  const TestType beta = TestType(-0.7);
  xpby(Host(), s.box, &beta, s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = s.x.exact(i, j) + Exact(beta) * before.exact(i, j);
    worst.add(within(s.y(i, j), exact, 1, exact), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("product is A x to the roundings of a row", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  product(Host(), s.A.view(), s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const auto row = s.A.row(s.x, i, j);
    worst.add(within(s.y(i, j), row.value, s.row_roundoffs(), row.magnitude), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("product_dot is the product and its inner product with x", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  NodeValues<TestType> alone = s.y;
  const NodeValues<TestType> before = s.y;
  product(Host(), s.A.view(), s.x.view(), alone.view());
  TestType result = -77;
  product_dot(Host(), s.A.view(), s.x.view(), s.y.view(), &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    REQUIRE(s.y(i, j) == alone(i, j));
    const auto row = s.A.row(s.x, i, j);
    exact += s.x.exact(i, j) * row.value;
    magnitude += abs(s.x.exact(i, j)) * row.magnitude;
  });
  REQUIRE(within(result, exact, s.row_roundoffs() + sum_roundoffs, magnitude));
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("residual is b - A x to the roundings of a row and one more",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  residual(Host(), s.A.view(), s.b.view(), s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    worst.add(within(s.y(i, j), s.residual(i, j), s.row_roundoffs() + 1, s.size(i, j)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("residual_square is the square of the residual's norm", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  TestType result = -77;
  residual_square(Host(), s.A.view(), s.b.view(), s.x.view(), &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact r = s.residual(i, j);
    exact += r * r;
    // A residual's error counts twice, the sum's roundings once.
    magnitude += (2 * (s.row_roundoffs() + 1) * abs(r) * s.size(i, j) + sum_roundoffs * r * r);
  });
  REQUIRE(within(result, exact, 1.01, magnitude));
}

TEMPLATE_TEST_CASE("rounding_scale is the square of the norm of |A||x| + |b|", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  CAPTURE_SAMPLE(s);
  TestType result = -77;
  rounding_scale(Host(), s.A.view(), s.b.view(), s.x.view(), &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    Exact sum = abs(s.b.exact(i, j));
    for (int t = -1; t <= 1; ++t) {
      for (int k = -1; k <= 1; ++k) {
        if (s.A.inside(i + k, j + t)) {
          sum += abs(s.A.entry(i, j, k, t)) * abs(s.x.exact(i + k, j + t));
        }
      }
    }
    exact += sum * sum;
    // 10 roundings in the sum, 4 of a computed diagonal measured by its terms.
    const Exact diagonal =
        s.difference() ? Exact(4 * s.A.diagonal_magnitude(i, j) * abs(s.x.exact(i, j))) : Exact(0);
    magnitude += 2 * sum * (11 * sum + diagonal) + sum_roundoffs * sum * sum;
  });
  REQUIRE(within(result, exact, 1.01, magnitude));
}

TEMPLATE_TEST_CASE("jacobi_step is x + omega (b - A x) / diagonal", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s(Signs::dominant);
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  const TestType omega = TestType(0.8);
  jacobi_step(Host(), s.A.view(), s.b.view(), omega, s.x.view(), s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact d = s.A.entry(i, j, 0, 0), r = s.residual(i, j), w(omega);
    const Exact exact = s.x.exact(i, j) + w * r / d;
    // The residual's error, 1 for the quotient, 4 of a computed diagonal, 1 for the last step.
    const Exact magnitude =
        abs(Exact(w / d))
            * ((s.row_roundoffs() + 1) * s.size(i, j) + (s.difference() ? 6 : 2) * abs(r))
        + abs(exact);
    worst.add(within(s.y(i, j), exact, 1.01, magnitude), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("jacobi_start is the Jacobi step from zero", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s(Signs::dominant);
  CAPTURE_SAMPLE(s);
  const NodeValues<TestType> before = s.y;
  const TestType omega = TestType(0.8);
  jacobi_start(Host(), s.A.view(), s.b.view(), omega, s.y.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = Exact(omega) * s.b.exact(i, j) / s.A.entry(i, j, 0, 0);
    worst.add(within(s.y(i, j), exact, s.difference() ? 7 : 3, exact), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(s.y.differs_only_in(s.box, before));
}

/// Two nested grids, values on both, and the unknowns of both.
template <class T>
struct TwoGrids {
  double nu = GENERATE(1.0, 0.25);
  int level = GENERATE(2, 3, 5, 7);
  int west = GENERATE(0, 1);  // is the west side a Dirichlet side?
  Line fine = make_hierarchy(1, 1, level, {.nu = nu}).back().x;
  std::vector<TransferWeights<T>> weights = transfer_weights<T>(fine);
  int n = fine.nodes(), m = n / 2 + 1;
  Box fine_box{west, n - 1, 1, n}, coarse_box{west, m - 1, 1, m};
  NodeValues<T> fine_values{n, n, 3, Range::hurtful};
  NodeValues<T> coarse_values{m, m, 4, Range::hurtful};

  Transfer<T> transfer() const { return {weights.data(), weights.data()}; }
  /// The stored weight of coarse node I in fine node i.
  Exact share(int I, int i) const {
    const auto& w = weights[std::size_t(i)];
    if (i / 2 == I) return Exact(w.lower);
    return i % 2 == 1 && i / 2 + 1 == I ? Exact(w.upper) : Exact(0);
  }
};

// Weights are data here; grids/transfer_test.cpp compares them with the hat functions.
TEMPLATE_TEST_CASE("restrict_residual applies the transposed weights and ignores Dirichlet nodes",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  TwoGrids<TestType> g;
  CAPTURE(g.nu, g.level, g.west);
  const NodeValues<TestType> before = g.coarse_values;
  restrict_residual(Host(), g.coarse_box, g.fine_box, g.transfer(), g.fine_values.view(),
                    g.coarse_values.view());
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
      worst.add(within(g.coarse_values(I, J), exact, 5, magnitude), I, J);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(g.coarse_values.differs_only_in(g.coarse_box, before));
}

TEMPLATE_TEST_CASE("add_prolongated adds the interpolated correction", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  TwoGrids<TestType> g;
  CAPTURE(g.nu, g.level, g.west);
  const NodeValues<TestType> before = g.fine_values;
  add_prolongated(Host(), g.fine_box, g.transfer(), g.coarse_values.view(), g.fine_values.view());
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
      worst.add(within(g.fine_values(i, j), exact, 6, magnitude), i, j);
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

// Higham, Accuracy and Stability, theorem 9.4: |b - A x| <= 3 n u |L||U||x|; a diagonal computed
// from a difference row is off by 4 u of its terms; moving up to 8 couplings to given values to the
// right-hand side adds 8 u (|b| + |a||x|).
TEMPLATE_TEST_CASE("solve_coarsest solves as accurately as elimination can", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const Box box = GENERATE(Box{1, 2, 1, 2}, Box{1, 3, 1, 2}, Box{0, 3, 1, 3}, Box{0, 3, 0, 3});
  const Range range = GENERATE(Range::tame, Range::hurtful);
  const int seed = GENERATE(1, 2, 3);
  CAPTURE(to_string(form), box.i0, box.i1, box.j0, box.j1, int(range), seed);
  const RandomMatrix<TestType> A(3, 3, form, box, std::uint64_t(seed), range, Signs::dominant);
  const NodeValues<TestType> b(3, 3, std::uint64_t(seed) + 5, Range::hurtful);
  const NodeValues<TestType> before(3, 3, std::uint64_t(seed) + 6, Range::tame);
  NodeValues<TestType> x = before;
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
  for (std::size_t p = 0; p < n; ++p) {
    const int i = nodes[p] % 3, j = nodes[p] / 3;
    Exact r = b.exact(i, j), magnitude = 0;
    for (std::size_t q = 0; q < n; ++q) {
      const Exact value = x.exact(nodes[q] % 3, nodes[q] / 3);
      r -= dense[p][q] * value;
      magnitude += size[p][q] * abs(value);
    }
    magnitude *= 3 * int(n) + 1;
    Exact moved = abs(b.exact(i, j));
    for (int k = 0; k < 9; ++k) {
      const int s = k % 3 - i, t = k / 3 - j;
      if (box.contains(k % 3, k / 3) || std::abs(s) > 1 || std::abs(t) > 1) continue;
      const Exact term = A.stored(i, j, s, t) * x.exact(k % 3, k / 3);
      r -= term;
      moved += abs(term);
    }
    magnitude += 8 * moved;
    if (form == OperatorForm::difference) {
      magnitude += 5 * A.diagonal_magnitude(i, j) * abs(x.exact(i, j));
    }
    CAPTURE(i, j);
    REQUIRE(within(TestType(0), r, 1, magnitude));
  }
}

template <class T>
CgState<T> cg_state() {
  CgState<T> state{};
  state.rr = T(0.3);
  state.rz = T(0.7);
  state.pq = T(1.1);
  state.rz_new = T(0.2);
  state.qz = T(-0.4);
  state.alpha = T(0.6);
  state.target = T(0.25);
  state.max_iterations = 40;
  state.active = 1;
  return state;
}

TEMPLATE_TEST_CASE("cg_alpha is rz / pq while active and zero afterwards", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  auto state = cg_state<TestType>();
  cg_alpha(Host(), &state);
  const Exact exact = Exact(state.rz) / Exact(state.pq);
  REQUIRE(within(state.alpha, exact, 1, exact));
  state.active = 0;
  state.pq = 0;  // must not be divided by
  cg_alpha(Host(), &state);
  REQUIRE(state.alpha == 0);
}

TEMPLATE_TEST_CASE("cg_update moves x and r by one rounding each and squares the new r",
                   "[gpu][operations]", NINEFOLD_VALUE_TYPES) {
  Sample<TestType> s;
  if (s.difference()) return;  // no matrix takes part
  CAPTURE_SAMPLE(s);
  NodeValues<TestType> x = s.x, r = s.b;
  const NodeValues<TestType> p(s.c.nx, s.c.ny, 31, s.range), q = s.y;
  auto state = cg_state<TestType>();
  cg_update(Host(), s.box, p.read(), q.read(), x.view(), r.view(), &state);
  Worst worst;
  Exact squares = 0;
  s.for_box([&](int i, int j) {
    const Exact alpha(state.alpha);
    const Exact exact_x = s.x.exact(i, j) + alpha * p.exact(i, j);
    const Exact exact_r = s.b.exact(i, j) - alpha * q.exact(i, j);
    worst.add(within(x(i, j), exact_x, 1, exact_x), i, j);
    worst.add(within(r(i, j), exact_r, 1, exact_r), i, j);
    squares += r.exact(i, j) * r.exact(i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(within(state.rr, squares, sum_roundoffs, squares));
  REQUIRE(x.differs_only_in(s.box, s.x));
  REQUIRE(r.differs_only_in(s.box, s.b));
}

TEMPLATE_TEST_CASE("cg_update with alpha zero changes no bit", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  const Box box{0, 33, 0, 17};
  const NodeValues<TestType> p(33, 17, 1, Range::hurtful), x0(33, 17, 2, Range::hurtful);
  NodeValues<TestType> x = x0, r = x0;
  auto state = cg_state<TestType>();
  state.alpha = 0;
  cg_update(Host(), box, p.read(), p.read(), x.view(), r.view(), &state);
  const Box nothing{0, 0, 0, 0};
  REQUIRE(x.differs_only_in(nothing, x0));
  REQUIRE(r.differs_only_in(nothing, x0));
}

TEMPLATE_TEST_CASE("cg_count counts, remembers and decides whether to go on", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  auto state = cg_state<TestType>();
  for (int k = 1; k <= cg_block + 3; ++k) {  // the history wraps around
    state.rr = TestType(100 - k);
    cg_count(Host(), &state);
    REQUIRE(state.iterations == k);
    REQUIRE(state.active == 1);
    REQUIRE(state.rz_new == state.rr);
    REQUIRE(state.history[(k - 1) % cg_block] == state.rr);
  }
  const auto running = state;

  state.rr = state.target;  // reached: not above it
  cg_count(Host(), &state);
  REQUIRE(state.active == 0);
  REQUIRE(state.iterations == cg_block + 4);
  state.rr = 1000;
  cg_count(Host(), &state);  // and from then on nothing changes
  REQUIRE(state.active == 0);
  REQUIRE(state.iterations == cg_block + 4);
  REQUIRE(state.rz_new == state.target);

  state = running;
  state.rr = std::numeric_limits<TestType>::quiet_NaN();
  cg_count(Host(), &state);
  REQUIRE(state.active == 0);

  state = running;
  state.max_iterations = state.iterations + 1;
  cg_count(Host(), &state);
  REQUIRE(state.active == 0);
}

TEMPLATE_TEST_CASE("cg_beta follows both formulas and hands rz on", "[gpu][operations]",
                   NINEFOLD_VALUE_TYPES) {
  auto state = cg_state<TestType>();
  const Exact rz(state.rz), rz_new(state.rz_new), alpha(state.alpha), qz(state.qz);
  cg_beta(Host(), BetaForm::standard, &state);
  REQUIRE(within(state.beta, rz_new / rz, 1, rz_new / rz));
  REQUIRE(state.rz == state.rz_new);

  state = cg_state<TestType>();
  cg_beta(Host(), BetaForm::flexible, &state);
  REQUIRE(within(state.beta, -alpha * qz / rz, 2.01, alpha * qz / rz));
  REQUIRE(state.rz == state.rz_new);

  for (const BetaForm form : {BetaForm::standard, BetaForm::flexible}) {
    state = cg_state<TestType>();
    state.active = 0;
    state.rz = 0;
    cg_beta(Host(), form, &state);
    REQUIRE(state.beta == 0);
  }
}

TEST_CASE("operations refuse views of different shapes and name them", "[gpu][operations]") {
  using Catch::Matchers::Contains;
  const Host on;
  const Box box{1, 4, 1, 4};
  const RandomMatrix<double> A(5, 5, OperatorForm::plain, box, 1, Range::tame);
  NodeValues<double> a(5, 5), other(5, 3);
  double result = 0;
  auto state = cg_state<double>();
  const auto five = a.view(), three = other.view();
  REQUIRE_THROWS_WITH(product(on, A.view(), five, three),
                      Contains("product") && Contains("5 x 3") && Contains("5 x 5"));
  REQUIRE_THROWS_AS(product(on, A.view(), three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(product_dot(on, A.view(), three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(residual(on, A.view(), three, five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(residual(on, A.view(), five, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(residual_square(on, A.view(), three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(rounding_scale(on, A.view(), three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(jacobi_step(on, A.view(), five, 0.8, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(jacobi_start(on, A.view(), three, 0.8, five), std::invalid_argument);
  REQUIRE_THROWS_AS(copy(on, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(dot(on, box, three, five, &result), std::invalid_argument);
  REQUIRE_THROWS_AS(xpby(on, box, &result, three, five), std::invalid_argument);
  REQUIRE_THROWS_AS(solve_coarsest(on, A.view(), five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(cg_update(on, box, three, five, five, five, &state), std::invalid_argument);
  const Transfer<double> none{nullptr, nullptr};
  REQUIRE_THROWS_AS(restrict_residual(on, box, box, none, five, five), std::invalid_argument);
  REQUIRE_THROWS_AS(add_prolongated(on, box, none, five, five), std::invalid_argument);
}

}  // namespace
}  // namespace ninefold
