// However a matrix is held: stored and computed entries give the same bits in whole solves,
// factored rows the same solution, in every format and role.
#include "fem/matrix/operator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "solvers/solve.hpp"
#include "solvers/system/system.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/judged.hpp"
#include "tests/support/same_solve.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::check_same_solve;
using testing::formula;
using testing::make_neumann;
using testing::problem_on;
using testing::Stated;

constexpr OperatorStorage stored = OperatorStorage::stored, computed = OperatorStorage::computed,
                          factored = OperatorStorage::factored;

/// Neumann and Dirichlet sides, a reaction or none, cells of several widths; levels that are always
/// stored and one that is not.
Stated stated(double reaction) {
  ProblemOptions options = formula("exp(-x)*cos(y)", "0");
  if (reaction != 0) options.source = std::to_string(reaction) + "*exp(-x)*cos(y)";
  options.reaction = reaction;
  make_neumann(options, Side::right, "-exp(-x)*cos(y)");
  return problem_on(options, 6, {0.3, {Side::left, Side::top}});
}

Solved solve_with(const Stated& s, SolverOptions options, OperatorStorage outer,
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
  const Stated s = stated(reaction);
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
  const Stated s = stated(0);  // half holds no row sums of a reaction
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

TEST_CASE("factored rows lead to the solution of stored ones in every role", "[solvers][storage]") {
  const double reaction = GENERATE(0.0, 3.0);
  const Stated s = stated(reaction);
  struct Format {
    const char* name;
    double tolerance;
  };
  for (const auto& [precision, tolerance] : {Format{"half", 0.3},
                                             {"bfloat16", 0.3},
                                             {"single", 1e-4},
                                             {"double-single", 1e-9},
                                             {"double", 1e-9},
                                             {"double-double", 1e-12},
                                             {"s30e11", 1e-6}}) {
    if (std::string(precision) == "half" && reaction != 0) continue;  // as above
    CAPTURE(reaction, precision);
    for (const int method : {0, 1, 3, 4}) {
      SolverOptions options = few(method < 2 ? Method::multigrid : Method::cg, precision, 3000);
      options.tolerance = tolerance;
      options.form = OperatorForm::difference;
      const bool short_ = facts(options.precision).storage;  // CG in 8 or 11 bits does not end
      if (short_ && method > 1) continue;
      if (method == 1) options.multigrid.smoother = Smoother::tridi;
      if (method == 3) options.preconditioner = Preconditioning::jacobi;
      if (method == 4) options.preconditioner = Preconditioning::multigrid;
      CAPTURE(method);
      const Solved a = solve_with(s, options, stored), b = solve_with(s, options, factored);
      CAPTURE(a.report.remark, b.report.remark);
      REQUIRE(a.report.outcome == b.report.outcome);
      REQUIRE(a.report.outcome == Outcome::converged);
      CHECK(std::abs(a.report.iterations - b.report.iterations) <= 2 + a.report.iterations / 20);
      CHECK(b.report.memory_bytes < a.report.memory_bytes);
      CHECK(b.report.work.bytes < a.report.work.bytes);
      double largest = 0;
      for (std::size_t k = 0; k < a.solution.size(); ++k) {
        largest = std::max(largest, std::abs(a.solution[k] - b.solution[k]));
      }
      CHECK(largest <= promise(tolerance));  // the solution is of size one
    }
  }
}

TEST_CASE("factored rows serve all stages of mixed precision", "[solvers][storage]") {
  const Stated s = stated(0);
  SolverOptions options = few(Method::multigrid, "double", 60);
  options.tolerance = 1e-10;
  const auto check = [&](const std::vector<const char*>& inner,
                         const std::vector<OperatorStorage>& storages) {
    options.refinement.inner.clear();
    for (const char* name : inner) options.refinement.inner.push_back(precision_from_name(name));
    CAPTURE(inner.front(), to_string(options.refinement.variant), storages.size());
    const Solved expected = solve_with(s, options, computed);
    const Solved found = solve_with(s, options, factored, storages);
    CAPTURE(found.report.remark);
    REQUIRE(expected.report.outcome == Outcome::converged);
    REQUIRE(found.report.outcome == Outcome::converged);
    for (std::size_t k = 0; k < found.solution.size(); ++k) {
      REQUIRE(std::abs(found.solution[k] - expected.solution[k]) <= promise(options.tolerance));
    }
  };
  check({"single"}, {factored});
  check({"single"}, {stored});
  check({"single"}, {});
  check({"double-single", "half"}, {factored, stored});
  check({"double-single", "half"}, {factored});
  options.refinement.variant = RefinementVariant::flexible_cg;
  check({"single"}, {factored});
  options.method = Method::cg;
  options.max_iterations = 3000;
  options.preconditioner = Preconditioning::jacobi;
  check({"bfloat16"}, {factored});
  options.preconditioner = Preconditioning::none;
  options.refinement.variant = RefinementVariant::residual_guided_cg;
  check({"single"}, {factored});
}

TEST_CASE("the form of factored rows is difference", "[solvers][storage]") {
  SolverOptions options;
  options.storage = factored;
  options.form = OperatorForm::plain;
  CHECK_THROWS_WITH(validate(options), ContainsSubstring("operator.form = plain is not possible"));
  options.form = OperatorForm::difference;
  CHECK_NOTHROW(validate(options));
  options.refinement.inner = {Precision::single_};
  options.refinement.inner_form = OperatorForm::plain;
  CHECK_NOTHROW(validate(options));
  options.refinement.inner_storage = {factored};
  CHECK_THROWS_WITH(validate(options),
                    ContainsSubstring("refinement.inner_form = plain is not possible"));
}

TEST_CASE("rows are factored where nothing else is asked for", "[solvers][storage]") {
  const auto choice = [&](double nu, const char* precision, const auto& change) {
    ProblemOptions problem = formula("exp(-x)*cos(y)", "0");
    make_neumann(problem, Side::right, "-exp(-x)*cos(y)");
    const Stated s = problem_on(problem, 5, {nu, {Side::right}});
    SolverOptions options;
    options.precision = precision_from_name(precision);
    change(options);
    return settled(options, s.problem, s.grids.back());
  };
  const auto nothing = [](SolverOptions&) {};
  for (const char* precision : {"half", "bfloat16", "single", "double", "s30e11"}) {
    for (const double nu : {0.9, 0.05}) {
      CHECK(choice(nu, precision, nothing).storage == factored);
      CHECK(choice(nu, precision, nothing).form == OperatorForm::difference);
    }
  }
  // Of pairs only where cells are thin and nothing holds them.
  for (const char* precision : {"double-single", "double-double"}) {
    CHECK(choice(0.9, precision, nothing).storage == std::nullopt);
    CHECK(choice(0.9, precision, nothing).form == OperatorForm::difference);
    CHECK(choice(0.05, precision, nothing).storage == factored);
  }
  // And of full multigrid's solution, not of its corrections.
  const auto nested = [](SolverOptions& o) { o.method = Method::full_multigrid; };
  for (const char* precision : {"double-single", "double-double"}) {
    const SolverOptions chosen = choice(0.9, precision, nested);
    CHECK(chosen.storage == factored);
    REQUIRE(chosen.refinement.inner_storage.size() == 1);
    CHECK(chosen.refinement.inner_storage[0] != factored);
  }
  // What is given stays.
  const auto stored_rows = [](SolverOptions& o) { o.storage = stored; };
  CHECK(choice(0.9, "double", stored_rows).storage == stored);
  CHECK(choice(0.9, "double", stored_rows).form == OperatorForm::plain);
  const auto differences = [](SolverOptions& o) { o.form = OperatorForm::difference; };
  CHECK(choice(0.9, "double", differences).storage == std::nullopt);
  const auto plain = [](SolverOptions& o) { o.form = OperatorForm::plain; };
  CHECK(choice(0.05, "double", plain).storage == std::nullopt);
  CHECK(choice(0.05, "double", plain).form == OperatorForm::plain);
  const auto hold = [](SolverOptions& o) { o.storage = computed; };
  CHECK(choice(0.05, "double", hold).storage == computed);
  CHECK(choice(0.05, "double", hold).form == OperatorForm::difference);
  // The range of a format decides, and that of each inner one for itself.
  CHECK(choice(1e-9, "s20e8", nothing).storage == std::nullopt);
  const auto inside = [](SolverOptions& o) {
    o.refinement.inner = {Precision::double_, Precision::single_};
  };
  const SolverOptions mixed = choice(1e-9, "double", inside);
  REQUIRE(mixed.refinement.inner_storage.size() == 2);
  CHECK(mixed.refinement.inner_storage[0] == factored);
  CHECK(mixed.refinement.inner_storage[1] == stored);
  const auto inside_pairs = [](SolverOptions& o) { o.refinement.inner = {Precision::single_}; };
  CHECK(choice(0.9, "double-double", inside_pairs).refinement.inner_storage[0] == factored);
  const auto plain_inside = [](SolverOptions& o) {
    o.refinement.inner = {Precision::single_};
    o.refinement.inner_form = OperatorForm::plain;
  };
  CHECK(choice(0.9, "double", plain_inside).storage == factored);
  CHECK(choice(0.9, "double", plain_inside).refinement.inner_storage.empty());
}

TEST_CASE("a list of storages must fit the stages", "[solvers][storage]") {
  SolverOptions options;
  options.refinement.inner = {Precision::single_};
  options.refinement.inner_storage = {stored, computed};
  CHECK_THROWS_WITH(
      validate(options),
      ContainsSubstring("refinement.inner_storage = [stored, computed] is not possible"));
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
