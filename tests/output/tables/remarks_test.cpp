#include "output/tables/remarks.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

LevelResult level_of(int level, const std::string& remark,
                     const std::vector<std::string>& data_remarks) {
  LevelResult result;
  result.level = level;
  result.remark = remark;
  result.data_remarks = data_remarks;
  return result;
}

}  // namespace

TEST_CASE("a row has the remarks of its level and of its data", "[output][remarks]") {
  REQUIRE(all_remarks(level_of(3, "", {})).empty());
  REQUIRE(all_remarks(level_of(3, "own", {})) == "own");
  REQUIRE(all_remarks(level_of(3, "", {"source"})) == "source");
  REQUIRE(all_remarks(level_of(3, "own", {"source", "flux"})) == "own; source; flux");
}

TEST_CASE("levels that share a remark on the data share a line", "[output][remarks]") {
  const RunResult run{
      "run-1",
      {},
      {level_of(3, "", {"source", "flux"}), level_of(4, "own", {"source"}),
       level_of(5, "own", {"source", "error"}), level_of(7, "", {"source", "flux"})}};
  REQUIRE(remarks_text(run)
          == "levels 3 to 7: source\nlevel 3: flux\nlevel 7: flux\nlevel 5: error\n"
             "level 4: own\nlevel 5: own\n");
}
