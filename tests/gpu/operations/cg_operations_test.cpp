// The operations of conjugate gradients on Host, against 50 digits; README.md derives the bounds.
#include "gpu/operations/cg_operations.hpp"

#include <cmath>

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/operation_sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::fused_error;
using testing::InFormat;
using testing::loss;
using testing::NodeValues;
using testing::Range;
using testing::same_bits;
using testing::Sample;
using testing::sum_roundoffs;
using testing::to_exact;
using testing::within;
using testing::within_error;
using testing::Worst;

template <class C>
CgState<C> cg_state() {
  const auto tenths = [](int n) { return C(n) / C(10); };  // all digits of a pair
  CgState<C> state{};
  state.rr = tenths(3);
  state.rz = tenths(7);
  state.pq = tenths(11);
  state.rz_new = tenths(2);
  state.qz = tenths(-4);
  state.alpha = tenths(6);
  state.target = C(0.25);
  state.max_iterations = 40;
  state.active = 1;
  return state;
}

TEMPLATE_TEST_CASE("cg_alpha is rz / pq while active and zero afterwards", "[gpu][operations]",
                   NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  auto state = cg_state<T>();
  cg_alpha(Host(), &state);
  const Exact exact = to_exact(state.rz) / to_exact(state.pq);
  REQUIRE(within(state.alpha, exact, loss<T>.quotient, exact));
  state.pq = T(0);  // underflowed: must not be divided by, active or not
  for (const int active : {1, 0}) {
    state.active = active;
    cg_alpha(Host(), &state);
    REQUIRE(state.alpha == T(0));
  }
}

TEMPLATE_TEST_CASE("cg_update moves x and r by one fused step each and squares the new r",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  Sample<T> s;
  if (s.difference()) return;  // no matrix takes part
  CAPTURE_SAMPLE(s);
  NodeValues<T> x = s.x, r = s.b;
  const NodeValues<T> p(s.c.nx, s.c.ny, 31, s.range), q = s.y;
  auto state = cg_state<Arithmetic<T>>();
  cg_update(Host(), s.box, p.read(), q.read(), x.view(), r.view(), &state);
  Worst worst;
  Exact squares = 0;
  s.for_box([&](int i, int j) {
    const Exact alpha = to_exact(state.alpha);
    const Exact step_x = alpha * p.exact(i, j), step_r = alpha * q.exact(i, j);
    const Exact exact_x = s.x.exact(i, j) + step_x, exact_r = s.b.exact(i, j) - step_r;
    worst.add(within_error(x(i, j), exact_x, fused_error<T>(step_x, exact_x)), i, j);
    worst.add(within_error(r(i, j), exact_r, fused_error<T>(step_r, exact_r)), i, j);
    // As it is stored, hence rounded in storage formats.
    squares += r.exact(i, j) * r.exact(i, j);
  });
  REQUIRE(worst.value());
  REQUIRE(within(state.rr, squares, sum_roundoffs<T>, squares));
  REQUIRE(x.differs_only_in(s.box, s.x));
  REQUIRE(r.differs_only_in(s.box, s.b));
}

/// Values of the nodes of a box at those of another one of the same size.
template <class T>
void put(const NodeValues<T>& from, const Box& box, NodeValues<T>& to, const Box& place) {
  for (int j = 0; j < box.height(); ++j) {
    for (int i = 0; i < box.width(); ++i) {
      to.view()(place.i0 + i, place.j0 + j) = from(box.i0 + i, box.j0 + j);
    }
  }
}

