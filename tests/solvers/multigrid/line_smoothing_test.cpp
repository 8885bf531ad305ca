// Multigrid that smooths by lines: the paper's counts of cycles, the errors of the exact discrete
// solutions, rates that do not depend on the grid, symmetries.

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/paper_tests.hpp"

namespace ninefold {
namespace {

using Catch::Approx;
using testing::by;
using testing::count;
using testing::l2_error;
using testing::paper_tests;
using testing::PaperTest;
using testing::solve_on_host;
using testing::stated;
using testing::Stated;

TEST_CASE("alternating lines take the counted cycles on all tests of the paper",
          "[solvers][lines]") {
  const auto cycles = [](LineOrder order) {
    std::vector<int> all;
    for (const PaperTest& test : paper_tests) {
      all.push_back(count(stated(test, 6), by(Smoother::adi_trigs, order)));
    }
    return all;
  };
  // Counted by another program, level 6.
  CHECK(cycles(LineOrder::sequential) == std::vector<int>{6, 8, 8, 7, 6, 7, 8, 8, 10});
  CHECK(cycles(LineOrder::zebra) == std::vector<int>{8, 6, 8, 10, 8, 8, 8, 9, 11});
}

TEST_CASE("lines one by one take the paper's cycles within one", "[solvers][lines]") {
  // MG_ADITRIGS of tables 7 and 8, level 8.
  const int printed[] = {6, 8, 8, 6, 6, 7, 8, 7, 9};
  for (std::size_t k = 0; k < std::size(paper_tests); ++k) {
    const int cycles =
        count(stated(paper_tests[k], 8), by(Smoother::adi_trigs, LineOrder::sequential));
    CAPTURE(paper_tests[k].name, cycles, printed[k]);
    CHECK(std::abs(cycles - printed[k]) <= 1);
  }
}

TEST_CASE("solutions by lines have the errors of the exact discrete ones", "[solvers][lines]") {
  struct Known {
    char test;
    int level;
    double l2;
  };
  // l2 errors of the exact discrete solutions (80-bit arithmetic).
  for (const auto& [test, level, l2] :
       {Known{'B', 6, 2.824720367e-07}, Known{'D', 6, 2.788604478e-33},
        Known{'E', 6, 1.203215325e-05}, Known{'F', 6, 1.795918477e-05},
        Known{'G', 6, 2.616905618e-05}, Known{'H', 6, 3.395300139e-05},
        Known{'I', 6, 3.544337797e-05}, Known{'I', 8, 2.214934699e-06}}) {
    for (const OperatorForm form : {OperatorForm::plain, OperatorForm::difference}) {
      const Stated problem = stated(test, level);
      SolverOptions options = by(Smoother::automatic);
      options.form = form;
      CAPTURE(test, level, to_string(form));
      CHECK(l2_error(problem, solve_on_host(problem, options)) == Approx(l2).epsilon(3e-6));
      options = testing::refined("double", {"single"});
      options.refinement.inner_form = form;
      CHECK(l2_error(problem, solve_on_host(problem, options)) == Approx(l2).epsilon(3e-6));
    }
  }
}

TEST_CASE("grids with cells of a millionth of a billionth solve", "[solvers][lines]") {
  // Test I of the paper, which could not go beyond level 8: widths of 5.6e-17 and 8.7e-19.
  struct Known {
    int level;
    double l2;
  };
  SolverOptions options = by(Smoother::automatic);
  options.tolerance = 1e-6;
  for (const auto& [level, l2] : {Known{9, 5.537302149e-07}, Known{10, 1.384323375e-07}}) {
    const Stated problem = stated('I', level);
    const Solved solved = solve_on_host(problem, options);
    CAPTURE(level, solved.report.remark);
    CHECK(solved.report.outcome == Outcome::converged);
    CHECK(solved.report.iterations <= 6);
    CHECK(l2_error(problem, solved) == Approx(l2).epsilon(1e-4));
  }
}

TEST_CASE("alternating lines converge independently of level and stretching", "[solvers][lines]") {
  for (const PaperTest& test : paper_tests) {
    for (const auto& [smoother, order, most] :
         {std::tuple{Smoother::adi_trigs, LineOrder::zebra, 11},
          {Smoother::adi_trigs, LineOrder::sequential, 10},
          {Smoother::adi_tridi, LineOrder::zebra, 18},
          {Smoother::automatic, LineOrder::zebra, 11}}) {
      for (const int level : {3, 4, 5, 6, 7}) {
        CAPTURE(test.name, to_string(smoother), to_string(order), level);
        CHECK(count(stated(test, level), by(smoother, order)) <= most);
      }
    }
  }
}

TEST_CASE("lines along the strong direction suffice where there is one", "[solvers][lines]") {
  for (const char test : {'B', 'C', 'D'}) {  // narrow: strong along x
    for (const Smoother smoother : {Smoother::trigs, Smoother::tridi}) {
      SolverOptions options = by(smoother);
      for (const int level : {4, 5, 6, 7}) {
        CAPTURE(test, to_string(smoother), level);
        CHECK(count(stated(test, level), options) <= (smoother == Smoother::trigs ? 7 : 11));
      }
    }
  }
}

TEST_CASE("lines along the weak direction do not smooth", "[solvers][lines]") {
  for (const char test : {'C', 'D'}) {
    for (const auto& [smoother, order] : {std::pair{Smoother::trigs, LineOrder::zebra},
                                          {Smoother::trigs, LineOrder::sequential},
                                          {Smoother::tridi, LineOrder::zebra}}) {
      SolverOptions options = by(smoother, order);
      options.multigrid.line_direction = LineDirection::y;
      const Report report = solve_on_host(stated(test, 6), options).report;
      CAPTURE(test, report.smoother, report.residual_reduction);
      CHECK(report.outcome != Outcome::converged);
      CHECK(report.residual_reduction > 1e-5);  // after forty cycles
    }
  }
  // One direction is not enough where both are strong somewhere.
  for (const Smoother smoother : {Smoother::trigs, Smoother::tridi}) {
    CHECK(solve_on_host(stated('H', 6), by(smoother)).report.outcome != Outcome::converged);
  }
  // And points are not, where lines are.
  CHECK(solve_on_host(stated('G', 6), by(Smoother::jacobi)).report.outcome != Outcome::converged);
}

/// Grids and problem with x and y exchanged.
Stated transposed(const Stated& given, const ProblemOptions& options, double width) {
  Stated other{make_problem(options, 1, width), {}};
  for (const TensorGrid& grid : given.grids) other.grids.push_back({grid.y, grid.x});
  return other;
}

/// The same residuals as far as rounding lets them agree.
void check_alike(const Report& a, const Report& b) {
  CHECK(a.outcome == b.outcome);
  REQUIRE(a.iterations == b.iterations);
  for (std::size_t k = 0; k < a.history.size(); ++k) {
    CHECK(a.history[k] == Approx(b.history[k]).epsilon(1e-3).margin(1e-12));
  }
}

TEST_CASE("a transposed problem is solved by transposed lines alike", "[solvers][lines]") {
  const double width = 0.3;
  ProblemOptions here, there;
  here.boundary[Side::right] = there.boundary[Side::top] = BoundaryKind::neumann;
  here.gx = there.gy = 0.5;
  for (const double nu : {1.0, 0.7}) {
    const Stated given{make_problem(here, width, 1),
                       make_hierarchy(width, 1, 5, {nu, {Side::right, Side::bottom}})};
    const Stated other = transposed(given, there, width);
    for (const auto& [smoother, order] : {std::pair{Smoother::trigs, LineOrder::zebra},
                                          {Smoother::trigs, LineOrder::sequential},
                                          {Smoother::tridi, LineOrder::zebra}}) {
      for (const LineDirection direction : {LineDirection::x, LineDirection::y}) {
        SolverOptions options = by(smoother, order), turned = options;
        options.multigrid.line_direction = direction;
        turned.multigrid.line_direction =
            direction == LineDirection::x ? LineDirection::y : LineDirection::x;
        CAPTURE(nu, to_string(smoother), to_string(order), to_string(direction));
        check_alike(solve_on_host(given, options).report, solve_on_host(other, turned).report);
      }
    }
    if (nu == 1.0) {  // auto turns by itself
      const Report one = solve_on_host(given, by(Smoother::automatic)).report;
      const Report two = solve_on_host(other, by(Smoother::automatic)).report;
      CHECK(one.smoother == "trigs along x, zebra");
      CHECK(two.smoother == "trigs along y, zebra");
      check_alike(one, two);
    }
  }
}

TEST_CASE("a mirrored problem is solved alike where no line comes first", "[solvers][lines]") {
  // An odd number of lines: both ends have the same colour.
  const auto grids = [](Side across, Side along) {
    return make_hierarchy(1, 1, 5, {0.4, {across, along}});
  };
  const Problem problem = make_problem({}, 1, 1);
  for (const Smoother smoother :
       {Smoother::tridi, Smoother::trigs, Smoother::adi_tridi, Smoother::adi_trigs}) {
    CAPTURE(to_string(smoother));
    const auto reported = [&](Side across, Side along) {
      return solve_on_host({problem, grids(across, along)}, by(smoother)).report;
    };
    const Report given = reported(Side::right, Side::bottom);
    check_alike(given, reported(Side::left, Side::bottom));
    check_alike(given, reported(Side::left, Side::top));
  }
}

}  // namespace
}  // namespace ninefold
