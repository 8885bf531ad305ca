// The operations of mixed precision on Host, for all pairs of formats, against 50 digits;
// README.md derives the bounds.  What the same operations do in one format is compared bit for bit.
#include "gpu/operations/mixed_operations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mixed_sample.hpp"
#include "tests/support/mixed_types.hpp"
#include "tests/support/operation_sample.hpp"

namespace ninefold {
namespace {

using testing::fused_error;
using testing::InFormat;
using testing::InMixed;
using testing::loss;
using testing::MixedSample;
using testing::name_of_pair;
using testing::narrowing;
using testing::NodeValues;
using testing::Range;
using testing::same_bits;
using testing::sum_roundoffs;
using testing::to_exact;
using testing::within;
using testing::within_error;
using testing::Worst;

TEMPLATE_LIST_TEST_CASE("residual_rounded is d (b - A x), rounded once to the lower format",
                        "[gpu][mixed]", testing::HostPairs) {
  const InMixed<TestType> formats;
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  using C = Arithmetic<High>;
  MixedSample<High> s;
  const bool power = GENERATE(true, false);
  CAPTURE(name_of_pair<TestType>(), power);
  CAPTURE_MIXED_SAMPLE(s);
  Exact largest = 0;
  s.for_box([&](int i, int j) { largest = std::max(largest, Exact(abs(s.residual(i, j)))); });
  // So that half holds all values.
  const C down = C(std::ldexp(power ? 1.0 : 0.7, 3 - std::ilogb(static_cast<double>(largest))));
  const C up(-55);
  RefinementState<C> state{C(-77), down, up};
  NodeValues<Low> r(s.nx, s.ny, 31, Range::tame);
  const NodeValues<Low> before = r;
  residual_rounded<Host, High, Low>(Host(), s.A, s.b.read(), s.x.read(), r.view(), &state);

  Worst worst;
  Exact square = 0, error = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact exact = s.residual(i, j), wrong = s.residual_error(i, j);
    const Exact scaled = to_exact(down) * exact;
    const Exact product =
        abs(to_exact(down)) * (wrong + Exact(loss<High>.product * s.u) * (abs(exact) + wrong));
    worst.add(within_error(r(i, j), scaled, product + narrowing<High, Low>(scaled, product)), i, j);
    square += exact * exact;
    error += 2 * abs(exact) * wrong + wrong * wrong;
    magnitude += (abs(exact) + wrong) * (abs(exact) + wrong);
  });
  REQUIRE(worst.value());
  REQUIRE(r.differs_only_in(s.box, before));
  error += Exact(sum_roundoffs<High> * s.u) * magnitude;
  REQUIRE(within_error(state.square, square, error));
  REQUIRE(same_bits(state.down, down));
  REQUIRE(same_bits(state.up, up));
  C alone(-77);
  residual_square<Host, High>(Host(), s.A, s.b.read(), s.x.read(), &alone);
  REQUIRE(same_bits(state.square, alone));
}

TEMPLATE_LIST_TEST_CASE("a residual in parts has the bits of the whole in any division and order",
                        "[gpu][mixed]", testing::DevicePairs) {
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  using C = Arithmetic<High>;
  MixedSample<High> s;
  CAPTURE(name_of_pair<TestType>());
  CAPTURE_MIXED_SAMPLE(s);
  const Host on;
  const RefinementState<C> start{C(-77), C(0.7), C(-55)};
  RefinementState<C> whole = start;
  NodeValues<Low> expected(s.nx, s.ny, 31, Range::tame);
  const NodeValues<Low> before = expected;
  residual_rounded<Host, High, Low>(on, s.A, s.b.read(), s.x.read(), expected.view(), &whole);
  std::mt19937 engine(7);
  const int rows = s.box.height();
  for (const int most : {1, 2, 5, rows}) {
    std::vector<std::pair<int, int>> parts;
    for (int first = 0; first < rows;) {
      const int last = std::min(rows, first + 1 + static_cast<int>(engine() % unsigned(most)));
      parts.emplace_back(first, last);
      first = last;
    }
    std::shuffle(parts.begin(), parts.end(), engine);
    RefinementState<C> state = start;
    NodeValues<Low> r = before;
    for (const auto& [first, last] : parts) {
      residual_rounded_rows<High, Low>(on, s.A, s.b.read(), s.x.read(), r.view(), &state, first,
                                       last);
    }
    REQUIRE(same_bits(state.square, start.square));  // not yet
    finish_sum(on, s.A.unknowns, &state.square);
    CAPTURE(most, parts.size());
    REQUIRE(r.equals(expected));
    REQUIRE(same_bits(state.square, whole.square));
  }
}

