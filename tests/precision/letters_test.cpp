// Expected are characters as people count them, and words of ASCII.

#include "precision/letters.hpp"

#include "tests/support/catch.hpp"

namespace ninefold {
namespace {

TEST_CASE("characters are those of UTF-8", "[precision][letters]") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("sin(x)") == 6);
  CHECK(count_characters("2·π·x") == 5);
}

TEST_CASE("words are compared without their case", "[precision][letters]") {
  CHECK(lower_case("") == "");
  CHECK(lower_case("Float_32 É") == "float_32 É");
}

}  // namespace
}  // namespace ninefold
