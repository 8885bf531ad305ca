// What ranks write together is what one writes.

#include "experiments/program/level_files.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/backend/ranks.hpp"

#include "experiments/program/run.hpp"
#include "tests/output/vtk/vtk_fields.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/gnuplot.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ninefold {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using testing::has_gnuplot;
using testing::plans_of;

std::string config(const std::string& problem, const std::string& solver) {
  const std::string plots = has_gnuplot() ? "true" : "false";
  return fmt::format(
      "[problem]\n{}\n[grid]\nlevels = [5, 8]\n[solver]\n{}\n[output]\nvtk = true\nplots = {}\n"
      "quantities = true\nestimates = true\n"
      "points = [[0.3, 0.4], [0.9, 0.99], [0.5, 0.01]]\n"
      "lines = [[0, 0.1, 1, 0.9, 23]]\n",
      problem, solver, plots);
}

/// Runs it as so many ranks, or alone.
Results run_by(int ranks, const std::string& text, const fs::path& folder) {
  const auto refusals = Refusals::are_rows;
  if (ranks == 1) return run_plans(plans_of(text, folder), {}, {}, refusals);
  Results results;
  run_on_ranks(Slabs(ranks, Slabs::fewest_cells), [&](const std::shared_ptr<const Ranks>& own) {
    std::vector<Plan> plans = plans_of(text, folder);
    for (Plan& plan : plans) plan.configuration.solver.ranks = own;
    if (own->rank() == 0) {
      results = run_plans(plans, {}, {}, refusals);
    } else {
      follow_plans(plans, refusals);
    }
  });
  return results;
}

void check_same_files(const std::string& text) {
  const TemporaryDirectory folder;
  const Results alone = run_by(1, text, folder.path() / "1");
  REQUIRE(all_converged(alone));
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    const fs::path one = folder.path() / "1" / "out",
                   several = folder.path() / std::to_string(ranks) / "out";
    const Results together = run_by(ranks, text, several.parent_path());
    const auto& expected = alone.runs.front().levels;
    const auto& found = together.runs.front().levels;
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CAPTURE(found[k].level);
      CHECK(found[k].error_l2 == expected[k].error_l2);
      CHECK(found[k].error_max == expected[k].error_max);
      CHECK(found[k].integral == expected[k].integral);
      CHECK(found[k].energy == expected[k].energy);
      CHECK(found[k].energy_error == expected[k].energy_error);
      CHECK(found[k].estimated_energy_error == expected[k].estimated_energy_error);
      CHECK(found[k].estimated_l2 == expected[k].estimated_l2);
    }
    std::size_t compared = 0;
    for (const auto& entry : fs::directory_iterator(one)) {
      const fs::path name = entry.path().filename();
      const bool is_picture = name.extension() == ".png" && name.string().starts_with("solution");
      if (!is_picture && !name.string().ends_with("points.csv")
          && !name.string().ends_with("lines.csv")) {
        continue;
      }
      CAPTURE(name);
      CHECK(content_of(several / name) == content_of(entry.path()));
      ++compared;
    }
    CHECK(compared >= (has_gnuplot() ? 4 : 2));
    int divided = 0;
    for (int level = 5; level <= 8; ++level) {
      const std::string stem = fmt::format("solution-level{:02}", level);
      const bool is_whole = fs::exists(several / (stem + ".vtr"));
      const fs::path file = several / (stem + (is_whole ? ".vtr" : ".pvtr"));
      CAPTURE(file);
      CHECK(testing::vtk_fields(file) == testing::vtk_fields(one / (stem + ".vtr")));
      CHECK(content_of(several / "solution.pvd").find(file.filename().string())
            != std::string::npos);
      divided += is_whole ? 0 : 1;
      for (int r = 0; r < ranks; ++r) {
        CHECK(fs::exists(several / fmt::format("{}-part{}.vtr", stem, r)) == !is_whole);
      }
    }
    CHECK(divided >= 2);
  }
}

