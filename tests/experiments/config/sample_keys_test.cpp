#include "experiments/config/sample_keys.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

Configuration configured(const std::string& text) {
  return make_configuration(parse_document(text, "mine.toml"));
}

/// What the user is told; empty if nothing is wrong.
std::string message_of(const std::string& text) {
  try {
    configured(text);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("places and lines are read, and the solution is needed for them",
          "[experiments][sample_keys]") {
  CHECK_FALSE(configured("").output.needs_solution());
  CHECK_FALSE(configured("[output]\npoints = []\nlines = []\n").output.needs_solution());
  const Configuration c = configured(
      "[domain]\nwidth = 3\n[output]\npoints = [[3, 0.5], [0, 1.0]]\n"
      "lines = [[0, 0.5, 3, 0.5, 101], [1, 1, 0, 0, 2]]\n");
  CHECK(c.output.points == std::vector<Position>{{3, 0.5}, {0, 1}});
  CHECK(c.output.lines == std::vector<SampledLine>{{{0, 0.5}, {3, 0.5}, 101}, {{1, 1}, {0, 0}, 2}});
  CHECK(configured("[output]\npoints = [[0, 0]]\n").output.needs_solution());
  CHECK(configured("[output]\nlines = [[0, 0, 1, 1, 2]]\n").output.needs_solution());
  CHECK(configured("[output]\nquantities = true\n").output.needs_solution());
  CHECK_FALSE(configured("[output]\nquantities = false\n").output.needs_solution());
}

TEST_CASE(
    "places outside, lists of another kind and lines without length are refused with key, value "
    "and what is allowed",
    "[experiments][sample_keys]") {
  struct Case {
    std::string setting;
    std::vector<std::string> parts;
  };
  for (const auto& [setting, parts] : std::vector<Case>{
           {"points = [[0.5, 0.5], [1.5, 0.5]]",
            {"output.points = [1.5, 0.5] is outside of the domain at (1.5, 0.5)",
             "allowed: list of lists of two numbers, places of the domain, at most 1000000",
             "the domain is [0, 1] x [0, 2.5]"}},
           {"points = [[-0.5, 0.5]]", {"output.points = [-0.5, 0.5] is out of range"}},
           {"points = [[nan, 0.5]]", {"output.points = [nan, 0.5] is out of range"}},
           {"points = [[0.5, 'y']]", {"output.points = \"y\" is a text, but a number is expected"}},
           {"points = [0.5, 0.5]",
            {"output.points = [0.5, 0.5] is not a list of lists",
             "for example [[0.5, 0.5], [0.25, 0.75]]"}},
           {"points = [[0.5]]", {"output.points = [0.5] has 1 elements, but 2 are expected"}},
           {"points = true", {"output.points = true is true or false, but a list such as [["}},
           {"lines = [[0, 0, 0.5, 3, 10]]",
            {"output.lines = [0, 0, 0.5, 3, 10] is outside of the domain at (0.5, 3)",
             "the domain is [0, 1] x [0, 2.5]"}},
           {"lines = [[2, 0, 0.5, 1, 10]]", {"is outside of the domain at (2, 0)"}},
           {"lines = [[0, 0, 1, 1, 1]]",
            {"output.lines = [0, 0, 1, 1, 1] has less than 2 places", "n at least 2"}},
           {"lines = [[0, 0, 1, 1, -9000000000]]", {"has less than 2 places"}},
           {"lines = [[0, 0, 1, 1, 2.5]]", {"output.lines = 2.5 is a number, but an integer"}},
           {"lines = [[0, 0, 1, 1]]", {"output.lines = [0, 0, 1, 1] has 4 elements, but 5 are"}},
           {"lines = [[0.5, 1, 0.5, 1, 9]]", {"output.lines = [0.5, 1, 0.5, 1, 9] ends where it"}},
           {"lines = [[0, 0, 1, 1, 1000001]]",
            {"has too many places", "at most 1000000 places in all"}},
           {"lines = [[0, 0, 1, 1, 99999999999]]", {"has too many places"}},
           {"lines = [[0, 0, 1, 1, 600000], [0, 0, 1, 0, 400001]]", {"has too many places"}},
           {"quantities = 1", {"output.quantities = 1 is an integer, but true or false"}}}) {
    const std::string message = message_of("[domain]\nheight = 2.5\n[output]\n" + setting + "\n");
    CAPTURE(setting, message);
    for (const std::string& part : parts) CHECK_THAT(message, ContainsSubstring(part));
    CHECK_THAT(message, ContainsSubstring("mine.toml, line 4"));
  }
  CHECK(message_of("[output]\nlines = [[0, 0, 1, 1, 600000], [0, 0, 1, 0, 400000]]\n").empty());
}

TEST_CASE("more places than allowed are refused", "[experiments][sample_keys]") {
  Value list{List(most_samples + 1, Value{List{Value{0.5}, Value{0.5}}})};
  Configuration c;
  const Key key = points_key();
  CHECK_THROWS_AS(key.read({"output.points", list, {}}, c), ConfigurationError);
  std::get<List>(list.content).pop_back();
  key.read({"output.points", list, {}}, c);
  CHECK(c.output.points.size() == most_samples);
}
