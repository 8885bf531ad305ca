#include "solvers/estimate/time_forecast.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

TEST_CASE("two pilots tell what levels and what unknowns cost", "[solvers][estimate]") {
  const auto seconds = [](int level) { return 3e-5 * level + 2e-9 * double(1 << 2 * level); };
  const TimeForecast forecast({5, seconds(5), 0}, {7, seconds(7), 0});
  for (const int level : {5, 7, 10, 12}) CHECK(forecast.at(level) == Approx(seconds(level)));
}

TEST_CASE("no part of a forecast is negative", "[solvers][estimate]") {
  // By chance the finer pilot took less time.
  const TimeForecast chance({5, 4e-4, 0}, {7, 3e-4, 0});
  CHECK(chance.at(14) == Approx(6e-4));
  // More than four times as long for four times the unknowns: nothing is left for levels.
  const TimeForecast caches({5, 1e-5, 0}, {7, 1e-3, 0});
  CHECK(caches.at(8) == Approx(4e-3));
  CHECK_THROWS_AS(TimeForecast({7, 1, 0}, {7, 1, 0}), std::invalid_argument);
}

TEST_CASE("on a device memory decides on fine levels, launches on coarse ones",
          "[solvers][estimate]") {
  constexpr double rate = 4e12, bytes = 2e6;
  const TimeForecast forecast({7, 7e-5, bytes}, rate);
  CHECK(forecast.at(7) == Approx(7e-5));
  const double moving = bytes / (TimeForecast::share_of_plain_rate * rate);
  CHECK(forecast.at(14) == Approx(2 * (7e-5 - moving) + 0x1p14 * moving));
  CHECK(TimeForecast({7, 1e-7, bytes}, rate).at(9) == Approx(16 * moving));
}

}  // namespace
}  // namespace ninefold
