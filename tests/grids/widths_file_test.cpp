#include "grids/widths_file.hpp"

#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;

class WidthsFile {
 public:
  explicit WidthsFile(const std::string& text) { std::ofstream(path(), std::ios::binary) << text; }
  std::filesystem::path path() const { return folder_.path() / "widths.txt"; }
  std::vector<double> read() const { return read_widths(path()); }

 private:
  TemporaryDirectory folder_;
};

TEST_CASE("widths stand between blanks and line ends, with commas and comments",
          "[grids][widths_file]") {
  const std::vector<double> widths{0.5, 1e-3, 2, 4.25};
  for (const char* text : {"0.5\n1e-3\n2\n4.25\n", "0.5 1e-3 2 4.25", "0.5, 1E-3, 2 , 4.25,\r\n",
                           "0.5,\n1e-3,\n2,\n4.25",
                           "\xEF\xBB\xBF"
                           "0.5 1e-3 2 4.25",
                           "\xEF\xBB\xBF# narrow\n0.5 1e-3 2 4.25",
                           "# from the left\n\n0.5\t+1e-3  # narrow\n   \n2\n4.25 # 8\n#16",
                           "0.5\r\n.001\r\n2.\r\n4.25"}) {
    CAPTURE(text);
    REQUIRE(WidthsFile(text).read() == widths);
  }
}

TEST_CASE("as many widths as levels have cells are read, with all their digits",
          "[grids][widths_file]") {
  const int level = GENERATE(1, 2, 10, 16);
  CAPTURE(level);
  std::string text;
  for (int i = 0; i < 1 << level; ++i) text += "0.1000000000000000055\n";
  REQUIRE(WidthsFile(text).read() == std::vector<double>(std::size_t{1} << level, 0.1));
}

TEST_CASE("any other number of widths is refused with what is allowed", "[grids][widths_file]") {
  const auto [count, parts] = GENERATE(table<int, std::vector<std::string>>({
      {0, {"holds 0 cell widths", "at least 2", "65536"}},
      {1, {"holds 1 cell width;", "at least 2"}},
      {3, {"holds 3 cell widths", "a power of two from 2 to 65536", "2 or 4"}},
      {1000, {"holds 1000 cell widths", "512 or 1024"}},
      {65537, {"holds 65537 cell widths", "at most 65536"}},
      {131072, {"holds 131072 cell widths", "at most 65536"}},
  }));
  std::string text;
  for (int i = 0; i < count; ++i) text += "1\n";
  const WidthsFile file(text);
  CAPTURE(count);
  for (const std::string& part : parts) REQUIRE_THROWS_WITH(file.read(), ContainsSubstring(part));
  REQUIRE_THROWS_WITH(file.read(), ContainsSubstring(file.path().string()));
}

TEST_CASE("what is not a width is refused with its line and text", "[grids][widths_file]") {
  const auto [text, part] = GENERATE(table<std::string, std::string>({
      {"1\n2\nabc\n4\n", ", line 3: \"abc\" is not a number"},
      {"1 2 0x10 4", ", line 1: \"0x10\" is not a number"},
      {"1\n1.5d-3", ", line 2: \"1.5d-3\" is not a number"},
      {"1\n2;3;4", ", line 2: \"2;3;4\" is not a number"},
      {"1,5 1,5", ", line 1: \"1,5\" is not a number: write 1.5, not 1,5, and a blank behind"},
      {"1, 2\n3,4", ", line 2: \"3,4\" is not a number: write 1.5"},
      {"0,5e-3,", ", line 1: \"0,5e-3\" is not a number: write 1.5"},
      {"1,5,2,5", ", line 1: \"1,5,2,5\" is not a number: write 1.5"},
      {"1,.5", ", line 1: \"1,.5\" is not a number"},
      {"1,, 2", ", line 1: \"1,\" is not a number"},
      {",1", ", line 1: \",1\" is not a number"},
      {"1\n\xEF\xBB\xBF"
       "2",
       ", line 2: \"\xEF\xBB\xBF"
       "2\" is not a number"},
      {"1\n+-2", ", line 2: \"+-2\" is not a number"},
      {"1\n-2", ", line 2: \"-2\" is not a width, which is positive and finite"},
      {"1, 0\n", ", line 1: \"0\" is not a width"},
      {"inf 1\n", ", line 1: \"inf\" is not a width"},
      {"nan 1\n", ", line 1: \"nan\" is not a width"},
      {"1\n\n1e400", ", line 3: \"1e400\" is beyond the range"},
      {"1e-400", ", line 1: \"1e-400\" is beyond the range"},
      {"1 " + std::string(100, 'x'),
       ", line 1: \"" + std::string(40, 'x') + "...\" is not a number"},
  }));
  const WidthsFile file(text);
  CAPTURE(text);
  REQUIRE_THROWS_WITH(file.read(), ContainsSubstring(file.path().string() + part));
  REQUIRE_THROWS_AS(file.read(), std::invalid_argument);
}

TEST_CASE("a widths file that cannot be read is refused", "[grids][widths_file]") {
  const TemporaryDirectory folder;
  REQUIRE_THROWS_WITH(read_widths(folder.path() / "none.txt"),
                      ContainsSubstring("none.txt") && ContainsSubstring("No such file"));
  REQUIRE_THROWS_WITH(read_widths(folder.path()), ContainsSubstring("is a folder"));
  REQUIRE_THROWS_WITH(read_widths("/dev/full"),
                      ContainsSubstring("/dev/full is a device, not a file of cell widths"));
}

}  // namespace
}  // namespace ninefold
