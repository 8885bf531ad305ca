#include "fem/matrix/nine_band.hpp"

#include <concepts>

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/types.hpp"

namespace ninefold {
namespace {

using testing::Case;
using testing::cases;
using testing::InFormat;
using testing::loss;
using testing::NodeValues;
using testing::RandomMatrix;
using testing::Range;
using testing::to_exact;
using testing::within;
using testing::Worst;

TEST_CASE("forms have the names of the config file", "[fem][nine_band]") {
  REQUIRE(to_string(OperatorForm::plain) == "plain");
  REQUIRE(to_string(OperatorForm::difference) == "difference");
}

TEMPLATE_TEST_CASE("a row of A x is the sum of its terms up to their roundings", "[fem][nine_band]",
                   NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Case c = GENERATE(from_range(cases<T>()));
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const Range range = GENERATE(Range::tame, Range::hurtful, Range::alike);
  const int seed = GENERATE(1, 2);
  if (c.nx > 100 && seed > 1) return;
  CAPTURE(c.nx, c.ny, to_string(form), int(range), seed);
  const RandomMatrix<T> A(c.nx, c.ny, form, c.unknowns, std::uint64_t(seed),
                          range == Range::hurtful ? range : Range::tame);
  const NodeValues<T> x(c.nx, c.ny, std::uint64_t(seed), range);
  // A sum of nine products, in difference form a difference before.
  const double roundoffs =
      (form == OperatorForm::plain ? 0 : loss<T>.sum) + testing::product_sum_loss<T>(9) + 1;
  Worst worst;
  for (int j = c.unknowns.j0; j < c.unknowns.j1; ++j) {
    for (int i = c.unknowns.i0; i < c.unknowns.i1; ++i) {
      const auto exact = A.row(x, i, j);
      const Arithmetic<T> computed =
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
                   "[fem][nine_band]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  const Range range = GENERATE(Range::tame, Range::hurtful);
  const int seed = GENERATE(1, 2, 3);
  CAPTURE(int(range), seed);
  const Box all{0, 13, 0, 9};
  const RandomMatrix<T> A(13, 9, OperatorForm::difference, all, std::uint64_t(seed), range);
  const RandomMatrix<T> plain(13, 9, OperatorForm::plain, all, std::uint64_t(seed), range);
  for (int j = 0; j < 9; ++j) {
    for (int i = 0; i < 13; ++i) {
      // Three levels of a tree and the row sum: 4 sums.
      const Exact exact = A.entry(i, j, 0, 0), magnitude = A.diagonal_magnitude(i, j);
      const auto diagonal = Row<OperatorForm::difference>::diagonal(A.view(), i, j);
      REQUIRE(within(diagonal, exact, 4 * loss<T>.sum + 1, magnitude));
      REQUIRE(to_exact(Row<OperatorForm::plain>::diagonal(plain.view(), i, j))
              == plain.stored(i, j, 0, 0));

      // To the leading digits: the entries of pairs are cut before, the sums are those of words.
      using L = Leading<T>;
      const double cut = std::same_as<L, Arithmetic<T>> ? 0 : 1;
      const L leading = Row<OperatorForm::difference>::leading_diagonal(A.view(), i, j);
      REQUIRE(within(leading, exact, cut + 4 * loss<L>.sum + 1, magnitude));
      const Exact entry = plain.stored(i, j, 0, 0);
      REQUIRE(within(Row<OperatorForm::plain>::leading_diagonal(plain.view(), i, j), entry, cut,
                     entry));
    }
  }
}

TEMPLATE_TEST_CASE("the difference form of a matrix without row sums maps constants to exact zeros",
                   "[fem][nine_band]", NINEFOLD_ALL_FORMATS) {
  const InFormat<TestType> format;
  using T = typename InFormat<TestType>::T;
  RandomMatrix<T> A(9, 7, OperatorForm::difference, {1, 8, 1, 6}, 5, Range::hurtful);
  const std::vector<T> zeros(63, T(0));
  NineBand<const T> view = A.view();
  view.band[4] = zeros.data();
  const NodeValues<T> x(9, 7, T(Arithmetic<T>(1) / Arithmetic<T>(3)));
  for (int j = 1; j < 6; ++j) {
    for (int i = 1; i < 8; ++i) {
      REQUIRE(Row<OperatorForm::difference>::product(view, x.read(), i, j) == Arithmetic<T>(0));
    }
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
      const Exact a = Row<OperatorForm::plain>::product(plain, x.read(), i, j);
      const Exact b = Row<OperatorForm::difference>::product(difference.view(), x.read(), i, j);
      REQUIRE(abs(Exact(a - b)) < Exact(1e-45));
    }
  }
}

}  // namespace
}  // namespace ninefold
