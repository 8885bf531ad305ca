#include "experiments/program/smooth_run.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "grids/mesh/mesh_file.hpp"

#include "experiments/program/matrix_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

MeshSettings torus(int size) {
  return {.generator = {"torus", size}, .task = MeshTask::smooth};
}

/// Coordinates as solutions, for all three.
std::vector<SparseSolved> solved_at(const std::vector<SpacePoint>& places) {
  std::vector<SparseSolved> solved(3);
  for (std::size_t k = 0; k < 3; ++k) {
    for (const SpacePoint& p : places) solved[k].solution.high.push_back(p[k]);
  }
  return solved;
}

}  // namespace

TEST_CASE("errors and moves of a smoothed mesh are in mean edges", "[experiments][mesh]") {
  const SmoothProblem problem = smooth_problem(torus(6));
  REQUIRE(problem.name == "torus of size 6");
  REQUIRE(problem.system.A.pattern.n_rows == 36);
  const double edge = problem.lengths.mean_edge;
  std::vector<SpacePoint> places = problem.mesh.vertices;
  const std::vector<SparseSolved> reference = solved_at(places);
  std::vector<SparseRight> rights(3);
  for (std::size_t k = 0; k < 3; ++k) rights[k].solution = reference[k].solution;
  for (std::size_t k = 0; k < 3; ++k) places[7][k] += k == 0 ? 3e-3 : k == 1 ? 0 : -4e-3;
  const SmoothFacts facts = smooth_facts(problem, solved_at(places), rights, "a torus");
  REQUIRE(facts.finite);
  REQUIRE(std::abs(*facts.error_in_edges - 5e-3 / edge) < 1e-12);
  REQUIRE(std::abs(*facts.error_in_diagonals - 5e-3 / problem.lengths.diagonal) < 1e-12);
  REQUIRE(std::abs(facts.largest_move - 5e-3 / edge) < 1e-12);
  REQUIRE(std::abs(facts.mean_move - 5e-3 / edge / 36) < 1e-12);
  REQUIRE(facts.mesh.vertices == places);
  REQUIRE(picture_before(problem).png.starts_with("\x89PNG"));
  REQUIRE(facts.after.png.starts_with("\x89PNG"));
  rights[2].solution = {};
  REQUIRE_FALSE(smooth_facts(problem, solved_at(places), rights, "a torus").error_in_edges);
  places[3][1] = std::numeric_limits<double>::quiet_NaN();
  const SmoothFacts lost = smooth_facts(problem, solved_at(places), rights, "a torus");
  REQUIRE_FALSE(lost.finite);
  REQUIRE_FALSE(lost.error_in_edges);
}

TEST_CASE("three solves are told as the worst of them", "[experiments][mesh]") {
  std::vector<SparseSolved> solved(3);
  const Outcome outcomes[] = {Outcome::converged, Outcome::stagnated, Outcome::converged};
  for (std::size_t k = 0; k < 3; ++k) {
    Report& report = solved[k].report;
    report.outcome = outcomes[k];
    report.iterations = static_cast<int>(100 + 7 * k);
    report.true_residual_reduction = k == 0 ? 1e-5 : 1e-11;
    report.remark = "remark " + std::to_string(k);
    report.history.assign(101 + 7 * k, 1.0);
    report.solve_seconds = static_cast<double>(k + 1);
    report.setup_seconds = 0.5;
    report.inner_iterations = 1000;
    report.work.bytes = 10;
    solved[k].condition = static_cast<double>(300 - k);
    solved[k].backward_error = static_cast<double>(k);
  }
  const SparseSolved all = as_one(solved, Solving::side_by_side);
  REQUIRE(all.report.outcome == Outcome::stagnated);
  REQUIRE(all.report.remark == "y: remark 1");
  REQUIRE(all.report.history.size() == 115);
  REQUIRE(all.report.solve_seconds == 3);
  REQUIRE(all.report.work.bytes == 10);
  const Report one_by_one = as_one(solved, Solving::one_by_one).report;
  REQUIRE(one_by_one.solve_seconds == 6);
  REQUIRE(one_by_one.setup_seconds == 1.5);
  REQUIRE(one_by_one.inner_iterations == 3000);
  REQUIRE(one_by_one.work.bytes == 30);
  REQUIRE(all.report.iterations == 114);
  REQUIRE(all.report.true_residual_reduction == 1e-5);
  REQUIRE(all.condition == 300.0);
  REQUIRE(all.backward_error == 2);
}

TEST_CASE("parts are smoothed, lone vertices stay, and both are told", "[experiments][mesh]") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "two.off";
  std::ofstream(file) << "OFF\n7 2 0\n0 0 0\n1 0 0\n0 1 0\n5 5 5\n6 5 5\n5 6 5\n9 9 9\n"
                         "3 0 1 2\n3 3 4 5\n";
  MeshSettings settings{.file = file.string(), .task = MeshTask::smooth};
  const SmoothProblem problem = smooth_problem(settings);
  REQUIRE(problem.ending == ".off");
  REQUIRE(problem.remarks.size() == 4);
  REQUIRE_THAT(problem.remarks[0], ContainsSubstring("2 parts are smoothed"));
  REQUIRE_THAT(problem.remarks[1], ContainsSubstring("the first of them 6"));
  settings.part = MeshParts::largest;
  REQUIRE(smooth_problem(settings).mesh.vertices.size() == 3);
  std::ofstream(file) << "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n2 0 0\n3 0 1 2\n3 0 3 1\n";
  REQUIRE_THROWS_WITH(smooth_problem({.file = file.string()}),
                      ContainsSubstring("two.off: triangle 1, of vertices (0, 3, 1), has no area"));
}

TEST_CASE("the verdict on a smoothed mesh is about mean edges", "[experiments][mesh]") {
  const std::vector<JudgedRun> runs{
      {.run = "single", .formats = "single", .is_single = true, .error = 2e-5},
      {.run = "double", .formats = "double", .error = 1e-13}};
  REQUIRE(mesh_verdict(runs, in_edges)
          == "Single is enough: its largest error is 2e-05 of the mean edge, below a thousandth; "
             "double has 1e-13.");
  MatrixRun near;
  near.solved.report.outcome = Outcome::stagnated;
  near.smooth = SmoothFacts{.error_in_edges = 1e-3};
  REQUIRE(near.is_near());
  REQUIRE(is_done({near}, false));
  near.smooth->error_in_edges = 1.1e-3;
  REQUIRE_FALSE(is_done({near}, false));
}
