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
}

TEST_CASE("the verdict is about single", "[experiments][mesh]") {
  REQUIRE(map_verdict({{"single", true, 0.25}, {"double", false, 1e-7}})
          == "Single is enough: its largest error is 0.25 texels of a 4096 x 4096 texture, below "
             "half of one; double has 1e-07.");
  REQUIRE(map_verdict({{"single", true, 12.0}, {"double", false, 1e-7}})
          == "Single is not enough: its largest error is 12 texels of a 4096 x 4096 texture, above "
             "half of one; double has 1e-07.");
  REQUIRE(map_verdict({{"single", true, {}}, {"double", false, 1e-7}})
          == "Single is not enough: its map is not finite; double has 1e-07.");
  REQUIRE(map_verdict({{"single", true, 0.5}})
          == "Single is enough: its largest error is 0.5 texels of a 4096 x 4096 texture, below half "
             "of one.");
  REQUIRE_THAT(map_verdict({{"double:single", false, 1e-7}}),
               ContainsSubstring("was not tried; in double:single the largest error is 1e-07"));
  REQUIRE_THAT(map_verdict({{"single", true, {}}}), ContainsSubstring("Nothing is known"));
  REQUIRE_THAT(map_verdict({}), ContainsSubstring("Nothing is known"));
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
