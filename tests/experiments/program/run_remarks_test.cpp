// What a run tells beside its numbers, and errors of unusual size.

#include <algorithm>
#include <cstddef>
#include <tuple>

#include <fmt/format.h>

#include "solvers/estimate/solver_errors.hpp"

#include "output/vtk/vtk.hpp"

#include "experiments/program/run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/plans.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::json_of;
using testing::plans_of;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string small_grid = "[grid]\nlevels = [2, 4]\n";

/// Level by level, whether its row says that the error does not fall.
std::vector<bool> errors_stay(const std::string& text) {
  const TemporaryDirectory folder;
  std::vector<bool> stays;
  const Results results = run_plans(plans_of(text, folder.path()));
  for (const LevelResult& level : results.runs[0].levels) {
    stays.push_back(std::any_of(
        level.data_remarks.begin(), level.data_remarks.end(), [](const std::string& remark) {
          return remark.find("the l2 error does not fall") != std::string::npos;
        }));
  }
  return stays;
}

}  // namespace

TEST_CASE("data that disagree are told and kept in the files", "[experiments][run]") {
  const TemporaryDirectory folder;
  std::vector<std::string> told;
  RunEvents events;
  events.run_begins = [&](const Plan&, const Problem& problem) { told = problem.remarks; };
  const Results results =
      run_plans(plans_of(small_grid + "[problem]\nsolution = 'x*x'\nsource = '2'\n", folder.path()),
                {}, events);
  REQUIRE(told.size() == 1);
  REQUIRE_THAT(told[0], ContainsSubstring("problem.source does not belong to problem.solution"));
  const Json json = json_of(folder.path() / "out" / "results.json");
  for (std::size_t k = 0; k < 3; ++k) {
    REQUIRE(results.runs[0].levels[k].data_remarks[0] == told[0]);
    REQUIRE_THAT(json.at("runs").at(0).at("levels").at(k).at("remark").get<std::string>(),
                 ContainsSubstring(told[0]));
  }
  REQUIRE_THAT(content_of(folder.path() / "out" / "results.md"),
               ContainsSubstring("- run-1, levels 2 to 4: " + told[0]));
}

TEST_CASE("an error that does not fall on two levels, or on the last one, is remarked",
          "[experiments][run]") {
  using Stays = std::vector<bool>;
  const std::string wrong = "[problem]\nsolution = 'x*x'\nsource = '2'\n";
  REQUIRE(errors_stay("[grid]\nlevels = [2, 5]\n" + wrong) == Stays{false, false, true, true});
  REQUIRE(errors_stay("[grid]\nlevels = [3, 4]\n" + wrong) == Stays{false, true});
  REQUIRE(errors_stay("[grid]\nlevels = 3\n" + wrong) == Stays{false});
  // Rounding, not the data: the tolerance says as much, or the format does.
  const std::string coarse = "[grid]\nlevels = [2, 4]\n[solver]\ntolerance = ";
  REQUIRE(errors_stay(coarse + "0.03\n" + wrong) == Stays{false, false, false});
  REQUIRE(errors_stay(coarse + "1e-3\n" + wrong) == Stays{false, false, true});
  REQUIRE(errors_stay(coarse + "1e-3\nprecision = 'half'\n" + wrong) == Stays{false, false, false});
}

TEST_CASE("errors that fall, or that are small, draw no remark", "[experiments][run]") {
  const auto text = GENERATE(
      as<std::string>(), "[grid]\nlevels = [1, 6]\n", "[grid]\nlevels = [5, 7]\nanisotropy = 0.1\n",
      "[grid]\nlevels = [4, 7]\n[problem]\nsolution = 'peak'\n",
      "[grid]\nlevels = [5, 7]\n[problem]\nsolution = 'boundary_layer'\n",
      "[grid]\nlevels = [2, 5]\n[problem]\nsolution = 'x'\nsource = '0'\n",
      "[grid]\nlevels = [2, 7]\n[solver]\nprecision = 'half'\ntolerance = 0.1\n",
      "[grid]\nlevels = [2, 7]\n[solver]\nprecision = 'bfloat16'\ntolerance = 0.3\n",
      "[grid]\nlevels = [5, 9]\n[solver]\nprecision = 'single'\ntolerance = 1e-3\n");
  CAPTURE(text);
  for (const bool stays : errors_stay(text)) REQUIRE_FALSE(stays);
}

TEST_CASE("a residual above the tolerance asks for no more digits where none would show",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const auto remark = [&](const std::string& solver) {
    const Results results =
        run_plans(plans_of("[grid]\nlevels = [5, 5]\n[solver]\n" + solver + "\n", folder.path()));
    const LevelResult& level = results.runs[0].levels[0];
    REQUIRE(level.outcome == "stagnated");
    return level.remark;
  };
  const std::string said = "that would meet solver.tolerance, and no more digits would show: ";
  CHECK_THAT(remark("tolerance = 1e-16"), ContainsSubstring(said));
  CHECK_THAT(remark("precision = 'half'"), !ContainsSubstring(said));
}

TEST_CASE("a run that is enough by what the study's runs tell is said to be, whatever its residual",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const auto remark = [&](const std::string& solution) {
    const Results results =
        run_plans(plans_of("[grid]\nlevels = [4, 5]\n[problem]\nsolution = '" + solution
                               + "'\n[study]\n'solver.precision' = ['half', 'double']\n",
                           folder.path()));
    CHECK(results.runs[1].levels[1].remark.empty());
    REQUIRE(results.runs[0].levels[1].outcome == "stagnated");
    return results.runs[0].levels[1].remark;
  };
  const std::string said = "this run is enough already, as the study's runs tell";
  CHECK_THAT(remark("peak"), ContainsSubstring(said));
  CHECK_THAT(remark("polynomial"), !ContainsSubstring(said));
}

