#include "output/tables/enough.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

LevelResult solved(int level, double error, double left, double seconds) {
  LevelResult row;
  row.level = level;
  row.outcome = "converged";
  row.error_l2 = error;
  row.left_l2 = left;
  row.solve_seconds = seconds;
  return row;
}

RunResult run_of(const std::string& name, const std::string& key, const std::string& value,
                 std::vector<LevelResult> levels) {
  return {name, {{key, value}}, std::move(levels)};
}

/// Of formats, on one level.
Results study(const LevelResult& half, const LevelResult& wide) {
  Results results;
  results.runs = {run_of("run-1", "solver.precision", "half", {half}),
                  run_of("run-2", "solver.precision", "double", {wide})};
  return results;
}

}  // namespace

TEST_CASE("rounding that takes something off the discretisation error makes no run more precise",
          "[output][enough]") {
  // The error of half is the smaller one, by chance.
  const Results results = study(solved(5, 1.5e-5, 2.2e-5, 0.1), solved(5, 3.7e-5, 1e-13, 0.4));
  const auto rows = which_are_enough(results);
  REQUIRE(rows.size() == 1);
  CHECK(listed(rows[0].enough) == "run-2: double");
  CHECK(listed(rows[0].others) == "run-1: half");
  CHECK(words_of(*rows[0].quickest) == "run-2: double");
  CHECK(rows[0].discretisation == 3.7e-5);
  CHECK(rows[0].seconds == 0.4);
  CHECK(rows[0].level == 5);
  CHECK(rows[0].runs == 2);
}

TEST_CASE("without estimates of a run its error is compared with the most precise one's",
          "[output][enough]") {
  const auto enough = [](double error, double exact) {
    LevelResult half = solved(5, error, 0, 0.1), wide = solved(5, exact, 0, 0.4);
    for (LevelResult* row : {&half, &wide}) row->left_l2.reset();
    half.attainable_reduction = 1e-3;
    wide.attainable_reduction = 1e-13;
    const Results results = study(half, wide);
    return listed(which_are_enough(results).at(0).enough);
  };
  CHECK(enough(3.4e-5, 3.7e-5) == "run-1: half; run-2: double");
  CHECK(enough(4.0e-5, 3.7e-5) == "run-1: half; run-2: double");
  CHECK(enough(3.0e-5, 3.7e-5) == "run-2: double");
  CHECK(enough(4.4e-5, 3.7e-5) == "run-2: double");
}

TEST_CASE("where no solution is known estimates tell which runs are enough", "[output][enough]") {
  LevelResult half = solved(5, 0, 2e-5, 0.1), wide = solved(5, 0, 1e-13, 0.4);
  for (LevelResult* row : {&half, &wide}) row->error_l2.reset();
  Results results = study(half, wide);
  CHECK(which_are_enough(results).empty());  // beside what?
  half.estimated_l2 = 6e-4;                  // of rounding, for the most part
  wide.estimated_l2 = 1e-4;
  results = study(half, wide);
  const auto rows = which_are_enough(results);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].discretisation == 1e-4);
  CHECK(listed(rows[0].enough) == "run-2: double");
  half.left_l2 = 8e-6;
  results = study(half, wide);
  CHECK(listed(which_are_enough(results)[0].enough) == "run-1: half; run-2: double");
}

TEST_CASE("what is left is small beside no error that it is a part of itself", "[output][enough]") {
  const Results results = study(solved(5, 1e-4, 2e-4, 0.1), solved(5, 1e-4, 9e-5, 0.4));
  const auto rows = which_are_enough(results);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].enough.empty());
  CHECK(rows[0].quickest == nullptr);
}

TEST_CASE("runs of other problems, or on other grids, are not compared", "[output][enough]") {
  Results results;
  results.runs = {run_of("run-1", "problem.solution", "sine", {solved(5, 1e-2, 1e-9, 1)}),
                  run_of("run-2", "problem.solution", "peak", {solved(5, 1e-5, 1e-9, 1)}),
                  run_of("run-3", "grid.anisotropy", "0.5", {solved(5, 1e-3, 1e-9, 1)}),
                  run_of("run-4", "solver.precision", "double", {solved(5, 1e-4, 1e-9, 1)}),
                  run_of("run-5", "solver.method", "cg", {solved(5, 1e-4, 1e-9, 0.5)})};
  const auto rows = which_are_enough(results);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].problem == "problem.solution = sine");
  CHECK(rows[1].problem == "problem.solution = peak");
  CHECK(rows[2].problem == "grid.anisotropy = 0.5");
  CHECK(rows[3].problem.empty());
  for (const Enough& row : rows) CHECK(row.others.empty());
  CHECK(listed(rows[3].enough) == "run-4: double; run-5: cg");
  CHECK(words_of(*rows[3].quickest) == "run-5: cg");
}

