#include "experiments/program/summary.hpp"

#include "solvers/timeline.hpp"

#include "experiments/program/run.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

RunResult run_with(const std::vector<std::pair<std::string, std::string>>& outcomes) {
  RunResult run{"run-1", {}, {}};
  for (const auto& [outcome, remark] : outcomes) {
    LevelResult level;
    level.level = 5 + static_cast<int>(run.levels.size());
    level.outcome = outcome;
    level.remark = remark;
    run.levels.push_back(level);
  }
  return run;
}

/// Level 5 and finer, by these smoothers.
RunResult smoothed(const std::string& name, const std::vector<std::string>& smoothers) {
  RunResult run{name, {}, {}};
  for (const std::string& smoother : smoothers) {
    LevelResult level;
    level.level = 5 + static_cast<int>(run.levels.size());
    level.smoother = smoother;
    run.levels.push_back(level);
  }
  return run;
}

std::vector<Plan> plans_with(const std::vector<Smoother>& smoothers) {
  std::vector<Plan> plans;
  for (const Smoother smoother : smoothers) {
    plans.emplace_back();
    plans.back().configuration.solver.multigrid.smoother = smoother;
  }
  return plans;
}

}  // namespace

TEST_CASE("levels that ended alike share a line", "[experiments][summary]") {
  const Results results{{},
                        {run_with({{"converged", ""},
                                   {"stagnated", "first"},
                                   {"stagnated", "second"},
                                   {"step limit", "third"}})}};
  REQUIRE(remarks_summary(results)
          == "levels 6 to 7 stagnated; level 7: second\nlevel 8 reached the step limit: third\n");
  REQUIRE(verdict(results) == "3 of 4 levels did not converge");
}

TEST_CASE("levels that were refused are counted apart", "[experiments][summary]") {
  Results results{{},
                  {run_with({{"converged", ""}, {"refused", "too narrow"}}),
                   run_with({{"converged", ""}, {"stagnated", "limit"}})}};
  CHECK(verdict(results) == "1 of 4 solves did not converge, 1 was refused");
  results.runs[1] = run_with({{"refused", "too narrow"}});
  CHECK(verdict(results) == "2 of 3 solves were refused");
  CHECK(remarks_summary(results)
        == "run-1, level 6 refused: too narrow\nrun-1, level 5 refused: too narrow\n");
  CHECK_FALSE(all_converged(results));
  CHECK(any_solved(results));
  results.runs.erase(results.runs.begin());
  CHECK_FALSE(any_solved(results));
}

TEST_CASE("remarks on the data are told once for all levels and runs that share them",
          "[experiments][summary]") {
  RunResult run = run_with({{"converged", ""}, {"converged", ""}, {"stagnated", "limit"}});
  for (LevelResult& level : run.levels) level.data_remarks = {"source"};
  run.levels[1].data_remarks.push_back("error");
  REQUIRE(remarks_summary({{}, {run}})
          == "levels 5 to 7: source\nlevel 6: error\nlevel 7 stagnated: limit\n");
  RunResult other = run;
  other.name = "run-2";
  REQUIRE(remarks_summary({{}, {run, other}})
          == "all runs, levels 5 to 7: source\nall runs, level 6: error\n"
             "run-1, level 7 stagnated: limit\nrun-2, level 7 stagnated: limit\n");
  other.levels.pop_back();
  REQUIRE(remarks_summary({{}, {run, other}})
          == "run-1, levels 5 to 7: source\nrun-1, level 6: error\n"
             "run-1, level 7 stagnated: limit\n"
             "run-2, levels 5 to 6: source\nrun-2, level 6: error\n");
}

TEST_CASE("where all levels converged remarks are counted beside it", "[experiments][summary]") {
  RunResult run = run_with({{"converged", ""}, {"converged", ""}});
  run.levels[1].data_remarks = {"error"};
  REQUIRE(verdict({{}, {run}}) == "all 2 levels converged; 1 remark above");
  run.levels[0].data_remarks = {"source"};
  REQUIRE(verdict({{}, {run}}) == "all 2 levels converged; 2 remarks above");
}

TEST_CASE("a run without remarks has none", "[experiments][summary]") {
  const Results results{{}, {run_with({{"converged", ""}, {"converged", ""}})}};
  REQUIRE(remarks_summary(results).empty());
  REQUIRE(verdict(results) == "all 2 levels converged");
  REQUIRE(verdict({{}, {run_with({{"converged", ""}})}}) == "converged");
}

TEST_CASE("how a single run has moved its bytes is told where memory decides",
          "[experiments][summary]") {
  Results results{{}, {run_with({{"converged", ""}, {"converged", ""}})}};
  REQUIRE(movement_summary(results).empty());
  LevelResult& finest = results.runs[0].levels[1];
  finest.moved_bytes = 30'000'000'000;
  finest.solve_seconds = 2;
  finest.plain_bytes_per_second = 20e9;
  REQUIRE(movement_summary(results)
          == "level 6 moved 30 GB at 15 GB/s, 0.75 of plain memory movement\n");
  results.runs.push_back(results.runs[0]);
  REQUIRE(movement_summary(results).empty());
}

