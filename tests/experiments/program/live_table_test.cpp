#include "experiments/program/live_table.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

RunResult run_of(int level, const std::string& name = "run-1") {
  LevelResult row;
  row.level = level;
  row.unknowns = 961;
  row.iterations = 8;
  row.outcome = "converged";
  row.residual_reduction = row.true_residual_reduction = 3e-11;
  row.error_l2 = row.error_rms = row.error_max = 1.25e-5;
  return {name, {}, {row}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Plan plan_of(const std::string& text) {
  return plan_run(parse_document(text, "a.toml")).front();
}

LiveTable table_of(const std::vector<Plan>& plans) {
  std::vector<PreparedRun> runs;
  for (const Plan& plan : plans) runs.push_back(prepare_run(plan));
  return {plans, runs};
}

}  // namespace

TEST_CASE("rows stand below their headings before all rows are known",
          "[experiments][live-table]") {
  const LiveTable table = table_of({plan_of("[grid]\nlevels = [5, 12]\n")});
  const auto heading = lines_of(table.heading());
  REQUIRE(heading.back().find_first_not_of("- ") == std::string::npos);
  const auto row = lines_of(table.row(run_of(5)));
  REQUIRE(row.size() == 1);
  REQUIRE(row[0].size() <= heading.back().size());
  // Numbers end where the dashes of their column end.
  const std::size_t end = row[0].find("961") + 3;
  REQUIRE(heading.back()[end - 1] == '-');
  REQUIRE(heading.back()[end] == ' ');
  REQUIRE_THAT(row[0], ContainsSubstring("1.25000e-05"));
  REQUIRE(lines_of(table.row(run_of(12)))[0].find("961") + 3 == end);
}

TEST_CASE("without a solution errors are estimated", "[experiments][live-table]") {
  const auto heading = [](const std::string& text) { return table_of({plan_of(text)}).heading(); };
  REQUIRE_THAT(heading(""), ContainsSubstring("rms") && !ContainsSubstring("order"));
  const std::string unknown = "[problem]\nsource = 'x'\n";
  REQUIRE_THAT(heading(unknown), !ContainsSubstring("rms") && ContainsSubstring("discretisation")
                                     && ContainsSubstring("order"));
  REQUIRE_THAT(heading(unknown + "[output]\nestimates = false\n"), !ContainsSubstring("error"));
  REQUIRE_THAT(heading(unknown + "[grid]\nlevels = [2, 3]\n"),
               ContainsSubstring("algebraic") && !ContainsSubstring("discretisation"));
}

TEST_CASE("inner iterations are shown where some run is refined", "[experiments][live-table]") {
  REQUIRE_THAT(table_of({plan_of("")}).heading(), !ContainsSubstring("inner"));
  const LiveTable table =
      table_of({plan_of(""), plan_of("[refinement]\ninner_precision = 'single'\n")});
  const auto heading = lines_of(table.heading());
  const auto inner = std::find_if(heading.begin(), heading.end(), [](const std::string& line) {
    return line.find("inner") != std::string::npos;
  });
  REQUIRE(inner != heading.end());
  RunResult run = run_of(5);
  REQUIRE(lines_of(table.row(run))[0].size() <= heading.back().size());
  run.levels[0].inner_iterations = 76543;
  const std::string row = lines_of(table.row(run))[0];
  REQUIRE(row.find("76543") + 5 == inner->find("inner") + 5);  // below the end of "inner"
}

TEST_CASE("a study shows the run and what it varies", "[experiments][live-table]") {
  const auto plans = plan_study(
      parse_document("[study]\n\"solver.precision\" = ['single', 'double']\n", "a.toml"));
  const LiveTable table = table_of(plans);
  REQUIRE_THAT(table.heading(), ContainsSubstring("run") && ContainsSubstring("solver.precision"));
  RunResult run = run_of(5, "run-2");
  run.varied = plans[1].varied;
  REQUIRE_THAT(table.row(run), ContainsSubstring("run-2") && ContainsSubstring("double"));
}

TEST_CASE("the shape of cells is shown if any grid of a study is graded",
          "[experiments][live-table]") {
  const auto heading_of = [](const std::string& text) {
    return table_of(plan_study(parse_document(text, "a.toml"))).heading();
  };
  REQUIRE_THAT(heading_of("[study]\n'solver.tolerance' = [1e-3, 1e-4]\n"),
               !ContainsSubstring("aspect"));
  const std::string study = GENERATE(
      as<std::string>{}, "[study]\n'grid.anisotropy' = [1.0, 0.5]\n",
      "[grid]\ngrading = 'geometric'\n[study]\n'grid.expansion_ratio' = [1.0, 9.0]\n",
      "[grid]\ngrading = 'shishkin'\n[study]\n'grid.layer_width' = [0.5, 0.2]\n",
      "[grid]\nexpansion_ratio = 9.0\n[study]\n'grid.grading' = ['anisotropic', 'geometric']\n",
      "[grid]\nanisotropy = 0.5\n[study]\n'grid.grading' = ['geometric', 'anisotropic']\n"
      "'grid.expansion_ratio' = [1.0]\n",
      "[grid]\nanisotropy = 0.5\nlevels = 1\n[study]\n'grid.refined_sides' = [['left', 'right', "
      "'bottom', 'top'], ['right']]\n",
      "[study]\n'domain.width' = [1.0, 2.0]\n");
  CAPTURE(study);
  REQUIRE_THAT(heading_of(study), ContainsSubstring("aspect"));
}

TEST_CASE("the shape of cells is shown if any run of a study has widths from a file",
          "[experiments][live-table]") {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "square.txt") << "0.5 0.5";
  std::ofstream(folder.path() / "graded.txt") << "0.25 0.75";
  for (const char* key : {"grid.x_widths", "grid.y_widths"}) {
    const auto heading_with = [&](const char* files) {
      const std::string text = fmt::format("[grid]\nlevels = 3\n[study]\n'{}' = {}\n", key, files);
      return table_of(plan_study(parse_document(text, folder.path() / "a.toml"))).heading();
    };
    CAPTURE(key);
    REQUIRE_THAT(heading_with("['', 'square.txt']"), !ContainsSubstring("aspect"));
    REQUIRE_THAT(heading_with("['square.txt', 'graded.txt']"), ContainsSubstring("aspect"));
  }
}
