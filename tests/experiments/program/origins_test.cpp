#include "experiments/program/origins.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("CUDA and driver are said in one form", "[experiments][origins]") {
  CHECK(driver_words("CUDA 13.0") == "CUDA 13.0");
  CHECK(driver_words("580.159.04") == "driver 580.159.04");
  CHECK(driver_words("580.159.04 (CUDA 13.0)") == "CUDA 13.0, driver 580.159.04");
  CHECK(driver_words("1") == "1");
}

TEST_CASE("of several commits the days are told", "[experiments][origins]") {
  const auto words = [](const std::string& first, const std::string& second) {
    Origins origins;
    origins.add({"a", "", "", "abc", first}, "First", "#first");
    CHECK(origins.commits().text.empty());
    origins.add({"a", "", "", "abd", second}, "Second", "#second");
    return origins.commits().text;
  };
  CHECK(words("2026-11-26T11:25:34Z", "2026-11-21, 2026-11-24")
        == "several commits, 21 to 26 November 2026");
  CHECK(words("2026-11-02", "2026-10-31") == "several commits, 31 October 2026 to 2 November 2026");
  CHECK(words("2026-11-02", "2026-11-02") == "several commits, 2 November 2026");
}

TEST_CASE("a cell says what was not recorded, but for the driver of a host",
          "[experiments][origins]") {
  Origins origins;
  origins.add({"a CPU, 4 threads", "", "", "", "today"}, "First", "#first");
  origins.add({"a GPU", "", "", "abc", ""}, "Second", "#second");
  const Section section = origins.section();
  const auto& rows = std::get<TableBlock>(section.blocks.at(0)).table.rows();
  const std::string none = "not recorded";
  using Row = std::vector<Cell>;
  CHECK(rows.at(0) == Row{"First", "a CPU, 4 threads", "", none, none, "today"});
  CHECK(rows.at(1) == Row{"Second", "a GPU", none, none, "abc", none});
}

TEST_CASE("what reports and tables say of their origin is taken apart", "[experiments][origins]") {
  const RunOrigin report = origin_of_experiment(
      "a host, 10 threads; a GPU, 132 multiprocessors, driver for CUDA 13.0; driver CUDA 13.0; "
      "ninefold 0.1.0 (abc), today");
  CHECK(report.machine == "a host, 10 threads; a GPU, 132 multiprocessors");
  CHECK(report.driver == "CUDA 13.0");
  CHECK(report.version == "0.1.0");
  CHECK(report.commit == "abc");
  CHECK(report.date == "today");
  const RunOrigin table =
      origin_of_table("device: a GPU; driver: 580.1.2; commit: abd, abe; date: d");
  CHECK(table.machine == "a GPU");
  CHECK(table.driver == "driver 580.1.2");
  CHECK(table.commit == "abd, abe");
  CHECK(table.date == "d");
  Origins origins;
  origins.add(report, "First", "#first");
  origins.add(table, "Second", "#second");
  CHECK(origins.places() == "a host; a GPU; CUDA 13.0; driver 580.1.2; ninefold 0.1.0");
  CHECK(origins.commits().text == "several commits");
  CHECK(origins.commits().target == "#provenance");
  const Section section = origins.section();
  const auto& block = std::get<TableBlock>(section.blocks.at(0));
  CHECK(block.table.rows().at(1).at(3) == Cell(std::string("not recorded")));
  CHECK(block.links.at(1).at(0) == "#second");
  CHECK(std::get<Paragraph>(section.blocks.at(1)).text.find("Threads: ") != std::string::npos);
}
