#include "output/document/results_document.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "output/document/html.hpp"
#include "output/document/results_figures.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

LevelResult level_of(int level, double error, double seconds) {
  LevelResult row;
  row.level = level;
  row.outcome = "converged";
  row.error_l2 = error;
  row.solve_seconds = seconds;
  row.history = {1, 0.1, 0.01};
  return row;
}

/// Half leaves the error of double on level 4.
Results two_runs() {
  Results results;
  results.meta.device = "a device";
  results.meta.options = {{"problem.solution", "\"sine\""}};
  results.runs.push_back(
      {"run-1", {{"solver.precision", "half"}}, {level_of(3, 1e-2, 0.1), level_of(4, 5e-3, 0.2)}});
  results.runs.push_back({"run-2",
                          {{"solver.precision", "double"}},
                          {level_of(3, 1.01e-2, 0.3), level_of(4, 2.5e-3, 0.4)}});
  return results;
}

}  // namespace

TEST_CASE("of a study each level tells which runs are enough, and the quickest of them",
          "[output][document]") {
  const Table table = enough_table(two_runs());
  REQUIRE(table.rows().size() == 2);
  // level; least memory, which is not known; quickest; how many; discretisation error
  CHECK(table.rows()[0]
        == std::vector<Cell>{std::int64_t{3}, Cell(), Cell(), Cell(), "run-1: half", 0.1, Cell(),
                             "2 of 2", 1e-2, Cell()});
  CHECK(std::get<std::string>(table.rows()[1][4]) == "run-2: double");
  CHECK(std::get<std::string>(table.rows()[1][7]) == "1 of 2");
  Results weighed = two_runs();
  weighed.runs[0].levels[0].memory_bytes = 1000;
  weighed.runs[0].levels[0].outcome = "stagnated";
  weighed.runs[1].levels[0].memory_bytes = 2000;
  const Table weighed_table = enough_table(weighed);
  CHECK(table.columns()[4].header == "the quickest that is enough");
  CHECK(weighed_table.columns()[4].header == "the quickest converged that is enough");
  const auto of_weighed = weighed_table.rows()[0];
  CHECK(of_weighed[1] == Cell("run-1: half (stagnated)"));
  CHECK(of_weighed[3] == Cell(1000.0));
  CHECK(of_weighed[4] == Cell("run-2: double"));
  CHECK(of_weighed[6] == Cell(2000.0));
  Results lucky = two_runs();
  lucky.runs[0].levels[1].error_l2 = 2e-3;  // rounding, which happens to help
  lucky.runs[0].levels[1].outcome = "stagnated";
  const Table of_lucky = enough_table(lucky);
  CHECK(std::get<double>(of_lucky.rows()[1][8]) == 2.5e-3);
  CHECK(std::get<std::string>(of_lucky.rows()[1][7]) == "1 of 2");
  Results one = two_runs();
  one.runs.pop_back();
  CHECK(enough_table(one).rows().empty());
  Results others = two_runs();
  others.runs[1].varied = {{"problem.solution", "peak"}};
  CHECK(enough_table(others).rows().empty());
}

TEST_CASE("of a study each run tells what it costs beside double in its form",
          "[output][document]") {
  Results results = two_runs();
  results.runs[0].levels[1].error_rms = 4e-3;
  results.runs[0].levels[1].outcome = "stagnated";
  results.runs[0].levels[1].memory_bytes = 1000;
  const Table table = cost_table(results);
  REQUIRE(table.rows().size() == 4);
  CHECK(table.rows()[0]  // the finest level first
        == std::vector<Cell>{std::int64_t{4}, "run-1: half", "no", 0.2, 1000.0, 0.2 / 0.4, 5e-3,
                             4e-3, "stagnated"});
  CHECK(std::get<std::string>(table.rows()[1][2]) == "yes");
  CHECK(std::get<double>(table.rows()[1][5]) == 1);
  results.runs[1].varied.emplace_back("operator.form", "difference");  // another form
  CHECK(cost_table(results).rows()[0][5] == Cell());
  Results named = two_runs();
  named.runs[0].name = "half plain";
  named.runs[1].name = "double plain";
  for (RunResult& run : named.runs) run.varied.clear();
  CHECK(cost_table(named).rows()[0][5] == Cell(0.2 / 0.4));
}

