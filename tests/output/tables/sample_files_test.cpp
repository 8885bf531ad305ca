#include "output/tables/sample_files.hpp"

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;

TEST_CASE("rows of places have every double exactly, and nothing for what is not known",
          "[output][samples]") {
  const std::vector<Position> places{{0.1, 1.0 / 3}, {1, 0}};
  const std::vector<PointValue> values{{0.1 + 0.2, {}, {}, {}}, {-2, 0.5, -2.5, 1e-300}};
  CHECK(point_rows(7, places, values)
        == "7,1,0.1,0.3333333333333333,0.30000000000000004,,,\n7,2,1,0,-2,0.5,-2.5,1e-300\n");
  const SampledLine line{{0, 0}, {1, 0}, 2};
  CHECK(line_rows(7, 3, line, values)
        == "7,3,0,0,0,0,0.30000000000000004,,,\n7,3,1,1,1,0,-2,0.5,-2.5,1e-300\n");
  CHECK_THROWS_AS(point_rows(7, places, {}), std::invalid_argument);
  CHECK_THROWS_AS(line_rows(7, 3, {{0, 0}, {1, 0}, 3}, values), std::invalid_argument);
}

TEST_CASE("a file grows by whole pieces, from nothing", "[output][samples]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "a.csv";
  for (int run = 0; run < 2; ++run) {
    GrowingFile growing(file);
    CHECK(growing.is_empty());
    growing.add("first\n");
    CHECK_FALSE(growing.is_empty());
    CHECK(content_of(file) == "first\n");
    growing.add("second\n");
    growing.add("third\n");
    CHECK(content_of(file) == "first\nsecond\nthird\n");
  }
  CHECK(folder.entries() == std::vector<std::string>{"a.csv"});
  GrowingFile nowhere(folder.path() / "none" / "a.csv");
  CHECK_THROWS_AS(nowhere.add("first\n"), std::runtime_error);
  CHECK(nowhere.is_empty());
}

TEST_CASE("a file that cannot grow stays as it was", "[output][samples]") {
  const TemporaryDirectory folder;
  GrowingFile growing(folder.path() / "a.csv");
  growing.add("first\n");
  {
    const FileSizeLimit limit(4096);
    CHECK_THROWS_AS(growing.add(std::string(5000, 'x')), std::runtime_error);
  }
  CHECK(content_of(folder.path() / "a.csv") == "first\n");
  CHECK(folder.entries() == std::vector<std::string>{"a.csv"});
}
