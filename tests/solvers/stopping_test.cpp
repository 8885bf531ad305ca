#include "solvers/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

/// Feeds a sequence of reductions and returns the first outcome.
template <class Sequence>
std::optional<Outcome> watch(ResidualMonitor& monitor, int steps, const Sequence& reduction,
                             double tolerance, double attainable) {
  for (int k = 0; k <= steps; ++k) {
    const double r = reduction(k);
    if (const auto outcome = monitor.next(r, r <= tolerance, [&] { return attainable; })) {
      return outcome;
    }
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a residual that meets the tolerance converges at that step", "[solvers][stopping]") {
  ResidualMonitor monitor(100, multigrid_patience);
  const auto outcome = watch(
      monitor, 50, [](int k) { return std::pow(0.1, k); }, 1.5e-3, 1e-16);
  CHECK(outcome == Outcome::converged);
  CHECK(monitor.iterations() == 3);
  CHECK(monitor.history().size() == 4);
}

TEST_CASE("the step limit ends an iteration that still makes progress", "[solvers][stopping]") {
  ResidualMonitor monitor(7, multigrid_patience);
  CHECK(watch(
            monitor, 50, [](int k) { return std::pow(0.8, k); }, 1e-10, 1e-16)
        == Outcome::step_limit);
  CHECK(monitor.iterations() == 7);
}

TEST_CASE("a residual that stays near the format's limit stagnates", "[solvers][stopping]") {
  ResidualMonitor monitor(10000, multigrid_patience);
  const auto floor = [](int k) { return std::max(1e-8, std::pow(0.1, k)); };
  CHECK(watch(monitor, 50, floor, 1e-10, 5e-9) == Outcome::stagnated);
  CHECK(monitor.iterations() == 8 + multigrid_patience.near_limit);
}

TEST_CASE("slow but steady progress goes on, near the limit and far from it",
          "[solvers][stopping]") {
  const auto slow = [](int k) { return std::pow(0.996, k); };  // 3.1 % in eight steps
  for (const double attainable : {1e-16, 1.0}) {
    ResidualMonitor monitor(10000, multigrid_patience);
    CHECK(watch(monitor, 3000, slow, 1e-3, attainable) == Outcome::converged);
  }
}

TEST_CASE("no progress at all ends multigrid, also far from the limit", "[solvers][stopping]") {
  ResidualMonitor monitor(10000, multigrid_patience);
  CHECK(watch(
            monitor, 1000, [](int) { return 0.5; }, 1e-10, 1e-16)
        == Outcome::stagnated);
  CHECK(monitor.iterations() == multigrid_patience.anywhere);
}

TEST_CASE("a long plateau does not end CG", "[solvers][stopping]") {
  ResidualMonitor monitor(100000, cg_patience);
  const auto plateau = [](int k) { return k < 20000 ? 1.0 + 0.01 * k : std::pow(0.9, k - 20000); };
  CHECK(watch(monitor, 30000, plateau, 1e-10, 1e-12) == Outcome::converged);
}

TEST_CASE("growth beyond the divergence factor diverges", "[solvers][stopping]") {
  ResidualMonitor monitor(10000, multigrid_patience);
  CHECK(watch(
            monitor, 100, [](int k) { return std::pow(10.0, k); }, 1e-10, 1e-16)
        == Outcome::diverged);
  CHECK(monitor.iterations() == 9);
}

TEST_CASE("infinity and NaN are told apart from divergence", "[solvers][stopping]") {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    ResidualMonitor monitor(10000, multigrid_patience);
    CHECK(watch(
              monitor, 5, [bad](int k) { return k < 2 ? 1.0 : bad; }, 1e-10, 1e-16)
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
