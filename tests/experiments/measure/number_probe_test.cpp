// The pair operations as the library compiles them, and the judge of the survey, against many
// digits.

#include "experiments/measure/probe/number_probe.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/measure/probe/number_judge.hpp"
#include "experiments/measure/probe/number_repetition.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::Wide;
using P = PairOperation;

template <Word F>
std::vector<PairOperands<F>> operands_of(P operation, std::uint64_t seed, int n) {
  std::vector<PairOperands<F>> operands;
  for (int k = 0; k < n; ++k) {
    operands.push_back(survey_operands<F>(operation, seed, static_cast<std::uint64_t>(k)));
  }
  return operands;
}

template <Word F>
std::vector<ProbedWords> results_of(P operation, const std::vector<PairOperands<F>>& operands) {
  std::vector<ProbedWords> results(operands.size());
  apply(Host(64), operation, static_cast<int>(operands.size()), operands.data(), results.data());
  return results;
}

bool same(double x, double y) {
  return std::isnan(x) ? std::isnan(y) : std::memcmp(&x, &y, sizeof x) == 0;
}

template <Word F>
Wide exact(DoubleWord<F> x) {
  return Wide(x.high) + Wide(x.low);
}

TEMPLATE_TEST_CASE("no sample of the survey breaks a bound", "[gpu][number_probe]", float, double) {
  using F = TestType;
  const Host host(64);
  const auto n = static_cast<std::uint64_t>(testing::samples());
  for (const PairOperationFacts& facts : pair_operations) {
    if (!facts.surveyed) continue;
    const Survey found = survey<Host, F>(host, facts.operation, 1, 0, n);
    const double bound = error_bound<F>(facts.operation);
    std::printf("%-14s %-34s %9lu judged,  worst %8.5f, bound %8.5f u^2\n",
                std::string(Format<DoubleWord<F>>::name).c_str(), std::string(facts.name).c_str(),
                static_cast<unsigned long>(found.judged), found.worst, bound);
    CAPTURE(facts.name, found.worst, found.worst_index, found.failure_index, found.lost,
            found.invented, found.denormalised, found.inexact);
    CHECK(found.failures() == 0);
    CHECK(found.worst <= bound * observation_margin);
    CHECK(found.judged > n * 3 / 4);
    CHECK(found.judged + found.outside + found.not_finite == n);
  }
}

TEMPLATE_TEST_CASE("the survey reaches the published worst cases", "[gpu][number_probe]", float,
                   double) {
  const auto worst = [](P operation) {
    return survey<Host, TestType>(Host(64), operation, 2, 0, 100000).worst;
  };
  CHECK(worst(P::sum) > 2.999);
  CHECK(worst(P::sum_with_word) > 1.999);
  CHECK(worst(P::accurate_product_with_word) > 1.499);
  CHECK(worst(P::product_by_splitting) > 4.99);
  CHECK(worst(P::sloppy_sum) > 1e12);
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

TEMPLATE_TEST_CASE("the library computes what its headers say, however it is optimised",
                   "[gpu][number_probe]", float, double) {
  using F = TestType;  // vectorised at -O3 there, one by one at -O1 here
  for (const PairOperationFacts& facts : pair_operations) {
    CAPTURE(facts.name);
    const auto operands = operands_of<F>(facts.operation, 4,
                                         static_cast<int>(std::min(testing::samples(), 1000000L)));
    const auto results = results_of(facts.operation, operands);
    with_operation(facts.operation, [&]<P which>() {
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const ProbedWords here = applied<which>(operands[k]);
        if (same(here.high, results[k].high) && same(here.low, results[k].low)) continue;
        CAPTURE(k, here.high, here.low, results[k].high, results[k].low);
        FAIL("differs");
      }
    });
  }
  SUCCEED();
}

TEMPLATE_TEST_CASE("fused rounds once, a product and a sum twice", "[gpu][number_probe]", float,
                   double) {
  using F = TestType;
  const auto operands =
      operands_of<F>(P::fused, 5, static_cast<int>(std::min(testing::samples(), 1000000L)));
  const auto once = results_of(P::fused_words, operands);
  const auto twice = results_of(P::product_sum_of_words, operands);
  const auto roots = results_of(P::square_root_of_word, operands);
  int different = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const F a = operands[k].a.high, b = operands[k].b.high, c = operands[k].c.high;
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) continue;
    const Wide product = Wide(a) * Wide(b);
    const F rounded = static_cast<F>(product);
    const bool once_right = once[k].high == static_cast<double>(static_cast<F>(product + Wide(c)));
    const bool twice_right =
        !std::isfinite(rounded)
        || twice[k].high == static_cast<double>(static_cast<F>(Wide(rounded) + Wide(c)));
    const bool root_right =
        k % 16 != 0 || a < 0 || roots[k].high == static_cast<double>(static_cast<F>(sqrt(Wide(a))));
    if (!once_right || !twice_right || !root_right) {
      CAPTURE(a, b, c, once[k].high, twice[k].high, roots[k].high);
      FAIL("wrong rounding");
    }
    if (once[k].high != twice[k].high) ++different;
  }
  CHECK(different > static_cast<int>(operands.size()) / 4);
}

