// Sums of products, as the rows of a matrix are computed, against their bound.
#include "precision/double_word.hpp"
#include "precision/half.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::exact;
using testing::moderate;
using testing::ObservedError;
using testing::WordSource;

/// (n^2 / 2 + 7n / 2 + 6) u^2, see precision/double_word.hpp, and a little for the third order.
constexpr double bound(int n) {
  return (0.5 * n * n + 3.5 * n + 6) * 1.0001;
}

TEMPLATE_TEST_CASE("sums of products of pairs keep their bound", "[precision][double_word]", float,
                   double) {
  using F = TestType;
  const int n = GENERATE(1, 2, 9);
  const bool cancels = GENERATE(false, true);
  CAPTURE(n, cancels);
  WordSource<F> source(23);
  ObservedError<F> observed("sum of " + std::to_string(n) + (cancels ? ", cancelling" : ""),
                            bound(n));
  for (long k = 0, samples = testing::samples() / 10; k < samples; ++k) {
    DoubleWord<F> a = source.pair(moderate), b = source.pair(moderate);
    ProductSum<DoubleWord<F>> sum(a, b);
    Exact value = exact(a) * exact(b), magnitude = abs(value);
    for (int term = 1; term < n; ++term) {
      if (cancels && term % 2 == 1) {  // the term before, nearly, with the other sign
        a = source.partner(-a, moderate);
      } else {
        a = source.pair(moderate);
        b = source.pair(moderate);
      }
      sum.add(a, b);
      const Exact product = exact(a) * exact(b);
      value += product;
      magnitude += abs(product);
    }
    observed.add(sum.value(), exact(sum.value()) - value, magnitude, Exact(0), a, b);
  }
  observed.report();
}

TEST_CASE("what is left of cancelling products is a normalised pair", "[precision][double_word]") {
  // The high words cancel exactly, and the sum of the low ones is all that is left.
  const DoubleSingle a(1.0F, 0x1p-25F), b(1.0F, -0x1p-25F);
  ProductSum<DoubleSingle> sum(a, DoubleSingle(1));
  sum.add(-b, DoubleSingle(1));
  REQUIRE(sum.value().high == 0x1p-24F);
  REQUIRE(sum.value().low == 0);
}

TEMPLATE_TEST_CASE("sums of products of words are fused step by step", "[precision]", float,
                   double) {
  const auto v = testing::random_values<TestType>(3000, 5, testing::Range::hurtful);
  for (std::size_t k = 0; k + 6 <= v.size(); k += 6) {
    ProductSum<TestType> sum(v[k], v[k + 1]);
    sum.add(v[k + 2], v[k + 3]);
    sum.add(v[k + 4], v[k + 5]);
    REQUIRE(sum.value() == fused(v[k + 4], v[k + 5], fused(v[k + 2], v[k + 3], v[k] * v[k + 1])));
  }
}

}  // namespace
}  // namespace ninefold
