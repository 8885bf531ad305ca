// The operations of conjugate gradients on Host, against 50 digits; README.md derives the bounds.
#include <limits>

#include <catch2/catch.hpp>

#include "gpu/operations.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/operation_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::NodeValues;
using testing::Range;
using testing::Sample;
using testing::sum_roundoffs;
using testing::within;
using testing::Worst;

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

}  // namespace
}  // namespace ninefold