TEST_CASE("estimates that take most of a long level are named, with the key that leaves them out",
          "[experiments][summary]") {
  std::vector<Plan> plans = plans_with({Smoother::automatic});
  Results results{{}, {smoothed("run-1", {"jacobi"})}};
  LevelResult& finest = results.runs[0].levels[0];
  finest.setup_seconds = 0.0625;
  finest.solve_seconds = 0.0625;
  finest.finish_seconds = 0.375;
  finest.timeline = {
      {std::string(part::levels), 0.125}, {std::string(part::estimate), 0.25}, {"rest", 0.125}};
  CHECK(estimate_summary(plans, results)
        == "level 5 took 0.5 s, of which estimates of its errors 0.38 s; output.estimates = false "
           "is without them\n");
  plans[0].configuration.solver.to_discretisation = true;  // which rests on them
  CHECK(estimate_summary(plans, results)
        == "level 5 took 0.5 s, of which estimates of its errors 0.38 s\n");
  finest.timeline[1].second = 0.0625;  // no longer most
  CHECK(estimate_summary(plans, results).empty());
  finest.timeline[1].second = 0.25;
  finest.setup_seconds = finest.solve_seconds = 0;
  finest.finish_seconds = 0.1;  // a short time
  CHECK(estimate_summary(plans, results).empty());
}

TEST_CASE("what the automatic smoother stood for is told once if it is the same everywhere",
          "[experiments][summary]") {
  using enum Smoother;
  const Results alike{{}, {smoothed("run-1", {"jacobi", "jacobi"}), smoothed("run-2", {"jacobi"})}};
  REQUIRE(smoothers_summary(plans_with({automatic, automatic}), alike)
          == "smoother auto: jacobi\n");
  REQUIRE(smoothers_summary(plans_with({jacobi, jacobi}), alike).empty());
  const Results without{{}, {smoothed("run-1", {"", ""})}};  // conjugate gradients
  REQUIRE(smoothers_summary(plans_with({automatic}), without).empty());
}

TEST_CASE("of levels without cycles it is told what settings do there", "[experiments][summary]") {
  using enum Smoother;
  const std::string none = "none, eigenvectors solve";
  const Results results{{}, {smoothed("run-1", {none, "jacobi"})}};
  const std::string words = ": level 5 none, eigenvectors solve; level 6 jacobi";
  const std::string idle = "; keys of multigrid have no effect on a level without cycles\n";
  CHECK(smoothers_summary(plans_with({automatic}), results) == "smoother auto" + words + "\n");
  CHECK(smoothers_summary(plans_with({jacobi}), results) == "smoother jacobi" + words + idle);
  std::vector<Plan> often = plans_with({automatic});
  often[0].configuration.solver.multigrid.cycles_per_level = 3;
  CHECK(smoothers_summary(often, results) == "smoother auto" + words + idle);
}

TEST_CASE("where the automatic smoother differs, levels and runs are told apart",
          "[experiments][summary]") {
  using enum Smoother;
  const Results results{{},
                        {smoothed("run-1", {"jacobi", "adi-trigs, zebra", "adi-trigs, zebra"}),
                         smoothed("run-2", {"tridi along x"}), smoothed("run-3", {"jacobi"})}};
  REQUIRE(smoothers_summary(plans_with({automatic, tridi, automatic}), results)
          == "run-1, smoother auto: level 5 jacobi; levels 6 to 7 adi-trigs, zebra\n"
             "run-3, smoother auto: jacobi\n");
}

