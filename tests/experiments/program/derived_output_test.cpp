#include "experiments/program/derived_output.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/program/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Approx;
using testing::json_of;
using testing::plans_of;
namespace fs = std::filesystem;

namespace {

using CsvRow = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<CsvRow> rows_of(const fs::path& file) {
  std::istringstream text(content_of(file));
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<CsvRow> rows;
  while (std::getline(text, line)) {
    const std::vector<std::string> cells = cells_of(line);
    REQUIRE(cells.size() == names.size());
    rows.emplace_back();
    for (std::size_t k = 0; k < names.size(); ++k) rows.back()[names[k]] = cells[k];
  }
  return rows;
}

double number(const CsvRow& row, const std::string& name) {
  CAPTURE(name);
  REQUIRE_FALSE(row.at(name).empty());
  return std::stod(row.at(name));
}

}  // namespace

TEST_CASE("values at places and along lines are written for each level", "[experiments][derived]") {
  const TemporaryDirectory folder;
  const fs::path out = folder.path() / "out";
  for (int run = 0; run < 2; ++run) {  // the second one begins anew
    const Results results =
        run_plans(plans_of("[grid]\nlevels = [3, 5]\n[output]\npoints = [[0.5, 0.5], [0.3, 0.7]]\n"
                           "lines = [[0, 0.25, 1, 0.25, 5], [1, 1, 0, 0, 3]]\n",
                           folder.path()));
    REQUIRE(all_converged(results));
    CHECK_FALSE(results.runs[0].levels[0].energy);  // not asked for
  }
  const std::vector<CsvRow> points = rows_of(out / "solution-points.csv");
  REQUIRE(points.size() == 6);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const CsvRow& row = points[k];
    CAPTURE(k);
    const double x = number(row, "x"), y = number(row, "y");
    CHECK(number(row, "level") == 3 + static_cast<int>(k / 2));
    CHECK(number(row, "point") == 1 + static_cast<int>(k % 2));
    CHECK(x == (k % 2 == 0 ? 0.5 : 0.3));
    CHECK(number(row, "exact") == Approx(x * (1 - x) * y * (1 - y)).epsilon(1e-14));
    CHECK(number(row, "error") == Approx(number(row, "u") - number(row, "exact")).margin(1e-17));
    CHECK(std::abs(number(row, "error")) < std::ldexp(0.1, -2 * (3 + static_cast<int>(k / 2))));
    if (k >= 2) {
      CHECK(number(row, "change")
            == Approx(number(row, "u") - number(points[k - 2], "u")).margin(1e-16));
    } else {
      CHECK(number(row, "change") != 0);  // levels before the first one are solved for estimates
    }
  }
  const std::vector<CsvRow> lines = rows_of(out / "solution-lines.csv");
  REQUIRE(lines.size() == 3 * (5 + 3));
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const CsvRow& row = lines[k];
    CAPTURE(k);
    const std::size_t at = k % 8;
    CHECK(number(row, "level") == 3 + static_cast<int>(k / 8));
    CHECK(number(row, "line") == (at < 5 ? 1 : 2));
    CHECK(number(row, "sample") == static_cast<double>(at < 5 ? at : at - 5));
    const double x =
        at < 5 ? 0.25 * static_cast<double>(at) : 1 - 0.5 * static_cast<double>(at - 5);
    CHECK(number(row, "x") == x);
    CHECK(number(row, "y") == (at < 5 ? 0.25 : x));
    CHECK(number(row, "distance") == Approx(at < 5 ? x : std::sqrt(2.0) * (1 - x)).margin(1e-16));
  }
  CHECK(number(lines[1], "u") > 0);
  CHECK(number(lines[0], "u") == 0);
}

