#include "experiments/program/run.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "output/vtk/vtk.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::json_of;
using testing::plans_of;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string small = "[grid]\nlevels = [2, 4]\n";

}  // namespace

TEST_CASE("a run leaves tables, histories and what was asked for", "[experiments][run]") {
  const TemporaryDirectory folder;
  const fs::path out = folder.path() / "out", json = folder.path() / "extra.json";
  const bool vtk = built_with_vtk();
  const Results results =
      run_plans(plans_of(small + (vtk ? "[output]\nvtk = true\n" : ""), folder.path()), json);
  REQUIRE(all_converged(results));
  for (const char* name : {"results.csv", "results.json", "results.md", "results.tex",
                           "history-run-1-level02.csv", "history-run-1-level04.csv"}) {
    CAPTURE(name);
    REQUIRE(fs::is_regular_file(out / name));
  }
  for (const char* name :
       {"solution-level02.vtr", "solution-level03.vtr", "solution-level04.vtr", "solution.pvd"}) {
    CAPTURE(name);
    REQUIRE(fs::exists(out / name) == vtk);
  }
  REQUIRE(content_of(json) == content_of(out / "results.json"));
}

TEST_CASE("the JSON file has every field of every level and all options", "[experiments][run]") {
  const TemporaryDirectory folder;
  run_plans(plans_of(small, folder.path()));
  const Json json = json_of(folder.path() / "out" / "results.json");
  const Json& meta = json.at("meta");
  for (const char* field : {"version", "commit", "compiler", "device", "date"}) {
    CAPTURE(field);
    REQUIRE_FALSE(meta.at(field).get<std::string>().empty());
  }
  REQUIRE(meta.at("options").size() == all_options(Configuration{}).size());
  REQUIRE(meta.at("options").at("solver.method") == "multigrid");
  REQUIRE(meta.at("options").at("grid.levels") == "[2, 4]");
  const Json& levels = json.at("runs").at(0).at("levels");
  REQUIRE(levels.size() == 3);
  for (const Json& level : levels) {
    for (const char* field :
         {"level", "unknowns", "h_min", "aspect_ratio", "iterations", "outcome",
          "residual_reduction", "true_residual_reduction", "error_l2", "error_rms", "error_max",
          "reduction_factor", "setup_seconds", "solve_seconds", "finish_seconds", "memory_bytes",
          "attainable_reduction", "bytes_per_second"}) {
      CAPTURE(field);
      REQUIRE(level.contains(field));
    }
    REQUIRE(level.at("outcome") == "converged");
    REQUIRE(level.at("true_residual_reduction").get<double>() <= 1e-10);
    REQUIRE(level.at("memory_bytes").get<std::size_t>() > 0);
    REQUIRE(level.at("moved_bytes").get<std::int64_t>() > 0);
    double parts = 0;
    for (const Json& part : level.at("timeline")) parts += part.at("seconds").get<double>();
    const auto seconds = [&](const char* field) { return level.at(field).get<double>(); };
    const double all =
        seconds("setup_seconds") + seconds("solve_seconds") + seconds("finish_seconds");
    REQUIRE(parts == Approx(all).epsilon(1e-6));
    REQUIRE(level.at("timeline").size() >= 6);
  }
  for (const char* field : {"inner_iterations", "inner_history", "transferred_bytes"}) {
    CAPTURE(field);
    REQUIRE(levels[0].at(field).is_null());
  }
  for (const Json& level : levels) REQUIRE(level.at("smoother") == "chebyshev");  // square cells
  REQUIRE(levels[0].at("reduction_factor").is_null());
  // The exact discrete errors of levels 2 and 4.
  REQUIRE(levels[0].at("error_l2").get<double>() == Approx(2.38879e-3).epsilon(1e-5));
  REQUIRE(levels[2].at("error_l2").get<double>() == Approx(1.48097e-4).epsilon(1e-5));
  REQUIRE(levels[2].at("reduction_factor").get<double>()
          == levels[1].at("error_l2").get<double>() / levels[2].at("error_l2").get<double>());
  REQUIRE(levels[2].at("unknowns") == 15 * 15);
  REQUIRE(levels[2].at("h_min") == 1.0 / 16);
}

