#include "experiments/support/report.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

namespace {

/// Of one solve, called as the row of the comparison.
Results results() {
  Results all;
  Meta& made = all.meta;
  made.device = "a device";
  made.version = "1.2.3";
  made.commit = "abc";
  made.date = "today";
  LevelResult level;
  level.level = 5;
  level.outcome = "converged";
  level.error_l2 = 1.5;
  level.history = {1, 0.1};
  all.runs.push_back({"row", {}, {level}});
  return all;
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
  ExperimentReport report("A title", results(), folder.path());
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

TEST_CASE("the page of a report leads from what is compared to the solves and their histories",
          "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", results(), folder.path());
  const Table table = small_table();
  const std::string link = solve_link("row", results().runs.front().levels.front());
  report.table("Table 0", "table_0", table, {cell_links(table, {{"n", link}})});
  report.add(comparison("table 0", 42));
  REQUIRE(report.finish());
  const std::string page = content_of(folder.path() / "report.html");
  const std::string history = "<a href=\"#history-row-level05\">";
  for (const std::string& part :
       {std::string("<li><a href=\"#table_0\">table 0: 2 of 2 values agree "
                    "(1 with the paper's, 1 exact)</a></li>"),
        std::string("<h3 id=\"table_0\">Table 0</h3>"),
        "<td class=\"number\">" + history + "42</a>", "<td>" + history + "row</a></td>",
        std::string("<tr id=\"history-row-level05\">"),
        std::string("<a href=\"#row-row-level05\"><circle")}) {
    REQUIRE_THAT(page, ContainsSubstring(part));
  }
  // One value of each kind is compared; all else in the table is not, and that is said.
  REQUIRE_THAT(page, ContainsSubstring("agrees (what is compared)</th>"));
  REQUIRE_THAT(page, ContainsSubstring("Compared here, by source and rule: paper, equal: steps; "
                                       "exact, within 10 %: error.  All else"));
  REQUIRE_THAT(content_of(folder.path() / "report.json"), !ContainsSubstring("Compared here"));
  // The page of several reports leads there.
  REQUIRE_THAT(content_of(folder.path() / "report.json"), !ContainsSubstring("\"curve\""));
  REQUIRE_THROWS_AS(cell_links(table, {{"none", link}}), std::logic_error);
}

TEST_CASE("what the paper prints and is not compared is said below its table, with its reason",
          "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", results(), folder.path());
  report.table("Table 0", "table_0", small_table());
  Comparison compared = comparison("table 0", 42);
  compared.begin_row("row", 5);
  compared.leave_out("inner", std::int64_t{763}, std::int64_t{743}, "it is a misprint");
  report.add(std::move(compared));
  REQUIRE(report.finish());
  const std::string page = content_of(folder.path() / "report.html");
  for (const char* part :
       {"table 0: 2 of 2 values agree (1 with the paper's, 1 exact); 1 of the paper's not compared",
        "NOT compared, though the paper prints them: inner (the paper's "
        "against ours: 763 against 743 on level 5), since it is a misprint.",
        "<td>it is a misprint</td>"}) {
    REQUIRE_THAT(page, ContainsSubstring(part));
  }
  REQUIRE_THAT(content_of(folder.path() / "report.md"),
               ContainsSubstring("summary: table 0: 2 of 2 values agree\n"));
}

TEST_CASE("one value that disagrees makes the report disagree", "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", results(), folder.path());
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
  ExperimentReport report("A title", results(), folder.path());
  report.add(Comparison("nothing"));
  REQUIRE_THROWS_AS(report.finish(), std::runtime_error);
  REQUIRE(folder.entries().empty());
}

TEST_CASE("a picture that was not drawn says why", "[experiments][report]") {
  const TemporaryDirectory folder;
  ExperimentReport report("A title", results(), folder.path());
  report.picture("picture.png", "gnuplot is not installed");
  report.add(comparison("one", 42));
  REQUIRE(report.finish());
  const std::string text = content_of(folder.path() / "report.md");
  REQUIRE_THAT(text,
               ContainsSubstring("gnuplot is not installed") && !ContainsSubstring("![picture"));
  REQUIRE_THAT(content_of(folder.path() / "report.html"),
               !ContainsSubstring("gnuplot is not installed"));
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
