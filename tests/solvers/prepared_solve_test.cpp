#include "solvers/prepared_solve.hpp"

#include <cmath>
#include <string>

#include "fem/discrete/assembly.hpp"

#include "gpu/operations/line_operations.hpp"

#include "solvers/solve.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/paper_tests.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::by;
using testing::check_same_solve;
using testing::refined;
using testing::stated;
using testing::Stated;

PreparedSolve prepare_on_host(const Stated& stated, const SolverOptions& options) {
  return prepare(stated.problem, stated.grids, options, BackendKind::host);
}

/// Thin cells at the right, which is not Dirichlet: rounding hides what is left of the error.
Stated with_detached_cells(int level) {
  ProblemOptions problem;
  problem.solution = "exponential";
  problem.boundary[Side::right] = BoundaryKind::neumann;
  return {make_problem(problem, 1, 1), make_hierarchy(1, 1, level, {0.05, {Side::right}})};
}

TEST_CASE("what is prepared says what is run, and may be run again", "[solvers][prepared]") {
  for (const char test : {'A', 'C', 'G'}) {
    const Stated given = stated(test, 5);
    const PreparedSolve prepared = prepare_on_host(given, {});
    CAPTURE(test);
    CHECK(prepared.level() == 5);
    CHECK(prepared.form() == prepared.options.form);
    const Solved solved = solve(prepared);
    CHECK(solved.report.smoother == to_words(prepared.smoothing));
    CHECK(solved.report.memory_bytes == prepared.memory.backend);
    check_same_solve(solved, solve(prepared));
    check_same_solve(solved, testing::solve_on_host(given, {}));
  }
}

TEST_CASE("a solve that cannot be is refused before it is run", "[solvers][prepared]") {
  SolverOptions options;
  options.multigrid.pre_smoothing = 1;
  options.multigrid.post_smoothing = 0;
  CHECK_NOTHROW(prepare_on_host(stated('A', 4), options));
  CHECK_THROWS_WITH(prepare_on_host(stated('G', 4), options),
                    ContainsSubstring("adi-trigs") && ContainsSubstring("at least 2 steps"));
  options.method = Method::cg;  // without multigrid nothing smooths
  CHECK_NOTHROW(prepare_on_host(stated('G', 4), options));
  options = {};
  options.multigrid.smoother = Smoother::chebyshev;
  CHECK_NOTHROW(prepare_on_host(stated('A', 4), options));
  options.form = OperatorForm::plain;
  CHECK_THROWS_WITH(prepare_on_host(stated('A', 4), options),
                    ContainsSubstring("operator.form = \"difference\"")
                        && ContainsSubstring("operator.storage = \"factored\""));
  options.form = OperatorForm::difference;
  options.storage = OperatorStorage::stored;
  CHECK_THROWS_WITH(
      prepare_on_host(stated('A', 4), options),
      !ContainsSubstring("operator.form") && ContainsSubstring("operator.storage = \"factored\""));
  CHECK_THROWS_WITH(prepare(make_problem({}, 2, 1), make_hierarchy(1, 1, 3), {}, BackendKind::host),
                    ContainsSubstring("2 x 1") && ContainsSubstring("1 x 1"));
  CHECK_THROWS_WITH(prepare(make_problem({}, 1, 1), make_hierarchy(1, 1, 0), {}, BackendKind::host),
                    ContainsSubstring("levels 0 to at least 1"));
}

TEST_CASE("memory is forecast on the finest level, and none is taken",
          "[solvers][prepared][memory]") {
  const Stated given = testing::polynomial(15);
  const double nodes = std::pow(32769.0, 2);
  SolverOptions options = refined("double-double", {"double", "single"});
  options.form = OperatorForm::plain;
  const auto forecast = [&] {
    return static_cast<double>(prepare_on_host(given, options).memory.backend);
  };
  const double mixed = forecast();
  // Four values of double-double and double, five of single, and the single matrices of all levels.
  CHECK(mixed == Approx(nodes * (2 * 16 + 2 * 8 + 4 / 3.0 * (9 + 3) * 4)).epsilon(2e-3));
  options.refinement = {};
  CHECK(forecast() == Approx(nodes * 4 / 3.0 * (9 + 3) * 16).epsilon(2e-3));
  options.method = Method::cg;
  CHECK(forecast() == Approx(nodes * (9 + 5) * 16).epsilon(2e-3));
}

