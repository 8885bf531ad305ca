#include "fem/nine_band.hpp"

#include <catch2/catch.hpp>

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
using testing::within;
using testing::Worst;

TEST_CASE("forms have the names of the config file", "[fem][nine_band]") {
  REQUIRE(to_string(OperatorForm::plain) == "plain");
  REQUIRE(to_string(OperatorForm::difference) == "difference");
}

TEMPLATE_TEST_CASE("a row of A x is the sum of its terms up to their roundings", "[fem][nine_band]",
                   NINEFOLD_VALUE_TYPES) {
  const Case c = GENERATE(from_range(cases()));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const Range range = GENERATE(Range::tame, Range::hurtful, Range::alike);
  const int seed = GENERATE(1, 2);
  if (c.nx > 100 && seed > 1) return;
  CAPTURE(c.nx, c.ny, to_string(form), int(range), seed);
  const RandomMatrix<TestType> A(c.nx, c.ny, form, c.unknowns, std::uint64_t(seed),
                                 range == Range::hurtful ? range : Range::tame);
  const NodeValues<TestType> x(c.nx, c.ny, std::uint64_t(seed), range);
  // Plain: 9 roundings lie on a term; difference: one more for the difference.
  const double roundoffs = form == OperatorForm::plain ? 10 : 11;
  Worst worst;
  for (int j = c.unknowns.j0; j < c.unknowns.j1; ++j) {
    for (int i = c.unknowns.i0; i < c.unknowns.i1; ++i) {
      const auto exact = A.row(x, i, j);
      const TestType computed =
          form == OperatorForm::plain
              ? Row<OperatorForm::plain>::product(A.view(), x.read(), i, j)
              : Row<OperatorForm::difference>::product(A.view(), x.read(), i, j);
      worst.add(within(computed, exact.value, roundoffs, exact.magnitude), i, j);
    }
  }
  REQUIRE(worst.value());
  REQUIRE(worst.count() == c.unknowns.width() * c.unknowns.height());
}

TEMPLATE_TEST_CASE("the diagonal of a difference row is the row sum less the other entries",
                   "[fem][nine_band]", NINEFOLD_VALUE_TYPES) {
  const Range range = GENERATE(Range::tame, Range::hurtful);
  const int seed = GENERATE(1, 2, 3);
  CAPTURE(int(range), seed);
  const Box all{0, 13, 0, 9};
  const RandomMatrix<TestType> A(13, 9, OperatorForm::difference, all, std::uint64_t(seed), range);
  const RandomMatrix<TestType> plain(13, 9, OperatorForm::plain, all, std::uint64_t(seed), range);
  for (int j = 0; j < 9; ++j) {
    for (int i = 0; i < 13; ++i) {
      // Three levels of a tree and the row sum: 4 roundings.
      REQUIRE(within(Row<OperatorForm::difference>::diagonal(A.view(), i, j), A.entry(i, j, 0, 0),
                     5, A.diagonal_magnitude(i, j)));
      REQUIRE(Exact(Row<OperatorForm::plain>::diagonal(plain.view(), i, j))
              == plain.stored(i, j, 0, 0));
    }
  }
}

TEMPLATE_TEST_CASE("the difference form of a matrix without row sums maps constants to exact zeros",
                   "[fem][nine_band]", NINEFOLD_VALUE_TYPES) {
  RandomMatrix<TestType> A(9, 7, OperatorForm::difference, {1, 8, 1, 6}, 5, Range::hurtful);
  const std::vector<TestType> zeros(63, TestType(0));
  NineBand<const TestType> view = A.view();
  view.band[4] = zeros.data();
  const NodeValues<TestType> x(9, 7, TestType(1) / TestType(3));
  for (int j = 1; j < 6; ++j) {
    for (int i = 1; i < 8; ++i) REQUIRE(difference_row_product(view, x.read(), i, j) == 0);
  }
}

TEST_CASE("both forms of the same matrix give the same product in exact arithmetic",
          "[fem][nine_band]") {
  const RandomMatrix<Exact> difference(5, 5, OperatorForm::difference, {1, 4, 1, 4}, 3,
                                       Range::tame);
  const NodeValues<Exact> x(5, 5, 4, Range::tame);
  std::vector<Exact> diagonal(25);
  NineBand<const Exact> plain = difference.view();
  for (int k = 0; k < 25; ++k) {
    diagonal[std::size_t(k)] = difference_diagonal(difference.view(), k % 5, k / 5);
  }
  plain.band[4] = diagonal.data();
  for (int j = 1; j < 4; ++j) {
    for (int i = 1; i < 4; ++i) {
      const Exact a = plain_row_product(plain, x.read(), i, j);
      const Exact b = difference_row_product(difference.view(), x.read(), i, j);
      REQUIRE(abs(Exact(a - b)) < Exact(1e-45));
    }
  }
}

}  // namespace
}  // namespace ninefold
