// What residuals that have fallen so far tell of the iterations that are left.
#include "solvers/krylov/residual_pace.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("iterations that are left follow from how residuals fall", "[solvers][cg]") {
  ResidualPace pace;
  pace.begin(1);
  CHECK(pace.left(1e-20) == infinity);
  // Up and down, by a tenth each iteration in the mean.
  const auto square = [](int k) { return std::pow(0.1, k) * (k % 2 == 1 ? 3 : 1); };
  for (int k = 1; k < 8; ++k) pace.add(square(k));
  CHECK(pace.left(1e-20) == infinity);  // too few to tell
  for (int k = 8; k <= 20; ++k) pace.add(square(k));
  CHECK(pace.left(1e-30) == Catch::Approx(10).margin(1));
  // Another sequence goes on as the one before did, until it tells itself.
  pace.begin(1);
  CHECK(pace.left(1e-5) == Catch::Approx(5).margin(0.5));
  for (int k = 1; k <= 40; ++k) pace.add(std::pow(0.5, k));
  CHECK(pace.left(std::pow(0.5, 60)) == Catch::Approx(20));
}

TEST_CASE("residuals that do not fall, or are no numbers, tell nothing", "[solvers][cg]") {
  ResidualPace pace;
  pace.begin(1);
  for (int k = 1; k <= 20; ++k) pace.add(k);
  CHECK(pace.left(1e-3) == infinity);
  pace.begin(1);
  for (int k = 1; k <= 20; ++k) pace.add(std::pow(0.1, k));
  CHECK(pace.left(0) == infinity);
  pace.add(std::nan(""));
  CHECK(pace.left(1e-30) == infinity);
  pace.begin(0);
  CHECK(pace.left(0) == infinity);
  pace.begin(1);
  for (int k = 1; k <= 20; ++k) pace.add(0);
  CHECK(pace.left(1e-30) == infinity);
}

}  // namespace
}  // namespace ninefold
