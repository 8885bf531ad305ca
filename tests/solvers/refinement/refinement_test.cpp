// Mixed precision on the host: what every pair and every cascade of formats reaches, and that it is
// what the outer format reaches alone.
#include "solvers/refinement/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <omp.h>

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/discrete/scaling.hpp"

#include "solvers/refinement/inner_solver.hpp"
#include "solvers/refinement/mixed_pairs.hpp"
#include "solvers/system/residual_norm.hpp"

#include "tests/support/bound.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"
#include "tests/support/sample.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using testing::for_variants;
using testing::name_of;
using testing::polynomial;
using testing::refined;
using testing::solve_on_host;
using testing::Stated;

/// From few digits to many; the software formats have the digits of none of the others.
const std::vector<std::string>& all_formats() {
  static const std::vector<std::string> names{
      "bfloat16", "half", "s17e11", "single", "s36e11", "double-single", "double", "double-double"};
  return names;
}

/// All (outer, inner) pairs that there are: the inner format may be the outer one.
std::vector<SolverOptions> all_pairs() {
  std::vector<SolverOptions> pairs;
  const auto& names = all_formats();
  for (std::size_t outer = 0; outer < names.size(); ++outer) {
    for (std::size_t inner = 0; inner <= outer; ++inner) {
      const bool two_soft = names[outer] == "s36e11" && names[inner] == "s17e11";
      if (!two_soft) pairs.push_back(refined(names[outer], {names[inner]}));
    }
  }
  return pairs;
}

/// The solution with all its digits, rounded to a pair.
std::vector<DoubleDouble> values(const Solved& solved) {
  if (!solved.solution_low.empty()) return wide_solution(solved);
  return {solved.solution.begin(), solved.solution.end()};
}

double distance(const Solved& a, const Solved& b) {
  const auto x = values(a), y = values(b);
  REQUIRE(x.size() == y.size());
  double square = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    square += std::pow(static_cast<double>(x[k] - y[k]), 2);
  }
  return std::sqrt(square);
}

/// The smallest eigenvalue of -Laplace on a uniform grid of the unit square with Dirichlet sides:
/// 2 K M of the lowest mode, K = (2 - 2 cos pi h) / h and M = h (4 + 2 cos pi h) / 6.
double smallest_eigenvalue(int level) {
  const double c = std::cos(std::numbers::pi * std::ldexp(1.0, -level));
  return 2 * (2 - 2 * c) * (4 + 2 * c) / 6;
}

double norm_of_load(const Stated& stated) {
  const auto load = assemble_load<double>(stated.problem, stated.grids.back());
  return std::sqrt(std::inner_product(load.begin(), load.end(), load.begin(), 0.0));
}

void require_same_solve(const Solved& a, const Solved& b) {
  REQUIRE(a.report.outcome == b.report.outcome);
  REQUIRE(a.report.history == b.report.history);
  REQUIRE(a.report.inner_history == b.report.inner_history);
  REQUIRE(a.solution == b.solution);
  REQUIRE(a.solution_low == b.solution_low);
}

// Two solutions with residuals r and s differ by A^-1 (r - s).  Each residual was computed with an
// error of a row's roundoffs (README.md), of which attainable_reduction is one.  Besides, the
// assembled load is rounded once, the matrix too, both in the same way in both solves.
TEST_CASE("every pair of formats ends at the outer format's limit, where that one ends alone",
          "[solvers][refinement]") {
  const OperatorForm form = GENERATE(OperatorForm::plain, OperatorForm::difference);
  const int level = 4;
  const Stated stated = polynomial(level);
  const double scale = norm_of_load(stated) / smallest_eigenvalue(level);
  for (SolverOptions options : all_pairs()) {
    options.form = form;
    options.tolerance = 1e-40;
    SolverOptions alone = options;
    alone.refinement = {};
    const Solved native = solve_on_host(stated, alone);
    const double roundoffs =
        facts(options.precision).bits > 64 || options.precision == Precision::double_single
            ? testing::product_sum_loss<DoubleDouble>(9) + 7
            : testing::product_sum_loss<double>(9) + 3;
    for (const Method method : {Method::multigrid, Method::cg}) {
      options.method = method;
      const Solved mixed = solve_on_host(stated, options);
      const Report& report = mixed.report;
      CAPTURE(name_of(options), to_string(form), to_string(method), report.remark,
              report.true_residual_reduction, report.attainable_reduction);
      CHECK(report.outcome == Outcome::stagnated);
      CHECK_THAT(report.remark, ContainsSubstring("limit of " + to_string(options.precision)));
      // Where the monitor gives up.
      CHECK(report.true_residual_reduction <= 3 * report.attainable_reduction);
      const double residuals =
          report.true_residual_reduction + native.report.true_residual_reduction;
      CHECK(distance(mixed, native)
            <= scale * (residuals + 2 * roundoffs * report.attainable_reduction));
    }
  }
}

