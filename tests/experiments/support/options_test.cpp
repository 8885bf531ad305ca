#include "experiments/support/options.hpp"

#include <stdexcept>
#include <vector>

#include "experiments/config/settings.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

const Experiment experiment{"example", "Does it work?", {2, 10}, "2 9"};

/// The status, and the options if the experiment was run.
struct Called {
  int status;
  std::optional<ExperimentOptions> options;
};

Called call(std::vector<const char*> arguments, bool agrees = true) {
  arguments.insert(arguments.begin(), "example");
  Called called{-1, {}};
  called.status = run_experiment(static_cast<int>(arguments.size()), arguments.data(), experiment,
                                 [&](const ExperimentOptions& options) {
                                   called.options = options;
                                   return agrees;
                                 });
  return called;
}

}  // namespace

TEST_CASE("without arguments an experiment runs with its defaults", "[experiments][options]") {
  const Called called = call({});
  REQUIRE(called.status == 0);
  REQUIRE_FALSE(called.options.value().levels);
  REQUIRE_FALSE(called.options->full);
  REQUIRE(called.options->backend == "auto");
  REQUIRE(called.options->output == "results/example");
}

TEST_CASE("the options of the command line reach the experiment", "[experiments][options]") {
  const Called called = call({"--levels", "3", "5", "--backend", "host", "--output", "a/b"});
  REQUIRE(called.status == 0);
  REQUIRE(called.options.value().levels.value().first == 3);
  REQUIRE(called.options->levels->last == 5);
  REQUIRE(called.options->backend == "host");
  REQUIRE(called.options->output == "a/b");
  REQUIRE(call({"--full"}).options.value().full);
}

TEST_CASE("bad options end with status 2 before anything is run", "[experiments][options]") {
  const std::vector<std::vector<const char*>> bad{
      {"--levels", "5"},      {"--levels", "5", "4"},
      {"--levels", "1", "4"}, {"--levels", "2", "11"},
      {"--levels", "2", "x"}, {"--full", "--levels", "2", "3"},
      {"--backend", "gpu"},   {"--output"},
      {"--unknown"},          {"stray"}};
  for (const auto& arguments : bad) {
    CAPTURE(arguments);
    const Called called = call(arguments);
    REQUIRE(called.status == 2);
    REQUIRE_FALSE(called.options);
  }
}

TEST_CASE("help is no failure, and runs nothing", "[experiments][options]") {
  const Called called = call({"--help"});
  REQUIRE(called.status == 0);
  REQUIRE_FALSE(called.options);
}

TEST_CASE("the status tells disagreement, bad input and failure apart", "[experiments][options]") {
  const char* const name = "example";
  const auto status_of = [&](const std::function<bool(const ExperimentOptions&)>& run) {
    return run_experiment(1, &name, experiment, run);
  };
  REQUIRE(call({}, false).status == 1);
  REQUIRE(status_of([](const auto&) -> bool { throw ConfigurationError("no device"); }) == 2);
  REQUIRE(status_of([](const auto&) -> bool { throw std::runtime_error("disk full"); }) == 3);
  REQUIRE(status_of([](const auto&) -> bool { throw std::bad_alloc(); }) == 3);
}