TEST_CASE("the error of the finest level is told with what half of it takes, or that it is not",
          "[experiments][summary]") {
  std::vector<Plan> plans(1);
  Results results{{}, {run_with({{"converged", ""}, {"converged", ""}})}};
  CHECK(error_summary(plans, results).empty());
  LevelResult& finest = results.runs[0].levels[1];
  finest.not_estimated = "is not resolved yet: why";
  CHECK(error_summary(plans, results)
        == "level 6: the discretisation error is not resolved yet: why\n");
  plans[0].configuration.solver.to_discretisation = true;
  CHECK(error_summary(plans, results)
        == "level 6: the discretisation error is not resolved yet: why; \"converged\" compares what "
           "the iteration leaves with the change from the coarser level alone\n");
  plans[0].configuration.solver.to_discretisation = false;
  finest.estimated_l2 = 0.00123;
  finest.observed_order = 2;
  const std::string told =
      "level 6: the discretisation error is about 0.0012 in l2; half of it takes 2.0 times the "
      "cells\n";
  CHECK(error_summary(plans, results) == told);
  finest.observed_order = 1;
  CHECK(error_summary(plans, results).find("4.0 times the cells") != std::string::npos);
  finest.solution_l2 = 0.5;
  CHECK(error_summary(plans, results).find("0.0012 in l2, 0.0025 of the solution; half")
        != std::string::npos);
  finest.solution_l2.reset();

  finest.observed_order = 2;
  finest.algebraic_l2 = 1e-6;
  finest.rounding_l2 = 2e-7;
  finest.left_l2 = 1.1e-6;
  CHECK(error_summary(plans, results)
        == told
               + "level 6: the iteration leaves 1e-06, rounding in double 2e-07: less than 0.05 of "
                 "it, and no more digits would show in l2\n");
  finest.algebraic_l2 = finest.left_l2 = 1e-4;
  CHECK(error_summary(plans, results).find(": a smaller solver.tolerance would show\n")
        != std::string::npos);
  finest.rounding_l2 = 7e-5;
  finest.outcome = "stagnated";
  CHECK(error_summary(plans, results).find(": a more precise format, or form, would show\n")
        != std::string::npos);
  // Each is less than a twentieth, both are not.
  finest.algebraic_l2 = finest.rounding_l2 = 4e-5;
  finest.left_l2 = 8e-5;
  CHECK(error_summary(plans, results).find(": a more precise format, or form, would show\n")
        != std::string::npos);
  // Enough of what is expected, and too much of what levels have told: its remark says so.
  plans[0].configuration.solver.to_discretisation = true;
  finest.algebraic_l2 = finest.rounding_l2 = finest.left_l2 = 1e-7;
  CHECK(error_summary(plans, results).find("1e-07\n") != std::string::npos);
  CHECK(error_summary(plans, results).find("no more digits") == std::string::npos);
  plans[0].configuration.solver.to_discretisation = false;
  finest.algebraic_l2 = 1e-4;
  finest.rounding_l2 = 7e-5;
  finest.estimated_l2.reset();
  CHECK(error_summary(plans, results)
        == "level 6: the iteration leaves 0.0001, rounding in double 7e-05\n");

  // Of one run alone, and of one that has reached something.
  finest.outcome = "diverged";
  CHECK(error_summary(plans, results).empty());
  finest.outcome = "converged";
  plans[0].configuration.output.estimates = false;
  CHECK(error_summary(plans, results).empty());
  plans[0].configuration.output.estimates = true;
  results.runs.push_back(results.runs[0]);
  CHECK(error_summary(plans, results).empty());
}
TEST_CASE("a study ends with what half of the error takes, and with the runs that are enough",
          "[experiments][summary]") {
  Results results{{}, {run_with({{"converged", ""}}), run_with({{"converged", ""}})}};
  results.runs[0].varied = {{"solver.precision", "half"}};
  results.runs[1].varied = {{"solver.precision", "double"}};
  results.runs[1].name = "run-2";
  CHECK(study_summary(results).empty());
  LevelResult &half = results.runs[0].levels[0], &wide = results.runs[1].levels[0];
  wide.not_estimated = "is not resolved yet: why";
  CHECK(study_summary(results)
        == "run-2, level 5: the discretisation error is not resolved yet: why\n");
  for (LevelResult* row : {&half, &wide}) {
    row->estimated_l2 = 1e-3;
    row->observed_order = 2;
    row->solve_seconds = 0.25;
  }
  half.left_l2 = 2e-4;
  wide.left_l2 = 2e-12;
  const std::string half_of_it =
      "level 5: the discretisation error is about 0.001 in l2; half of it takes 2.0 times the "
      "cells\n";
  CHECK(study_summary(results)
        == half_of_it
               + "level 5: iteration and rounding leave at most a tenth of it, hence enough: "
                 "run-2: double\n"
                 "level 5: not enough: run-1: half\n"
                 "level 5: the quickest that is enough is run-2: double, in 0.25 s\n");
  half.left_l2 = 2e-5;
  half.solve_seconds = 0.2625;
  CHECK_THAT(study_summary(results),
             ContainsSubstring("the quickest that is enough is run-2: double, in 0.25 s; within a "
                               "tenth of that, so that chance may tell: run-1: half\n"));
  half.outcome = "stagnated";
  half.solve_seconds = 0.125;
  CHECK(study_summary(results)
        == half_of_it
               + "level 5: iteration and rounding leave at most a tenth of it, hence enough: "
                 "run-1: half; run-2: double\n"
                 "level 5: the quickest that is enough, of those that have converged, is run-2: "
                 "double, in 0.25 s\n"
                 "level 5: enough, but not converged, so that iterations without progress are in "
                 "the time: run-1: half\n");
  results.runs[0].varied = {{"problem.solution", "peak"}};
  results.runs[1].varied = {{"problem.solution", "sine"}};
  CHECK(study_summary(results)
        == "problem.solution = peak, " + half_of_it + "problem.solution = sine, " + half_of_it);
  results.runs.pop_back();
  CHECK(study_summary(results).empty());
}