TEST_CASE("every pair of formats solves by every variant to a tolerance that it can attain",
          "[solvers][refinement]") {
  const auto scaling = GENERATE(RefinementScaling::power_of_two, RefinementScaling::norm);
  for (const Stated& stated : {polynomial(3), testing::stretched(3)}) {
    for (SolverOptions options : all_pairs()) {
      SolverOptions alone = options;
      alone.refinement = {};
      alone.tolerance = 0.5;
      options.tolerance = 4 * solve_on_host(stated, alone).report.attainable_reduction;
      options.max_iterations = 300;
      options.refinement.scaling = scaling;
      for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
        const Report report = solve_on_host(stated, chosen).report;
        CAPTURE(what, to_string(scaling), stated.problem.reaction, report.remark,
                report.true_residual_reduction, chosen.tolerance);
        CHECK(report.outcome == Outcome::converged);
        CHECK(report.true_residual_reduction <= recurrence_drift * chosen.tolerance);
      });
    }
  }
}

TEST_CASE("cascades reach the outermost format's limit", "[solvers][refinement][cascade]") {
  const auto names = GENERATE(
      std::vector<std::string>{"double", "single", "half"},
      std::vector<std::string>{"double-double", "double", "single"},
      std::vector<std::string>{"double-double", "double", "single", "half"},
      std::vector<std::string>{"double-double", "double-single", "single", "bfloat16"},
      std::vector<std::string>{"double-double", "s36e11", "single", "half"},
      std::vector<std::string>{"double-double", "double-double", "double", "double", "half"});
  SolverOptions options = refined(names.front(), {names.begin() + 1, names.end()});
  for (const Stated& stated : {polynomial(4), testing::stretched(3)}) {
    options.tolerance = 1e-40;
    for (const Method method : {Method::multigrid, Method::cg}) {
      options.method = method;
      const Report report = solve_on_host(stated, options).report;
      CAPTURE(name_of(options), to_string(method), report.remark, report.true_residual_reduction);
      CHECK(report.outcome == Outcome::stagnated);
      CHECK_THAT(report.remark, ContainsSubstring("limit of " + names.front()));
      CHECK(report.true_residual_reduction <= 3 * report.attainable_reduction);
    }
  }
  // The stages between do the work: few steps of the outermost one.
  options.tolerance = names.front() == "double" ? 1e-12 : 1e-26;
  options.method = Method::multigrid;
  const Report report = solve_on_host(polynomial(5), options).report;
  CAPTURE(name_of(options), report.iterations, report.remark);
  CHECK(report.outcome == Outcome::converged);
  CHECK(report.iterations <= 5);
  CHECK(report.inner_iterations > 2 * report.iterations);
}

// What the paper is about: eight digits of the errors, at the price of single precision.
TEST_CASE("double over single has the errors of double", "[solvers][refinement]") {
  struct Compared {
    Stated (*stated)(int);
    std::vector<int> levels;
    double tolerance, damping;
  };
  // Tolerances near the limit of double; from level 6 on the eighth digit of these small errors is
  // beyond it.
  const auto [state, levels, tolerance, damping] = GENERATE(
      Compared{polynomial, {2, 3, 4, 5, 6}, 1e-12, 0.8},
      Compared{testing::exponential, {2, 3, 4, 5}, 2e-13, 0.8},
      Compared{[](int level) { return testing::stretched(level); }, {2, 3, 4, 5}, 1e-13, 0.6});
  for (const int level : levels) {
    const Stated stated = state(level);
    SolverOptions options = refined("double", {"single"});
    options.tolerance = tolerance;
    options.multigrid.smoother = Smoother::jacobi;
    options.multigrid.damping = damping;
    SolverOptions alone = options;
    alone.refinement = {};
    const auto errors = [&](const SolverOptions& chosen) {
      const Solved solved = solve_on_host(stated, chosen);
      CAPTURE(level, solved.report.remark);
      CHECK(solved.report.outcome == Outcome::converged);
      return measure_errors(stated.problem, stated.grids.back(), solved.solution);
    };
    const Errors native = errors(alone);
    for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
      const Errors mixed = errors(chosen);
      CAPTURE(what, level, stated.problem.reaction);
      CHECK(mixed.l2 == Approx(native.l2).epsilon(1e-8).margin(0));
      CHECK(mixed.rms == Approx(native.rms).epsilon(1e-8).margin(0));
      CHECK(mixed.max == Approx(native.max).epsilon(1e-8).margin(0));
    });
  }
}

