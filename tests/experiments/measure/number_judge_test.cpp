// The judge of the survey, against many digits.

#include "experiments/measure/probe/number_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "experiments/measure/probe/number_probe.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/probed_operations.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::operands_of;
using testing::results_of;
using testing::Wide;
using P = PairOperation;

template <Word F>
Wide exact(DoubleWord<F> x) {
  return Wide(x.high) + Wide(x.low);
}

/// The size that the bound refers to, and the exact result.
template <Word F>
struct Exactly {
  Wide value, size, slack;
};

template <Word F>
Exactly<F> exactly(P operation, const PairOperands<F>& x) {
  const Wide a = exact(x.a), b = exact(x.b), c = exact(x.c), w(x.b.high);
  const Wide tiny(std::numeric_limits<F>::denorm_min());
  const auto of = [&](const Wide& value, double etas) {
    return Exactly<F>{value, abs(value), tiny * Wide(etas)};
  };
  switch (operation) {
    case P::sum:
    case P::sloppy_sum:
      return of(a + b, 0);
    case P::sloppy_sum_of_one_sign:
      return of((x.a.high < 0) == (x.b.high < 0) ? a + b : a - b, 0);
    case P::difference:
      return of(a - b, 0);
    case P::sum_with_word:
      return of(a + w, 0);
    case P::word_minus:
      return of(w - a, 0);
    case P::product:
      return of(a * b, 2);
    case P::product_by_splitting:
      return of(a * b, 2.5);
    case P::product_with_word:
    case P::accurate_product_with_word:
      return of(a * w, 1);
    case P::quotient:
      return {a / b, abs(a / b), tiny * (1 + 2 / abs(b))};
    case P::quotient_by_word:
      return {a / w, abs(a / w), tiny * (1 + 1 / abs(w))};
    case P::fused:
      return {a * b + c, 4 * abs(a * b) + 3 * abs(a * b + c), 3 * tiny};
    case P::fused_with_words:
      return of(Wide(x.a.high) * w + c, 1);
    case P::square_root: {
      const Wide root = sqrt(a);
      return {root, root, root == 0 ? Wide(0) : Wide(tiny * (1 + 1 / root))};
    }
    case P::to_other_pair:
      return of(a, 0);
    case P::word_to_other_pair:
      return of(Wide(x.a.high), 0);
    default:
      throw std::logic_error("no such case");
  }
}

TEMPLATE_TEST_CASE("the judge of the survey finds the error that many digits find",
                   "[gpu][number_probe]", float, double) {
  using F = TestType;
  const Host host(64);
  const int n = static_cast<int>(std::min(testing::samples() / 25, 100000L));
  for (const P operation :
       {P::sum, P::difference, P::sloppy_sum, P::sloppy_sum_of_one_sign, P::sum_with_word,
        P::word_minus, P::product, P::product_by_splitting, P::product_with_word,
        P::accurate_product_with_word, P::quotient, P::quotient_by_word, P::fused,
        P::fused_with_words, P::square_root, P::to_other_pair, P::word_to_other_pair}) {
    const bool converts = operation == P::to_other_pair || operation == P::word_to_other_pair;
    constexpr bool to_float = sizeof(F) == 8;
    const double unit = converts == to_float ? Format<DoubleSingle>::unit_roundoff
                                             : Format<DoubleDouble>::unit_roundoff;
    const auto operands = operands_of<F>(operation, 3, n);
    const auto results = results_of(operation, operands);
    int judged = 0, erring = 0;
    for (int k = 0; k < n; ++k) {
      const Survey one = survey<Host, F>(host, operation, 3, static_cast<std::uint64_t>(k), 1);
      if (one.judged == 0) continue;
      const PairOperands<F>& x = operands[k];
      const Exactly<F> right = exactly(operation, x);
      const Wide slack = converts && to_float ? Wide(0x1p-150) : right.slack;
      const Wide error = abs(Wide(results[k].high) + Wide(results[k].low) - right.value) - slack;
      const double expected = error <= 0 ? 0
                              : right.size == 0
                                  ? no_bound
                                  : static_cast<double>(Wide(error / right.size / unit));
      ++judged;
      if (expected > 0) ++erring;
      // Where error and slack cancel, what is left has fewer digits; so have subnormal numbers.
      const Wide cancelled = right.size == 0 ? Wide(0) : Wide(slack / right.size / unit);
      const double slip = 1e-200 + 0x1p-44 * (expected + static_cast<double>(cancelled));
      if (one.worst != expected && !(std::abs(one.worst - expected) <= slip)) {
        CAPTURE(facts_of(operation).name, k, x.a.high, x.a.low, x.b.high, x.b.low, x.c.high,
                x.c.low, results[k].high, results[k].low, one.worst, expected);
        FAIL("another error");
      }
    }
    CAPTURE(facts_of(operation).name, judged, erring);
    CHECK(judged > n * 3 / 4);
    const bool exactly_converted = converts && !to_float;
    CHECK((exactly_converted ? erring == 0 : erring > n / 8));
  }
}

