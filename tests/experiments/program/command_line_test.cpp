#include "experiments/program/command_line.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

std::string meant(const std::vector<std::string>& words) {
  return command_meant(words, {"solve", "study", "check"},
                       [](const std::string& file) { return file == "many.toml"; });
}

}  // namespace

TEST_CASE("the command that is meant is named with the rest of the line",
          "[experiments][command-line]") {
  CHECK(meant({"slove", "a.toml"}) == "did you mean: ninefold solve a.toml");
  CHECK(meant({"a.toml", "--set", "a=1"}) == "did you mean: ninefold solve a.toml --set a=1");
  CHECK(meant({"many.toml"}) == "did you mean: ninefold study many.toml");
  CHECK(meant({"a.mtx", "--parts", "4"}) == "did you mean: ninefold matrix a.mtx --parts 4");
  CHECK(meant({"b/a.mtx.gz"}) == "did you mean: ninefold matrix b/a.mtx.gz");
  CHECK(meant({"nothing", "a.toml"}).empty());
}

TEST_CASE("what is meant can be given to a shell as it stands", "[experiments][command-line]") {
  CHECK(meant({"my own.toml", "--set", "grid.levels=[2, 6]"})
        == "did you mean: ninefold solve 'my own.toml' --set 'grid.levels=[2, 6]'");
  CHECK(meant({"slove", "it's.toml", "", "$x"})
        == "did you mean: ninefold solve 'it'\\''s.toml' '' '$x'");
  CHECK(meant({"slove", std::string(500, 'a') + ".toml"}).empty());
  CHECK(meant({"slove", "a\nb.toml"}).empty());
}
