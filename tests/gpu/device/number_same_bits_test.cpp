// The pair operations as kernels compute them: bit by bit as the host, and exact where they should.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gpu/backend/vector.hpp"

#include "experiments/measure/probe/number_judge.hpp"
#include "experiments/measure/probe/number_probe.hpp"
#include "experiments/measure/probe/number_repetition.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/word_samples.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using testing::Device;
using testing::full_or_small;
using testing::on_device;
using testing::Wide;
using P = PairOperation;

bool same(const ProbedWords& x, const ProbedWords& y) {
  const auto equal = [](double a, double b) {
    return std::isnan(a) ? std::isnan(b) : std::memcmp(&a, &b, sizeof a) == 0;
  };
  return equal(x.high, y.high) && equal(x.low, y.low);
}

template <Backend B, Word F>
std::vector<ProbedWords> results_of(const B& on, P operation,
                                    const std::vector<PairOperands<F>>& operands) {
  const Array<B, PairOperands<F>> from(on, operands);
  const Array<B, ProbedWords> to(on, operands.size());
  apply(on, operation, static_cast<int>(operands.size()), from.data(), to.data());
  std::vector<ProbedWords> results(operands.size());
  on.read(results.data(), to.data(), results.size() * sizeof(ProbedWords));
  return results;
}

/// All pairs of words that are special in some way, also where the pair is none.
template <Word F>
std::vector<PairOperands<F>> special_operands() {
  using Limits = std::numeric_limits<F>;
  const F u = static_cast<F>(Format<F>::unit_roundoff);
  std::vector<F> words;
  for (const F size :
       {F(0), Limits::denorm_min(), Limits::min() - Limits::denorm_min(), Limits::min(), u, F(1),
        1 + 2 * u, F(3), 1 / u, Limits::max() / 4, Limits::max(), Limits::infinity()}) {
    words.push_back(size);
    words.push_back(-size);
  }
  words.push_back(Limits::quiet_NaN());
  std::vector<PairOperands<F>> operands;
  for (const F a : words) {
    for (const F b : words) {
      for (const F c : {F(0), F(-1), Limits::min(), Limits::infinity()}) {
        operands.push_back({DoubleWord<F>(a), DoubleWord<F>(b), DoubleWord<F>(c)});
        operands.push_back({DoubleWord<F>::normalise(a, a * u), DoubleWord<F>(b, -b * u / 4),
                            DoubleWord<F>(c, c * u / 8)});
      }
    }
  }
  return operands;
}

TEMPLATE_TEST_CASE("every operation on numbers gives the same bits on host and device",
                   "[gpu][number_probe]", float, double) {
  using F = TestType;
  const Host host(64);
  const Device device(64);
  for (const PairOperationFacts& facts : pair_operations) {
    std::vector<PairOperands<F>> operands = special_operands<F>();
    for (long k = 0, n = std::min(testing::samples(), 1000000L); k < n; ++k) {
      operands.push_back(survey_operands<F>(facts.operation, 11, static_cast<std::uint64_t>(k)));
    }
    const auto expected = results_of(host, facts.operation, operands);
    const auto found = on_device([&] { return results_of(device, facts.operation, operands); });
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const PairOperands<F>& x = operands[k];
      if (same(expected[k], found[k])) continue;
      CAPTURE(facts.name, k, x.a.high, x.a.low, x.b.high, x.b.low, x.c.high, x.c.low,
              expected[k].high, expected[k].low, found[k].high, found[k].low);
      FAIL_CHECK("other bits");
      break;
    }
  }
}

