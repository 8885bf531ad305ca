// A matrix gives the same bits however it is held: in whole solves, in every format and role.
#include "fem/matrix/operator.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "solvers/solve.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/judged.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::Contains;
using testing::check_same_solve;
using testing::formula;
using testing::make_neumann;
using testing::problem_on;
using testing::StatedProblem;

constexpr OperatorStorage stored = OperatorStorage::stored, computed = OperatorStorage::computed,
                          factored = OperatorStorage::factored;

/// Neumann and Dirichlet sides, a reaction or none, cells of several widths; levels that are always
/// stored and one that is not.
StatedProblem stated(double reaction) {
  ProblemOptions options = formula("exp(-x)*cos(y)", "0");
  if (reaction != 0) options.source = std::to_string(reaction) + "*exp(-x)*cos(y)";
  options.reaction = reaction;
  make_neumann(options, Side::right, "-exp(-x)*cos(y)");
  return problem_on(options, 6, {0.3, {Side::left, Side::top}});
}

Solved solve_with(const StatedProblem& s, SolverOptions options, OperatorStorage outer,
                  const std::vector<OperatorStorage>& inner = {}) {
  options.storage = outer;
  options.refinement.inner_storage = inner;
  Solved solved = solve(s.problem, s.grids, options, BackendKind::host);
  CHECK(solved.report.memory_bytes
        == forecast_memory(s.problem, s.grids, options, BackendKind::host).backend);
  return solved;
}

/// Few iterations suffice to see a bit that differs.
SolverOptions few(Method method, const std::string& precision, int iterations = 3) {
  SolverOptions options;
  options.method = method;
  options.precision = precision_from_name(precision);
  options.max_iterations = iterations;
  options.tolerance = 1e-12;
  return options;
}

TEST_CASE("stored and computed matrices give the same bits in whole solves", "[solvers][storage]") {
  const double reaction = GENERATE(0.0, 3.0);
  const StatedProblem s = stated(reaction);
  for (const char* precision :
       {"half", "bfloat16", "single", "double-single", "double", "double-double", "s30e11"}) {
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      if (std::string(precision) == "half" && reaction != 0) continue;  // refused on fine levels
      CAPTURE(reaction, precision, to_string(form));
      for (const Smoother smoother : {Smoother::jacobi, Smoother::tridi, Smoother::adi_trigs}) {
        SolverOptions options = few(Method::multigrid, precision, 2);
        options.form = form;
        options.multigrid.smoother = smoother;
        options.start = smoother == Smoother::tridi ? Start::full_multigrid : Start::zero;
        CAPTURE(to_string(smoother));
        const Solved a = solve_with(s, options, stored), b = solve_with(s, options, computed);
        check_same_solve(a, b);
        CHECK(b.report.memory_bytes < a.report.memory_bytes);
        CHECK(b.report.work.bytes < a.report.work.bytes);
      }
      for (const Preconditioning preconditioner :
           {Preconditioning::none, Preconditioning::jacobi, Preconditioning::multigrid}) {
        SolverOptions options = few(Method::cg, precision);
        options.form = form;
        options.preconditioner = preconditioner;
        CAPTURE(to_string(preconditioner));
        check_same_solve(solve_with(s, options, stored), solve_with(s, options, computed));
      }
    }
  }
}

TEST_CASE("mixed precision gives the same bits with any storage in any stage",
          "[solvers][storage]") {
  const StatedProblem s = stated(0);  // half holds no row sums of a reaction
  SolverOptions options = few(Method::multigrid, "double", 4);
  const auto compare = [&](const std::vector<const char*>& inner) {
    options.refinement.inner.clear();
    for (const char* name : inner) options.refinement.inner.push_back(precision_from_name(name));
    const Solved expected = solve_with(s, options, computed);  // as by default
    CAPTURE(inner.front(), to_string(options.refinement.variant));
    check_same_solve(solve_with(s, options, stored), expected);
    check_same_solve(solve_with(s, options, stored, {computed}), expected);
    check_same_solve(solve_with(s, options, computed, {stored}), expected);
    if (inner.size() == 2) {
      check_same_solve(solve_with(s, options, computed, {stored, computed}), expected);
    }
  };
  compare({"single"});
  compare({"double-single", "half"});
  options.refinement.variant = RefinementVariant::flexible_cg;
  compare({"single"});
  options.method = Method::cg;
  options.preconditioner = Preconditioning::jacobi;
  compare({"bfloat16"});
  options.preconditioner = Preconditioning::none;
  options.refinement.variant = RefinementVariant::residual_guided_cg;
  compare({"single"});
}

TEST_CASE("a list of storages must fit the stages", "[solvers][storage]") {
  SolverOptions options;
  options.refinement.inner = {Precision::single_};
  options.refinement.inner_storage = {stored, computed};
  CHECK_THROWS_WITH(validate(options),
                    Contains("refinement.inner_storage = [stored, computed] is not possible"));
}

TEST_CASE("a view knows its kind and whether constants are free", "[solvers][storage]") {
  const Host on(1 << 16);
  const TensorGrid grid = make_hierarchy(1, 1, 3).back();
  Boundary neumann;
  for (const Side side : all_sides) neumann[side] = BoundaryKind::neumann;
  for (const OperatorStorage storage : {stored, computed, factored}) {
    for (const double c : {0.0, 1.0}) {
      const Matrix<Host, double> free(on, grid, unknown_nodes(grid, neumann), {1, 1, c},
                                      OperatorForm::plain, storage);
      CHECK(free.view().has_free_constant == (c == 0));
    }
    const Matrix<Host, double> fixed(on, grid, unknown_nodes(grid, {}), {1, 1, 0},
                                     OperatorForm::plain, storage);
    CHECK_FALSE(fixed.view().has_free_constant);
    CHECK((fixed.view().as<NineBand<const double>>() != nullptr) == (storage == stored));
    CHECK((fixed.view().as<ComputedBands<double>>() != nullptr) == (storage == computed));
    CHECK((fixed.view().as<FactoredRows<double>>() != nullptr) == (storage == factored));
  }
}

}  // namespace
}  // namespace ninefold