TEST_CASE("the judge of words finds what is not exact", "[gpu][number_probe]") {
  const auto verdict = [](auto a, auto b, double value, double error) {
    using F = decltype(a);
    return judge_words<P::two_product, F>(a, b, {value, error}).verdict;
  };
  const float a = 1 + 0x1p-20F;
  CHECK(verdict(a, a, 1 + 0x1p-19, 0x1p-40) == Verdict::judged);
  CHECK(verdict(a, a, 1 + 0x1p-19, 0) == Verdict::inexact);
  CHECK(verdict(a, a, 1 + 0x1p-19, 0x1.000002p-40) == Verdict::inexact);
  CHECK(verdict(a, a, 1 + 0x1p-19 + 0x1p-23, 0x1p-40 - 0x1p-23) == Verdict::inexact);
  const double b = 1 + 0x1p-50;
  CHECK(verdict(b, -b, -1 - 0x1p-49, -0x1p-100) == Verdict::judged);
  CHECK(verdict(b, -b, -1 - 0x1p-49, 0x1p-100) == Verdict::inexact);
  CHECK(is_sum(1, 0x1p-80, 1, 0x1p-80));
  CHECK_FALSE(is_sum(1, 0x1p-80, 1, 0));
  CHECK(is_sum(1, 0x1p-53, 1, 0x1p-53));
  CHECK_FALSE(is_sum(1, 0x1p-53, 1 + 0x1p-52, 0x1p-53));
  CHECK(judge_words<P::split>(1 + 0x1p-23F, 0.F, {1, 0x1p-23}).verdict == Verdict::judged);
  CHECK(judge_words<P::split>(1 + 0x1p-13F + 0x1p-23F, 0.F, {1 + 0x1p-13, 0x1p-23}).verdict
        == Verdict::inexact);
}

TEMPLATE_TEST_CASE("what is flushed, contracted or lost does not pass the judge",
                   "[gpu][number_probe]", float, double) {
  using F = TestType;
  const F u = static_cast<F>(Format<F>::unit_roundoff);
  const auto judged = [](P operation, const PairOperands<F>& x, ProbedWords z) {
    return with_operation(operation, [&]<P which>() { return judge<which>(x, z); });
  };
  const PairOperands<F> x{{1, u / 2}, {3, u}, {0, 0}};
  CHECK(judged(P::sum, x, {4, u * 1.5}).error == 0);
  CHECK(judged(P::sum, x, {4, 0}).error > 1e6);  // low words dropped
  CHECK(judged(P::sum, x, {4, 8}).verdict == Verdict::denormalised);
  CHECK(judged(P::sum, x, {INFINITY, 0}).verdict == Verdict::lost);
  CHECK(judged(P::quotient, {{1, 0}, {0, 0}, {0, 0}}, {1, 0}).verdict == Verdict::invented);
  CHECK(judged(P::product, {{1, 0}, {NAN, 0}, {0, 0}}, {NAN, 0}).verdict == Verdict::not_finite);
  CHECK(judged(P::product, {{1, 0}, {0, 0}, {0, 0}}, {u, 0}).error == no_bound);
  const F eta = std::numeric_limits<F>::denorm_min();
  CHECK(judged(P::sum, {{eta, 0}, {eta, 0}, {0, 0}}, {0, 0}).error > 1e6);  // flushed to zero
  CHECK(judged(P::comparison, {{1, u / 2}, {1, 0}, {0, 0}}, {1 + 4 + 16, 0}).verdict
        == Verdict::inexact);
  CHECK(judged(P::absolute, {{-1, u / 2}, {0, 0}, {0, 0}}, {1, u / 2}).verdict == Verdict::inexact);
}

}  // namespace
}  // namespace ninefold
