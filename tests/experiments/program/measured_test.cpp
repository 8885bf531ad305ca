#include "experiments/program/measured.hpp"

#include "output/document/html.hpp"
#include "output/tables/files.hpp"

#include "experiments/program/measured_notes.hpp"
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
  CHECK(
      article.summary
      == std::vector<std::string>{"level 4: the quickest that is enough is double, plain: 0.4 s"});
  const auto& blocks = article.sections.front().blocks;
  // Enough and what that means, costs, errors, cost, times, an introduction, rows, words.
  REQUIRE(blocks.size() == 10);
  const auto& enough = std::get<TableBlock>(blocks.front()).table;
  REQUIRE(enough.rows().size() == 2);
  CHECK(std::get<std::string>(enough.rows()[1][4]) == "double, plain");
  CHECK(std::get<Paragraph>(blocks[6]).text.find("on levels 3 to 4") != std::string::npos);
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

TEST_CASE("the least memory that is enough is told beside the least time",
          "[experiments][measured]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "wall.csv";
  const auto summary = [&](const char* single_seconds) {
    write_file_atomically(
        file, std::string("run,level,outcome,error_l2,error_rms,solve_seconds,memory_bytes\n"
                          "half,9,stagnated,1e-5,1e-5,0.1,1048576\n"
                          "single,9,stagnated,1e-7,1e-7,")
                  + single_seconds + ",2097152\ndouble,9,converged,1e-7,1e-7,0.4,4194304\n");
    return measured(file).summary;
  };
  CHECK(summary("0.41")
        == std::vector<std::string>{
            "level 9: the least memory that is enough is single (2 MiB, 0.41 s, stagnated)",
            "double, the quickest converged, is as fast (4 MiB, 0.4 s)"});
  CHECK(summary("0.8")[1] == "double, the quickest converged, is 2 times as fast (4 MiB, 0.4 s)");
}

TEST_CASE("a curve that was measured twice is drawn once", "[experiments][measured]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "twice.csv";
  write_file_atomically(file, "run,level,milliseconds\na,5,1\na,6,2\nb,5,1.001\nc,5,1.1\n");
  const std::string page = to_html(measured(file));
  CHECK_THAT(page, ContainsSubstring("<title>a; b: 0.001 at 5</title>"));
  CHECK_THAT(page, ContainsSubstring("<title>c: 0.0011 at 5</title>"));
}

TEST_CASE("why the discretisation error takes longer than a tolerance is said where it does",
          "[experiments][measured]") {
  const auto note = [](const std::string& seconds) {
    return discretisation_note(
        table_of_csv("level,to_discretisation_seconds,iterations,tolerance,to_tolerance_seconds,"
                     "tolerance_iterations\n9,1,2,1e-10,2,6\n15,"
                     + seconds + ",3,1e-8,2,2\n"));
  };
  CHECK_THAT(note("3"), ContainsSubstring("on levels 15 (3 against 2, to 1e-08), in brackets"));
  CHECK(note("2").empty());
}
