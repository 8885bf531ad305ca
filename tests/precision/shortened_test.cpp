#include "precision/shortened.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("a short text is shown whole", "[precision][shortened]") {
  const std::string text = GENERATE(as<std::string>{}, "", "x + y", std::string(120, 'a'));
  REQUIRE(shortened(text) == text);
  REQUIRE(excerpt_around(text, 3) == text);
}

TEST_CASE("a number is shown without the digits that rounding has left", "[precision][shortened]") {
  REQUIRE(shortened(0.1 + 0.7) == "0.8");
  REQUIRE(shortened(0.1 + 0.2) == "0.3");
  REQUIRE(shortened(1.0) == "1");
  REQUIRE(shortened(2.5e-30) == "2.5e-30");
  REQUIRE(shortened(1.0 / 3.0) == fmt::format("{}", 1.0 / 3.0));
}

TEST_CASE("a long text is shown by its beginning and its length", "[precision][shortened]") {
  REQUIRE(shortened(std::string(5000, 'a')) == fmt::format("{:a<60}... (5000 characters)", ""));
  REQUIRE(shortened("abcdefgh", 4) == "ab... (8 characters)");
}

TEST_CASE("a character of several bytes is not cut in two, and counts as one",
          "[precision][shortened]") {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";  // of 1, 2, 3, 4 and 1 bytes
  REQUIRE(shortened(text, 4) == "a... (5 characters)");
  REQUIRE(shortened(text, 6) == "a\xC3\xA4... (5 characters)");
  REQUIRE(shortened(text, 10) == "a\xC3\xA4... (5 characters)");
  REQUIRE(excerpt_around(text, 8, 4) == "...\xF0\x9F\x98\x80...");
}

TEST_CASE("what is around a place of a long text is shown between dots", "[precision][shortened]") {
  std::string text(500, 'a');
  text += '!';
  text.append(500, 'b');
  REQUIRE(excerpt_around(text, 500, 10) == "...aaaaa!bbbb...");
  REQUIRE(excerpt_around(text, 2, 10) == "aaaaaaaaaa...");
  REQUIRE(excerpt_around(text, 1001, 10) == "...bbbbb");
  REQUIRE(excerpt_around(text, 9999, 10) == "...bbbbb");
}