TEST_CASE("levels that eigenvectors solve are told from those that a smoother has been at",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const auto smoothers = [&](const std::string& solver, const std::string& grid = "") {
    std::string text;
    const Results results = run_plans(plans_of(
        "[grid]\nlevels = [5, 8]\n" + grid + "[solver]\nmethod = 'full-multigrid'\n" + solver,
        folder.path()));
    for (const LevelResult& level : results.runs.at(0).levels) {
      text += level.smoother.starts_with("none") ? '-' : 's';
    }
    return text;
  };
  CHECK(smoothers("") == "--s-");  // level 7 is below those that waves begin on, above the base
  CHECK(smoothers("tolerance = 'discretisation'\n") == "--s-");
  CHECK(smoothers("[refinement]\ninner_precision = 'single'\n") == "--ss");
  CHECK(smoothers("", "grading = 'anisotropic'\nanisotropy = 0.5\n") == "-sss");
}

TEST_CASE("where memory decides, rates are compared with plain movement of the same run",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const Results results =
      run_plans(plans_of("[grid]\nlevels = 10\n[solver]\ntolerance = 1e-2\n"
                         "[operator]\nstorage = 'stored'\n",
                         folder.path()));
  const Json json = json_of(folder.path() / "out" / "results.json");
  const Json& level = json.at("runs").at(0).at("levels").at(0);
  const double plain = results.runs.at(0).levels.at(0).plain_bytes_per_second.value();
  REQUIRE(level.at("plain_share").get<double>()
          == Approx(level.at("bytes_per_second").get<double>() / plain));
  REQUIRE(level.at("plain_share").get<double>() > 0);
}

TEST_CASE("the results name the smoother that suits each level, and none without multigrid",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const Results stretched =
      run_plans(plans_of("[grid]\nlevels = [2, 3]\ngrading = 'geometric'\nexpansion_ratio = 100\n"
                         "[multigrid]\nline_order = 'sequential'\n",
                         folder.path()));
  for (const LevelResult& level : stretched.runs[0].levels) {
    REQUIRE(level.outcome == "converged");
    REQUIRE(level.smoother == "adi-trigs, sequential");
  }
  run_plans(plans_of("[grid]\nlevels = 2\n[solver]\nmethod = 'cg'\n", folder.path()));
  const Json json = json_of(folder.path() / "out" / "results.json");
  REQUIRE(json.at("runs").at(0).at("levels").at(0).at("smoother").is_null());
}

// A user's own grid, all else the default.  Halving the cells divides the error of bilinear
// elements by 4 (1 + O(h^2)); the widest of the 16 cells covers a third of the domain, where the
// second term is still felt: 3.89, then 3.98.
TEST_CASE("a grid of own widths solves to the accuracy of the discretisation",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  // Geometric widths over three orders of magnitude, as a user would write them.
  std::ofstream file(folder.path() / "widths.txt");
  for (int i = 0; i < 16; ++i) file << std::pow(1000.0, i / 15.0) << '\n';
  file.close();
  const Results results = run_plans(plans_of(
      fmt::format("[grid]\nx_widths = '{0}'\ny_widths = '{0}'\nlevels = [4, 6]\n[problem]\n"
                  "solution = 'sine'\n",
                  (folder.path() / "widths.txt").string()),
      folder.path()));
  const std::vector<LevelResult>& levels = results.runs[0].levels;
  REQUIRE(all_converged(results));
  REQUIRE(levels[0].aspect_ratio == Approx(1000).epsilon(1e-5));
  for (const LevelResult& level : levels) REQUIRE(level.aspect_ratio == levels[0].aspect_ratio);
  for (std::size_t k = 1; k < levels.size(); ++k) {
    REQUIRE(*levels[k].reduction_factor == Approx(4).epsilon(0.1));
  }
}

