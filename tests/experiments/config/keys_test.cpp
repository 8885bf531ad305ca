#include "experiments/config/keys.hpp"

#include <algorithm>
#include <sstream>

#include "precision/parameter.hpp"

#include "experiments/config/bad_input.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

/// The first line of docs/configuration.md that begins like this, or an empty text.
std::string documented(const std::string& beginning) {
  std::istringstream text(content_of(NINEFOLD_SOURCE_FOLDER "/docs/configuration.md"));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(beginning)) return line;
  }
  return "";
}

std::string without_backticks(std::string text) {
  std::erase(text, '`');
  return text;
}

}  // namespace

TEST_CASE("the documentation has a row for every key, with its facts", "[experiments][keys]") {
  for (const Key& key : configuration_keys()) {
    CAPTURE(key.name);
    const std::string row = documented("| `" + key.name + "` |");
    REQUIRE_FALSE(row.empty());
    REQUIRE_THAT(row, ContainsSubstring("| " + key.type + " |"));
    REQUIRE_THAT(row, ContainsSubstring("| `" + key.example + "` |"));
    if (key.name != "output.directory") {  // its default is made of the file's name
      REQUIRE_THAT(row, ContainsSubstring("| `" + key.show(Configuration{}) + "` |"));
      REQUIRE_THAT(without_backticks(row), ContainsSubstring("| " + key.allowed));
    }
  }
}

TEST_CASE("every key is in a table with a title, which the documentation has, too",
          "[experiments][keys]") {
  for (const Key& key : configuration_keys()) {
    CAPTURE(key.name);
    REQUIRE(key.text.ends_with('.'));
    const auto holds = [&](const KeyTable& table) {
      return key.name.starts_with(std::string(table.name) + ".");
    };
    REQUIRE(std::count_if(configuration_tables().begin(), configuration_tables().end(), holds)
            == 1);
  }
  for (const KeyTable& table : configuration_tables()) {
    CAPTURE(table.name);
    REQUIRE(is_table(table.name));
    REQUIRE(documented("### `[" + std::string(table.name) + "]`")
            == "### `[" + std::string(table.name) + "]`: " + std::string(table.title));
  }
}

TEST_CASE("the documentation has no rows for keys that do not exist", "[experiments][keys]") {
  std::istringstream text(content_of(NINEFOLD_SOURCE_FOLDER "/docs/configuration.md"));
  for (std::string line; std::getline(text, line);) {
    const std::size_t end = line.find("` |");
    if (!line.starts_with("| `") || line.find('.') > end || line.starts_with("| `results.")
        || line.starts_with("| `report.") || line.find('*') < end || line.find("-") < end
        || line.starts_with("| `solution") || line.starts_with("| `convergence.")) {
      continue;  // a file, or a field of a row
    }
    CAPTURE(line);
    REQUIRE(find_key(line.substr(3, end - 3)) != nullptr);
  }
}

TEST_CASE("every key reads its own example and shows it again", "[experiments][keys]") {
  for (const Key& key : configuration_keys()) {
    CAPTURE(key.name);
    Configuration configuration;
    key.read({key.name, parse_value(key.example), {}}, configuration);
    REQUIRE(key.show(configuration) == key.example);
    REQUIRE(key.show(Configuration{}) != key.example);
    for (const Key& other : configuration_keys()) {
      if (other.name != key.name) {
        REQUIRE(other.show(configuration) == other.show(Configuration{}));
      }
    }
  }
}

TEST_CASE("the parameters of the library are the keys of config files but for the program's own",
          "[experiments][keys]") {
  const auto holds = [](std::string_view name, std::string_view key) {
    return key == name || key.starts_with(std::string(name) + ".");
  };
  for (const std::string_view name : parameter_names) {
    CAPTURE(name);
    REQUIRE(std::any_of(configuration_keys().begin(), configuration_keys().end(),
                        [&](const Key& key) { return holds(name, key.name); }));
  }
  for (const Key& key : configuration_keys()) {
    CAPTURE(key.name);
    const bool is_of_program = table_of(key.name) == "output" || key.name == "solver.double_speed";
    REQUIRE(is_of_program
            != std::any_of(std::begin(parameter_names), std::end(parameter_names),
                           [&](std::string_view name) { return holds(name, key.name); }));
  }
}

