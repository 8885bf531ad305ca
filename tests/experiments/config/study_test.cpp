#include "experiments/config/study.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<Plan> plans_of(const std::string& text, const std::vector<Override>& overrides = {}) {
  return plan_study(parse_document(text, "a.toml", overrides));
}

}  // namespace

TEST_CASE("a study is the product of its lists, the first key slowest", "[experiments][study]") {
  const auto plans = plans_of(
      "[solver]\ntolerance = 1e-5\n[study]\n\"solver.precision\" = ['single', 'double']\n"
      "\"multigrid.pre_smoothing\" = [1, 3, 2]\n");
  REQUIRE(plans.size() == 6);
  std::vector<std::pair<Precision, int>> found;
  for (const Plan& plan : plans) {
    found.emplace_back(plan.configuration.solver.precision,
                       plan.configuration.solver.multigrid.pre_smoothing.value());
    REQUIRE(plan.configuration.solver.tolerance == 1e-5);
  }
  REQUIRE(found
          == std::vector<std::pair<Precision, int>>{{Precision::single_, 1},
                                                    {Precision::single_, 3},
                                                    {Precision::single_, 2},
                                                    {Precision::double_, 1},
                                                    {Precision::double_, 3},
                                                    {Precision::double_, 2}});
  REQUIRE(plans[0].name == "run-1");
  REQUIRE(plans[5].name == "run-6");
  REQUIRE(plans[1].varied
          == Options{{"solver.precision", "single"}, {"multigrid.pre_smoothing", "3"}});
}

TEST_CASE("a study overrides what the file sets for all runs", "[experiments][study]") {
  const auto plans =
      plans_of("[solver]\nmethod = 'cg'\n[study]\n\"solver.method\" = ['multigrid', 'cg']\n");
  REQUIRE(plans[0].configuration.solver.method == Method::multigrid);
  REQUIRE(plans[1].configuration.solver.method == Method::cg);
}

TEST_CASE("keys whose values are lists can be varied", "[experiments][study]") {
  const auto plans = plans_of("[study]\n\"grid.levels\" = [[2, 3], 4]\n");
  REQUIRE(plans.size() == 2);
  REQUIRE(plans[0].configuration.last_level == 3);
  REQUIRE(plans[1].configuration.first_level == 4);
}

TEST_CASE("the options of a study show lists for what varies", "[experiments][study]") {
  const auto plans = plans_of(
      "[study]\n\"solver.precision\" = ['single', 'double']\n\"operator.form\" = ['plain']\n");
  const Options options = all_options(plans);
  REQUIRE(options.size() == all_options(Configuration{}).size());
  const auto value = [&](const std::string& key) {
    for (const auto& [name, text] : options) {
      if (name == key) return text;
    }
    return std::string("absent");
  };
  REQUIRE(value("solver.precision") == R"(["single", "double"])");
  REQUIRE(value("operator.form") == R"(["plain"])");
  REQUIRE(value("solver.method") == R"("multigrid")");
}

TEST_CASE("every combination is checked before the first is run", "[experiments][study]") {
  REQUIRE_THROWS_WITH(plans_of("[study]\n\"solver.method\" = ['cg', 'multigrid']\n"
                               "\"solver.preconditioner\" = ['none', 'jacobi']\n"),
                      ContainsSubstring("a.toml, line 3: ")
                          && ContainsSubstring("solver.preconditioner")
                          && ContainsSubstring("in run-4 of the study: solver.method = multigrid, "
                                               "solver.preconditioner = jacobi"));
  REQUIRE_THROWS_WITH(plans_of("[study]\n\"solver.tolerance\" = [1e-3, 7]\n"),
                      ContainsSubstring("line 2: solver.tolerance = 7 is out of range"));
}

TEST_CASE("axes that cannot be varied are refused", "[experiments][study]") {
  REQUIRE_THROWS_WITH(plans_of("[study]\n\"solver.presicion\" = ['single']\n"),
                      ContainsSubstring("line 2: unknown key solver.presicion")
                          && ContainsSubstring("did you mean solver.precision?"));
  REQUIRE_THROWS_WITH(plans_of("[study]\n\"output.directory\" = ['a', 'b']\n"),
                      ContainsSubstring("output.directory cannot be varied"));
  REQUIRE_THROWS_WITH(plans_of("[study]\n"),
                      ContainsSubstring("line 1: the [study] table is empty"));
  REQUIRE_THROWS_WITH(
      plans_of("[solver]\nmethod = 'cg'\n"),
      ContainsSubstring("no [study] table") && ContainsSubstring("ninefold solve a.toml"));
  std::string many = "[study]\n";
  for (const char* key :
       {"domain.width", "domain.height", "problem.reaction", "solver.tolerance"}) {
    many += "\"" + std::string(key) + "\" = [";
    for (int k = 1; k <= 20; ++k) many += "0.0" + std::to_string(k) + "1, ";
    many += "]\n";
  }
  REQUIRE_THROWS_WITH(plans_of(many), ContainsSubstring("more than 10000 runs"));
}

TEST_CASE("an option for a key that the study varies is refused", "[experiments][study]") {
  const std::string study = "[study]\n\"solver.method\" = ['cg', 'multigrid']\n";
  REQUIRE_THROWS_WITH(
      plans_of(study, {{"solver.method=cg", "--set solver.method=cg"}}),
      ContainsSubstring("--set solver.method=cg: solver.method is varied by the study")
          && ContainsSubstring("--set 'study.solver.method=[\"cg\"]'"));
  REQUIRE(plans_of(study, {{"study.solver.method=['cg']", "--set ..."}}).size() == 1);
}

TEST_CASE("a file without a study is one plan", "[experiments][study]") {
  const auto plans = plan_run(parse_document("[solver]\nmethod = 'cg'\n", "a.toml"));
  REQUIRE(plans.size() == 1);
  REQUIRE(plans[0].name == "run-1");
  REQUIRE(plans[0].varied.empty());
  REQUIRE(plans[0].configuration.solver.method == Method::cg);
}
