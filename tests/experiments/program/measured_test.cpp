#include "experiments/program/measured.hpp"

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a CSV file becomes the table that it was written from", "[experiments][measured]") {
  Table table({{.key = "name", .header = "name", .align = Align::left},
               {.key = "level", .header = "level"},
               {.key = "error", .header = "error"},
               {.key = "commit", .header = "commit", .align = Align::left}});
  table.add_row({std::string("a, \"b\"\nc"), std::int64_t{5}, 0.1 + 0.2, std::string("123")});
  table.add_row({std::string("d"), std::int64_t{6}, std::monostate{}, std::string("4e5")});
  const Table again = table_of_csv(table.to_csv());
  CHECK(again.rows() == table.rows());
  CHECK(again.columns()[0].align == Align::left);
  CHECK(again.columns()[2].align == Align::right);
  CHECK(again.to_csv() == table.to_csv());
}

TEST_CASE("a CSV file that is none is refused with its line", "[experiments][measured]") {
  CHECK_THROWS_WITH(table_of_csv(""), "it is empty");
  CHECK_THROWS_WITH(table_of_csv("a,b\n1,2\n3\n"), "line 3: 1 values under 2 keys");
  CHECK_THROWS_WITH(table_of_csv("a\n\"x\ny"), "line 2: a quote does not end");
  const TemporaryDirectory folder;
  CHECK_THROWS_WITH(measured(folder.path() / "none.csv"), ContainsSubstring("none.csv"));
}

TEST_CASE("measurements tell which run is enough, and draw errors and times",
          "[experiments][measured]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "wall.csv";
  write_file_atomically(file,
                        "run,level,form,outcome,error_l2,solve_seconds,device,commit,date\n"
                        "half,3,plain,stagnated,1e-2,0.1,GPU,abc,2026-11-24\n"
                        "half,4,plain,stagnated,5e-3,0.2,GPU,abc,2026-11-24\n"
                        "double,3,plain,converged,1e-2,0.3,GPU,abd,2026-11-25\n"
                        "double,4,plain,converged,2.5e-3,0.4,GPU,abd,2026-11-25\n"
                        "double,4,other,converged,2.5e-3,0.5,GPU,abd,2026-11-25\n");
  const Article article = measured(file);
  CHECK(article.title == "wall");
  CHECK(article.subtitle == "device: GPU; commit: abc, abd; date: 2026-11-24, 2026-11-25");
  CHECK(article.summary
        == std::vector<std::string>{"enough on level 4: double, plain; double, other",
                                    "the quickest of them in this table that converged: "
                                    "double, plain, in 0.4 s"});
  const auto& blocks = article.sections.front().blocks;
  REQUIRE(blocks.size() == 6);  // enough, costs, errors, cost, times, rows
  const auto& enough = std::get<TableBlock>(blocks.front()).table;
  REQUIRE(enough.rows().size() == 2);
  CHECK(std::get<std::string>(enough.rows()[1][3]) == "double, plain");
  const std::string page = to_html(article);
  for (const char* part : {"Time over level", "<title>half, plain: 0.005 at 4</title>",
                           "<tr id=\"row-double--other-level04\">"}) {
    CHECK_THAT(page, ContainsSubstring(part));
  }
}

TEST_CASE("errors of several problems do not tell which run is enough", "[experiments][measured]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "two.csv";
  write_file_atomically(file, "run,problem,level,error_l2\na,sine,3,1e-2\nb,peak,3,2e-3\n");
  const Article article = measured(file);
  CHECK(article.summary == std::vector<std::string>{"2 rows"});
  CHECK_THAT(to_html(article), !ContainsSubstring("Which run is enough"));
}

TEST_CASE("columns of measurements are headed by words with their units",
          "[experiments][measured]") {
  const auto heads = [](const std::string& keys) {
    std::string text;
    const Table table = table_of_csv(keys + "\n");
    for (const Column& column : table.columns()) {
      text += column.header + " [" + column.unit + "] ";
    }
    return text;
  };
  CHECK(heads("per_unknown,to_tolerance,memory")
        == "per unknown [ns] to the tolerance [ms] memory [GiB] ");
  CHECK(heads("memory,refined_by") == "values kept per unknown [] refined by [] ");
  const TemporaryDirectory folder;
  const auto file = folder.path() / "names.csv";
  write_file_atomically(file,
                        "run,level,milliseconds\nrefinement.inner_precision none,5,1\n"
                        "refinement.inner_precision single,5,2\n");
  CHECK_THAT(to_html(measured(file)), ContainsSubstring("<title>inner: none: 0.001 at 5</title>"));
}

TEST_CASE("a row that is measured again has no place of its own", "[experiments][measured]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "again.csv";
  write_file_atomically(file, "level,milliseconds\n5,1\n5,2\n");
  const std::string page = to_html(measured(file));
  CHECK_THAT(page, ContainsSubstring("<tr id=\"row-all-level05\"><td class=\"number\">5</td>"));
  CHECK_THAT(page, !ContainsSubstring("id=\"\""));
}
