// When the bound of an iteration is computed.
#include "solvers/judgement/tolerance_check.hpp"

#include <limits>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("a bound is looked at first, and then when the residual has fallen as it asks",
          "[solvers][norm]") {
  BoundSchedule schedule(1e-3);
  CHECK(schedule.is_due(1.0));
  schedule.told(1.0, 100.0);
  CHECK_FALSE(schedule.is_due(1.0));
  CHECK_FALSE(schedule.is_due(0.05));
  CHECK(schedule.is_due(0.02));
  CHECK(schedule.target() == 0.005);
  // What is hardly too large falls soon below; what is far above is looked at on the way.
  schedule.told(0.02, 1.1);
  CHECK(schedule.next() == 0.02 * 0.7);
  CHECK(schedule.target() == 0.02 * 0.3);
  schedule.told(0.01, 1e12);
  CHECK(schedule.next() == 0.01 * 1e-3);
  CHECK(schedule.target() == 0.01 * 1e-3);
}

TEST_CASE("a bound that says nothing is looked at again after the least fall", "[solvers][norm]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double nothing : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    BoundSchedule schedule(0.1);
    schedule.told(1.0, nothing);
    CHECK(schedule.next() == 0.1);
    CHECK(schedule.target() == 0.1);
  }
  BoundSchedule schedule(0.1);
  CHECK_FALSE(schedule.is_due(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("a bound that falls as the residual does is looked at a few times in a hundred steps",
          "[solvers][norm]") {
  const double fall = GENERATE(0.1, 0.5, 0.9);
  BoundSchedule schedule(0.1);
  int looks = 0;
  double bound = 1e9;
  for (double residual = 1; bound > 1; residual *= fall, bound *= fall) {
    if (!schedule.is_due(residual)) continue;
    ++looks;
    schedule.told(residual, bound);
  }
  CHECK(looks <= 14);
}

}  // namespace
}  // namespace ninefold
