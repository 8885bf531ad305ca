// The parts of full multigrid as a solver, put together as a solve does: the level that it begins
// on, and steps that are made at once.
#include <string>
#include <vector>

#include "solvers/drivers/solve_mixed.hpp"
#include "solvers/refinement/nested_iteration.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/same_bits.hpp"

namespace ninefold {
namespace {

using testing::refined;
using testing::same_bits;
using testing::Stated;

/// What a nested iteration with corrections in Low does on which level, as grids are named: level l
/// has 2^l cells in each direction.
struct Levels {
  int first;              ///< that it begins on
  std::vector<int> over;  ///< whose corrections are taken more than once
};

/// On a host that only counts memory.
template <Number Low>
Levels levels_of(const Stated& stated, const MultigridOptions& cycles = {}) {
  const Host on(CountedMemory::host, 0);
  SolverOptions options = refined("double", {std::string(Format<Low>::name)});
  options.method = Method::full_multigrid;
  options.multigrid = cycles;
  const PreparedSolve prepared = prepare(stated.problem, stated.grids, options, BackendKind::host);
  const Problem& problem = stated.problem;
  constexpr auto form = OperatorForm::difference;
  constexpr auto storage = OperatorStorage::factored;
  Multigrid<Host, Low> multigrid(on, stated.grids, problem.boundary, {problem.gx, problem.gy, {}},
                                 form, prepared.smoothing, storage);
  LevelCorrectionsIn<Host, double, Low> corrections(on, multigrid);
  const TensorGrid& grid = stated.grids.back();
  const Coefficients<double> g{problem.gx, problem.gy, problem.reaction};
  const Matrix<Host, double> A(on, grid, unknown_nodes(grid, problem.boundary), g, form, storage);
  const NodeVector<Host, double> b(on, grid.nx(), grid.ny()), x(on, grid.nx(), grid.ny());
  const Operator<double> view = A.view();
  const NestedIteration<Host, double> nested(on, stated.grids, problem.boundary, g,
                                             {form, storage, {}, cycles.cycles_per_level},
                                             {view, b.view(), x.view()}, corrections);
  Levels found{1 + nested.first_level(), {}};
  for (int l = nested.first_level(); l < corrections.levels(); ++l) {
    if (nested.is_over(l)) found.over.push_back(1 + l);
  }
  return found;
}

template <Number Low>
int first_level(const Stated& stated) {
  return levels_of<Low>(stated).first;
}

TEST_CASE("full multigrid in double begins on the finest level that waves solve",
          "[solvers][nested]") {
  // The last one is corrected in any case if corrections are asked for in another format, and the
  // one before it where that foresees its correction.
  CHECK(first_level<float>(testing::polynomial(9)) == 8);
  CHECK(first_level<float>(testing::polynomial(10)) == 8);
  CHECK(first_level<float>(testing::polynomial(11)) == 9);
  CHECK(first_level<float>(testing::polynomial(12)) == 10);
  for (const int level : {8, 9, 10}) {
    CHECK(first_level<double>(testing::polynomial(level)) == level);
  }
  CHECK(first_level<double>(testing::polynomial(11)) == 9);
  CHECK(first_level<double>(testing::polynomial(12)) == 10);
  // Where that is too small, where corrections round to 16 bits, and on other cells: on one that
  // visits begin on, of at most 65 x 65 nodes.
  CHECK(first_level<float>(testing::polynomial(8)) <= 6);
  CHECK(first_level<double>(testing::polynomial(7)) <= 6);
  CHECK(first_level<double>(testing::stretched(10)) <= 6);
  CHECK(first_level<Half>(testing::polynomial(10)) <= 6);
  CHECK(first_level<BFloat16>(testing::polynomial(10)) <= 6);
  CHECK(first_level<float>(testing::stretched(10)) <= 6);
}

TEST_CASE("the last level but one foresees, and every second one before it", "[solvers][nested]") {
  using Over = std::vector<int>;
  CHECK(levels_of<float>(testing::polynomial(9)).over == Over{});
  CHECK(levels_of<float>(testing::polynomial(10)).over == Over{9});
  CHECK(levels_of<float>(testing::polynomial(11)).over == Over{10});
  CHECK(levels_of<float>(testing::polynomial(12)).over == Over{11});
  CHECK(levels_of<double>(testing::polynomial(12)).over == Over{11});
  // Levels of less than 512 cells do not.
  CHECK(levels_of<Half>(testing::polynomial(10)).over == Over{9});
  CHECK(levels_of<Half>(testing::polynomial(11)).over == Over{10});
  CHECK(levels_of<Half>(testing::polynomial(12)).over == Over{9, 11});
  // Nor do those that leave little of smooth errors, and waves then solve the last one but one.
  MultigridOptions twice, f_cycle, lines;
  twice.cycles_per_level = 2;
  f_cycle.cycle = Cycle::f;
  lines.smoother = Smoother::adi_trigs;  // by which a visit more takes long
  for (const MultigridOptions& cycles : {twice, f_cycle, lines}) {
    CHECK(levels_of<float>(testing::polynomial(11), cycles).over == Over{});
    CHECK(levels_of<float>(testing::polynomial(11), cycles).first == 10);
  }
  CHECK(levels_of<float>(testing::polynomial(12), lines).over == Over{11});
}

/// A refinement of the last level's system by visits of multigrid in single.
struct Refinement {
  Host on;
  PreparedSolve prepared;
  System<double> system;
  Stages stages;
  OuterSystem<Host, double> outer;
  DataOnBackend<Host, double> data;
  double r0;
  std::unique_ptr<Correction<Host, double>> correction;
  std::unique_ptr<IterativeRefinement<Host, double>> solver;

