#include "experiments/program/compare.hpp"

#include <nlohmann/json.hpp>

#include "output/tables/files.hpp"

#include "experiments/config/settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::ordered_json;

namespace {

Json results_of(double error, int iterations, double seconds, const std::string& device) {
  const Json level{{"level", 5},
                   {"outcome", "converged"},
                   {"iterations", iterations},
                   {"error_l2", error},
                   {"solve_seconds", seconds}};
  const Json run{{"name", "run-1"}, {"varied", Json::object()}, {"levels", Json::array({level})}};
  return {{"meta",
           {{"device", device},
            {"version", "1"},
            {"commit", "c"},
            {"date", "d"},
            {"options", {{"solver.tolerance", "1e-10"}}}}},
          {"runs", Json::array({run})}};
}

}  // namespace

TEST_CASE("two results are compared in digits, iterations and time", "[experiments][compare]") {
  const Article article = compared_results(results_of(1.23456e-5, 6, 0.1, "host"),
                                           results_of(1.23499e-5, 7, 0.2, "device"), "a", "b");
  const auto& table = std::get<TableBlock>(article.sections[1].blocks.front()).table;
  REQUIRE(table.rows().size() == 1);
  CHECK(std::get<std::int64_t>(table.rows()[0][8]) == 4);  // half a unit of the fourth
  CHECK(std::get<double>(table.rows()[0][11]) == 2);
  const std::string text = to_text(article);
  CHECK_THAT(text, ContainsSubstring("What was different"));
  CHECK_THAT(text, ContainsSubstring("device"));
  CHECK_THAT(article.summary[1], ContainsSubstring("at least 4 digits"));
  CHECK(article.summary[2] == "the iterations are the same on 0 of 1 levels");
  CHECK_THAT(article.summary[3], ContainsSubstring("b takes 2 times as long as a"));
}

TEST_CASE("what cannot be compared is refused", "[experiments][compare]") {
  const TemporaryDirectory folder;
  CHECK_THROWS_AS(read_results(folder.path() / "none"), ConfigurationError);
  write_file_atomically(folder.path() / "results.json", "{\"no\": 1}");
  CHECK_THROWS_WITH(read_results(folder.path()), ContainsSubstring("holds no results"));
  Json other = results_of(1, 1, 1, "host");
  other["runs"][0]["levels"][0]["level"] = 6;
  CHECK_THROWS_AS(compared_results(results_of(1, 1, 1, "host"), other, "a", "b"),
                  ConfigurationError);
}