TEST_CASE("a refinement has the errors of its outer format and tells of its inner solver",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const Results results =
      run_plans(plans_of(small
                             + "[refinement]\ninner_iterations = 3\n"
                               "[study]\n\"refinement.inner_precision\" = ['none', 'single']\n",
                         folder.path()));
  REQUIRE(all_converged(results));
  const std::vector<LevelResult>&in_double = results.runs[0].levels,
        &refined = results.runs[1].levels;
  REQUIRE(refined.size() == 3);
  for (std::size_t k = 0; k < refined.size(); ++k) {
    REQUIRE_FALSE(in_double[k].inner_iterations);
    REQUIRE_FALSE(in_double[k].transferred_bytes);
    const LevelResult& row = refined[k];
    REQUIRE(row.iterations > 0);
    REQUIRE(row.inner_history == std::vector<int>(static_cast<std::size_t>(row.iterations), 3));
    REQUIRE(row.inner_iterations == 3 * row.iterations);
    REQUIRE(row.transferred_bytes == std::size_t{0});  // all on the host
    REQUIRE_FALSE(in_double[k].outer_bytes);
    REQUIRE(*row.outer_bytes > 0);
    REQUIRE(2 * *row.outer_bytes < row.moved_bytes);  // three cycles beside it
    REQUIRE_FALSE(row.plain_bytes_per_second);        // too small to be bound by memory
    REQUIRE(row.true_residual_reduction <= 1e-10);
    // Both residuals fall by 1e10, so that both errors are those of the discrete solution.
    REQUIRE(*row.error_l2 == Approx(*in_double[k].error_l2).epsilon(1e-8));
  }
  const Json json = json_of(folder.path() / "out" / "results.json");
  REQUIRE(json.at("runs").at(1).at("levels").at(2).at("inner_history")
          == Json(refined[2].inner_history));
}

TEST_CASE("each level is on disk before the next one begins", "[experiments][run]") {
  const TemporaryDirectory folder;
  const fs::path file = folder.path() / "out" / "results.json";
  const fs::path csv = folder.path() / "out" / "results.csv";
  const auto levels_on_disk = [&] {
    std::size_t levels = 0;
    if (!fs::exists(file)) return levels;
    const Json json = json_of(file);
    for (const Json& run : json.at("runs")) levels += run.at("levels").size();
    const std::string text = content_of(csv);
    REQUIRE(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == levels + 1);
    return levels;
  };
  std::vector<std::size_t> at_begin, at_end;
  RunEvents events;
  events.level_begins = [&](const Plan&, int) { at_begin.push_back(levels_on_disk()); };
  events.level_ends = [&](const Plan&, const RunResult&) { at_end.push_back(levels_on_disk()); };
  run_plans(plans_of("[grid]\nlevels = [2, 3]\n[study]\n\"solver.method\" = ['cg', 'multigrid']\n",
                     folder.path()),
            {}, events);
  REQUIRE(at_begin == std::vector<std::size_t>{0, 1, 2, 3});
  REQUIRE(at_end == std::vector<std::size_t>{1, 2, 3, 4});
}

TEST_CASE("a failure in a later level keeps the rows of the earlier ones", "[experiments][run]") {
  const TemporaryDirectory folder;
  RunEvents events;
  events.level_begins = [](const Plan&, int level) {
    if (level == 4) throw std::runtime_error("pulled the plug");
  };
  REQUIRE_THROWS_WITH(run_plans(plans_of(small, folder.path()), {}, events), "pulled the plug");
  const Json json = json_of(folder.path() / "out" / "results.json");
  REQUIRE(json.at("runs").at(0).at("levels").size() == 2);
}

TEST_CASE("levels that diverged have no reduction factor", "[experiments][run]") {
  const TemporaryDirectory folder;
  const Results results =
      run_plans(plans_of(small + "[multigrid]\ndamping = 1.9\n", folder.path()));
  for (const LevelResult& level : results.runs[0].levels) {
    REQUIRE(level.outcome == "diverged");
    REQUIRE(level.error_l2);
    REQUIRE_FALSE(level.reduction_factor);
  }
}

TEST_CASE("runs without a solution have no errors", "[experiments][run]") {
  const TemporaryDirectory folder;
  const bool vtk = built_with_vtk();
  const Results results = run_plans(plans_of(
      small + "[problem]\nsource = '1'\n" + (vtk ? "[output]\nvtk = true\n" : ""), folder.path()));
  REQUIRE(all_converged(results));
  for (const LevelResult& level : results.runs[0].levels) {
    REQUIRE_FALSE(level.error_l2);
    REQUIRE_FALSE(level.reduction_factor);
    REQUIRE(level.true_residual_reduction < 1e-10);
  }
  const Json json = json_of(folder.path() / "out" / "results.json");
  REQUIRE(json.at("runs").at(0).at("levels").at(0).at("error_rms").is_null());
}