TEMPLATE_TEST_CASE("samples are pairs of every kind", "[gpu][number_probe]", float, double) {
  using F = TestType;
  using Limits = std::numeric_limits<F>;
  int zeros = 0, infinities = 0, nans = 0, subnormal_words = 0, ties = 0, cancelling = 0, far = 0;
  const int n = 20000;
  const auto operands = operands_of<F>(P::sum, 6, n);
  for (const auto& x : operands) {
    for (const DoubleWord<F>& y : {x.a, x.b}) {
      if (is_finite(y) && y.high + y.low != y.high) FAIL("not normalised");
      zeros += y.high == 0 ? 1 : 0;
      infinities += std::isinf(y.high) ? 1 : 0;
      nans += is_nan(y) ? 1 : 0;
      subnormal_words += y.low != 0 && std::abs(y.low) < Limits::min() ? 1 : 0;
      ties += y.low != 0
              && std::abs(y.high) == std::abs(y.low) / static_cast<F>(Format<F>::unit_roundoff);
      far += std::abs(y.low) < std::abs(y.high) * static_cast<F>(0x1p-60) && y.low != 0 ? 1 : 0;
    }
    cancelling += std::abs(x.a.high + x.b.high) < std::abs(x.a.high) / 1000 ? 1 : 0;
  }
  CHECK(std::min({zeros, infinities, nans}) > n / 1000);
  CHECK(std::min({subnormal_words, ties, cancelling, far}) > n / 100);
  const auto other = operands_of<F>(P::sum, 7, n);
  int equal = 0;
  for (int k = 0; k < n; ++k) equal += operands[k].a == other[k].a ? 1 : 0;
  CHECK(equal < n / 50);
}

TEST_CASE("a survey is the sum of its parts", "[gpu][number_probe]") {
  const Host host(64);
  const Survey whole = survey<Host, float>(host, P::product, 8, 1000, 9001);
  Survey parts = survey<Host, float>(host, P::product, 8, 1000, 4000);
  merge(parts, survey<Host, float>(host, P::product, 8, 5000, 5001));
  CHECK(whole == parts);
  CHECK(whole.worst_index >= 1000);
  const Survey worst = survey<Host, float>(host, P::product, 8, whole.worst_index, 1);
  CHECK(worst.worst == whole.worst);
}

TEMPLATE_TEST_CASE("chains that are timed do what they are timed for", "[gpu][number_probe]", float,
                   double, DoubleSingle, DoubleDouble) {
  using T = TestType;
  const Repetition repetition{19, 24};
  for (int o = 0; o <= static_cast<int>(TimedOperation::square_root); ++o) {
    const auto operation = static_cast<TimedOperation>(o);
    std::vector<T> found(repetition.workers);
    CAPTURE(o);
    if (!has_timed<T>(operation)) {
      CHECK_THROWS_AS(repeat(Host(64), operation, repetition, found.data()), std::invalid_argument);
      continue;
    }
    repeat(Host(64), operation, repetition, found.data());
    with_timed<T>(operation, [&]<TimedOperation which>() {
      for (int worker = 0; worker < repetition.workers; ++worker) {
        const RepetitionOperands<T> with(worker / 8);
        T sum(0);
        for (int chain = 0; chain < Repetition::chains; ++chain) {
          T x = with.start(worker % 8 * Repetition::chains + chain);
          const T start = x;
          for (int step = 0; step < repetition.steps; ++step) {
            x = timed<which>(x, with.factor, with.summand);
          }
          if (x == start && start != T(1)) FAIL("nothing was done");
          sum = chain == 0 ? x : sum + x;
        }
        if (!(found[worker] == sum)) FAIL("another result");
        if (!(sum > T(1) && sum < T(100))) FAIL("grown or vanished");
      }
    });
  }
}

TEST_CASE("there is no survey of what has no judge", "[gpu][number_probe]") {
  CHECK_THROWS_AS((survey<Host, float>(Host(64), P::to_float, 1, 0, 1)), std::invalid_argument);
  for (std::size_t k = 0; k < pair_operations.size(); ++k) {
    CHECK(static_cast<std::size_t>(pair_operations[k].operation) == k);
  }
}

}  // namespace
}  // namespace ninefold