TEST_CASE("the scale is that of the residual before, and no bit depends on it",
          "[solvers][refinement][scaling]") {
  // Freshly scaled: the norm first, in a pass of its own, then the residual.
  const auto compare = [&]<class High, class Low>(const Stated& stated) {
    const Host on;
    const TensorGrid& grid = stated.grids.back();
    const Box unknowns = unknown_nodes(grid, stated.problem.boundary);
    const auto g = scaled_coefficients<Assembly<High>>(stated.problem, {});
    const auto low = scaled_coefficients<Assembly<Low>>(stated.problem, {});
    const ComputedMatrix<Host, High> matrix(on, grid, unknowns, g, OperatorForm::plain);
    const ComputedBands<High>& A = matrix.view();
    const auto load = assemble_load<Assembly<High>>(stated.problem, grid);
    const SolverOptions options = refined("double", {"single"});
    const auto solver = [&] {
      return std::make_unique<MultigridInner<Host, Low>>(
          on, stated.grids, stated.problem.boundary, low, OperatorForm::difference, options,
          choose_smoothing(options.multigrid, grid, stated.problem.gx, stated.problem.gy),
          InnerStop{2, {}});
    };
    const NodeVector<Host, High> b(on, A.nx, A.ny), x(on, A.nx, A.ny), y(on, A.nx, A.ny);
    upload(on, load, 0, b.view());

    auto inner_owner = solver();
    MultigridInner<Host, Low>& inner = *inner_owner;
    const auto fresh_owner = solver();
    MultigridInner<Host, Low>& fresh = *fresh_owner;
    const ResidualStorage storage{RefinementScaling::power_of_two, 3, 0x1p60};
    CorrectionIn<Host, High, Low> correction(on, storage, std::move(inner_owner));
    IterativeRefinement<Host, High> refinement(on, A, b.view(), x.view(), correction);
    refinement.begin();
    const Array<Host, RefinementState<Arithmetic<High>>> state(on, 1);
    double norm = refinement.norm();
    int lagging = 0;
    for (int step = 0; step < 8; ++step) {
      residual_square<Host, High>(on, A, b.view(), y.view(), &state.data()->square);
      set_scale(on, RefinementScaling::power_of_two, 3, state.data());
      residual_rounded<Host, High, Low>(on, A, b.view(), y.view(), fresh.right_hand_side(),
                                        state.data());
      int differing = 0;
      bool scaled_alike = true;
      const auto for_all = [&](const auto& f) {
        for (int j = 0; j < A.ny; ++j) {
          for (int i = 0; i < A.nx; ++i) f(i, j);
        }
      };
      for_all([&](int i, int j) {
        const double mine = static_cast<double>(inner.right_hand_side()(i, j));
        scaled_alike = scaled_alike && mine == static_cast<double>(fresh.right_hand_side()(i, j));
      });
      lagging += !scaled_alike;
      fresh.solve({});
      add_correction<Host, High, Low>(on, unknowns, state.data(), fresh.correction(), y.view());
      norm = refinement.step(norm, {}).norm;
      for_all(
          [&](int i, int j) { differing += !testing::same_bits(x.view()(i, j), y.view()(i, j)); });
      CAPTURE(step);
      REQUIRE(differing == 0);
    }
    CHECK(lagging >= 3);  // or there was nothing to see
  };
  for (const int level : {2, 4, 6}) {
    CAPTURE(level);
    compare.template operator()<double, float>(polynomial(level));
    compare.template operator()<DoubleDouble, double>(polynomial(level));
    compare.template operator()<DoubleDouble, DoubleSingle>(polynomial(level));
  }
}

TEST_CASE("the same bits come from any number of threads in mixed precision",
          "[solvers][refinement][threads]") {
  const int threads = omp_get_max_threads();
  for (SolverOptions options : {refined("double", {"single"}), refined("double", {"half"}),
                                refined("double-double", {"double", "single"})}) {
    options.refinement.stop = {{2, {}}};
    options.max_iterations = 2;
    for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
      CAPTURE(what);
      omp_set_num_threads(1);
      const Solved one = solve_on_host(polynomial(7), chosen);
      omp_set_num_threads(7);
      require_same_solve(one, solve_on_host(polynomial(7), chosen));
    });
  }
  omp_set_num_threads(threads);
}

// Rounding leaves a mean in each residual, which no correction takes away.  Inner CG that goes on
// when all else is solved must not see it: c would grow by it without end.
TEST_CASE("where constants are free, inner CG may go on beyond its end",
          "[solvers][refinement][singular]") {
  ProblemOptions problem;
  problem.solution = "exponential";
  for (const Side side : all_sides) problem.boundary[side] = BoundaryKind::neumann;
  const Stated stated{make_problem(problem, 1, 1), make_hierarchy(1, 1, 4)};
  for (const char* inner : {"single", "double"}) {
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      SolverOptions options = refined("double", {inner});
      options.refinement.inner_form = form;
      options.refinement.stop = {{1000, {}}};
      for_variants(options, [&](const SolverOptions& chosen, const std::string& what) {
        if (chosen.preconditioner == Preconditioning::multigrid || chosen.method != Method::cg) {
          return;
        }
        const Report report = solve_on_host(stated, chosen).report;
        CAPTURE(what, to_string(form), report.remark);
        CHECK(report.outcome == Outcome::converged);
        CHECK(report.iterations <= 4);
        CHECK(report.memory_bytes
              == forecast_memory(stated.problem, stated.grids, chosen, BackendKind::host).backend);
      });
    }
  }
}

}  // namespace
}  // namespace ninefold