TEST_CASE("a level that does not converge is a row like the others", "[experiments][run]") {
  const TemporaryDirectory folder;
  const Results results = run_plans(plans_of(
      "[grid]\nlevels = [3, 4]\n[solver]\nmethod = 'cg'\nmax_iterations = 5\n", folder.path()));
  REQUIRE_FALSE(all_converged(results));
  REQUIRE(results.runs[0].levels.size() == 2);
  for (const LevelResult& level : results.runs[0].levels) {
    REQUIRE(level.outcome == "step limit");
    REQUIRE(level.iterations == 5);
    REQUIRE_THAT(level.remark, ContainsSubstring("solver.max_iterations"));
    REQUIRE(level.error_l2);
  }
  REQUIRE_THAT(content_of(folder.path() / "out" / "results.csv"), ContainsSubstring("step limit"));
}

TEST_CASE("a level that a format cannot hold is a row, and the next run begins",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const auto plans = plans_of(
      "[grid]\nlevels = [2, 4]\nanisotropy = 0.01\n[output]\nplots = true\n"
      "[study]\n\"solver.precision\" = ['half', 'double']\n",
      folder.path());
  REQUIRE_THROWS_AS(run_plans(plans), std::invalid_argument);
  const Results results = run_plans(plans, {}, {}, Refusals::are_rows);
  REQUIRE_FALSE(all_converged(results));
  const std::vector<LevelResult>& levels = results.runs.at(0).levels;
  REQUIRE(levels.size() == 3);
  REQUIRE(levels[0].outcome != refused);
  REQUIRE(levels[2].outcome == refused);
  REQUIRE(levels[2].unknowns == 225);
  REQUIRE_THAT(levels[2].remark, ContainsSubstring("solver.precision = \"half\" cannot hold"));
  for (const LevelResult& level : results.runs.at(1).levels) REQUIRE(level.outcome == "converged");
  const Json row =
      json_of(folder.path() / "out" / "results.json").at("runs").at(0).at("levels").at(2);
  REQUIRE(row.at("outcome") == "refused");
  REQUIRE(row.at("remark") == levels[2].remark);
  REQUIRE(row.at("iterations").is_null());
  REQUIRE_THAT(content_of(folder.path() / "out" / "results.md"),
               ContainsSubstring("- run-1, level 4: " + levels[2].remark));
  // What is drawn is the finest level that was solved.
  REQUIRE_THAT(content_of(folder.path() / "out" / "run-1.gp"),
               ContainsSubstring(levels[1].outcome == refused ? "level 2" : "level 3"));
  REQUIRE_THAT(content_of(folder.path() / "out" / "run-2.gp"), ContainsSubstring("level 4"));
}

TEST_CASE("data that are wrong in all runs alike end a study, others are rows",
          "[experiments][run]") {
  const TemporaryDirectory folder;
  const std::string infinite = "[grid]\nlevels = [1, 2]\n[problem]\nquadrature = 1\n";
  const std::string source = "source = '1/(x - 0.125)'\n";
  const auto of_methods = plans_of(
      infinite + source + "[study]\n\"solver.method\" = ['cg', 'multigrid']\n", folder.path());
  REQUIRE_THROWS_WITH(run_plans(of_methods, {}, {}, Refusals::are_rows),
                      "problem.source is inf at x = 0.125, y = 0.125");
  const Json runs = json_of(folder.path() / "out" / "results.json").at("runs");
  REQUIRE(runs.size() == 1);
  REQUIRE(runs.at(0).at("levels").size() == 1);

  const Results results = run_plans(
      plans_of(infinite + "[study]\n\"problem.source\" = ['1/(x - 0.125)', 'x']\n", folder.path()),
      {}, {}, Refusals::are_rows);
  REQUIRE(results.runs.at(0).levels.at(1).outcome == refused);
  for (const LevelResult& level : results.runs.at(1).levels) REQUIRE(level.outcome == "converged");
}

TEST_CASE("a solve counts where its errors cannot be measured", "[experiments][run]") {
  const TemporaryDirectory folder;
  const Results results =
      run_plans(plans_of("[grid]\nlevels = [1, 2]\n[problem]\n"
                         "solution = '(x - 0.25)^2 + (y - 0.5)^2 == 0 ? 1/0 : 1'\nsource = '0'\n",
                         folder.path()));
  REQUIRE(all_converged(results));
  const std::vector<LevelResult>& levels = results.runs.at(0).levels;
  REQUIRE(levels.at(0).error_l2);
  REQUIRE(levels.at(0).data_remarks.empty());
  REQUIRE_FALSE(levels.at(1).error_l2);
  REQUIRE_FALSE(levels.at(1).error_rms);
  REQUIRE_FALSE(levels.at(1).error_max);
  REQUIRE(levels.at(1).data_remarks
          == std::vector<std::string>{
              "errors are not measured: problem.solution is inf at x = 0.25, y = 0.5"});
}