TEST_CASE("the memory of a level is what its estimates have held, too", "[experiments][run]") {
  const TemporaryDirectory folder;
  const auto held = [&](const std::string& more) {
    const auto plans = plans_of("[grid]\nlevels = [5, 5]\n" + more, folder.path());
    const std::size_t bytes = run_plans(plans).runs[0].levels[0].memory_bytes;
    const PreparedSolve solve = prepare_run(plans[0]).levels.back();
    return std::tuple(bytes, solve.memory.backend, bytes_with_estimate(solve));
  };
  const auto [with, alone, expected] = held("");
  CHECK(with == expected);
  CHECK(with > alone);
  CHECK(std::get<0>(held("[output]\nestimates = false\n")) == alone);
}

TEST_CASE("a grid that VTK files hold with nodes moved apart is written, and the user told once",
          "[experiments][run]") {
  if (!built_with_vtk()) return;
  const TemporaryDirectory folder;
  std::vector<std::string> notes;
  RunEvents events;
  events.note = [&](const std::string& note) { notes.push_back(note); };
  const std::string text =
      "[grid]\nlevels = [2, 5]\nanisotropy = 1e-5\nrefined_sides = ['right']\n[output]\nvtk = "
      "true\n";
  const Results results = run_plans(plans_of(text, folder.path()), {}, events);
  REQUIRE(results.runs[0].levels.size() == 4);
  REQUIRE(fs::exists(folder.path() / "out" / "solution-level05.vtr"));
  REQUIRE(notes.size() == 1);
  REQUIRE_THAT(notes[0],
               ContainsSubstring("from solution-level04.vtr on, level 5: the cell at x = 1 is")
                   && ContainsSubstring("moved apart") && ContainsSubstring("field data"));
}

TEST_CASE("errors of tiny and huge solutions are numbers everywhere", "[experiments][run]") {
  const std::string factor = GENERATE("1e-290", "1e-170", "1e170", "1e300");
  CAPTURE(factor);
  const TemporaryDirectory folder;
  const Results results =
      run_plans(plans_of(fmt::format("{}[problem]\nsolution = '{}*x*(1-x)*y*(1-y)'\n"
                                     "source = '2*{}*(x*(1-x)+y*(1-y))'\n",
                                     small_grid, factor, factor),
                         folder.path()));
  REQUIRE(all_converged(results));
  const Json json = json_of(folder.path() / "out" / "results.json");
  for (const Json& level : json.at("runs").at(0).at("levels")) {
    const bool first = level.at("level") == 2;
    for (const char* field : {"error_l2", "error_rms", "error_max"}) {
      CAPTURE(field);
      REQUIRE(level.at(field).get<double>() > 0);
    }
    if (!first) REQUIRE(level.at("reduction_factor").get<double>() == Approx(4).epsilon(0.01));
  }
  REQUIRE(json.at("runs").at(0).at("levels").at(2).at("error_l2").get<double>()
          == Approx(1.48097e-4 * std::stod(factor)).epsilon(1e-5));
  for (const char* file : {"results.csv", "results.md", "results.tex"}) {
    CAPTURE(file);
    REQUIRE_THAT(content_of(folder.path() / "out" / file),
                 !ContainsSubstring("nan") && !ContainsSubstring("inf\"")
                     && !ContainsSubstring("infty") && !ContainsSubstring(",inf"));
  }
}

namespace {

/// The remark on the last of some levels.
std::string remark_of(const std::string& text) {
  const TemporaryDirectory folder;
  return run_plans(plans_of(text, folder.path())).runs[0].levels.back().remark;
}

}  // namespace

TEST_CASE("a step limit asks for more steps unless rounding holds the residual, which stays",
          "[experiments][run][remarks]") {
  const std::string single = "[solver]\nprecision = 'single'\n";
  const auto more_steps = ContainsSubstring("use a larger solver.max_iterations");
  CHECK_THAT(remark_of("[grid]\nlevels = 7\n" + single
                       + "method = 'multigrid'\ntolerance = 1e-9\nmax_iterations = 12\n"),
             ContainsSubstring("max_iterations = 12 reached before")
                 && ContainsSubstring("the limit of single")
                 && ContainsSubstring("use solver.precision = \"double\""));
  // Rounding leaves as much, but the residual falls still.
  CHECK_THAT(remark_of("[grid]\nlevels = 10\n" + single
                       + "method = 'multigrid'\ntolerance = 1e-4\nmax_iterations = 2\n"),
             more_steps);
  // Corrections tell, not the residual.
  CHECK_THAT(remark_of("[grid]\nlevels = [8, 9]\n" + single
                       + "method = 'full-multigrid'\ntolerance = 'discretisation'\n"
                         "max_iterations = 2\n"),
             more_steps);
  // Changes do.
  CHECK_THAT(
      remark_of("[grid]\nlevels = 7\nanisotropy = 0.2\n[problem]\nboundary = {left = 'neumann', "
                "right = 'neumann', bottom = 'neumann', top = 'neumann'}\n"
                + single + "method = 'multigrid'\ntolerance = 1e-6\nmax_iterations = 5\n"),
      more_steps);
}

TEST_CASE("of what levels tell, rounding included, a part of the error is the least",
          "[experiments][run][remarks]") {
  CHECK_THAT(
      remark_of("[grid]\nlevels = 6\n[solver]\nprecision = 'half'\nmethod = "
                "'full-multigrid'\ntolerance = 'discretisation'\n"),
      ContainsSubstring("leave at least ") && !ContainsSubstring("a larger solver.fraction"));
}