TEST_CASE("edit distance counts insertions, deletions, replacements and exchanges",
          "[experiments][keys]") {
  REQUIRE(edit_distance("", "") == 0);
  REQUIRE(edit_distance("cycle", "cycle") == 0);
  REQUIRE(edit_distance("", "abc") == 3);
  REQUIRE(edit_distance("cycl", "cycle") == 1);
  REQUIRE(edit_distance("cyycle", "cycle") == 1);
  REQUIRE(edit_distance("cicle", "cycle") == 1);
  REQUIRE(edit_distance("ccyle", "cycle") == 1);
  REQUIRE(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest key is the one that was meant", "[experiments][keys]") {
  const auto [written, meant] = GENERATE(
      table<std::string, std::string>({{"solver.tolerence", "solver.tolerance"},
                                       {"solvr.tolerance", "solver.tolerance"},
                                       {"tolerance", "solver.tolerance"},
                                       {"solver.damping", "multigrid.damping"},
                                       {"grid.level", "grid.levels"},
                                       {"grid.refined_side", "grid.refined_sides"},
                                       {"grid.grades", "grid.grading"},
                                       {"grid.widths", "grid.x_widths"},
                                       {"grid.layer", "grid.layer_width"},
                                       {"multigrid.order", "multigrid.line_order"},
                                       {"multigrid.direction", "multigrid.line_direction"},
                                       {"multigrid.presmoothing", "multigrid.pre_smoothing"},
                                       {"problem.boundary.topp", "problem.boundary.top"},
                                       {"problem.top", "problem.flux.top"},
                                       {"output.dir", "output.directory"},
                                       {"solver.max_iteration", "solver.max_iterations"},
                                       {"solver.form", "operator.form"},
                                       {"refinement.precision", "refinement.inner_precision"},
                                       {"solver.inner_precision", "refinement.inner_precision"},
                                       {"inner_digits", "refinement.inner_digits"},
                                       {"refinement.iterations", "refinement.inner_iterations"},
                                       {"refinement.cascades", "refinement.cascade"},
                                       {"refinement.form", "refinement.inner_form"},
                                       {"multigrid.start", "solver.start"},
                                       {"boundary.left", "problem.boundary.left"}}));
  CAPTURE(written);
  REQUIRE(nearest_key(written) == meant);
}

TEST_CASE("the letters of the equation, and words of others, are known", "[experiments][keys]") {
  const auto [written, meant] =
      GENERATE(table<std::string, std::string>({{"problem.f", "problem.source"},
                                                {"f", "problem.source"},
                                                {"right_hand_side", "problem.source"},
                                                {"problem.RHS", "problem.source"},
                                                {"problem.gx", "problem.coefficients"},
                                                {"gy", "problem.coefficients"},
                                                {"problem.c", "problem.reaction"},
                                                {"problem.u", "problem.solution"},
                                                {"problem.exact", "problem.solution"},
                                                {"problem.neumann", "problem.boundary"},
                                                {"problem.boundary.neumann", "problem.boundary"},
                                                {"output.paraview", "output.vtk"},
                                                {"grid.n", "grid.levels"},
                                                {"grid.nx", "grid.levels"}}));
  CAPTURE(written);
  REQUIRE(nearest_key(written) == meant);
  REQUIRE(near_keys(written, 1) == std::vector{meant});
  REQUIRE((find_key(meant) != nullptr || is_table(meant)));
}

TEST_CASE("a suggestion is made only for what is near", "[experiments][keys]") {
  REQUIRE(suggestion("Multigrid", {"cg", "multigrid"}) == "did you mean \"multigrid\"?");
  REQUIRE(suggestion("CG", {"cg", "multigrid"}) == "did you mean \"cg\"?");
  REQUIRE(suggestion("multi", {"cg", "multigrid"}) == "did you mean \"multigrid\"?");
  REQUIRE(suggestion("iterations", {"inner_iterations"}) == "did you mean \"inner_iterations\"?");
  REQUIRE(suggestion("conjugate", {"cg", "multigrid"}).empty());
  REQUIRE(suggestion("anything", {}).empty());
  // Two letters of four make another word.
  REQUIRE(suggestion("seed", {"set"}).empty());
  REQUIRE(suggestion("sett", {"set"}) == "did you mean \"set\"?");
}
