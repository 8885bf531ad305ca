// Several devices, or one for several ranks, have the bits of the host: whole solves.

#include "gpu/backend/ranks.hpp"

#include <vector>

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/kept_sizes.hpp"
#include "tests/support/ranked_solve.hpp"
#include "tests/support/row_kinds.hpp"

namespace ninefold {
namespace {

using testing::full_or_small;
using testing::RankedSolve;

void check(RankedSolve stated, const std::vector<int>& counts = {2, 3}) {
  stated.cells_each = full_or_small(32, 16);
  stated.level = full_or_small(9, 6);
  testing::check_ranks(stated, testing::device_kind, counts);
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

// The first level is solved by waves, on each device.
TEST_CASE("ranks on devices have the bits of the host: full multigrid from a finer level",
          "[gpu][ranks]") {
  RankedSolve stated;
  stated.options.method = Method::full_multigrid;
  stated.options.refinement.inner = {Precision::single_};
  stated.options.tolerance = 1e-8;
  // A load that is restricted, and one that is evaluated; a side whose nodes are unknowns.
  const int which = GENERATE(0, 1, 2);
  if (which == 1) {
    stated.problem.solution = "sin(x*y)";
    stated.problem.source = "(x^2 + y^2)*sin(x*y)";
    stated.problem.boundary[Side::top] = BoundaryKind::neumann;
  } else if (which == 2) {  // a free constant
    stated.problem.solution = "cosine";
    for (const Side side : all_sides) stated.problem.boundary[side] = BoundaryKind::neumann;
  }
  stated.cells_each = 32;
  stated.level = full_or_small(10, 9);
  testing::check_ranks(stated, testing::device_kind, {1, 2, 3});
}

// Rows of others that passes ask for once for several of them; slabs of 16 rows and more.
TEST_CASE("ranks on devices have the bits of the host: passes that know rows of others",
          "[gpu][ranks]") {
  const testing::KeptSizes kept(GENERATE(testing::large_ways, testing::small_ways));
  RankedSolve stated;
  stated.options.method = Method::full_multigrid;
  stated.options.refinement.inner = {Precision::single_};
  stated.options.max_iterations = 4;
  MultigridOptions& multigrid = stated.options.multigrid;
  SECTION("two steps after the coarse correction") {}
  SECTION("in 16 bits") {
    stated.options.refinement.inner = {Precision::half};
  }
  SECTION("in double alone") {
    stated.options.refinement.inner = {};
  }
  SECTION("in pairs of words") {
    stated.options.precision = Precision::double_single;
  }
  SECTION("one step, or four") {
    multigrid.cycle = Cycle::v;
    multigrid.pre_smoothing = 0;
    multigrid.post_smoothing = GENERATE(1, 4);
  }
  SECTION("F- and W-cycles") {
    multigrid.cycle = GENERATE(Cycle::f, Cycle::w);
    multigrid.pre_smoothing = 0;
    multigrid.post_smoothing = 2;
  }
  SECTION("with steps before, too") {
    multigrid.cycle = Cycle::v;
    multigrid.pre_smoothing = multigrid.post_smoothing = 1;
  }
  SECTION("two cycles on each level") {
    multigrid.cycles_per_level = 2;
  }
  stated.problem.solution = "exponential";
  stated.cells_each = 16;
  stated.level = 8;
  testing::check_ranks(stated, testing::device_kind, {2, 4, 7});
}

// The coarser ones of the levels that are divided, and those that are not, have lines of which is
// kept what elimination makes of them.
TEST_CASE("ranks on devices have the bits of the host: lines", "[gpu][ranks][lines]") {
  RankedSolve stated;
  stated.options.multigrid.smoother =
      GENERATE(Smoother::tridi, Smoother::trigs, Smoother::adi_tridi, Smoother::adi_trigs);
  stated.options.multigrid.cycle = GENERATE(Cycle::v, Cycle::f, Cycle::w);
  stated.options.storage = GENERATE(OperatorStorage::stored, OperatorStorage::factored);
  stated.options.refinement.inner = {Precision::single_};
  stated.options.refinement.inner_storage = {*stated.options.storage};
  // One kind for each cycle and storage.
  const bool is_neumann = stated.options.multigrid.cycle == Cycle::f;
  stated.problem.boundary[Side::bottom] =
      is_neumann ? BoundaryKind::neumann : BoundaryKind::dirichlet;
  stated.problem.solution = "exponential";
  stated.options.max_iterations = 30;
  const bool alternates = stated.options.multigrid.smoother == Smoother::adi_trigs;
  check(stated, alternates ? std::vector<int>{1, 2, 3, 4} : std::vector<int>{2, 3});
}

TEST_CASE("ranks on devices have the bits of the host: lines one by one", "[gpu][ranks][lines]") {
  RankedSolve stated;
  stated.options.multigrid.smoother = GENERATE(Smoother::trigs, Smoother::adi_trigs);
  stated.options.multigrid.line_order = LineOrder::sequential;
  stated.options.max_iterations = 30;
  testing::check_ranks(stated, testing::device_kind, {2, 3});
}

TEST_CASE("ranks on devices have the bits of the host: lines in all formats",
          "[gpu][ranks][lines]") {
  struct Format {
    Precision precision;
    double tolerance;
  };
  const Format format =
      GENERATE(Format{Precision::half, 1e-2}, Format{Precision::bfloat16, 0.1},
               Format{Precision::single_, 1e-5}, Format{Precision::double_single, 1e-10},
               Format{Precision::double_, 1e-10}, Format{Precision::double_double, 1e-20});
  RankedSolve stated;
  stated.options.multigrid.smoother = Smoother::adi_trigs;
  stated.options.precision = format.precision;
  stated.options.tolerance = format.tolerance;
  stated.options.max_iterations = 100;
  check(stated);
}

TEST_CASE("ranks on devices have the bits of the host: full multigrid by lines",
          "[gpu][ranks][lines]") {
  RankedSolve stated;
  stated.options.method = Method::full_multigrid;
  stated.options.multigrid.smoother = GENERATE(Smoother::trigs, Smoother::adi_trigs);
  stated.options.refinement.inner = {GENERATE(Precision::single_, Precision::half)};
  stated.options.to_discretisation = GENERATE(false, true);
  stated.options.tolerance = 1e-8;
  check(stated, {2, 3, 4});
}

TEST_CASE("ranks on devices have the bits of the host: conjugate gradients with lines",
          "[gpu][ranks][lines]") {
  RankedSolve stated;
  stated.options.method = Method::cg;
  stated.options.preconditioner = Preconditioning::multigrid;
  stated.options.start = Start::full_multigrid;
  stated.options.multigrid.smoother = Smoother::adi_tridi;
  stated.problem.gx = 2;
  check(stated);
}

}  // namespace
}  // namespace ninefold