TEMPLATE_TEST_CASE("cg_update of x and r in different places has the bits of one pass",
                   "[gpu][operations]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Host on;
  const int active = GENERATE(1, 0);
  const Box box{1, 32, 0, 17}, place{3, 34, 2, 19};
  const NodeValues<T> p(33, 17, 1, Range::tame), q(33, 17, 2, Range::tame);
  NodeValues<T> x(33, 17, 3, Range::tame), r(33, 17, 4, Range::tame);
  NodeValues<T> other_q(37, 20), other_r(37, 20), same_x = x;
  put(q, box, other_q, place);
  put(r, box, other_r, place);
  auto state = cg_state<Arithmetic<T>>(), same = state;
  state.active = same.active = active;
  const NodeValues<T> before = other_r;
  cg_update(on, box, p.read(), q.read(), x.view(), r.view(), &state);
  cg_update(on, box, place, p.read(), other_q.read(), same_x.view(), other_r.view(), &same);
  NodeValues<T> expected(37, 20);
  put(r, box, expected, place);
  REQUIRE(same_x.equals(x));
  REQUIRE(other_r.equals(expected));
  REQUIRE(same_bits(same.rr, state.rr));
  REQUIRE(other_r.equals(before) == (active == 0));

  // More of x than of r, and all of one shape.
  NodeValues<T> more_x = x, less_r = r;
  const Box less{5, 9, 3, 7};
  cg_update(on, box, less, p.read(), q.read(), more_x.view(), less_r.view(), &state);
  REQUIRE(less_r.differs_only_in(less, r));
  cg_update(on, box, p.read(), q.read(), x.view(), r.view(), &same);
  REQUIRE(more_x.equals(x));
}

TEMPLATE_TEST_CASE("cg_update with alpha zero changes no bit", "[gpu][operations]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Box box{0, 33, 0, 17};
  const NodeValues<T> p(33, 17, 1, Range::hurtful), x0(33, 17, 2, Range::hurtful);
  NodeValues<T> x = x0, r = x0;
  auto state = cg_state<Arithmetic<T>>();
  state.alpha = Arithmetic<T>(0);
  cg_update(Host(), box, p.read(), p.read(), x.view(), r.view(), &state);
  REQUIRE(x.equals(x0));
  REQUIRE(r.equals(x0));
}

TEMPLATE_TEST_CASE("cg_count counts, remembers and decides whether to go on", "[gpu][operations]",
                   NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  auto state = cg_state<T>();
  for (int k = 1; k <= cg_block + 3; ++k) {  // the history wraps around
    state.rr = T(100 - k);
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
  state.rr = T(1000);
  cg_count(Host(), &state);  // and from then on nothing changes
  REQUIRE(state.active == 0);
  REQUIRE(state.iterations == cg_block + 4);
  REQUIRE(state.rz_new == state.target);

  state = running;
  state.rr = T(std::nan(""));
  cg_count(Host(), &state);
  REQUIRE(state.active == 0);

  state = running;
  state.max_iterations = state.iterations + 1;
  cg_count(Host(), &state);
  REQUIRE(state.active == 0);
}

TEMPLATE_TEST_CASE("cg_beta follows both formulas and hands rz on", "[gpu][operations]",
                   NINEFOLD_ARITHMETIC_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  auto state = cg_state<T>();
  const Exact rz = to_exact(state.rz), rz_new = to_exact(state.rz_new);
  const Exact alpha = to_exact(state.alpha), qz = to_exact(state.qz);
  cg_beta(Host(), BetaForm::standard, &state);
  REQUIRE(within(state.beta, rz_new / rz, loss<T>.quotient, rz_new / rz));
  REQUIRE(state.rz == state.rz_new);

  state = cg_state<T>();
  cg_beta(Host(), BetaForm::flexible, &state);
  const double roundoffs = loss<T>.product + loss<T>.quotient + 0.01;
  REQUIRE(within(state.beta, -alpha * qz / rz, roundoffs, alpha * qz / rz));
  REQUIRE(state.rz == state.rz_new);

  for (const BetaForm form : {BetaForm::standard, BetaForm::flexible}) {
    for (const int active : {1, 0}) {
      state = cg_state<T>();
      state.active = active;
      state.rz = T(0);
      cg_beta(Host(), form, &state);
      REQUIRE(state.beta == T(0));
    }
  }
}

}  // namespace
}  // namespace ninefold
