// Whole solves by several ranks, here threads of one process: the bits of a solve by one, in every
// method, format and way to hold a matrix that ranks have.

#include "gpu/backend/ranks.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "precision/bad_value.hpp"

#include "grids/tensor_grid.hpp"

#include "solvers/solve.hpp"
#include "solvers/solver.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/ranked_solve.hpp"
#include "tests/support/row_kinds.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;

using testing::RankedSolve;

void check_ranks(const RankedSolve& stated, const std::vector<int>& counts) {
  testing::check_ranks(stated, BackendKind::host, counts);
}

const std::vector<int> few_ranks{2, 3}, all_ranks{1, 2, 3, 4, 7};

TEST_CASE("ranks have the bits of one: multigrid in all formats", "[ranks][solve]") {
  struct Format {
    Precision precision;
    double tolerance;
  };
  const Format format =
      GENERATE(Format{Precision::half, 1e-2}, Format{Precision::bfloat16, 0.1},
               Format{Precision::single_, 1e-6}, Format{Precision::double_single, 1e-10},
               Format{Precision::double_, 1e-10}, Format{Precision::double_double, 1e-20});
  RankedSolve stated;
  stated.options.precision = format.precision;
  stated.options.tolerance = format.tolerance;
  stated.options.max_iterations = 100;
  check_ranks(stated, format.precision == Precision::double_ ? all_ranks : few_ranks);
}

TEST_CASE("ranks have the bits of one: all ways to hold a matrix", "[ranks][solve]") {
  check_ranks(testing::solve_with_rows(testing::row_kinds[GENERATE(0, 1, 2)]), all_ranks);
}

TEST_CASE("ranks have the bits of one: conjugate gradients", "[ranks][solve]") {
  RankedSolve stated;
  stated.options.method = Method::cg;
  stated.options.preconditioner =
      GENERATE(Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid);
  stated.options.start = stated.options.preconditioner == Preconditioning::multigrid
                             ? Start::full_multigrid
                             : Start::zero;
  stated.problem.gx = 2;
  check_ranks(stated, all_ranks);
}

TEST_CASE("ranks have the bits of one: refinement", "[ranks][solve]") {
  RankedSolve stated;
  RefinementOptions& refinement = stated.options.refinement;
  SECTION("double:single") {
    refinement.inner = {Precision::single_};
  }
  SECTION("double:half") {
    refinement.inner = {Precision::half};
    stated.options.tolerance = 1e-8;
  }
  SECTION("double:single by flexible CG") {
    refinement.inner = {Precision::single_};
    refinement.variant = RefinementVariant::flexible_cg;
  }
  SECTION("double:single by guided CG") {
    stated.options.method = Method::cg;
    refinement.inner = {Precision::single_};
    refinement.variant = RefinementVariant::residual_guided_cg;
  }
  SECTION("double-double:double:single") {
    stated.options.precision = Precision::double_double;
    stated.options.tolerance = 1e-20;
    refinement.inner = {Precision::double_, Precision::single_};
  }
  check_ranks(stated, all_ranks);
}

TEST_CASE("ranks have the bits of one: full multigrid", "[ranks][solve]") {
  RankedSolve stated;
  stated.options.method = Method::full_multigrid;
  stated.options.refinement.inner = {GENERATE(Precision::single_, Precision::half)};
  stated.options.to_discretisation = GENERATE(false, true);
  stated.options.tolerance = 1e-8;
  stated.level = 7;
  check_ranks(stated, all_ranks);
}

// The first level is solved by waves, whose lines ranks divide.
TEST_CASE("ranks have the bits of one: full multigrid from a finer level", "[ranks][solve]") {
  RankedSolve stated;
  stated.options.method = Method::full_multigrid;
  stated.options.refinement.inner = {Precision::single_};
  stated.options.tolerance = 1e-8;
  stated.level = 9;
  // A load that is evaluated, and one that is restricted; a side whose nodes are unknowns.
  const int which = GENERATE(0, 1, 2);
  if (which == 1) {
    stated.problem.solution = "sin(x*y)";
    stated.problem.source = "(x^2 + y^2)*sin(x*y)";
    stated.problem.boundary[Side::top] = BoundaryKind::neumann;
    stated.level = 10;
  } else if (which == 2) {  // a free constant
    stated.problem.solution = "cosine";
    for (const Side side : all_sides) stated.problem.boundary[side] = BoundaryKind::neumann;
  }
  check_ranks(stated, few_ranks);
  // Where it is not divided, each solves all of it, as devices do.
  stated.cells_each = 1 << (stated.level - 1);
  check_ranks(stated, {2});
}

TEST_CASE("ranks have the bits of one: lines", "[ranks][solve]") {
  RankedSolve stated;
  MultigridOptions& multigrid = stated.options.multigrid;
  multigrid.smoother =
      GENERATE(Smoother::tridi, Smoother::trigs, Smoother::adi_tridi, Smoother::adi_trigs);
  const bool visits_in_order =
      multigrid.smoother == Smoother::trigs || multigrid.smoother == Smoother::adi_trigs;
  if (visits_in_order) multigrid.line_order = GENERATE(LineOrder::zebra, LineOrder::sequential);
  stated.options.storage = GENERATE(OperatorStorage::stored, OperatorStorage::factored);
  stated.options.refinement.inner = {Precision::single_};
  stated.options.refinement.inner_storage = {*stated.options.storage};
  stated.problem.boundary[Side::bottom] = GENERATE(BoundaryKind::dirichlet, BoundaryKind::neumann);
  stated.problem.solution = "exponential";
  stated.options.max_iterations = 30;
  check_ranks(stated,
              multigrid.line_order == LineOrder::zebra ? std::vector<int>{2, 3, 4} : few_ranks);
}

