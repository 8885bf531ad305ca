#include "experiments/program/mesh_run.hpp"

#include <limits>

#include "experiments/program/matrix_run.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("texels are distances over the longer side of the reference", "[experiments][mesh]") {
  const MeshProblem problem = mesh_problem({.generator = {"patch", 2}});
  REQUIRE(problem.name == "patch of size 2");
  REQUIRE(problem.system.vertices.size() == 7);
  WideVector reference{std::vector<double>(14), {}};
  for (std::size_t k = 0; k < 7; ++k) {
    reference.high[2 * k] = 4.0 * static_cast<double>(k % 2);
    reference.high[2 * k + 1] = static_cast<double>(k) - 2;
  }
  WideVector solution = reference;
  solution.high[6] += 3e-3;
  solution.high[7] += 4e-3;
  const MapFacts facts = map_facts(problem, solution, reference, "a map");
  REQUIRE(facts.finite);
  // The box is 4 wide and 6 high.
  REQUIRE(std::abs(*facts.texels - 4096 * 5e-3 / 6) < 1e-9);
  REQUIRE_FALSE(map_facts(problem, solution, {}, "a map").texels);
  solution.high[3] = std::numeric_limits<double>::quiet_NaN();
  const MapFacts lost = map_facts(problem, solution, reference, "a map");
  REQUIRE_FALSE(lost.finite);
  REQUIRE_FALSE(lost.texels);
  // Numbers all of them, in a box that is too wide for one.
  solution.high[3] = 1.7e308;
  solution.high[5] = -1.7e308;
  REQUIRE_FALSE(map_facts(problem, solution, reference, "a map").finite);
}

namespace {

JudgedRun judged(const std::string& formats, std::optional<double> texels, std::size_t mesh = 0,
                 const std::string& run = "run-1") {
  return {.run = run,
          .formats = formats,
          .is_single = formats == "single",
          .mesh = mesh,
          .finite = texels.has_value(),
          .error = texels};
}

std::string verdict(const std::vector<JudgedRun>& runs) {
  return mesh_verdict(runs, in_texels);
}

}  // namespace

TEST_CASE("the verdict is about single", "[experiments][mesh]") {
  REQUIRE(verdict({judged("single", 0.25), judged("double", 1e-7)})
          == "Single is enough: its largest error is 0.25 texels of a 4096 x 4096 texture, below "
             "half of one; double has 1e-07.");
  REQUIRE(verdict({judged("single", 12), judged("double", 1e-7)})
          == "Single is not enough: its largest error is 12 texels of a 4096 x 4096 texture, above "
             "half of one; double has 1e-07.");
  REQUIRE(verdict({judged("single", {}), judged("double", 1e-7)})
          == "Single is not enough: its map is not finite; double has 1e-07.");
  REQUIRE(verdict({judged("single", 0.5)})
          == "Single is enough: its largest error is 0.5 texels of a 4096 x 4096 texture, just "
             "half of one.");
  REQUIRE_THAT(verdict({judged("double:single", 1e-7)}),
               ContainsSubstring("was not tried; in double:single the largest error is 1e-07"));
  JudgedRun forecast = judged("single", 0.25);
  forecast.is_forecast = true;
  forecast.product = "5 x 0.05 = ";
  REQUIRE(verdict({forecast, judged("double", 1e-7)})
          == "Single would be enough: its largest error is 5 x 0.05 = 0.25 texels of a 4096 x 4096 "
             "texture, below half of one; double has 1e-07.");
  forecast.error = 12;
  REQUIRE_THAT(verdict({forecast}), ContainsSubstring("Single would not be enough: "));
  REQUIRE_THAT(verdict({judged("single", {})}), ContainsSubstring("Nothing is known"));
  REQUIRE_THAT(verdict({}), ContainsSubstring("Nothing is known"));
}

