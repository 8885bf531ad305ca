#include "solvers/drivers/discretisation_aim.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

using Catch::Approx;

TEST_CASE("nothing is met before the error is told and a correction is made", "[solvers][aim]") {
  DiscretisationAim aim(0.05);
  CHECK_FALSE(aim.is_told());
  CHECK_FALSE(aim.is_met());
  aim.told(1);
  CHECK(aim.is_told());
  CHECK_FALSE(aim.is_met());
  aim.corrected(0.0, 0.1);
  CHECK(aim.is_met());
}

TEST_CASE("what corrections leave is the sum of those that would follow", "[solvers][aim]") {
  const double q = GENERATE(0.01, 0.1, 0.45);
  DiscretisationAim aim(0.05);
  aim.told(1);
  double sum = 0;
  for (int k = 1; k < 1000; ++k) sum += std::pow(q, k);
  aim.corrected(1 / q, q);
  aim.corrected(1, q);
  CHECK(aim.left() == Approx(sum));
}

TEST_CASE("of how corrections fall the first residual says nothing", "[solvers][aim]") {
  DiscretisationAim aim(0.1);
  aim.told(1);
  aim.corrected(0.2, 0.01);
  CHECK(aim.left() == Approx(0.2));
  CHECK_FALSE(aim.is_met());
  aim.corrected(0.1, 0.01);  // they halve
  CHECK(aim.left() == Approx(0.1));
  DiscretisationAim small(0.1);
  small.told(1);
  small.corrected(0.09, 0.01);
  CHECK(small.is_met());
}

TEST_CASE("where the residual stays, corrections that fall say how fast", "[solvers][aim]") {
  DiscretisationAim aim(0.05);
  aim.told(1);
  aim.corrected(1, 1.0);
  CHECK(aim.left() == 100);  // nothing is known of how they fall
  aim.corrected(0.1, 1.0);
  CHECK(aim.left() == Approx(10));  // one quotient may be chance
  aim.corrected(0.02, 1.0);
  CHECK(aim.left() == Approx(0.02 * 0.2 / 0.8));
  CHECK(aim.is_met());
}

TEST_CASE("the larger of the quotients counts", "[solvers][aim]") {
  DiscretisationAim aim(0.05);
  aim.told(1);
  aim.corrected(1, 0.1);
  aim.corrected(0.8, 0.1);  // the residual falls fast, the corrections do not
  CHECK(aim.left() == Approx(0.8 * 0.8 / 0.2));
}

TEST_CASE("slow corrections meet it by themselves alone", "[solvers][aim]") {
  DiscretisationAim aim(0.05);
  aim.told(1);
  for (const double size : {1e-2, 0.95e-2, 0.9e-2}) aim.corrected(size, 0.95);
  CHECK(aim.left() == Approx(0.9));
  CHECK_FALSE(aim.is_met());
  for (const double size : {4.2e-4, 4.0e-4, 3.8e-4}) aim.corrected(size, 0.95);
  CHECK(aim.is_met());
  for (const double size : {4e-4, 5e-4, 6e-4}) aim.corrected(size, 1.0);
  CHECK_FALSE(aim.is_met());  // they do not fall
  aim.corrected(4e-4, 1.0);   // rounding: small enough by itself
  CHECK(aim.is_met());
}

TEST_CASE("the least error that is told counts", "[solvers][aim]") {
  DiscretisationAim aim(0.1);
  aim.told(1);
  aim.corrected(0.1, 0.5);
  CHECK(aim.is_met());
  aim.told(0.5);
  CHECK_FALSE(aim.is_met());
  aim.told(2);
  CHECK_FALSE(aim.is_met());
}

TEST_CASE("an error that corrections may have taken away is told again", "[solvers][aim]") {
  DiscretisationAim aim(0.1);
  aim.told(1);
  aim.corrected(0.08, 0.25);  // leaves as much again, of 0.84 at least
  CHECK(aim.is_met());
  CHECK(aim.is_sure());
  aim.corrected(0.3, 0.1);
  CHECK_FALSE(aim.is_sure());
  aim.corrected(0.001, 0.01);
  CHECK(aim.is_met());
  CHECK(aim.is_sure());  // of 0.238 at least
  aim.corrected(0.2, 0.0);
  CHECK_FALSE(aim.is_sure());
  aim.told(0.9);
  aim.corrected(0.001, 0.01);
  CHECK(aim.is_sure());
}

TEST_CASE("what is no number meets nothing", "[solvers][aim]") {
  DiscretisationAim aim(0.05);
  aim.told(1);
  aim.corrected(std::nan(""), 0.1);
  CHECK_FALSE(aim.is_met());
  aim.corrected(1e-9, std::nan(""));
  CHECK_FALSE(aim.is_met());
  DiscretisationAim blind(0.05);
  blind.told(std::nan(""));
  blind.corrected(1e-9, 0.1);
  CHECK_FALSE(blind.is_met());
}

}  // namespace
}  // namespace ninefold
