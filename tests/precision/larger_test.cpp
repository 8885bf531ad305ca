// The larger of two numbers and the largest of many, with a NaN on either side.

#include "precision/larger.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "precision/double_word.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("the larger of two numbers is NaN if one of them is", "[larger]") {
  CHECK(larger(1, 2) == 2);
  CHECK(larger(2, 1) == 2);
  CHECK(larger(1, infinity) == infinity);
  CHECK(std::isnan(larger(nan, infinity)));
  CHECK(std::isnan(larger(infinity, nan)));
}

TEST_CASE("the largest size of values is NaN wherever a NaN stands", "[larger]") {
  CHECK(largest_size(std::vector<double>{}) == 0);
  CHECK(largest_size(std::vector<double>{1, -3, 2}) == 3);
  CHECK(largest_size(std::vector<DoubleDouble>{DoubleDouble(1), DoubleDouble(-3)}) == 3);
  for (const auto& values :
       {std::vector<double>{nan, 1, 2}, std::vector<double>{1, nan, 2},
        std::vector<double>{1, 2, nan}, std::vector<double>{infinity, nan, infinity}}) {
    CHECK(std::isnan(largest_size(values)));
  }
}

}  // namespace
}  // namespace ninefold