TEST_CASE("of several meshes the worst counts, of the runs of one the best",
          "[experiments][mesh]") {
  REQUIRE_THAT(verdict({judged("double", 0.1, 0), judged("double", {}, 1, "run-2")}),
               ContainsSubstring("in double a map is not finite, in run-2."));
  REQUIRE(verdict({judged("single", 0.00169, 0), judged("single", 18, 1, "run-2")})
          == "Single is not enough: its largest error is 18 texels of a 4096 x 4096 texture, in "
             "run-2, above half of one.");
  REQUIRE(verdict({judged("single", 2.18), judged("single", 0.029, 0, "run-2")})
          == "Single is enough: its largest error is 0.029 texels of a 4096 x 4096 texture, in "
             "run-2, below half of one.");
  // What double has is that of the same mesh.
  REQUIRE(verdict({judged("single", 0.001, 0), judged("double", 1e-9, 0, "run-2"),
                       judged("single", 0.4, 1, "run-3"), judged("double", 1e-7, 1, "run-4")})
          == "Single is enough: its largest error is 0.4 texels of a 4096 x 4096 texture, in "
             "run-3, below half of one; double has 1e-07.");
  REQUIRE_THAT(verdict({judged("single", 0.1, 0), judged("single", {}, 1, "run-2")}),
               ContainsSubstring("not enough: its map is not finite, in run-2"));
  REQUIRE_THAT(verdict({judged("double", 1e-9, 0), judged("double", 1e-7, 1, "run-2")}),
               ContainsSubstring("in double the largest error is 1e-07 texels of a 4096 x 4096 "
                                 "texture, in run-2."));
  JudgedRun unknown = judged("single", {}, 1, "run-2");
  unknown.finite = true;
  REQUIRE_THAT(verdict({judged("single", 0.1, 0), unknown}),
               ContainsSubstring("Single is enough, where the error is known: its largest"));
  REQUIRE_THAT(verdict({judged("double", 0.1, 0), unknown}),
               ContainsSubstring("Nothing is known of the error in single"));
}

TEST_CASE("what a run has to say is said beside what its residual costs", "[experiments][mesh]") {
  std::vector<Plan> plans(1);
  plans[0].configuration.mesh.generator = {"patch", 2};
  MatrixRun run{.plan = plans.data()};
  run.map = MapFacts{.texels = 0.25};
  run.solved.report.true_residual_reduction = 1e-4;
  const auto page = [&](Outcome outcome, const std::string& remark) {
    run.solved.report.outcome = outcome;
    run.solved.report.remark = remark;
    return to_text(matrix_run_document(plans, {run}));
  };
  REQUIRE_THAT(page(Outcome::step_limit, "the iterations are used up"),
               ContainsSubstring("the iterations are used up; the map is right to 0.25 texels"));
  REQUIRE_THAT(page(Outcome::step_limit, ""),
               ContainsSubstring("the residual ends at 1.0e-04 of the right-hand side; the map"));
  REQUIRE_THAT(page(Outcome::stagnated, ""),
               ContainsSubstring("of the right-hand side, above the tolerance of 1e-10; the map is "
                                 "right"));
  // What would help the residual is not needed.
  REQUIRE_THAT(page(Outcome::stagnated, "a wider format is needed"),
               !ContainsSubstring("a wider format is needed"));
  REQUIRE_THAT(page(Outcome::converged, "a word"), !ContainsSubstring("the map is right"));
}

TEST_CASE("a run that is refused is a row that says why, and all of them are an error",
          "[experiments][mesh]") {
  std::vector<Plan> plans(2);
  plans[0].name = "run-1", plans[1].name = "run-2";
  for (Plan& plan : plans) {
    plan.varied = {{"solver.precision", "half"}};
    plan.configuration.mesh.generator = {"patch", 2};
  }
  MatrixRun bad{.plan = plans.data()}, good{.plan = &plans[1]};
  bad.map.emplace();
  bad.refusal = "half is too narrow";
  good.map = MapFacts{.texels = 0.25};
  good.solved.report.outcome = Outcome::converged;
  const Table table = matrix_run_table(plans, {bad, good});
  const auto cell = [&](std::size_t row, const std::string& key) {
    for (std::size_t k = 0; k < table.columns().size(); ++k) {
      if (table.columns()[k].key == key) return table.rows()[row][k];
    }
    return Cell("no such column");
  };
  REQUIRE(cell(0, "outcome") == Cell(std::string("refused")));
  REQUIRE(cell(0, "iterations") == Cell());
  REQUIRE(cell(0, "true_residual") == Cell());
  REQUIRE(cell(0, "remark") == Cell(std::string("half is too narrow")));
  REQUIRE(cell(1, "outcome") == Cell(std::string("converged")));
  REQUIRE_THAT(to_text(matrix_run_document(plans, {bad, good})),
               ContainsSubstring("run-1: half is too narrow"));
  REQUIRE_FALSE(is_done({bad, good}, false));
  REQUIRE_NOTHROW(require_one_solved(plans[0], {"no", ""}));
  REQUIRE_THROWS_WITH(require_one_solved(plans[0], {"half is too narrow", "so is this"}),
                      ContainsSubstring("no run of the study is possible: half is too narrow"));
}

TEST_CASE("runs are done if they converge or are right to half a texel", "[experiments][mesh]") {
  MatrixRun good, near, far;
  good.solved.report.outcome = Outcome::converged;
  near.solved.report.outcome = far.solved.report.outcome = Outcome::stagnated;
  near.map = MapFacts{.texels = 0.1};
  far.map = MapFacts{.texels = 10};
  REQUIRE(is_done({good, near}, false));
  REQUIRE_FALSE(is_done({good, far}, false));
  REQUIRE(is_done({far, good}, true));
  REQUIRE_FALSE(is_done({far, far}, true));
}
