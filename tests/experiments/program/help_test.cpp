#include "experiments/program/help.hpp"

#include <sstream>

#include "solvers/stopping.hpp"

#include "experiments/program/command_line.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

std::string help(const std::string& topic) {
  Arguments arguments;
  return help_on(topic, outline_of(*make_command_line(arguments)));
}

std::string complaint(const std::string& topic) {
  try {
    help(topic);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "";
}

std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace

TEST_CASE("help on a key gives its meaning, values, default and an example",
          "[experiments][help]") {
  REQUIRE(help("solver.tolerance")
          == "solver.tolerance\n\n"
             "  The residual falls to this part of the first one, and the error is bounded by 1000 of\n"
             "  it (see solver.norm); or \"discretisation\", of full multigrid: until what its iteration\n"
             "  leaves is solver.fraction of the discretisation error.\n\n"
             "  value      number: greater than 0, less than 1 unless absolute, or \"discretisation\"\n"
             "  default    1e-10\n"
             "  in a file  [solver]\n"
             "             tolerance = 1e-08\n"
             "  or         --set solver.tolerance=1e-08\n");
}

TEST_CASE("help on every key and every table is complete and fits a terminal",
          "[experiments][help]") {
  for (const Key& key : configuration_keys()) {
    CAPTURE(key.name);
    const std::string whole = help(key.name), text = on_one_line(whole);
    REQUIRE_THAT(text, ContainsSubstring(on_one_line(key.text)) && ContainsSubstring(key.type)
                           && ContainsSubstring(key.allowed));
    REQUIRE_THAT(text, ContainsSubstring(default_of(key)) && ContainsSubstring(key.example));
    const std::string table = on_one_line(help(key.name.substr(0, key.name.find('.'))));
    REQUIRE_THAT(table, ContainsSubstring(key.name) && ContainsSubstring(on_one_line(key.text))
                            && ContainsSubstring(key.allowed));
    REQUIRE_THAT(table, ContainsSubstring(default_of(key)));
    REQUIRE_THAT(on_one_line(help("")), ContainsSubstring(key.name.substr(key.name.find('.') + 1)));
    std::istringstream lines(whole);
    for (std::string line; std::getline(lines, line);) REQUIRE(line.size() <= 88);
  }
}

TEST_CASE("help knows tables within tables, and commands", "[experiments][help]") {
  REQUIRE_THAT(help("problem.boundary"),
               ContainsSubstring("problem.boundary.top (default: \"dirichlet\")"));
  REQUIRE_THAT(help("solve"), ContainsSubstring("Usage: ninefold solve [OPTIONS] CONFIG")
                                  && ContainsSubstring("--set KEY=VALUE"));
}

TEST_CASE("help on a value is that on the few keys that take it", "[experiments][help]") {
  const std::string text = help_on("full-multigrid", {});
  CHECK_THAT(text, ContainsSubstring("solver.method\n"));
  CHECK_THAT(text, ContainsSubstring("solver.start\n"));
  for (const char* const topic : {"true", "rows"}) {
    CHECK_THROWS_AS(help_on(topic, {}), ConfigurationError);
  }
}

TEST_CASE("help on an outcome says what it means", "[experiments][help]") {
  for (const Outcome outcome : {Outcome::converged, Outcome::stagnated, Outcome::step_limit,
                                Outcome::diverged, Outcome::not_finite}) {
    const std::string word(to_string(outcome));
    CHECK_THAT(help_on(word, {}), StartsWith(word + ": an outcome\n\n  "));
  }
  CHECK_THAT(help_on("refused", {}), ContainsSubstring("study"));
}

TEST_CASE("a topic of two words needs no quotation marks", "[experiments][help]") {
  Arguments arguments;
  make_command_line(arguments)->parse(std::string("help step limit"));
  CHECK(arguments.topic == "step limit");
}

TEST_CASE("help on what is not there names what may have been meant", "[experiments][help]") {
  REQUIRE_THAT(complaint("solver.tolerence"),
               ContainsSubstring("there is no key, table or command \"solver.tolerence\"")
                   && ContainsSubstring("did you mean solver.tolerance?"));
  REQUIRE_THAT(complaint("precision"), ContainsSubstring("solver.precision")
                                           && ContainsSubstring("refinement.inner_precision"));
  REQUIRE_THAT(complaint("multgrid"), ContainsSubstring("did you mean \"multigrid\"?"));
  CHECK_THAT(complaint("smoother"), ContainsSubstring("did you mean multigrid.smoother?"));
  REQUIRE_THAT(complaint("cells"), ContainsSubstring("keys that speak of it: ")
                                       && ContainsSubstring("grid.x_widths")
                                       && ContainsSubstring("grid.y_widths"));
  REQUIRE_THAT(
      complaint("rows"),
      ContainsSubstring("did you mean least_squares.rows?\n  other keys that speak of it: ")
          && ContainsSubstring("backend.devices"));
  REQUIRE(complaint(std::string(5000, 'x')).size() < 500);
}