TEST_CASE("factored rows take next to no memory, and have no largest number of nodes",
          "[solvers][prepared][memory]") {
  const auto values = [](int level, const SolverOptions& options) {
    const double nodes = std::pow(std::exp2(level) + 1, 2);
    return static_cast<double>(prepare_on_host(testing::polynomial(level), options).memory.backend)
           / nodes;
  };
  SolverOptions options;
  for (const int level : {15, max_level}) {
    CHECK(values(level, options) == Approx(4 / 3.0 * 3 * 8).epsilon(3e-3));
  }
  // Two values of double, the residual and three of single: 30 GiB on level 15.
  const SolverOptions mixed = refined("double", {"single"});
  CHECK(values(max_level, mixed) == Approx(2 * 8 + 4 / 3.0 * 3 * 4).epsilon(3e-3));

  options.storage = OperatorStorage::stored;
  CHECK_NOTHROW(values(15, options));
  CHECK_THROWS_WITH(values(max_level, options),
                    ContainsSubstring("operator.storage = stored is not possible: a stored matrix "
                                      "has at most 2147483647 nodes, and this grid 4295098369"));
  SolverOptions inside = mixed;
  inside.refinement.inner_storage = {OperatorStorage::stored};
  CHECK_THROWS_WITH(values(max_level, inside),
                    ContainsSubstring("refinement.inner_storage = stored is not possible"));
}

TEST_CASE("no multigrid is held for a judgement that the bound suffices for",
          "[solvers][prepared][memory]") {
  ProblemOptions free;
  for (const Side side : all_sides) free.boundary[side] = BoundaryKind::neumann;
  const auto judges = [&](double height) {
    const Stated given{make_problem(free, 1, height), make_hierarchy(1, height, 5)};
    SolverOptions cg;
    cg.method = Method::cg;
    cg.preconditioner = Preconditioning::jacobi;
    return prepare_on_host(given, cg).judges_by_a_cycle;
  };
  CHECK_FALSE(judges(1));
  CHECK_FALSE(judges(3));
  CHECK(judges(1000));  // the bound is by the smaller of two eigenvalues, a millionth of the other
}

// The thinnest cell is 4e-11 of the width: more than u^2 of single, less than that of 16 bits.
TEST_CASE("what refinement changes tells beside cells that all its stages hold",
          "[solvers][prepared]") {
  const auto prepared = [](const std::vector<std::string>& inner) {
    return prepare_on_host(with_detached_cells(8), refined("double", inner));
  };
  CHECK(prepared({"single"}).watches_changes);
  for (const std::vector<std::string>& inner :
       {std::vector<std::string>{"bfloat16"}, {"half"}, {"single", "bfloat16"}}) {
    CHECK_FALSE(prepared(inner).watches_changes);
    CHECK(prepared(inner).judges_by_a_cycle);
  }
}

// On this grid changes are watched where multigrid suits it, and else judged by cycles that are
// made at the end.
TEST_CASE("the memory forecast knows what the judgement holds", "[solvers][prepared][memory]") {
  int watched = 0, judged = 0;
  const Stated given = with_detached_cells(4);
  const auto compare = [&](SolverOptions options) {
    options.tolerance = 1e-11;
    options.max_iterations = 3000;
    const PreparedSolve prepared = prepare_on_host(given, options);
    const Report report = solve(prepared).report;
    CAPTURE(to_string(options.method), to_string(options.preconditioner), report.remark);
    if (!prepared.judges_by_a_cycle || report.judged_by_change) {
      CHECK(report.memory_bytes == prepared.memory.backend);
    } else {
      CHECK(report.memory_bytes <= prepared.memory.backend);
    }
    watched += prepared.watches_changes;
    judged += prepared.judges_by_a_cycle && report.judged_by_change;
  };
  for (const bool open : {false, true}) {
    SolverOptions options;
    if (!open) {
      options.storage = OperatorStorage::stored;
      options.form = OperatorForm::difference;
    }
    compare(options);
    SolverOptions damped = options;
    damped.multigrid.damping = 0.4;  // changes tell little
    compare(damped);
    SolverOptions mixed = options;
    mixed.refinement.inner = {Precision::single_};
    testing::for_variants(mixed, [&](const SolverOptions& chosen, const std::string& what) {
      CAPTURE(what);
      compare(chosen);
    });
    options.method = Method::cg;
    for (const auto preconditioner : {Preconditioning::jacobi, Preconditioning::multigrid}) {
      options.preconditioner = preconditioner;
      compare(options);
    }
  }
  CHECK(watched >= 6);
  CHECK(judged >= 6);
}

TEST_CASE("a device counts the same memory and that for lines", "[solvers][prepared][memory]") {
  const auto memory = [](const Stated& given, const SolverOptions& options, BackendKind where) {
    return forecast_memory(given.problem, given.grids, options, where).backend;
  };
  const Stated given = stated('G', 6);
  std::size_t values = line_scratch_values<double>(given.grids.back().nx());
  for (std::size_t level = 2; level < given.grids.size(); ++level) {  // of level 1 none
    const Box unknowns = unknown_nodes(given.grids[level], given.problem.boundary);
    values += kept_values(unknowns, LineDirection::x) + kept_values(unknowns, LineDirection::y);
  }
  const std::size_t lines = values * sizeof(double);
  CHECK(memory(given, by(Smoother::jacobi), BackendKind::cuda)
        == memory(given, by(Smoother::jacobi), BackendKind::host));
  CHECK(memory(given, by(Smoother::adi_trigs), BackendKind::cuda)
        == memory(given, by(Smoother::adi_trigs), BackendKind::host) + lines);
}

}  // namespace
}  // namespace ninefold
