// Smoothing by lines in every number format, inside conjugate gradients, refinement and full
// multigrid, with all kinds of sides; what a solve reports, and which options are refused.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <omp.h>

#include "tests/support/catch.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/paper_tests.hpp"

namespace ninefold {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::by;
using testing::count;
using testing::l2_error;
using testing::paper_tests;
using testing::PaperTest;
using testing::solve_on_host;
using testing::stated;
using testing::Stated;

const std::vector<std::string> all_formats{"bfloat16", "half",          "s17e11", "single",
                                           "s36e11",   "double-single", "double", "double-double"};

TEST_CASE("every format solves by lines to a tolerance that it can attain",
          "[solvers][lines][formats]") {
  const std::string name = GENERATE(from_range(all_formats));
  for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
    for (const Stated& problem : {testing::stretched(3), testing::stretched(4), stated('B', 3)}) {
      for (const auto& [smoother, order] : {std::pair{Smoother::adi_trigs, LineOrder::zebra},
                                            {Smoother::adi_trigs, LineOrder::sequential},
                                            {Smoother::adi_tridi, LineOrder::zebra},
                                            {Smoother::trigs, LineOrder::zebra},
                                            {Smoother::tridi, LineOrder::zebra}}) {
        SolverOptions options = by(smoother, order);
        options.precision = precision_from_name(name);
        options.form = form;
        options.tolerance = 0.5;
        options.tolerance = 4 * solve_on_host(problem, options).report.attainable_reduction;
        const Report report = solve_on_host(problem, options).report;
        CAPTURE(name, to_string(form), problem.grids.size(), report.smoother, report.remark,
                report.true_residual_reduction, options.tolerance);
        CHECK(report.outcome == Outcome::converged);
        CHECK(report.true_residual_reduction <= recurrence_drift * options.tolerance);
      }
    }
  }
}

TEST_CASE("software formats with the digits of machine formats smooth by lines bit for bit",
          "[solvers][lines][formats]") {
  for (const auto& [soft, machine] : {std::pair{"s52e11", "double"}, {"s23e8", "single"}}) {
    for (const Smoother smoother : {Smoother::tridi, Smoother::adi_trigs}) {
      SolverOptions options = by(smoother);
      options.tolerance = 1e-5;
      options.precision = precision_from_name(machine);
      const Solved expected = solve_on_host(testing::stretched(4), options);
      options.precision = precision_from_name(soft);
      const Solved solved = solve_on_host(testing::stretched(4), options);
      CAPTURE(soft, to_string(smoother));
      CHECK(solved.report.outcome == Outcome::converged);
      CHECK(solved.report.history == expected.report.history);
      CHECK(solved.solution == expected.solution);
    }
  }
}

TEST_CASE("lines smooth inside conjugate gradients", "[solvers][lines][cg]") {
  for (const char test : {'A', 'D', 'F', 'I'}) {
    for (const Smoother smoother : {Smoother::adi_trigs, Smoother::adi_tridi}) {
      SolverOptions options = by(smoother);
      const int plain = count(stated(test, 6), options);
      options.method = Method::cg;
      options.preconditioner = Preconditioning::multigrid;
      CAPTURE(test, to_string(smoother), plain);
      CHECK(count(stated(test, 6), options) <= std::min(plain, 9));
    }
  }
}

TEST_CASE("lines smooth inside refinement", "[solvers][lines][refinement]") {
  struct Given {
    std::string outer;
    std::vector<std::string> inner;
    int most;  ///< outer steps
  };
  for (const auto& [outer, inner, most] :
       {Given{"double", {"single"}, 6}, Given{"double", {"half"}, 25},
        Given{"double", {"bfloat16"}, 40}, Given{"double-double", {"double", "single"}, 6},
        Given{"double-single", {"single"}, 6}, Given{"double", {"s17e11"}, 8}}) {
    for (const Smoother smoother : {Smoother::adi_trigs, Smoother::adi_tridi}) {
      for (const char test : {'B', 'E'}) {
        SolverOptions options = testing::refined(outer, inner);
        options.multigrid.smoother = smoother;
        CAPTURE(testing::name_of(options), to_string(smoother), test);
        CHECK(count(stated(test, 5), options) <= most);
        options.refinement.variant = RefinementVariant::flexible_cg;
        CHECK(count(stated(test, 5), options) <= most);
      }
    }
  }
  // Stretched grids of all degrees, by single: the paper's table 9.
  for (const PaperTest& test : paper_tests) {
    CAPTURE(test.name);
    SolverOptions options = testing::refined("double", {"single"});
    options.multigrid.smoother = Smoother::adi_trigs;
    CHECK(count(stated(test, 6), options) <= 6);
  }
}

