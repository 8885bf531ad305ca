#include "output/plots/plot.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include <unistd.h>

#include "output/tables/files.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/gnuplot.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

/// Sets PATH while it lives; gnuplot is found by it.
class SearchPath {
 public:
  explicit SearchPath(const fs::path& path) : before_(std::getenv("PATH")) {
    ::setenv("PATH", path.c_str(), 1);
  }
  SearchPath(const SearchPath&) = delete;
  SearchPath& operator=(const SearchPath&) = delete;
  ~SearchPath() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

/// The picture is there and is a PNG.
void require_drawn(const Picture& picture) {
  CAPTURE(picture.remark);
  REQUIRE(fs::file_size(picture.script) > 0);
  REQUIRE(picture.drawn);
  REQUIRE(picture.remark.empty());
  const std::string png = content_of(picture.image);
  REQUIRE(png.size() > 5000);
  REQUIRE(png.starts_with("\x89PNG\r\n"));
  REQUIRE(png.find("IEND") != std::string::npos);
}

Results results_of(int n_runs) {
  Results results;
  for (int run = 0; run < n_runs; ++run) {
    RunResult result{"run-" + std::to_string(run + 1), {}, {}};
    if (n_runs > 1) result.varied = {{"grid.anisotropy", std::to_string(1.0 - 0.1 * run)}};
    for (int level = 2 + run; level <= 8; ++level) {
      LevelResult row;
      row.level = level;
      row.error_l2 = (1 + run) * std::ldexp(0.1, -2 * level);
      for (int k = 0; k < 5 * level; ++k) row.history.push_back(std::pow(0.1 * (run + 1), k));
      result.levels.push_back(row);
    }
    results.runs.push_back(result);
  }
  return results;
}

}  // namespace

TEST_CASE("a convergence plot has one curve for each run", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  const int n_runs = GENERATE(1, 3, 7);
  CAPTURE(n_runs);
  Results results = results_of(n_runs);
  // What has no logarithm is left out.
  results.runs[0].levels[1].error_l2 = std::numeric_limits<double>::infinity();
  results.runs[0].levels[2].error_l2 = 0.0;
  results.runs[0].levels[3].error_l2.reset();
  const Picture picture = write_convergence_plot(results, directory.path());
  require_drawn(picture);
  const std::string script = content_of(picture.script);
  REQUIRE(script.find("$curve" + std::to_string(n_runs - 1) + " ") != std::string::npos);
  REQUIRE(script.find("$curve" + std::to_string(n_runs) + " ") == std::string::npos);
  REQUIRE(script.find("$curve0 << END\n2 0.00625\n6 ") != std::string::npos);
}

TEST_CASE("a residual plot has one curve for each level or each run", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  const Picture levels = write_residual_plot(results_of(1), directory.path());
  require_drawn(levels);
  REQUIRE(content_of(levels.script).find("title 'level 8'") != std::string::npos);
  const Picture runs = write_residual_plot(results_of(2), directory.path());
  require_drawn(runs);
  REQUIRE(content_of(runs.script).find("title '0.900000, level 8'") != std::string::npos);
  Results refused_last = results_of(2);
  refused_last.runs[0].levels.back().history.clear();
  const Picture before = write_residual_plot(refused_last, directory.path());
  require_drawn(before);
  REQUIRE(content_of(before.script).find("title '1.000000, level 7'") != std::string::npos);
}

TEST_CASE("without anything to draw no file is left and the remark says so", "[output][plot]") {
  const TemporaryDirectory directory;
  Results results;
  results.runs.push_back({"run-1", {}, {LevelResult{}}});
  const Picture convergence = write_convergence_plot(results, directory.path());
  REQUIRE_FALSE(convergence.drawn);
  REQUIRE(convergence.remark.find("no level has an error") != std::string::npos);
  const Picture residuals = write_residual_plot(results, directory.path());
  REQUIRE_FALSE(residuals.drawn);
  REQUIRE(residuals.remark.find("no level has a residual history") != std::string::npos);
  REQUIRE(directory.entries().empty());
}

TEST_CASE("a solution is drawn at any size of grid", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const int level = GENERATE(0, 1, 6, 9);
  CAPTURE(level);
  const TensorGrid grid = make_hierarchy(2.0, 1.0, level, {.nu = 0.7}).back();
  std::vector<double> values;
  for (const double y : grid.y.from_start) {
    for (const double x : grid.x.from_start) values.push_back(x * (2 - x) * y);
  }
  const TemporaryDirectory directory;
  require_drawn(write_solution_picture(grid, values, directory.path() / "it's u.png", "it's u"));
  REQUIRE(directory.entries() == Names{"it's u.gp", "it's u.png"});
}

