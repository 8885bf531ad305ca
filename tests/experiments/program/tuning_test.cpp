#include "experiments/program/tuning.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/config/settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
namespace testing = ninefold::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

const TunedDevice card{"NVIDIA H200", 132, {{1, 250000, PassSizes::never}, 4000000, 0}};

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const auto at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), by);
}

}  // namespace

TEST_CASE("a size lies between the levels on which ways win", "[experiments][tuning]") {
  // Levels 7, 8 and 9 have 129^2, 257^2 and 513^2 nodes.
  const auto size = [](double at_7, double at_8, double at_9, std::int64_t rule) {
    return size_by_times({{7, 1, at_7}, {8, 1, at_8}, {9, 1, at_9}}, rule);
  };
  CHECK(size(1.5, 0.8, 0.7, 1000000) == 257 * 257 / 2);
  CHECK(size(0.9, 0.8, 0.7, 1000000) == 129 * 129 / 2);
  CHECK(size(1.5, 1.4, 1.3, 100) == 2 * 513 * 513);  // beyond all that was measured
  CHECK(size(0.9, 1.2, 0.7, 100) == 513 * 513 / 2);  // no level in between loses
  // The rule is kept where it says the same of these levels,
  CHECK(size(1.5, 0.8, 0.7, 30000) == 30000);
  CHECK(size(1.5, 1.4, 1.3, 300000) == 300000);
  CHECK(size(0.5, 0.4, 0.3, 100) == 100);
  // and where a level is hardly faster the other way.
  CHECK(size(0.99, 0.8, 0.7, 30000) == 30000);
  CHECK(size(1.5, 1.01, 0.7, 30000) == 30000);
  CHECK(size(1.5, 1.03, 0.7, 30000) == 513 * 513 / 2);
}

TEST_CASE("what is kept is read again", "[experiments][tuning]") {
  const TemporaryDirectory folder;
  const auto file = tuning_file(folder.path(), card.name, card.multiprocessors);
  CHECK(file.filename() == "nvidia-h200-132.toml");
  const auto read = [&] { return read_tuning(file, card.name, card.multiprocessors); };
  CHECK_FALSE(read());
  const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
  const std::string text = tuning_text(card);
  write(text);
  CHECK(read() == card.sizes);
  CHECK_FALSE(read_tuning(file, card.name, 114));
  CHECK_FALSE(read_tuning(file, "another", card.multiprocessors));
  CHECK_FALSE(read_tuning(file / "no folder", card.name, card.multiprocessors));
  write(replaced(text, "version = \"", "version = \"9"));
  CHECK_FALSE(read());
}

TEST_CASE("a file that is not as it was written is refused", "[experiments][tuning]") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "card.toml";
  const auto refusal = [&](const std::string& part, const std::string& by) {
    std::ofstream(file) << replaced(tuning_text(card), part, by);
    try {
      (void)read_tuning(file, card.name, card.multiprocessors);
    } catch (const ConfigurationError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto check = [&](const std::string& part, const std::string& by, const std::string& what) {
    CHECK_THAT(refusal(part, by), ContainsSubstring("card.toml, line") && ContainsSubstring(what)
                                      && ContainsSubstring("ninefold tune"));
  };
  check("columns = 4000000", "columns = -1", "columns = -1");
  check("columns = 4000000", "columns = 0.5", "columns = 0.5");
  check("strips = [1, ", "strips = [", "a list of 3 integers");
  check("strips = [1, ", "strips = ['a', ", "integers from 0 on");
  check("columns = 4000000", "rows = 1", "rows = 1");
  CHECK_THAT(refusal("columns = 4000000", ""), ContainsSubstring("columns is missing"));
  check("device = ", "device = 3 # ", "device = 3");
  CHECK_THAT(refusal("columns = 4000000", "columns = "), ContainsSubstring("card.toml, line"));
}

TEST_CASE("files lie in the user's cache", "[experiments][tuning]") {
  const testing::Environment cache("XDG_CACHE_HOME", "/there"), home("HOME", "/elsewhere");
  CHECK(tuning_folder() == std::filesystem::path("/there/ninefold"));
  {
    const testing::Environment relative("XDG_CACHE_HOME", "there");  // to be ignored
    CHECK(tuning_folder() == std::filesystem::path("/elsewhere/.cache/ninefold"));
    const testing::Environment nobody("HOME", nullptr);
    CHECK_FALSE(tuning_folder());
  }
}
