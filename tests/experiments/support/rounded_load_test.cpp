#include "experiments/support/rounded_load.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("a load is rounded once, to nearest", "[experiments][rounded-load]") {
  const std::vector<double> load{1.0 / 3, 0.0, -1.0 / 3, 1 + 0x1p-11, 1 + 3 * 0x1p-11};
  REQUIRE(round_load(load, Precision::half, 0).values
          == std::vector{0x1.554p-2, 0.0, -0x1.554p-2, 1.0, 1 + 0x1p-9});
  REQUIRE(round_load(load, Precision::double_, 0).values == load);
  for (const Precision precision : {Precision::bfloat16, Precision::half, Precision::single_,
                                    Precision::double_single, Precision::soft(20, 11)}) {
    const double u = facts(precision).unit_roundoff;
    const std::vector<double> rounded = round_load(load, precision, 0).values;
    for (std::size_t k = 0; k < load.size(); ++k) {
      CAPTURE(to_string(precision), k);
      REQUIRE(std::abs(rounded[k] - load[k]) <= u * std::abs(load[k]));
    }
  }
}

TEST_CASE("half loses what is small, and keeps it if it is scaled", "[experiments][rounded-load]") {
  // A normal number, two below the normal numbers, one that becomes zero, and nothing.
  const std::vector<double> load{0x1p-14, 0x1p-15 / 3, 0x1.8p-24, 0x1p-26, 0.0};
  const RoundedLoad as_it_is = round_load(load, Precision::half, 0);
  REQUIRE(as_it_is.denormal == 0.75);
  REQUIRE(as_it_is.lost == 0.25);
  REQUIRE(as_it_is.values[0] == load[0]);
  REQUIRE(as_it_is.values[1] == std::nearbyint(load[1] * 0x1p24) * 0x1p-24);
  REQUIRE(as_it_is.values[2] == 0x1p-23);
  const RoundedLoad scaled = round_load(load, Precision::half, 16);
  REQUIRE(scaled.denormal == 0);
  REQUIRE(scaled.lost == 0);
  REQUIRE(scaled.values[1] == round_load({1.0 / 3}, Precision::half, 0).values[0] * 0x1p-15);
  REQUIRE(scaled.values[3] == load[3]);
}

TEST_CASE("a power of two changes no digit where the exponents reach",
          "[experiments][rounded-load]") {
  const std::vector<double> load{1.0 / 3, 0x1p-30 / 7, -1e-9};
  for (const Precision precision :
       {Precision::bfloat16, Precision::single_, Precision::double_single, Precision::double_}) {
    CAPTURE(to_string(precision));
    const int exponent = GENERATE(-20, 3, 26);
    REQUIRE(round_load(load, precision, 0).values == round_load(load, precision, exponent).values);
  }
}

TEST_CASE("of a load of zeros nothing is lost", "[experiments][rounded-load]") {
  const RoundedLoad rounded = round_load({0.0, 0.0}, Precision::half, 0);
  REQUIRE(rounded.denormal == 0);
  REQUIRE(rounded.lost == 0);
}
