// Pairs that are not normalised, against 50 digits and the rules of their bounds.
#include "precision/unnormalised_pair.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::exact;
using testing::WordSource;

/// Products of three of these still have low halves in the range.
constexpr testing::Exponents near_one{-6, 6};

/// A computed pair with what the rules of its header promise.
template <class F>
struct Promised {
  UnnormalisedPair<F> pair;
  Exact value, size;  ///< what it stands for, and S
  double k, c;

  explicit Promised(const DoubleWord<F>& x)
      : pair(x), value(exact(x)), size(abs(value)), k(1), c(0) {}
  Promised(const UnnormalisedPair<F>& computed, const Exact& of, const Exact& largest, double low,
           double error)
      : pair(computed), value(of), size(largest), k(low), c(error) {}

  friend Promised sum(const Promised& a, const Promised& b) {
    const double k = std::max(a.k, b.k), c = std::max(a.c, b.c);
    return {a.pair + b.pair, a.value + b.value, a.size + b.size, k + 1, c + 2 * k + 1};
  }
  friend Promised difference(const Promised& a, const Promised& b) {
    const double k = std::max(a.k, b.k), c = std::max(a.c, b.c);
    return {a.pair - b.pair, a.value - b.value, a.size + b.size, 1, c + 3 * k + 2};
  }
  friend Promised product(const Promised& a, const Promised& b) {
    return {a.pair * b.pair, a.value * b.value, a.size * b.size, a.k + b.k + 1,
            a.c + b.c + a.k * b.k + 3 * a.k + 2 * b.k + 1};
  }

  /// What is left of the promises, of higher order in u, included.
  double error_over_bound() const {
    const Exact u(Format<F>::unit_roundoff), error = Exact(pair.high) + Exact(pair.low) - value;
    return static_cast<double>(abs(error) / (Exact(c * 1.001 + 1e-3) * u * u * size));
  }
  double low_over_bound() const {
    const Exact u(Format<F>::unit_roundoff);
    return static_cast<double>(abs(Exact(pair.low)) / (Exact(k * 1.001) * u * size));
  }
};

TEMPLATE_TEST_CASE("pairs that are not normalised keep their bounds", "[precision][double_word]",
                   float, double) {
  using F = TestType;
  WordSource<F> source(29);
  double worst_error = 0, worst_low = 0, largest_c = 0;
  for (long k = 0, samples = testing::samples() / 30; k < samples; ++k) {
    const DoubleWord<F> a = source.pair(near_one), b = source.pair(near_one);
    const Promised<F> x(a), y(b), z(source.partner(-a, near_one)), w(source.partner(b, near_one));
    // Sums that cancel, products of what they leave, and differences of these that cancel, too.
    const Promised<F> left = sum(x, z), other = difference(y, w);
    const Promised<F> flow = product(left, y), next = product(left, w);
    const Promised<F> change = difference(flow, next), square = product(other, left);
    for (const Promised<F>& p :
         {left, other, flow, next, change, square, sum(change, square), difference(square, flow)}) {
      worst_error = std::max(worst_error, p.error_over_bound());
      worst_low = std::max(worst_low, p.low_over_bound());
      largest_c = std::max(largest_c, p.c);
    }
  }
  CAPTURE(worst_error, worst_low);
  CHECK(largest_c > 20);
  CHECK(worst_error <= 1);
  CHECK(worst_error > 0.05);  // a bound that is of use
  CHECK(worst_low <= 1);
}

TEMPLATE_TEST_CASE("differences whose low words are the larger ones keep their bound",
                   "[precision][double_word]", float, double) {
  using F = TestType;
  using P = UnnormalisedPair<F>;
  const F u = static_cast<F>(unit_roundoff<F>());
  const std::vector<F> random = testing::random_values<F>(4000, 17);
  double worst = 0;
  int inexact = 0;
  // As of values of size 1 that have cancelled: high words are below the low ones, with all bits.
  for (std::size_t k = 0; k + 3 < random.size(); k += 4) {
    constexpr double low = 8;
    const P a(u * random[k], 8 * u * random[k + 1]), b(u * random[k + 2], 8 * u * random[k + 3]);
    const auto exact_of = [](const P& p) { return Exact(Exact(p.high) + Exact(p.low)); };
    const Promised<F> x(a, exact_of(a), Exact(1), low, 0), y(b, exact_of(b), Exact(1), low, 0);
    const Promised<F> left = difference(x, y);
    worst = std::max({worst, left.error_over_bound(), left.low_over_bound()});
    const P sum = a + -b;
    if (exact_of(sum) != exact_of(a - b)) ++inexact;
  }
  CHECK(worst <= 1);
  CHECK(inexact > 20);  // what three operations lose
}

TEMPLATE_TEST_CASE("sums of pairs are not normalised, differences are", "[precision][double_word]",
                   float, double) {
  using F = TestType;
  using P = UnnormalisedPair<F>;
  const F u = static_cast<F>(unit_roundoff<F>());
  // The high words cancel, and all that is left is the low ones'.
  const P one(DoubleWord<F>(F(1), u / 2)), minus_one(DoubleWord<F>(F(-1), u / 2));
  const P left = one + minus_one;
  CHECK(left.high == 0);
  CHECK(left.low == u);
  CHECK(static_cast<F>(left) == u);
  CHECK(left == P(F(0), u));
  CHECK_FALSE(left == P(u, F(0)));
  CHECK(one - -minus_one == P(u, F(0)));
  // Half of the last bit of 1, which a word alone would lose, twice.
  const P two = twice(P(F(1)) + P(u));
  CHECK(two.high == 2);
  CHECK(two.low == 2 * u);
  const P fused_ = fused(P(F(3)), P(F(1), u), P(F(-3)));
  CHECK(fused_.high == 0);
  CHECK(fused_.low == 3 * u);
}

}  // namespace
}  // namespace ninefold