  explicit Refinement(const Stated& stated)
      : prepared(prepare(stated.problem, stated.grids, options(), BackendKind::host)),
        system(assemble<double>(prepared)),
        stages{prepared, system.scaling, {}},
        outer(on, system),
        data(on, prepared) {
    const Array<Host, double> square(on, 1);
    data.upload_load(system.load, system.scaling, outer.b());
    r0 = residual_norm<Host, double>(on, outer.A(), outer.b(), outer.x(), square.data());
    stages.exponents = stage_exponents(r0, system.scaling,
                                       {scaling_of_stage<double>(prepared, system.size, 0).load});
    correction = make_correction<Host, double>(on, stages, 0);
    solver = std::make_unique<IterativeRefinement<Host, double>>(on, outer.A(), outer.b(),
                                                                 outer.x(), *correction);
    solver->begin();
  }
  static SolverOptions options() {
    SolverOptions chosen = refined("double", {"single"});
    chosen.method = Method::full_multigrid;
    return chosen;
  }
  std::vector<double> solution() const {
    const Field<double> x = outer.x();
    return {x.row(0), x.row(x.ny - 1) + x.nx};
  }
};

TEST_CASE("three corrections at once are three, with the norm of each", "[solvers][nested]") {
  const Stated stated = testing::exponential(7);
  Refinement one(stated), at_once(stated);
  REQUIRE(at_once.solver->most_steps() == 3);
  for (const int count : {3, 2, 1}) {
    CAPTURE(count);
    std::vector<double> norms;
    for (int k = 0; k < count; ++k) {
      norms.push_back(one.solver->step(norms.empty() ? one.r0 : norms.back(), {}).norm);
    }
    const std::vector<RefinementStep> steps = at_once.solver->steps(count, one.r0);
    REQUIRE(steps.size() == norms.size());
    for (std::size_t k = 0; k < norms.size(); ++k) {
      CHECK(steps[k].norm == norms[k]);
      CHECK(norms[k] < one.r0);
      CHECK(steps[k].inner_iterations == 1);
    }
    CHECK(same_bits(one.solution(), at_once.solution()));
    one.r0 = norms.back();
  }
  CHECK_THROWS_AS(at_once.solver->steps(4, one.r0), std::logic_error);
}

}  // namespace
}  // namespace ninefold