TEST_CASE("full multigrid starts by lines, too", "[solvers][lines][start]") {
  for (const char test : {'B', 'G'}) {
    const Stated problem = stated(test, 6);
    SolverOptions options = by(Smoother::adi_trigs);
    options.start = Start::full_multigrid;
    options.tolerance = 0.5;
    options.max_iterations = 1;
    const Solved started = solve_on_host(problem, options);
    options.tolerance = 1e-10;
    options.max_iterations = 40;
    const double exact = l2_error(problem, solve_on_host(problem, options));
    CAPTURE(test, exact);
    CHECK(l2_error(problem, started) < 1.5 * exact);
  }
}

TEST_CASE("every smoother agrees with the dense oracle, with any number of steps",
          "[solvers][lines][oracle]") {
  ProblemOptions options;
  options.solution = "exponential";
  options.reaction = 3;
  options.gx = 2;
  options.gy = 0.5;
  options.boundary[Side::left] = options.boundary[Side::top] = BoundaryKind::neumann;
  const Stated problem{make_problem(options, 1, 1),
                       make_hierarchy(1, 1, 3, {0.3, {Side::right, Side::bottom}})};
  testing::OracleProblem same;
  same.widths_x = problem.grids.back().x.width;
  same.widths_y = problem.grids.back().y.width;
  same.gx = 2;
  same.gy = Exact(0.5);
  same.c = 3;
  same.dirichlet = {false, true, true, false};
  const auto value = [](const Exact& x, const Exact& y) -> Exact { return exp(x) * cos(y); };
  same.boundary_value = value;
  same.source = [=](const Exact& x, const Exact& y) -> Exact {
    return (-2 + Exact(0.5) + 3) * value(x, y);
  };
  same.flux[0] = [=](const Exact& x, const Exact& y) -> Exact { return -2 * value(x, y); };
  same.flux[3] = [](const Exact& x, const Exact& y) -> Exact {
    return -Exact(0.5) * exp(x) * sin(y);
  };
  const std::vector<Exact> exact = testing::Oracle(same).solve();
  for (const auto& [smoother, order] : {std::pair{Smoother::tridi, LineOrder::zebra},
                                        {Smoother::trigs, LineOrder::zebra},
                                        {Smoother::trigs, LineOrder::sequential},
                                        {Smoother::adi_tridi, LineOrder::zebra},
                                        {Smoother::adi_trigs, LineOrder::zebra},
                                        {Smoother::adi_trigs, LineOrder::sequential}}) {
    for (const Cycle cycle : {Cycle::v, Cycle::f, Cycle::w}) {
      for (const auto& [before, after] : {std::pair{2, 2}, {1, 0}, {0, 1}, {3, 2}}) {
        const bool alternates = smoother == Smoother::adi_tridi || smoother == Smoother::adi_trigs;
        if (alternates && before + after < 2) continue;  // refused: see smoothing_test.cpp
        SolverOptions chosen = by(smoother, order);
        chosen.multigrid.cycle = cycle;
        chosen.multigrid.pre_smoothing = before;
        chosen.multigrid.post_smoothing = after;
        chosen.tolerance = 1e-12;
        chosen.max_iterations = 3000;
        const Solved solved = solve_on_host(problem, chosen);
        CAPTURE(solved.report.smoother, to_string(cycle), before, after, solved.report.remark);
        CHECK(solved.report.outcome == Outcome::converged);
        double worst = 0;
        for (std::size_t k = 0; k < exact.size(); ++k) {
          worst = std::max(worst, std::abs(static_cast<double>(exact[k] - solved.solution[k])));
        }
        CHECK(worst < 1e-9);
      }
    }
  }
}

TEST_CASE("all kinds of sides, and the smallest grids, are solved by lines", "[solvers][lines]") {
  for (int kinds = 0; kinds < 16; ++kinds) {
    ProblemOptions options;
    options.solution = "exponential";
    options.reaction = kinds == 15 ? 1 : 0;  // else the solution is known up to a constant
    for (const Side side : all_sides) {
      if (kinds >> static_cast<int>(side) & 1) options.boundary[side] = BoundaryKind::neumann;
    }
    for (const int level : {1, 2, 5}) {
      const Stated problem{make_problem(options, 1, 1),
                           make_hierarchy(1, 1, level, {0.4, {Side::right, Side::bottom}})};
      for (const auto& [smoother, order] : {std::pair{Smoother::adi_trigs, LineOrder::zebra},
                                            {Smoother::adi_trigs, LineOrder::sequential},
                                            {Smoother::adi_tridi, LineOrder::zebra}}) {
        CAPTURE(kinds, level, to_string(smoother), to_string(order));
        SolverOptions chosen = by(smoother, order);
        chosen.tolerance = 1e-9;
        CHECK(count(problem, chosen) <= 25);
      }
    }
  }
}

TEST_CASE("smoothing by lines gives the same bits on any number of threads",
          "[solvers][lines][threads]") {
  const int threads = omp_get_max_threads();
  for (const Smoother smoother : {Smoother::tridi, Smoother::adi_tridi, Smoother::adi_trigs}) {
    omp_set_num_threads(1);
    const Solved one = solve_on_host(stated('F', 7), by(smoother));
    omp_set_num_threads(7);
    const Solved seven = solve_on_host(stated('F', 7), by(smoother));
    CHECK(one.report.history == seven.report.history);
    CHECK(one.solution == seven.solution);
  }
  omp_set_num_threads(threads);
}

