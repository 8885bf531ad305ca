// Several devices, or one for several ranks, have the bits of the host: whole solves.

#include "gpu/backend/ranks.hpp"

#include <vector>

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/ranked_solve.hpp"
#include "tests/support/row_kinds.hpp"

namespace ninefold {
namespace {

using testing::full_or_small;
using testing::RankedSolve;

void check(RankedSolve stated) {
  stated.cells_each = full_or_small(32, 16);
  stated.level = full_or_small(9, 6);
  testing::check_ranks(stated, testing::device_kind, {2, 3});
}

TEST_CASE("ranks on devices have the bits of the host: multigrid", "[gpu][ranks]") {
  struct Format {
    Precision precision;
    double tolerance;
  };
  const Format format =
      GENERATE(Format{Precision::half, 1e-2}, Format{Precision::single_, 1e-6},
               Format{Precision::double_single, 1e-10}, Format{Precision::double_, 1e-10});
  RankedSolve stated;
  stated.options.precision = format.precision;
  stated.options.tolerance = format.tolerance;
  stated.options.max_iterations = 100;
  check(stated);
}

TEST_CASE("ranks on devices have the bits of the host: all ways to hold a matrix", "[gpu][ranks]") {
  check(testing::solve_with_rows(testing::row_kinds[GENERATE(0, 1, 2)]));
}

TEST_CASE("ranks on devices have the bits of the host: conjugate gradients", "[gpu][ranks]") {
  RankedSolve stated;
  stated.options.method = Method::cg;
  stated.options.preconditioner = GENERATE(Preconditioning::none, Preconditioning::multigrid);
  check(stated);
}

TEST_CASE("ranks on devices have the bits of the host: mixed", "[gpu][ranks]") {
  RankedSolve stated;
  stated.options.refinement.inner = {Precision::single_};
  SECTION("refinement") {}
  SECTION("full multigrid") {
    stated.options.method = Method::full_multigrid;
    stated.options.to_discretisation = GENERATE(false, true);
    stated.options.tolerance = 1e-8;
  }
  check(stated);
}

}  // namespace
}  // namespace ninefold
