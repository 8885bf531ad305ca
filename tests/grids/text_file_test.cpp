#include "grids/text_file.hpp"

#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a text file is read to its last byte", "[grids][text_file]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "a.txt";
  const std::string text = GENERATE(as<std::string>{}, "", "1\r\n2", std::string("a\0b\n", 4));
  std::ofstream(file, std::ios::binary) << text;
  REQUIRE(read_text_file(file, "note") == text);
  REQUIRE(read_text_file(file, "note", text.size()) == text);
}

TEST_CASE("a file that is too large is refused with the bound", "[grids][text_file]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "a.txt";
  std::ofstream(file) << 'x';
  std::filesystem::resize_file(file, (std::size_t{3} << 20) + 1);
  REQUIRE_THROWS_WITH(read_text_file(file, "note", std::size_t{3} << 20),
                      ContainsSubstring("a.txt is too large for a note: more than 3 MiB"));
  REQUIRE(read_text_file(file, "note").size() == (std::size_t{3} << 20) + 1);
}

TEST_CASE("what may have no end is refused, not read", "[grids][text_file]") {
  const TemporaryDirectory folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto link = folder.path() / "link";
  std::filesystem::create_symlink("/dev/zero", link);
  const std::vector<std::pair<std::filesystem::path, std::string>> cases{
      {"/dev/zero", "is a device"},
      {"/dev/full", "is a device"},
      {link, "is a device"},
      {pipe, "is a pipe"},
      {folder.path(), "is a folder"}};
  for (const auto& [file, what] : cases) {
    CAPTURE(file);
    REQUIRE_THROWS_AS(read_text_file(file, "note"), std::invalid_argument);
    REQUIRE_THROWS_WITH(
        read_text_file(file, "note"),
        ContainsSubstring(file.string()) && ContainsSubstring(what + ", not a note"));
  }
}

TEST_CASE("a file that is not there is refused with the reason", "[grids][text_file]") {
  const TemporaryDirectory folder;
  REQUIRE_THROWS_WITH(read_text_file(folder.path() / "none", "note"),
                      ContainsSubstring("none cannot be read: No such file"));
  REQUIRE_THROWS_WITH(read_text_file(folder.path() / std::string(5000, 'x'), "note"),
                      ContainsSubstring("characters) cannot be read: File name too long"));
}
