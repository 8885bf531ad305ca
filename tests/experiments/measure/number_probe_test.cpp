// The pair operations as the library compiles them, against many digits; what is surveyed and
// timed.

#include "experiments/measure/probe/number_probe.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/measure/probe/number_functions.hpp"
#include "experiments/measure/probe/number_repetition.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/probed_operations.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using testing::operands_of;
using testing::results_of;
using testing::Wide;
using P = PairOperation;

bool same(double x, double y) {
  return std::isnan(x) ? std::isnan(y) : std::memcmp(&x, &y, sizeof x) == 0;
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
