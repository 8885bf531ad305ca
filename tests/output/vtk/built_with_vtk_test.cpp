#include "output/vtk/vtk.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;

TEST_CASE("a build without VTK says so instead of writing", "[output][vtk]") {
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 2).back();
  const std::vector<double> values(25, 1.0);
  const std::vector<NamedField> fields{{"solution", values}};
  const TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "a.vtr";
  if (built_with_vtk()) {
    REQUIRE_FALSE(vtr_obstacle().has_value());
    REQUIRE_NOTHROW(write_vtr(file, grid, fields));
    REQUIRE(directory.entries() == std::vector<std::string>{"a.vtr"});
  } else {
    REQUIRE(vtr_obstacle() == "this build of ninefold has no VTK: it writes no .vtr files");
    REQUIRE_THROWS_WITH(write_vtr(file, grid, fields), *vtr_obstacle());
    REQUIRE(directory.entries().empty());
  }
}
