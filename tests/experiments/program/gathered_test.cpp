#include "experiments/program/gathered.hpp"

#include <nlohmann/json.hpp>

#include "output/document/document_json.hpp"
#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/support/comparison.hpp"
#include "experiments/support/words.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

/// An experiment of one table, whose cell leads to a solve on its own page.
Article experiment() {
  Table table({Column{.key = "level", .header = "level"}});
  table.add_row({std::int64_t{5}});
  TableBlock block{"Table 1", table};
  block.id = "table_1";
  block.links = {{"#row-a-level05"}};
  Article article{.title = "First",
                  .subtitle = "here, today",
                  .summary = {"table 1: 3 of 4 values agree"},
                  .summary_links = {"#table_1"}};
  article.sections.push_back({"results", "", {Paragraph{"words"}, std::move(block)}});
  Comparison comparison("table 1");
  comparison.begin_row("a", 5);
  comparison.count("steps", Source::paper, 3, 3);
  article.sections.push_back(
      {"agreement", "Every compared value", {TableBlock{{}, comparison_table({comparison})}}});
  return article;
}

}  // namespace

TEST_CASE("what experiments have left is one page, and what is missing is said",
          "[experiments][gathered]") {
  const TemporaryDirectory folder;
  const auto one = folder.path() / "one", two = folder.path() / "two";
  ensure_writable_directory(one);
  write_file_atomically(one / "report.json", document_json(experiment()).dump());
  const Article all = gathered({one.string(), two.string()}, "All", folder.path());
  CHECK(all.title == "All");
  CHECK(all.subtitle == "here");
  CHECK(all.progress == Progress::failed);
  CHECK(all.progress_text == "Not complete: 1 of 2 experiments.");
  CHECK(all.summary[1] == "NOT everything agrees: 3 of 4 compared values do");
  CHECK(all.sections[0].title == "The problem");
  CHECK(all.sections[4].title == "First");
  Article agreeing = experiment();
  agreeing.summary = {"table 1: 4 of 4 values agree"};
  write_file_atomically(one / "report.json", document_json(agreeing).dump());
  CHECK(gathered({one.string()}, "All", folder.path()).summary[1]
        == "all 4 compared values agree (1 with the paper's); what is not compared is said below each "
           "table");
  // The same place on two days.
  ensure_writable_directory(two);
  Article later = experiment();
  later.subtitle = "here, tomorrow";
  write_file_atomically(two / "report.json", document_json(later).dump());
  CHECK(gathered({one.string(), two.string()}, "All", folder.path()).subtitle == "here");
  write_file_atomically(one / "report.json", "[]");
  CHECK_THROWS_WITH(gathered({one.string()}, "All", folder.path()),
                    ContainsSubstring("report.json"));
}

TEST_CASE("a page states the problems of its experiments: grids, matrices or both",
          "[experiments][gathered]") {
  const auto stated = [](const std::vector<std::string>& experiments) {
    std::string text;
    for (const Block& block : problem_section(experiments).blocks) {
      text += std::get<Paragraph>(block).text + "\n";
    }
    return text;
  };
  CHECK_THAT(stated({"convergence"}),
             StartsWith("-div(grad u) = f") && !ContainsSubstring("A x = b"));
  CHECK_THAT(stated({"fill", "reconstruction"}),
             StartsWith("A x = b") && !ContainsSubstring("-div(grad u)"));
  CHECK_THAT(stated({"fill", "convergence"}),
             ContainsSubstring("-div(grad u)") && ContainsSubstring("A x = b"));
}

TEST_CASE("a page of several leads to their tables, and to solves where their pages are",
          "[experiments][gathered]") {
  const TemporaryDirectory folder;
  const auto one = folder.path() / "one";
  ensure_writable_directory(one);
  write_file_atomically(one / "report.json", document_json(experiment()).dump());
  const auto page = [&] {
    return to_html(gathered({"Other=" + one.string()}, "All", folder.path() / "page"));
  };
  CHECK_THAT(page(), ContainsSubstring("<h2>Other</h2>"));
  CHECK_THAT(page(),
             ContainsSubstring("<td>one</td><td><a href=\"#one-table_1\">table 1</a></td>"
                               "<td class=\"long\">3 of 4 values agree (1 with the paper's)</td>"));
  CHECK_THAT(page(), ContainsSubstring("Of each solve norms of the error are kept here, and no "
                                       "picture of where it lies"));
  CHECK_THAT(page(), ContainsSubstring("<h3 id=\"one-table_1\">"));
  CHECK_THAT(page(), ContainsSubstring("Compared here, by source and rule: paper, equal: steps."));
  CHECK_THAT(page(), !ContainsSubstring("row-a-level05"));
  write_file_atomically(one / "report.html", "");
  CHECK_THAT(page(), ContainsSubstring("<a href=\"../one/report.html#row-a-level05\">5</a>"));
  CHECK_THAT(page(), ContainsSubstring("<a href=\"../one/report.html\">Its own page"));
}