TEST_CASE("ranks have the bits of one: full multigrid by lines", "[ranks][solve]") {
  RankedSolve stated;
  stated.options.method = Method::full_multigrid;
  stated.options.multigrid.smoother = Smoother::adi_trigs;
  stated.options.refinement.inner = {Precision::single_};
  stated.options.tolerance = 1e-8;
  stated.level = 7;
  check_ranks(stated, all_ranks);
}

TEST_CASE("ranks have the bits of one: constants free, formulas, other sides", "[ranks][solve]") {
  RankedSolve stated;
  SECTION("all sides Neumann") {
    stated.problem.solution = "cosine";
    for (const Side side : all_sides) stated.problem.boundary[side] = BoundaryKind::neumann;
  }
  SECTION("a formula of both x and y") {
    stated.problem.solution = "sin(x*y)";
    stated.problem.source = "(x^2 + y^2)*sin(x*y)";
  }
  check_ranks(stated, few_ranks);
}

/// Steps in time from values at all nodes, with a change of the source's size by which the scaling
/// is chosen anew; then a solve.
std::vector<Solved> step_and_solve(const std::string& source, const SolverOptions& options) {
  ProblemOptions stated;
  stated.solution = "";
  stated.source = source;
  stated.reaction = 8;
  stated.boundary[Side::top] = BoundaryKind::neumann;
  const std::vector<TensorGrid> grids = make_hierarchy(1.0, 1.0, 7);
  Problem problem = make_problem(stated, 1.0, 1.0);
  Solver solver(prepare(problem, grids, options, BackendKind::host));
  const TensorGrid& grid = grids.back();
  std::vector<double> values;
  for (int j = 0; j < grid.ny(); ++j) {
    for (int i = 0; i < grid.nx(); ++i) {
      const auto x = grid.x.from_start[static_cast<std::size_t>(i)],
                 y = grid.y.from_start[static_cast<std::size_t>(j)];
      values.push_back(x * (1 - x) * y * (1.5 - y));
    }
  }
  std::vector<Solved> found;
  solver.set_solution(values);
  for (int k = 0; k < 2; ++k) (void)solver.step(8);
  found.push_back(solver.current());
  stated.source = "1e30*(" + source + ")";
  solver.set_data(make_problem(stated, 1.0, 1.0));
  (void)solver.step(4);
  found.push_back(solver.current());
  found.push_back(solver.solve());
  return found;
}

TEST_CASE("ranks have the bits of one: steps in time", "[ranks][solve][solver]") {
  // A sum of products, whose load each rank has, and one whose load each has its rows of.
  const std::string source = GENERATE("x + y", "exp(x*y)");
  SolverOptions options;
  options.tolerance = 1e-8;
  if (GENERATE(false, true)) options.refinement.inner = {Precision::single_};
  const std::vector<Solved> alone = step_and_solve(source, options);
  for (const int count : {2, 3, 7}) {
    std::vector<std::vector<Solved>> by_rank(static_cast<std::size_t>(count));
    run_on_ranks(Slabs(count, Slabs::fewest_cells), [&](const std::shared_ptr<const Ranks>& ranks) {
      SolverOptions own = options;
      own.ranks = ranks;
      by_rank[static_cast<std::size_t>(ranks->rank())] = step_and_solve(source, own);
    });
    for (const std::vector<Solved>& one : by_rank) {
      CAPTURE(count, source);
      REQUIRE(one.size() == alone.size());
      for (std::size_t k = 0; k < one.size(); ++k) {
        REQUIRE(one[k].share != nullptr);
        testing::check_same_solve(testing::part_of(alone[k], one[k]), one[k]);
      }
    }
  }
}

TEST_CASE("what several ranks do not do is refused by name", "[ranks][solve]") {
  const auto message = [](const SolverOptions& stated, const GridGrading& grading) {
    std::string text;
    std::mutex mutex;
    const auto task = [&](const std::shared_ptr<const Ranks>& ranks) {
      SolverOptions options = stated;
      options.ranks = ranks;
      try {
        (void)prepare(make_problem({}, 1.0, 1.0), make_hierarchy(1.0, 1.0, 7, grading), options,
                      BackendKind::host);
      } catch (const BadValue& error) {
        const std::lock_guard lock(mutex);
        text = error.what();
      }
    };
    run_on_ranks(Slabs(2, 16), task);
    return text;
  };
  SolverOptions options;
  CHECK(message(options, {}).empty());
  CHECK(message(options, {0.1, {Side::right}}).empty());
  options.method = Method::fast_diagonalisation;
  CHECK_THAT(message(options, {}), ContainsSubstring("works on one rank"));
}

TEST_CASE("a rank that fails ends the others", "[ranks]") {
  std::mutex mutex;
  std::vector<std::string> said;
  const auto task = [&](const std::shared_ptr<const Ranks>& ranks) {
    if (ranks->rank() == 1) throw std::runtime_error("no memory");
    std::vector<char> values(3);
    try {
      ranks->gather(values.data(), {0, 1, 2, 3});
    } catch (const std::runtime_error& error) {
      const std::lock_guard lock(mutex);
      said.push_back(error.what());
      throw;
    }
  };
  CHECK_THROWS_WITH(run_on_ranks(Slabs(3, 16), task), ContainsSubstring("no memory"));
  REQUIRE(said.size() == 2);
  for (const std::string& what : said) CHECK(what == "rank 1 has failed: no memory");
}

}  // namespace
}  // namespace ninefold
