#include "solvers/stopping.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace ninefold;

namespace {

/// Feeds a sequence of reductions and returns the first outcome.
template <class Sequence>
std::optional<Outcome> watch(ResidualMonitor& monitor, int steps, const Sequence& reduction,
                             double attainable) {
  for (int k = 0; k <= steps; ++k) {
    if (const auto outcome = monitor.next(reduction(k), [&] { return attainable; })) return outcome;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a residual that meets the tolerance converges at that step", "[solvers][stopping]") {
  ResidualMonitor monitor(1.5e-3, 100, 4);
  const auto outcome = watch(
      monitor, 50, [](int k) { return std::pow(0.1, k); }, 1e-16);
  CHECK(outcome == Outcome::converged);
  CHECK(monitor.iterations() == 3);
  CHECK(monitor.history().size() == 4);
}

TEST_CASE("the step limit ends an iteration that still makes progress", "[solvers][stopping]") {
  ResidualMonitor monitor(1e-10, 7, 4);
  CHECK(watch(
            monitor, 50, [](int k) { return std::pow(0.8, k); }, 1e-16)
        == Outcome::step_limit);
  CHECK(monitor.iterations() == 7);
}

TEST_CASE("a residual that stays near the format's limit stagnates", "[solvers][stopping]") {
  ResidualMonitor monitor(1e-10, 10000, 4);
  const auto floor = [](int k) { return std::max(1e-8, std::pow(0.1, k)); };
  CHECK(watch(monitor, 50, floor, 5e-9) == Outcome::stagnated);
  CHECK(monitor.iterations() < 20);
}

TEST_CASE("slow progress far from the format's limit goes on", "[solvers][stopping]") {
  ResidualMonitor monitor(1e-3, 10000, 4);
  // 2 % a step: suspicious by the rule near the limit, but the limit is far away.
  CHECK(watch(
            monitor, 400, [](int k) { return std::pow(0.98, k); }, 1e-16)
        == Outcome::converged);
}

TEST_CASE("no progress at all ends, also far from the limit", "[solvers][stopping]") {
  ResidualMonitor monitor(1e-10, 10000, 4);
  CHECK(watch(
            monitor, 1000, [](int) { return 0.5; }, 1e-16)
        == Outcome::stagnated);
  CHECK(monitor.iterations() <= 202);
}

TEST_CASE("growth beyond the divergence factor diverges", "[solvers][stopping]") {
  ResidualMonitor monitor(1e-10, 10000, 4);
  CHECK(watch(
            monitor, 100, [](int k) { return std::pow(10.0, k); }, 1e-16)
        == Outcome::diverged);
  CHECK(monitor.iterations() == 9);
}

TEST_CASE("infinity and NaN are told apart from divergence", "[solvers][stopping]") {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    ResidualMonitor monitor(1e-10, 10000, 4);
    CHECK(watch(
              monitor, 5, [bad](int k) { return k < 2 ? 1.0 : bad; }, 1e-16)
          == Outcome::not_finite);
    CHECK(monitor.iterations() == 2);
  }
}

TEST_CASE("every outcome has a name of its own", "[solvers][stopping]") {
  CHECK(to_string(Outcome::converged) == "converged");
  CHECK(to_string(Outcome::step_limit) == "step limit");
  CHECK(to_string(Outcome::stagnated) == "stagnated");
  CHECK(to_string(Outcome::diverged) == "diverged");
  CHECK(to_string(Outcome::not_finite) == "not finite");
}