TEST_CASE("each run of a study has files of its own, and its quantities in its rows",
          "[experiments][derived]") {
  const TemporaryDirectory folder;
  const fs::path out = folder.path() / "out";
  run_plans(
      plans_of("[grid]\nlevels = [4, 5]\n[problem]\nsolution = ''\nsource = '1'\n[output]\n"
               "points = [[0.5, 0.5]]\nquantities = true\nestimates = false\n[study]\n"
               "solver.precision = ['single', 'double']\n",
               folder.path()));
  const auto json = json_of(out / "results.json");
  for (const std::size_t run : {0, 1}) {
    CAPTURE(run);
    const std::vector<CsvRow> rows = rows_of(out / fmt::format("run-{}-points.csv", run + 1));
    REQUIRE(rows.size() == 2);
    for (const CsvRow& row : rows) {
      CHECK(number(row, "u") == Approx(0.0736713).epsilon(0.01));  // the series of -Laplace u = 1
      for (const char* unknown : {"exact", "error", "change"}) CHECK(row.at(unknown).empty());
    }
    for (const auto& level : json.at("runs").at(run).at("levels")) {
      // The integral of f u is the energy; f = 1.
      CHECK(level.at("energy").get<double>()
            == Approx(level.at("integral").get<double>()).epsilon(run == 0 ? 1e-5 : 1e-9));
      CHECK(level.at("integral").get<double>() == Approx(0.0351443).epsilon(0.02));
      CHECK(level.at("l2_norm").get<double>() > level.at("integral").get<double>());
      CHECK(level.at("energy_error").is_null());
      CHECK(level.at("estimated_energy_error").is_null());
    }
  }
}

TEST_CASE(
    "the energy norm of the error is measured and estimated, with own widths and Neumann sides, "
    "too",
    "[experiments][derived]") {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "widths.txt") << "0.3 0.1 0.1 0.5 0.25 0.25 0.25 0.25";
  const Results results = run_plans(plans_of(
      fmt::format("[grid]\nx_widths = '{}'\nlevels = [4, 6]\n[problem]\nsolution = 'sine'\n"
                  "coefficients = [2, 1]\nreaction = 3\nboundary.left = 'neumann'\n"
                  "[output]\nquantities = true\npoints = [[2, 1]]\n",
                  (folder.path() / "widths.txt").string()),
      folder.path()));
  const std::vector<LevelResult>& levels = results.runs[0].levels;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    CAPTURE(levels[k].level);
    REQUIRE(levels[k].outcome == "converged");
    CHECK(levels[k].estimated_energy_error.value() / levels[k].energy_error.value()
          == Approx(1).epsilon(0.1));
    if (k == 0) continue;
    CHECK(levels[k - 1].energy_error.value() / levels[k].energy_error.value()
          == Approx(2).epsilon(0.05));
  }
  const double pi = std::acos(-1.0);
  CHECK(levels.back().energy.value()
        == Approx(2 * (pi * pi / 4) * 0.5 + pi * pi * 0.5 + 3 * 0.5).epsilon(2e-3));
}

TEST_CASE("double-double solutions are written with errors below the rounding of double",
          "[experiments][derived]") {
  const TemporaryDirectory folder;
  // Bilinear elements have this solution, but for the rounding of the format.
  run_plans(
      plans_of("[grid]\nlevels = 3\n[problem]\nsolution = 'x*y'\nsource = '0'\n[solver]\n"
               "precision = 'double-double'\ntolerance = 1e-25\n[output]\n"
               "points = [[0.3, 0.7], [0.75, 0.125]]\nquantities = true\n",
               folder.path()));
  for (const CsvRow& row : rows_of(folder.path() / "out" / "solution-points.csv")) {
    CHECK(number(row, "u") == Approx(number(row, "x") * number(row, "y")).epsilon(1e-15));
    CHECK(std::abs(number(row, "error")) < 3e-17);  // the formula's, in double
  }
}

TEST_CASE(
    "a solution that is not finite where its energy is measured leaves that empty, with a "
    "remark",
    "[experiments][derived]") {
  const TemporaryDirectory folder;
  const auto plans = plans_of("[grid]\nlevels = 2\n[output]\nquantities = true\n", folder.path());
  const Configuration& c = plans[0].configuration;
  PreparedRun run = prepare_run(plans[0]);
  PreparedSolve& prepared = run.levels[0];
  auto [row, solved, coarser] = solve_level(prepared);
  prepared.problem.solution = Function([](const Point&) { return std::nan(""); });
  const DerivedOutput derived(c.output, folder.path() / "solution");
  derived.measure(prepared, solved, coarser.view(), row);
  CHECK(row.energy);
  CHECK_FALSE(row.energy_error);
  REQUIRE(row.data_remarks.size() == 1);
  CHECK(row.data_remarks[0].starts_with("the energy norm of the error is not measured"));
}
