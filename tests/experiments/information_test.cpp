#include "experiments/information.hpp"

#include <catch2/catch.hpp>

using namespace ninefold;
using Catch::Contains;

namespace {

RunResult run_with(const std::vector<std::pair<std::string, std::string>>& outcomes) {
  RunResult run{"run-1", {}, {}};
  for (const auto& [outcome, remark] : outcomes) {
    LevelResult level;
    level.level = 5 + static_cast<int>(run.levels.size());
    level.outcome = outcome;
    level.remark = remark;
    run.levels.push_back(level);
  }
  return run;
}

}  // namespace

TEST_CASE("bytes are readable", "[experiments][information]") {
  REQUIRE(readable_bytes(0) == "0 B");
  REQUIRE(readable_bytes(999) == "999 B");
  REQUIRE(readable_bytes(1000) == "0.98 KiB");
  REQUIRE(readable_bytes(std::size_t{3} << 29) == "1.50 GiB");
  REQUIRE(readable_bytes(std::size_t{141} << 30) == "141 GiB");
}

TEST_CASE("the information names devices, formats, problems and the build",
          "[experiments][information]") {
  const std::string text = program_information();
  for (const char* part : {"ninefold 0", "commit", "compiler", "CUDA", "VTK", "host", "single",
                           "double", "2^-24", "2^-53", "1.18e-38", "1.80e+308", "sMeE"}) {
    REQUIRE_THAT(text, Contains(part));
  }
  for (const Precision precision : named_precisions()) {
    REQUIRE_THAT(text, Contains("\n  " + to_string(precision) + " "));
  }
  for (const std::string& name : problem_names()) {
    REQUIRE_THAT(text, Contains(name) && Contains(problem_description(name)));
  }
}

TEST_CASE("levels that ended alike share a line", "[experiments][information]") {
  const Results results{{},
                        {run_with({{"converged", ""},
                                   {"stagnated", "first"},
                                   {"stagnated", "second"},
                                   {"step limit", "third"}})}};
  REQUIRE(remarks_summary(results)
          == "levels 6 to 7 stagnated; level 7: second\nlevel 8 step limit: third\n");
  REQUIRE(verdict(results) == "3 of 4 levels did not converge");
}

TEST_CASE("a run without remarks has none", "[experiments][information]") {
  const Results results{{}, {run_with({{"converged", ""}, {"converged", ""}})}};
  REQUIRE(remarks_summary(results).empty());
  REQUIRE(verdict(results) == "all 2 levels converged");
  REQUIRE(verdict({{}, {run_with({{"converged", ""}})}}) == "converged");
}

TEST_CASE("the summary leaves out what differs between the runs", "[experiments][information]") {
  const auto plans = plan_study(
      parse_document("[study]\n\"solver.precision\" = ['single', 'double']\n", "a.toml"));
  const std::vector<Demand> demands{forecast_demand(plans[0]), forecast_demand(plans[1])};
  const std::string text = run_summary(plans, demands);
  REQUIRE_THAT(text,
               Contains("polynomial on 1 x 1") && Contains("results/a") && !Contains("precision"));
  REQUIRE_THAT(run_summary({plans[0]}, {demands[0]}), Contains("single precision, plain form"));
}

TEST_CASE("the report of a check holds all options and the memory", "[experiments][information]") {
  const auto plans = plan_run(parse_document("[grid]\nlevels = [2, 4]\n", "a.toml"));
  const std::string text = check_report(plans, {forecast_demand(plans[0])});
  REQUIRE_THAT(text, Contains(to_toml(all_options(plans))));
  REQUIRE_THAT(text, Contains("on the backend") && Contains("289"));
}