TEST_CASE("ranks write what one writes, large levels in pieces", "[experiments][run][ranks]") {
  check_same_files(config("", "tolerance = 1e-8"));
}

TEST_CASE("ranks write what one writes of a formula in double-double",
          "[experiments][run][ranks]") {
  check_same_files(config("solution = \"sin(x*y) + x\"\nsource = \"(x^2 + y^2)*sin(x*y)\"",
                          "precision = \"double-double\"\ntolerance = 1e-12"));
}

TEST_CASE("ranks write what one writes where only levels tell of the error",
          "[experiments][run][ranks]") {
  check_same_files(config("source = \"exp(x*y)\"", "tolerance = 1e-10\nnorm = \"energy\""));
}

TEST_CASE("a rank that cannot write its piece ends the others", "[experiments][run][ranks]") {
  const int failing = GENERATE(0, 1);
  const TemporaryDirectory folder;
  const fs::path out = folder.path() / "out";
  fs::create_directories(out / fmt::format("solution-level07-part{}.vtr", failing) / "in the way");
  CHECK_THROWS_WITH(
      run_by(2, "[grid]\nlevels = [7, 8]\n[output]\nvtk = true\nplots = false\n", folder.path()),
      ContainsSubstring(fmt::format("part{}.vtr", failing)));
  CHECK_FALSE(fs::exists(out / "solution-level07.pvtr"));
  CHECK_FALSE(fs::exists(out / "solution.pvd"));
}

TEST_CASE("ranks agree on what is refused, and on what is not finite",
          "[experiments][run][ranks]") {
  const std::string output =
      "[output]\nvtk = true\nplots = false\nquantities = true\n"
      "points = [[0.5, 0.75], [0.5, 0.1]]\n";
  const std::string text =
      GENERATE_COPY(as<std::string>{},
                    // A format that does not hold the matrix.
                    "[grid]\nlevels = [6, 8]\nanisotropy = 0.01\n[solver]\ntolerance = 1e-6\n"
                        + output + "[study]\n\"solver.precision\" = [\"half\", \"double\"]\n",
                    // A source that is infinite at a Gauss point of the upper rank's rows.
                    "[grid]\nlevels = [7, 7]\n[problem]\nquadrature = 1\n" + output
                        + "[study]\n\"problem.source\" = [\"exp(x*y)/(y - 0.75390625)\", \"x\"]\n",
                    // A solution that is infinite at a node there.
                    "[problem]\nsolution = \"1/((x - 0.5)^2 + (y - 0.75)^2)\"\n"
                    "source = \"-4/((x - 0.5)^2 + (y - 0.75)^2)^2\"\n[grid]\nlevels = [6, 7]\n"
                    "[solver]\ntolerance = 1e-6\n"
                        + output);
  const TemporaryDirectory folder;
  const Results alone = run_by(1, text, folder.path() / "1"),
                together = run_by(3, text, folder.path() / "3");
  REQUIRE(alone.runs.size() == together.runs.size());
  bool any_odd = false;  // that is refused, or has no error or integral
  for (std::size_t r = 0; r < alone.runs.size(); ++r) {
    const auto &one = alone.runs[r].levels, &several = together.runs[r].levels;
    REQUIRE(one.size() == several.size());
    for (std::size_t k = 0; k < one.size(); ++k) {
      CAPTURE(r, one[k].level, one[k].remark, one[k].data_remarks);
      CHECK(one[k].outcome == several[k].outcome);
      CHECK(one[k].remark == several[k].remark);
      CHECK(one[k].data_remarks == several[k].data_remarks);
      CHECK(one[k].error_l2 == several[k].error_l2);
      CHECK(one[k].integral == several[k].integral);
      any_odd = any_odd || one[k].outcome == refused || !one[k].data_remarks.empty();
    }
  }
  CHECK(any_odd);
}

}  // namespace
}  // namespace ninefold