TEST_CASE("a table of measurements is a part of a page, with figures that lead to its rows",
          "[experiments][gathered]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "times.csv";
  write_file_atomically(file,
                        "run,level,milliseconds,device,date\na,5,1,GPU,today\na,6,2,GPU,today\n");
  const Article all = gathered({"How long=" + file.string()}, "All", folder.path());
  CHECK(all.summary == std::vector<std::string>{"1 table of measurements"});
  CHECK(all.progress == Progress::complete);
  const std::string page = to_html(all);
  for (const char* part :
       {"<a href=\"#times\">How long</a>",
        "<td><a href=\"#times\">How long</a></td><td>GPU</td><td>not recorded</td>"
        "<td>not recorded</td><td>not recorded</td>"
        "<td>today</td>",
        "<td>2 rows</td>", "<tr id=\"times-row-all-level06\">",
        "<a href=\"#times-row-all-level06\"><circle"}) {
    CHECK_THAT(page, ContainsSubstring(part));
  }
}

TEST_CASE("what ran where is said once, and whether it is of one commit",
          "[experiments][gathered]") {
  const TemporaryDirectory folder;
  const auto one = folder.path() / "one", two = folder.path() / "two";
  for (const auto& [place, date] : {std::pair{one, "2026-11-02"}, std::pair{two, "2026-11-01"}}) {
    ensure_writable_directory(place);
    Article article = experiment();
    article.subtitle = std::string("a GPU, large; driver 1; ninefold 0.1.0 (abc), ") + date;
    write_file_atomically(place / "report.json", document_json(article).dump());
  }
  const auto table = folder.path() / "times.csv";
  write_file_atomically(table, "level,device,driver,commit,date\n5,a GPU,1,abd-dirty,2026-11-03\n");
  const Article alike = gathered({one.string(), two.string()}, "All", folder.path());
  CHECK(alike.subtitle == "a GPU; 1; ninefold 0.1.0");
  const std::string page = to_html(alike);
  CHECK_THAT(page, ContainsSubstring("<td><a href=\"#two\">First</a></td><td>a GPU, large</td>"
                                     "<td>1</td><td>0.1.0</td><td>abc</td><td>2026-11-01</td>"));
  CHECK_THAT(page, !ContainsSubstring("of one commit"));
  CHECK_THAT(page, ContainsSubstring("<dt>level</dt>"));
  CHECK_THAT(to_html(gathered({one.string(), table.string()}, "All", folder.path())),
             ContainsSubstring("<td>a GPU</td><td>1</td><td>not recorded</td><td>abd-dirty</td>")
                 && ContainsSubstring(
                     "; <a href=\"#provenance\">several commits, 2 to 3 November 2026</a>")
                 && ContainsSubstring("Not all of this is of one commit.  &quot;-dirty&quot;: "));
}

TEST_CASE("pictures of an experiment are led to from the first screenful and the glance",
          "[experiments][gathered]") {
  const TemporaryDirectory folder;
  const auto one = folder.path() / "one";
  ensure_writable_directory(one);
  Article article = experiment();
  const Image image{.title = "double, level 5: size of the error",
                    .description = "an error",
                    .png = "PNG",
                    .least = "0",
                    .largest = "2",
                    .place = "largest in the middle, near (0.5, 0.5); zero at the boundary"};
  Image other = image;
  other.title = "single, level 5: size of the error";
  other.largest = "4";
  article.sections.front().blocks.emplace_back(Gallery{{image, other}});
  write_file_atomically(one / "report.json", document_json(article).dump());
  const Article all = gathered({one.string()}, "All", folder.path());
  CHECK(all.summary.front()
        == "size of the error on the grid, pictured for double, level 5; single, level 5, each "
           "largest in the middle, near (0.5, 0.5)");
  CHECK(all.summary_links.front() == "#one-pictures");
  const std::string page = to_html(all);
  for (const char* part :
       {"<div class=\"gallery\" id=\"one-pictures\">", "<p><a href=\"#one-pictures\">size of the",
        "these largest values differ by a factor of 2.", "zero at the boundary</span>"}) {
    CHECK_THAT(page, ContainsSubstring(part));
  }
  CHECK_THAT(page, !ContainsSubstring("norms of the error are kept here"));
}

TEST_CASE("times of one level from several tables stand in one table, which leads to them",
          "[experiments][gathered]") {
  const TemporaryDirectory folder;
  const auto one = folder.path() / "one.csv", two = folder.path() / "two.csv";
  write_file_atomically(one, "run,level,milliseconds,residual\na,9,2,1e-10\n");
  write_file_atomically(two, "run,level,solve_seconds,memory_gib\nb,9,3,0.5\nb,8,1,0.1\n");
  const Article all =
      gathered({"First: of all=" + one.string(), "Second=" + two.string()}, "All", folder.path());
  CHECK(all.sections.front().id == "level-9");
  const std::string page = to_html(all);
  CHECK_THAT(page, ContainsSubstring("<a href=\"#one-row-all-level09\">First</a></td>"
                                     "<td>a residual of 1e-10</td>"));
  CHECK_THAT(page, ContainsSubstring("data-value=\"536870912\">512</td>"));
  CHECK_THAT(page, ContainsSubstring("<td class=\"number\">not recorded</td>"));
  CHECK_THAT(page, ContainsSubstring("<p><a href=\"#level-9\">These times on level 9"));
  const Article alone = gathered({one.string()}, "All", folder.path());
  CHECK(alone.sections.front().id == "at-a-glance");
  CHECK_THAT(to_html(alone), !ContainsSubstring("#level-9"));
}