TEMPLATE_TEST_CASE("kernels keep the error-free transformations", "[gpu][number_probe]", float,
                   double) {
  using F = TestType;  // looked at on the host, in 2300 bits
  const Device device(64);
  const auto check = [&](P operation, auto&& right) {
    std::vector<PairOperands<F>> operands;
    for (std::uint64_t k = 0; k < 20000; ++k) {
      operands.push_back(survey_operands<F>(operation, 12, k));
    }
    const auto results = on_device([&] { return results_of(device, operation, operands); });
    int looked_at = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const F a = operands[k].a.high, b = operands[k].b.high;
      const Survey one = survey<Host, F>(Host(64), operation, 12, k, 1);
      if (one.judged == 0) continue;
      ++looked_at;
      if (right(Wide(a), Wide(b), Wide(results[k].high) + Wide(results[k].low))) continue;
      CAPTURE(facts_of(operation).name, a, b, results[k].high, results[k].low);
      FAIL("inexact");
    }
    CHECK(looked_at > 10000);
  };
  const auto sum = [](const Wide& a, const Wide& b, const Wide& found) { return a + b == found; };
  check(P::two_sum, sum);
  check(P::quick_two_sum, sum);
  check(P::split, [](const Wide& a, const Wide&, const Wide& found) { return a == found; });
  // Below the range, half of the smallest number may be missing.
  const Wide half = Wide(std::numeric_limits<F>::denorm_min()) / 2;
  const Wide exact_from = ldexp(Wide(1), Format<DoubleWord<F>>::min_exponent + 1);
  const auto product = [&](const Wide& a, const Wide& b, const Wide& found) {
    const Wide missing = abs(a * b - found);
    return missing == 0 || (abs(a * b) < exact_from && missing <= half);
  };
  check(P::two_product, product);
  check(P::two_product_by_splitting, product);
}

TEMPLATE_TEST_CASE("a survey finds the same errors on host and device", "[gpu][number_probe]",
                   float, double) {
  const auto n = static_cast<std::uint64_t>(testing::samples());
  for (const PairOperationFacts& facts : pair_operations) {
    if (!facts.surveyed) continue;
    CAPTURE(facts.name);
    const Survey host = survey<Host, TestType>(Host(64), facts.operation, 13, 5, n);
    const Survey device =
        on_device([&] { return survey<Device, TestType>(Device(64), facts.operation, 13, 5, n); });
    CAPTURE(host.worst, device.worst, host.worst_index, device.worst_index);
    CAPTURE(host.judged, device.judged, host.lost, device.lost, host.not_finite, device.not_finite);
    // The judge rounds: which of two equally bad samples is the worst may differ.
    CHECK(device.worst == Approx(host.worst).epsilon(0x1p-45));
    const auto counts = [](Survey found) {
      found.worst = 0;
      found.worst_index = 0;
      return found;
    };
    CHECK(counts(host) == counts(device));
  }
}

TEMPLATE_TEST_CASE("no sample of a large survey breaks a bound on the device",
                   "[gpu][number_probe]", float, double) {
  const Device device(64);
  const std::uint64_t n = full_or_small(1 << 26, 1 << 14);
  for (const PairOperationFacts& facts : pair_operations) {
    if (!facts.surveyed) continue;
    const Survey found =
        on_device([&] { return survey<Device, TestType>(device, facts.operation, 14, 0, n); });
    const double bound = error_bound<TestType>(facts.operation);
    CAPTURE(facts.name, found.worst, found.worst_index, found.failure_index, found.lost,
            found.invented, found.denormalised, found.inexact);
    CHECK(found.failures() == 0);
    CHECK(found.worst <= bound * observation_margin);
    CHECK(found.judged > n * 3 / 4);
  }
}

TEMPLATE_TEST_CASE("chains that are timed give the same bits on host and device",
                   "[gpu][number_probe]", float, double, DoubleSingle, DoubleDouble) {
  using T = TestType;
  const Repetition repetition{1000, 64};
  for (int o = 0; o <= static_cast<int>(TimedOperation::square_root); ++o) {
    const auto operation = static_cast<TimedOperation>(o);
    if (!has_timed<T>(operation)) continue;
    std::vector<T> expected(repetition.workers), found(repetition.workers);
    repeat(Host(64), operation, repetition, expected.data());
    const Device device(64);
    const Array<Device, T> result(device, found.size());
    on_device([&] { repeat(device, operation, repetition, result.data()); });
    device.read(found.data(), result.data(), found.size() * sizeof(T));
    CAPTURE(o);
    CHECK(std::memcmp(expected.data(), found.data(), expected.size() * sizeof(T)) == 0);
  }
}

}  // namespace
}  // namespace ninefold
