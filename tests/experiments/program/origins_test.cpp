#include "experiments/program/origins.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("CUDA and driver are said in one form", "[experiments][origins]") {
  CHECK(driver_words("CUDA 13.0") == "CUDA 13.0");
  CHECK(driver_words("580.159.04") == "driver 580.159.04");
  CHECK(driver_words("580.159.04 (CUDA 13.0)") == "CUDA 13.0, driver 580.159.04");
  CHECK(driver_words("1") == "1");
}

TEST_CASE("what reports and tables say of their origin is taken apart", "[experiments][origins]") {
  const Origin report = origin_of_experiment(
      "a host, 10 threads; a GPU, 132 multiprocessors, driver for CUDA 13.0; driver CUDA 13.0; "
      "ninefold 0.1.0 (abc), today");
  CHECK(report.machine == "a host, 10 threads; a GPU, 132 multiprocessors");
  CHECK(report.driver == "CUDA 13.0");
  CHECK(report.version == "0.1.0");
  CHECK(report.commit == "abc");
  CHECK(report.date == "today");
  const Origin table = origin_of_table("device: a GPU; driver: 580.1.2; commit: abd, abe; date: d");
  CHECK(table.machine == "a GPU");
  CHECK(table.driver == "driver 580.1.2");
  CHECK(table.commit == "abd, abe");
  CHECK(table.date == "d");
  Origins origins;
  origins.add(report, "First", "#first");
  origins.add(table, "Second", "#second");
  CHECK(origins.places() == "a host; a GPU; CUDA 13.0; driver 580.1.2; ninefold 0.1.0");
  const Section section = origins.section();
  const auto& block = std::get<TableBlock>(section.blocks.at(0));
  CHECK(block.links.at(1).at(0) == "#second");
  CHECK(std::get<Paragraph>(section.blocks.at(1)).text.find("Threads: ") != std::string::npos);
}