TEST_CASE("times that chance may exchange are named beside the quickest", "[output][enough]") {
  for (const auto& [seconds, near] : {std::pair(0.109, true), {0.111, false}}) {
    for (const bool is_first : {false, true}) {
      const LevelResult quick = solved(5, 1e-4, 1e-13, 0.1),
                        other = solved(5, 1e-4, 1e-13, seconds);
      const Results results = is_first ? study(quick, other) : study(other, quick);
      const auto rows = which_are_enough(results);
      REQUIRE(rows.size() == 1);
      CHECK(rows[0].seconds == 0.1);
      CHECK(rows[0].as_quick.size() == (near ? 1 : 0));
    }
  }
  LevelResult endless = solved(5, 1e-4, 1e-13, 0.1);
  endless.outcome = "stagnated";
  const Results results = study(endless, solved(5, 1e-4, 1e-13, 0.1));
  CHECK(which_are_enough(results)[0].as_quick.empty());
}

TEST_CASE("a run that goes on without progress is not the quickest, and that is said",
          "[output][enough]") {
  LevelResult half = solved(5, 1e-4, 1e-6, 0.1), wide = solved(5, 1e-4, 1e-13, 0.4);
  half.outcome = "stagnated";
  Results results = study(half, wide);
  auto rows = which_are_enough(results);
  REQUIRE(rows.size() == 1);
  CHECK(listed(rows[0].enough) == "run-1: half; run-2: double");
  CHECK(words_of(*rows[0].quickest) == "run-2: double");
  CHECK(listed(rows[0].without_end) == "run-1: half");
  wide.outcome = "stagnated";
  results = study(half, wide);
  rows = which_are_enough(results);
  CHECK(words_of(*rows[0].quickest) == "run-1: half");  // of none that has converged
  CHECK(rows[0].without_end.size() == 2);
}

TEST_CASE("a run whose errors at the nodes are off is not enough, whatever the integral says",
          "[output][enough]") {
  LevelResult plain = solved(15, 3.79e-11, 0, 0.1), wide = solved(15, 3.53e-11, 0, 0.4);
  for (LevelResult* row : {&plain, &wide}) row->left_l2.reset();
  plain.true_residual_reduction = 1e-7;
  plain.error_rms = 8.15e-11;
  Results results = study(plain, wide);
  CHECK(listed(which_are_enough(results)[0].enough) == "run-1: half; run-2: double");
  wide.error_rms = 2.56e-11;
  results = study(plain, wide);
  CHECK(listed(which_are_enough(results)[0].enough) == "run-2: double");
  CHECK(which_are_enough(results)[0].discretisation_rms == 2.56e-11);
  plain.left_l2 = 2e-13;  // of estimates in l2 the same
  wide.left_l2 = 1e-13;
  results = study(plain, wide);
  CHECK(listed(which_are_enough(results)[0].others) == "run-1: half");
}

TEST_CASE("of runs that are enough the one with the least memory is told", "[output][enough]") {
  LevelResult half = solved(5, 1e-4, 1e-3, 0.1), wide = solved(5, 1e-4, 1e-13, 0.4);
  half.memory_bytes = 1;
  Results results = study(half, wide);
  CHECK(which_are_enough(results)[0].smallest == nullptr);  // half is not enough
  half.left_l2 = 1e-6;
  half.memory_bytes = wide.memory_bytes = 8;
  results = study(half, wide);
  CHECK(words_of(*which_are_enough(results)[0].smallest) == "run-1: half");  // as it is quicker
  wide.memory_bytes = 7;
  results = study(half, wide);
  CHECK(words_of(*which_are_enough(results)[0].smallest) == "run-2: double");
}