TEST_CASE("a solution that is constant or not everywhere finite is drawn", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 4).back();
  const double value = GENERATE(0.0, 3.5, -1e300);
  CAPTURE(value);
  std::vector<double> values(17 * 17, value);
  const TemporaryDirectory directory;
  require_drawn(write_solution_picture(grid, values, directory.path() / "u.png"));
  values[40] = std::numeric_limits<double>::infinity();
  values[50] = std::nan("");
  values[200] = 2.0;
  require_drawn(write_solution_picture(grid, values, directory.path() / "u.png"));
}

TEST_CASE("values that are nowhere finite or do not fit are not drawn", "[output][plot]") {
  const TensorGrid grid = make_hierarchy(1.0, 1.0, 4).back();
  std::vector<double> values(17 * 17, std::nan(""));
  const TemporaryDirectory directory;
  const Picture picture = write_solution_picture(grid, values, directory.path() / "u.png");
  REQUIRE_FALSE(picture.drawn);
  REQUIRE(picture.remark.find("no value is finite") != std::string::npos);
  REQUIRE(directory.entries().empty());
  values.pop_back();
  REQUIRE_THROWS_WITH(write_solution_picture(grid, values, directory.path() / "u.png"),
                      "there are 288 values, the grid has 17 x 17 nodes");
}

TEST_CASE("a picture shows the bilinear interpolant on an anisotropic grid", "[output][plot]") {
  const TensorGrid grid = make_hierarchy(2.0, 1.0, 4, {.nu = 0.25}).back();
  std::vector<double> values;  // x + 8 y + x y, which bilinear elements hold exactly
  for (const double y : grid.y.from_start) {
    for (const double x : grid.x.from_start) values.push_back(x + 8 * y + x * y);
  }
  const TemporaryDirectory directory;
  const Picture picture = write_solution_picture(grid, values, directory.path() / "u.png");
  std::istringstream script(content_of(picture.script));
  std::string line;
  while (std::getline(script, line) && line != "$values << END") {
  }
  const int nx = 257, ny = 129;
  double worst = 0;
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const double x = 2.0 * i / (nx - 1), y = 1.0 * j / (ny - 1);
      double value = std::nan("");
      script >> value;
      REQUIRE(script);
      worst = std::max(worst, std::abs(value - (x + 8 * y + x * y)));
    }
  }
  script >> line;
  REQUIRE(line == "END");
  REQUIRE(worst < 1e-4);  // six digits of values up to 12
}

TEST_CASE("without gnuplot the script is written and the remark says what is missing",
          "[output][plot]") {
  const TemporaryDirectory directory;
  const SearchPath nothing(directory.path());
  const Picture picture = write_convergence_plot(results_of(2), directory.path());
  REQUIRE_FALSE(picture.drawn);
  REQUIRE(picture.remark
          == "'" + picture.image.string()
                 + "' was not drawn: gnuplot is not installed; once it is, run gnuplot "
                   "convergence.gp in its folder");
  REQUIRE(directory.entries() == Names{"convergence.gp"});
}

TEST_CASE("a gnuplot that fails is quoted and an old picture stays", "[output][plot]") {
  const TemporaryDirectory directory, programs;
  const fs::path program = programs.path() / "gnuplot";
  write_file_atomically(program, "#!/bin/sh\necho 'unknown terminal' >&2\nexit 3\n");
  fs::permissions(program, fs::perms::owner_all);
  write_file_atomically(directory.path() / "convergence.png", "old");
  const SearchPath only(programs.path());
  const Picture picture = write_convergence_plot(results_of(2), directory.path());
  REQUIRE_FALSE(picture.drawn);
  REQUIRE(picture.remark.ends_with("gnuplot ended with status 3: unknown terminal"));
  REQUIRE(directory.entries() == Names{"convergence.gp", "convergence.png"});
  REQUIRE(content_of(picture.image) == "old");
}

TEST_CASE("a script draws its picture again in its folder", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  const Picture picture = write_convergence_plot(results_of(2), directory.path());
  const std::string first = content_of(picture.image);
  fs::remove(picture.image);
  const std::string command =
      "cd '" + directory.path().string() + "' && gnuplot " + picture.script.filename().string();
  REQUIRE(std::system(command.c_str()) == 0);
  REQUIRE(content_of(picture.image) == first);
}

TEST_CASE("a string for gnuplot means its characters only", "[output][plot]") {
  REQUIRE(gnuplot_string("it's `date` \\n $x") == "'it''s `date` \\n $x'");
  REQUIRE(gnuplot_string("a\nb") == "'a b'");
}
