#include "experiments/support/wrong_arguments.hpp"

#include <vector>

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string told(std::vector<const char*> arguments) {
  CLI::App app{"What does this do?", "example"};
  app.require_subcommand(1);
  std::string file, output;
  std::vector<std::string> settings;
  auto* run = app.add_subcommand("run");
  run->add_option("CONFIG", file)->required();
  run->add_option("--output", output);
  run->add_option("--set", settings)->allow_extra_args(false);
  app.add_subcommand("list")->add_option("--width", file);
  arguments.insert(arguments.begin(), "example");
  const int count = static_cast<int>(arguments.size());
  try {
    app.parse(count, arguments.data());
  } catch (const CLI::ParseError& error) {
    return wrong_arguments(error, app, count, arguments.data());
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("a missing command is told with those that there are", "[experiments][program]") {
  CHECK(told({}) == "a command is missing: run, list\n  more: example --help");
}

TEST_CASE("an unknown option is told with what was meant", "[experiments][program]") {
  CHECK(told({"run", "a.toml", "--outptu", "x"})
        == "--outptu is not expected\n  did you mean \"--output\"?\n  more: example run --help");
  CHECK(told({"run", "a.toml", "--levels", "3"})
        == "--levels is not expected\n"
           "  keys of the config file are set by --set, such as --set grid.levels=3\n"
           "  more: example run --help");
  CHECK(told({"run", "a.toml", "--tolerence=1e-8"})
        == "--tolerence is not expected\n"
           "  keys of the config file are set by --set, such as --set solver.tolerance=1e-8\n"
           "  more: example run --help");
  CHECK(told({"run", "a.toml", "--outptu=x"})
        == "--outptu is not expected\n  did you mean \"--output\"?\n  more: example run --help");
  CHECK(told({"run", "a.toml", "--quiet", "3"})
        == "--quiet is not expected\n  more: example run --help");
  CHECK(told({"run", "a.toml", "--nonsense"})
        == "--nonsense is not expected\n  more: example run --help");
  CHECK(told({"run", "a.toml", "-f", "3"}) == "-f is not expected\n  more: example run --help");
  CHECK(
      told({"run", "a.toml", "--set", "solver.precision", "=", "single"})
      == "= is not expected\n  KEY=VALUE is one word, without blanks or in quotes\n"
         "  more: example run --help");
  CHECK(told({"run", "a.toml", "--set", "grid.levels=[3,", "8]"})
        == "8] is not expected\n  KEY=VALUE is one word, without blanks or in quotes\n"
           "  more: example run --help");
  CHECK(told({"run", "a.toml", "--set", "a=1", "b=2"})
        == "b=2 is not expected\n  each setting has a --set of its own: --set b=2\n"
           "  more: example run --help");
  CHECK(told({"run", "a.toml", "--width", "3"})
        == "--width is not expected\n  \"--width\" is an option of example list\n"
           "  more: example run --help");
  CHECK(told({"list", "--levels"}) == "--levels is not expected\n  more: example list --help");
  CHECK(told({"--nonsense"}) == "--nonsense is not expected\n  more: example --help");
}

TEST_CASE("arguments too many or too few are told", "[experiments][program]") {
  CHECK(told({"run", "a.toml", "b.toml"}) == "b.toml is not expected\n  more: example run --help");
  CHECK_THAT(told({"run"}), ContainsSubstring("CONFIG is required"));
  CHECK_THAT(told({"run", "a.toml", "--output"}), ContainsSubstring("--output: 1 required"));
}