TEST_CASE("where the time goes is told of all levels of a run, of the finest ones of a study",
          "[output][document]") {
  Results results = two_runs();
  CHECK(time_table(results).rows().empty());
  results.runs[0].levels[1].timeline = {{"load", 0.25}, {"iteration", 0.5}, {"rest", 0.125}};
  results.runs[1].levels[0].timeline = {{"load", 1}};
  results.runs[1].levels[1].timeline = {{"load", 0.5}, {"estimate", 2}, {"rest", 0}};
  const Table several = time_table(results);
  REQUIRE(several.rows().size() == 2);
  CHECK(several.rows()[0]
        == std::vector<Cell>{"run-1: half", std::int64_t{4}, 0.875, 0.25, 0.5, Cell(), 0.125});
  CHECK(several.rows()[1]
        == std::vector<Cell>{"run-2: double", std::int64_t{4}, 2.5, 0.5, Cell(), 2.0, 0.0});
  results.runs.erase(results.runs.begin());
  const Table one = time_table(results);
  REQUIRE(one.rows().size() == 2);
  CHECK(one.rows()[0] == std::vector<Cell>{std::int64_t{3}, 1.0, 1.0, Cell(), Cell()});
  CHECK_THAT(to_html(results_page(results)), ContainsSubstring("Where the time goes"));
}

TEST_CASE("each row leads to its history and back, each point to its row", "[output][document]") {
  const std::string page = to_html(results_page(two_runs()));
  CHECK_THAT(page, ContainsSubstring("<tr id=\"row-run-1-level04\"><td><a "
                                     "href=\"#history-run-1-level04\">"));
  CHECK_THAT(page, ContainsSubstring("<tr id=\"history-run-1-level04\"><td><a "
                                     "href=\"#row-run-1-level04\">"));
  CHECK_THAT(page, ContainsSubstring("<a href=\"#row-run-1-level03\"><circle"));
  CHECK_THAT(page, ContainsSubstring("1, 0.1, 0.01"));
}

TEST_CASE("results without errors or histories have no figures of them", "[output][document]") {
  Results results = two_runs();
  for (RunResult& run : results.runs) {
    for (LevelResult& level : run.levels) {
      level.error_l2.reset();
      level.history.clear();
    }
  }
  CHECK(results_figures(results).empty());
  CHECK(history_section(results).blocks.empty());
  CHECK_THAT(to_html(results_page(results)), !ContainsSubstring("<figure"));
}

TEST_CASE("a page of 500 runs is smaller than 5 MB", "[output][document]") {
  Results results = two_runs();
  RunResult run = results.runs.front();
  run.levels.front().history = std::vector<double>(30, 1.0 / 3);
  run.levels.back().history = std::vector<double>(30, 1.0 / 3);
  results.runs.clear();
  for (int k = 0; k < 500; ++k) {
    run.name = "run-" + std::to_string(k);
    results.runs.push_back(run);
  }
  ReportState state;
  for (int k = 0; k < 24; ++k) {  // as many as a page shows
    state.images.push_back({"run-1", 3, {Image{"", "", std::string(9700, 'a'), "", ""}}});
  }
  CHECK(to_html(results_page(results, state)).size() < std::size_t{5} << 20);
}

TEST_CASE("pictures of a study say what varies", "[output][document]") {
  ReportState state;
  state.images.push_back({"run-1", 4, {Image{"solution", "", "PNG", "0", "1"}}});
  CHECK_THAT(to_html(results_page(two_runs(), state)),
             ContainsSubstring("run-1: half, level 4: solution"));
}

TEST_CASE("a page says how far its run has come", "[output][document]") {
  const ReportState failed{Progress::failed, "Failed: no memory", {"first line"}, {}};
  const std::string page = to_html(results_page(two_runs(), failed));
  CHECK_THAT(page, ContainsSubstring("class=\"failed\">Failed: no memory</p>"));
  CHECK_THAT(page, ContainsSubstring("<li>first line</li>"));
  CHECK_THAT(to_html(results_page(two_runs())), ContainsSubstring("class=\"complete\">"));
}