TEST_CASE("a study writes one table, and a name for each run's fields", "[experiments][run]") {
  const TemporaryDirectory folder;
  if (!built_with_vtk()) return;
  run_plans(
      plans_of("[grid]\nlevels = 3\n[output]\nvtk = true\n"
               "[study]\n\"solver.precision\" = ['single', 'double']\n"
               "\"solver.tolerance\" = [1e-3, 1e-5]\n",
               folder.path()));
  const fs::path out = folder.path() / "out";
  const Json json = json_of(out / "results.json");
  REQUIRE(json.at("runs").size() == 4);
  REQUIRE(json.at("runs").at(2).at("name") == "run-3");
  REQUIRE(json.at("runs").at(2).at("varied").at("solver.precision") == "double");
  REQUIRE(json.at("runs").at(2).at("varied").at("solver.tolerance") == "0.001");
  REQUIRE(json.at("meta").at("options").at("solver.precision") == R"(["single", "double"])");
  for (const char* name : {"run-1-level03.vtr", "run-4-level03.vtr", "run-4.pvd"}) {
    CAPTURE(name);
    REQUIRE(fs::exists(out / name));
  }
}

TEST_CASE("a level beyond memory is refused before anything is written", "[experiments][run]") {
  const TemporaryDirectory folder;
  auto plans = plans_of("[grid]\nlevels = [2, 3]\n", folder.path());
  // 2^30 nodes need more than 100 GiB; on a machine that has them, this test has no subject.
  plans[0].configuration.last_level = 15;
  const PreparedRun run = prepare_run(plans[0]);
  REQUIRE(run.levels.size() == 14);
  const std::size_t needed = run.levels.back().memory.backend;
  if (devices().front().memory_available > needed) return;
  REQUIRE_THROWS_WITH(run_plans(plans), ContainsSubstring("beyond the memory of this machine")
                                            && ContainsSubstring("GiB")
                                            && ContainsSubstring("the finest level that fits is"));
  REQUIRE(folder.entries().empty());
}

TEST_CASE("a folder that cannot be written to is refused", "[experiments][run]") {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "out") << "in the way";
  REQUIRE_THROWS_AS(run_plans(plans_of(small, folder.path())), ConfigurationError);
  REQUIRE_THROWS_WITH(
      run_plans(plans_of(small, folder.path())),
      ContainsSubstring((folder.path() / "out").string()) && ContainsSubstring("--output"));
  REQUIRE(content_of(folder.path() / "out") == "in the way");
}

TEST_CASE("a JSON file that cannot be written leaves nothing behind", "[experiments][run]") {
  const TemporaryDirectory folder;
  fs::create_directory(folder.path() / "taken.json");
  REQUIRE_THROWS_AS(run_plans(plans_of(small, folder.path()), folder.path() / "taken.json"),
                    ConfigurationError);
  REQUIRE(folder.entries() == std::vector<std::string>{"taken.json"});
}

TEST_CASE("a device that is not there is refused", "[experiments][run]") {
  if (devices().size() > 1) return;
  const TemporaryDirectory folder;
  auto plans = plans_of(small, folder.path());
  plans[0].configuration.backend = "cuda";
  REQUIRE_THROWS_AS(run_plans(plans), ConfigurationError);
  REQUIRE_THROWS_WITH(run_plans(plans), ContainsSubstring("cuda"));
  REQUIRE(folder.entries().empty());
}

TEST_CASE("pictures are drawn, or the reason is told", "[experiments][run]") {
  const TemporaryDirectory folder;
  std::vector<std::string> notes;
  RunEvents events;
  events.note = [&](const std::string& note) { notes.push_back(note); };
  run_plans(plans_of("[grid]\nlevels = [2, 3]\n[output]\nplots = true\n", folder.path()), {},
            events);
  const fs::path out = folder.path() / "out";
  for (const char* name : {"solution.png", "convergence.png", "residuals.png"}) {
    CAPTURE(name);
    const bool told = std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(name) != std::string::npos;
    });
    REQUIRE(fs::exists(out / name) != told);
  }
}
