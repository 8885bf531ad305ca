#include "experiments/support/run_program.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

int status_of(const std::function<bool()>& run, std::vector<const char*> arguments = {}) {
  CLI::App app{"What does this do?", "example"};
  int level = 0;
  app.add_option("--level", level)->check(CLI::Range(1, 9));
  arguments.insert(arguments.begin(), "example");
  return run_program(app, static_cast<int>(arguments.size()), arguments.data(), run,
                     [] { return std::string("all is kept"); });
}

}  // namespace

TEST_CASE("every program tells what went wrong by the same status", "[experiments][program]") {
  REQUIRE(status_of([] { return true; }) == 0);
  REQUIRE(status_of([] { return false; }) == 1);
  REQUIRE(status_of([]() -> bool { throw ConfigurationError("no device"); }) == 2);
  REQUIRE(status_of([]() -> bool { throw std::invalid_argument("no such format"); }) == 2);
  REQUIRE(status_of([]() -> bool { throw CLI::ValidationError("--level", "too fine"); }) == 2);
  REQUIRE(status_of([]() -> bool { throw std::runtime_error("disk full"); }) == 3);
  REQUIRE(status_of([]() -> bool { throw std::bad_alloc(); }) == 3);
}

TEST_CASE("nothing is run for help or on a bad command line", "[experiments][program]") {
  bool ran = false;
  const auto run = [&] { return ran = true; };
  REQUIRE(status_of(run, {"--help"}) == 0);
  REQUIRE(status_of(run, {"--level", "10"}) == 2);
  REQUIRE(status_of(run, {"--lever", "1"}) == 2);
  REQUIRE_FALSE(ran);
  REQUIRE(status_of(run, {"--level", "9"}) == 0);
  REQUIRE(ran);
}
