#include "experiments/program/level_costs.hpp"

#include <cstddef>

#include "experiments/program/measured.hpp"
#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("a level's times are told with what they lead to", "[experiments][costs]") {
  const auto costs =
      level_costs(table_of_csv("level,to_discretisation_seconds,tolerance,to_tolerance_seconds\n"
                               "8,1e-4,1e-10,2e-4\n9,3e-4,1e-10,4e-4\n"),
                  9);
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].target == "the discretisation error, judged by the solve");
  CHECK(costs[0].seconds == 3e-4);
  CHECK(costs[1].target == "a residual of 1e-10");
  CHECK(costs[1].seconds == 4e-4);
  CHECK(costs[1].row_id == "row-all-level09");
}

TEST_CASE("what was measured twice to one target is told once, with its memory",
          "[experiments][costs]") {
  const auto costs =
      level_costs(table_of_csv("run,level,milliseconds,l2_ratio,to_tolerance,reached,memory\n"
                               "a,9,1,1,2,1e-9,0.5\n\"a, to 1e-10\",9,1.001,1,3,1e-11,0.5\n"),
                  9);
  REQUIRE(costs.size() == 3);
  CHECK(costs[0].target == "the discretisation error; the solver does not check it");
  CHECK(costs[1].target == "a residual of 1e-09");
  CHECK(costs[2].run == "a, to 1e-10");
  CHECK(costs[2].seconds == 3e-3);
  CHECK(costs[2].bytes == 0.5 * (1 << 30));
}

TEST_CASE("of a table that tells which runs are enough the smallest and the quickest are told",
          "[experiments][costs]") {
  const auto costs = level_costs(
      table_of_csv("run,level,outcome,true_residual_reduction,error_l2,solve_seconds,memory_bytes\n"
                   "half,9,stagnated,1,2e-3,1,1\nsingle,9,stagnated,1e-6,1e-3,5,2\n"
                   "double,9,converged,1e-11,1e-3,4,4\nwider,9,converged,1e-12,1e-3,9,8\n"),
      9);
  REQUIRE(costs.size() == 2);
  CHECK(costs[0].run == "single (least memory that is enough)");
  CHECK(costs[0].target == "a residual of 1e-06, stagnated");
  CHECK(costs[1].run == "double (quickest converged that is enough)");
  CHECK(costs[1].bytes == 4.0);
}
