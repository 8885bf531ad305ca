#include "experiments/support/report.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

namespace {

Meta meta() {
  Meta made;
  made.device = "a device";
  made.version = "1.2.3";
  made.commit = "abc";
  made.date = "today";
  return made;
}

Table small_table() {
  Table table({level_column(), count_column("n", "steps"), error_column("e", "error", 4),
               decimal_column("r", "rate", 2), text_column("t", "agrees")});
  table.add_row({std::int64_t{5}, std::int64_t{42}, 1.23456e-7, 0.125, std::string("yes")});
  return table;
}

Comparison comparison(const std::string& name, int ours) {
  Comparison made(name);
  made.begin_row("row", 5);
  made.count("steps", Source::paper, 42, ours);
  made.relative("error", Source::exact, 1.5, 1.5, 0.1);
  return made;
}

}  // namespace

TEST_CASE("a report leaves its text, its tables and every comparison", "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", meta(), folder.path());
  report.paragraph("Some text.");
  report.table("Table 0", "table_0", small_table());
  report.picture("picture.png", "");
  report.add(comparison("table 0", 42));
  REQUIRE(report.finish());
  REQUIRE(folder.entries()
          == Names{"agreement.csv", "agreement.json", "report.html", "report.json", "report.md",
                   "table_0.csv", "table_0.tex"});
  const std::string text = content_of(folder.path() / "report.md");
  for (const char* part :
       {"# A title\n", "a device; ninefold 1.2.3 (abc), today", "Some text.", "## Table 0\n",
        "|     5 |", "![picture.png](picture.png)", "summary: table 0: 2 of 2 values agree"}) {
    REQUIRE_THAT(text, ContainsSubstring(part));
  }
  REQUIRE(content_of(folder.path() / "table_0.csv")
          == "level,n,e,r,t\n5,42,1.23456e-07,0.125,yes\n");
  const auto json = nlohmann::json::parse(content_of(folder.path() / "agreement.json"));
  REQUIRE(json["tables"][0]["agreeing"] == 2);
  REQUIRE(json["tables"][0]["values"][0]["expected"] == 42);
  REQUIRE(json["tables"][0]["values"][1]["source"] == "exact");
}

TEST_CASE("one value that disagrees makes the report disagree", "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", meta(), folder.path());
  report.add(comparison("one", 42));
  report.add(comparison("two", 41));
  REQUIRE_FALSE(report.finish());
  const std::string text = content_of(folder.path() / "report.md");
  REQUIRE_THAT(text, ContainsSubstring("summary: one: 2 of 2 values agree\n"
                                       "summary: two: 1 of 2 values agree\n"));
  REQUIRE_THAT(content_of(folder.path() / "agreement.csv"),
               ContainsSubstring("two,row,5,steps,paper,42,41,equal,NO"));
}

TEST_CASE("a report without a comparison is a failure, not an agreement", "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", meta(), folder.path());
  report.add(Comparison("nothing"));
  REQUIRE_THROWS_AS(report.finish(), std::runtime_error);
  REQUIRE(folder.entries().empty());
}

TEST_CASE("a picture that was not drawn says why", "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", meta(), folder.path());
  report.picture("picture.png", "gnuplot is not installed");
  report.add(comparison("one", 42));
  REQUIRE(report.finish());
  const std::string text = content_of(folder.path() / "report.md");
  REQUIRE_THAT(text,
               ContainsSubstring("gnuplot is not installed") && !ContainsSubstring("![picture"));
}

TEST_CASE("a level shows its outcome unless it converged", "[experiments][report]") {
  LevelResult row;
  row.iterations = 7;
  row.outcome = "converged";
  REQUIRE(iterations_cell(row) == Cell(std::int64_t{7}));
  row.outcome = "stagnated";
  REQUIRE(iterations_cell(row) == Cell(std::string("7, stagnated")));
  REQUIRE(std::isnan(error_l2(row)));
  row.error_rms = 0.5;
  REQUIRE(error_rms(row) == 0.5);
}