TEMPLATE_LIST_TEST_CASE("add_correction is x + u c to a fused step", "[gpu][mixed]",
                        testing::HostPairs) {
  const InMixed<TestType> formats;
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  using C = Arithmetic<High>;
  const testing::MixedVectors<High, Low> s;
  CAPTURE(name_of_pair<TestType>());
  CAPTURE_MIXED_VECTORS(s);
  const RefinementState<C> state{C(-77), C(-55), C(7) / C(10)};
  NodeValues<High> x = s.x;
  add_correction<Host, High, Low>(Host(), s.box, &state, s.c.read(), x.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact step = to_exact(state.up) * s.c.exact(i, j), exact = s.x.exact(i, j) + step;
    worst.add(within_error(x(i, j), exact, fused_error<High>(step, exact)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(x.differs_only_in(s.box, s.x));
}

TEMPLATE_LIST_TEST_CASE("dot_widened is the sum of r u c", "[gpu][mixed]", testing::HostPairs) {
  const InMixed<TestType> formats;
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  using C = Arithmetic<High>;
  const testing::MixedVectors<High, Low> s;
  CAPTURE(name_of_pair<TestType>());
  CAPTURE_MIXED_VECTORS(s);
  const RefinementState<C> state{C(-77), C(-55), C(7) / C(10)};
  C result(-77);
  dot_widened<Host, High, Low>(Host(), s.box, s.x.read(), s.c.read(), &state, &result);
  Exact exact = 0, magnitude = 0;
  s.for_box([&](int i, int j) {
    const Exact term = s.x.exact(i, j) * to_exact(state.up) * s.c.exact(i, j);
    exact += term;
    magnitude += abs(term);
  });
  REQUIRE(within(result, exact, loss<High>.product + sum_roundoffs<High>, magnitude));
}

TEMPLATE_LIST_TEST_CASE("xpby_widened is u c + b p to a product and a fused step", "[gpu][mixed]",
                        testing::HostPairs) {
  const InMixed<TestType> formats;
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  using C = Arithmetic<High>;
  const testing::MixedVectors<High, Low> s;
  CAPTURE(name_of_pair<TestType>());
  CAPTURE_MIXED_VECTORS(s);
  const RefinementState<C> state{C(-77), C(-55), C(7) / C(10)};
  const C beta = C(-3) / C(10);
  NodeValues<High> p = s.x;
  xpby_widened<Host, High, Low>(Host(), s.box, &beta, s.c.read(), &state, p.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact before = to_exact(beta) * s.x.exact(i, j);
    const Exact added = to_exact(state.up) * s.c.exact(i, j), exact = before + added;
    // The product's error is multiplied by 1 + S u once more.
    const Exact error = Exact((loss<High>.product + 0.01) * s.u) * abs(added);
    worst.add(within_error(p(i, j), exact, error + fused_error<High>(before, exact)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(p.differs_only_in(s.box, s.x));
}

TEMPLATE_LIST_TEST_CASE("cg_update_rounded is cg_update and stores d r", "[gpu][mixed]",
                        testing::HostPairs) {
  const InMixed<TestType> formats;
  using High = typename TestType::High;
  using Low = typename TestType::Low;
  using C = Arithmetic<High>;
  const testing::MixedVectors<High, Low> s;
  const int active = GENERATE(1, 0);
  CAPTURE(name_of_pair<TestType>(), active);
  CAPTURE_MIXED_VECTORS(s);
  // So that half holds all values of r.
  const RefinementState<C> scale{C(-77), C(7) / C(10) * C(0x1p-8), C(-55)};
  CgState<C> state{};
  state.alpha = C(6) / C(10);
  state.active = active;
  CgState<C> same = state;
  NodeValues<High> x = s.x, r = s.y, expected_x = s.x, expected_r = s.y;
  NodeValues<Low> rounded(s.nx, s.ny, 31, Range::tame);
  const NodeValues<Low> before = rounded;
  cg_update_rounded<Host, High, Low>(Host(), s.box, s.p.read(), s.q.read(), x.view(), r.view(),
                                     rounded.view(), &scale, &state);
  cg_update(Host(), s.box, s.p.read(), s.q.read(), expected_x.view(), expected_r.view(), &same);
  REQUIRE(x.equals(expected_x));
  REQUIRE(r.equals(expected_r));
  REQUIRE(same_bits(state.rr, same.rr));
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = to_exact(scale.down) * r.exact(i, j);
    const Exact error = Exact(loss<High>.product * s.u) * abs(exact);
    worst.add(within_error(rounded(i, j), exact, error + narrowing<High, Low>(exact, error)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(rounded.differs_only_in(s.box, before));

  // One row of x, all of r.
  const Box row{s.box.i0, s.box.i1, s.box.j0, s.box.j0 + 1};
  NodeValues<High> x_in_row = s.x, same_r = s.y;
  NodeValues<Low> same_rounded = before;
  cg_update_rounded<Host, High, Low>(Host(), row, s.box, s.p.read(), s.q.read(), x_in_row.view(),
                                     same_r.view(), same_rounded.view(), &scale, &state);
  REQUIRE(same_r.equals(r));
  REQUIRE(same_rounded.equals(rounded));
  REQUIRE(same_bits(state.rr, same.rr));
  NodeValues<High> rest_of_x = s.x;
  cg_update(Host(), Box{row.i0, row.i1, row.j1, s.box.j1}, row, s.p.read(), s.q.read(),
            rest_of_x.view(), same_r.view(), &same);
  s.for_box([&](int i, int j) {
    REQUIRE(same_bits(j < row.j1 ? x_in_row(i, j) : rest_of_x(i, j), x(i, j)));
  });
  REQUIRE(x_in_row.differs_only_in(row, s.x));
}

TEMPLATE_TEST_CASE("a matrix that is not stored gives the bits of the stored one", "[gpu][mixed]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  const Host on;
  MixedSample<T> s;
  CAPTURE_MIXED_SAMPLE(s);
  const NineBand<const T> stored = s.stored.view();
  C mine(-77), expected(-55);
  residual_square<Host, T>(on, s.A, s.b.read(), s.x.read(), &mine);
  residual_square<Host, T>(on, stored, s.b.read(), s.x.read(), &expected);
  CHECK(same_bits(mine, expected));
  rounding_scale<Host, T>(on, s.A, s.b.read(), s.x.read(), &mine);
  rounding_scale<Host, T>(on, stored, s.b.read(), s.x.read(), &expected);
  CHECK(same_bits(mine, expected));
  NodeValues<T> q(s.nx, s.ny, 7, Range::tame), expected_q = q;
  const NodeValues<T> before = q;
  product_dot<Host, T>(on, s.A, s.x.read(), q.view(), &mine);
  product_dot<Host, T>(on, stored, s.x.read(), expected_q.view(), &expected);
  CHECK(same_bits(mine, expected));
  CHECK(q.equals(expected_q));
  CHECK(q.differs_only_in(s.box, before));
}

TEMPLATE_TEST_CASE("rescale multiplies by its factor", "[gpu][mixed]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  const testing::MixedVectors<T, T> s;
  CAPTURE_MIXED_VECTORS(s);
  const C factor = GENERATE(0, 1) == 0 ? C(0.25) : C(7) / C(10);
  NodeValues<T> p = s.x;
  rescale<Host, T>(Host(), s.box, &factor, p.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact exact = to_exact(factor) * s.x.exact(i, j);
    // Powers of two round nothing, so long as nothing is subnormal.
    const double roundoffs = factor == C(0.25) ? 0 : loss<T>.product;
    worst.add(within(p(i, j), exact, roundoffs, exact), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(p.differs_only_in(s.box, s.x));
}

TEMPLATE_TEST_CASE("cg_direction is r + b p, or p once the end is reached", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  using C = Arithmetic<T>;
  const testing::MixedVectors<T, T> s;
  CAPTURE_MIXED_VECTORS(s);
  CgState<C> state{};
  state.beta = C(-7) / C(10);
  state.active = 1;
  NodeValues<T> p = s.x;
  cg_direction<Host, T>(Host(), s.box, s.y.read(), &state, p.view());
  Worst worst;
  s.for_box([&](int i, int j) {
    const Exact product = to_exact(state.beta) * s.x.exact(i, j);
    const Exact exact = s.y.exact(i, j) + product;
    worst.add(within_error(p(i, j), exact, fused_error<T>(product, exact)), i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(p.differs_only_in(s.box, s.x));

  // Whatever beta and r are then.
  state.active = 0;
  for (const double beta : {0.0, -0.7, std::numeric_limits<double>::infinity()}) {
    state.beta = C(beta);
    p = s.x;
    cg_direction<Host, T>(Host(), s.box, s.y.read(), &state, p.view());
    REQUIRE(p.equals(s.x));
  }
}

}  // namespace
}  // namespace ninefold