TEST_CASE("too strong relaxation by lines diverges, and weaker one does not", "[solvers][lines]") {
  SolverOptions options = by(Smoother::tridi);
  options.multigrid.damping = 1.9;
  CHECK(solve_on_host(stated('B', 5), options).report.outcome == Outcome::diverged);
  options.multigrid.damping = 0.6;
  CHECK(count(stated('B', 5), options) <= 20);
}

TEST_CASE("a report says which smoother there was", "[solvers][lines][report]") {
  const auto smoother = [](const SolverOptions& options, char test) {
    return solve_on_host(stated(test, 3), options).report.smoother;
  };
  CHECK(smoother(by(Smoother::automatic), 'A') == "chebyshev");
  SolverOptions stored = by(Smoother::automatic);
  stored.storage = OperatorStorage::stored;
  CHECK(smoother(stored, 'A') == "jacobi");
  SolverOptions damped = by(Smoother::automatic);
  damped.multigrid.damping = 0.7;
  CHECK(smoother(damped, 'A') == "jacobi");
  CHECK(smoother(by(Smoother::automatic), 'D') == "trigs along x, zebra");
  CHECK(smoother(by(Smoother::automatic), 'F') == "adi-trigs, zebra");
  CHECK(smoother(by(Smoother::jacobi), 'A') == "jacobi");
  CHECK(smoother(by(Smoother::adi_tridi), 'A') == "adi-tridi");
  CHECK(smoother(by(Smoother::adi_trigs, LineOrder::sequential), 'A') == "adi-trigs, sequential");
  CHECK(smoother(testing::refined("double", {"single"}), 'D') == "trigs along x, zebra");
  SolverOptions cg;
  cg.method = Method::cg;
  CHECK(smoother(cg, 'D').empty());
  cg.preconditioner = Preconditioning::multigrid;
  CHECK(smoother(cg, 'D') == "trigs along x, zebra");
}

TEST_CASE("options of lines that do not fit the smoother are refused", "[solvers][options]") {
  const auto refused = [](const SolverOptions& options, const std::string& what,
                          const std::string& allowed) {
    CHECK_THROWS_WITH(validate(options),
                      ContainsSubstring(what + " is not possible") && ContainsSubstring(allowed));
  };
  for (const Smoother smoother : {Smoother::jacobi, Smoother::tridi, Smoother::adi_tridi}) {
    CHECK_NOTHROW(validate(by(smoother)));
    refused(by(smoother, LineOrder::sequential), "multigrid.line_order = sequential", "adi-trigs");
  }
  for (const Smoother smoother : {Smoother::automatic, Smoother::trigs, Smoother::adi_trigs}) {
    CHECK_NOTHROW(validate(by(smoother, LineOrder::sequential)));
  }
  for (const LineDirection direction : {LineDirection::x, LineDirection::y}) {
    for (const Smoother smoother :
         {Smoother::automatic, Smoother::jacobi, Smoother::adi_tridi, Smoother::adi_trigs}) {
      SolverOptions options = by(smoother);
      options.multigrid.line_direction = direction;
      refused(options, "multigrid.line_direction = " + std::string(to_string(direction)), "tridi");
    }
    for (const Smoother smoother : {Smoother::tridi, Smoother::trigs}) {
      SolverOptions options = by(smoother);
      options.multigrid.line_direction = direction;
      CHECK_NOTHROW(validate(options));
    }
  }
}

TEST_CASE("the memory forecast knows the memory of lines", "[solvers][lines][memory]") {
  for (const int level : {1, 4, 6}) {
    for (const char test : {'A', 'D', 'F'}) {
      const Stated problem = stated(test, level);
      for (const Smoother smoother : {Smoother::automatic, Smoother::jacobi, Smoother::adi_trigs}) {
        SolverOptions options = by(smoother);
        CAPTURE(level, test, to_string(smoother));
        // The host has none.
        CHECK(
            solve_on_host(problem, options).report.memory_bytes
            == forecast_memory(problem.problem, problem.grids, options, BackendKind::host).backend);
        const auto on_device =
            forecast_memory(problem.problem, problem.grids, options, BackendKind::cuda).backend;
        const bool points =
            smoother == Smoother::jacobi || (smoother == Smoother::automatic && test == 'A');
        options.multigrid.smoother = Smoother::jacobi;
        const auto without = forecast_memory(level, options, BackendKind::cuda).backend;
        CHECK((on_device == without) == points);
        CHECK(on_device >= without);
        // What is not known counts.
        options.multigrid.smoother = Smoother::automatic;
        CHECK(forecast_memory(level, options, BackendKind::cuda).backend >= on_device);
      }
    }
  }
}

}  // namespace
}  // namespace ninefold
