#pragma once
// The tests A to I of Goeddeke, Strzodka, Turek 2007, and solves of them by a smoother.

#include <algorithm>
#include <string>
#include <vector>

#include "fem/discrete/errors.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refined.hpp"

namespace ninefold::testing {

/// The tests of the paper: narrow rectangles and grids refined to the right and the bottom.
struct PaperTest {
  char name;
  double width, nu;
};
inline constexpr PaperTest paper_tests[] = {{'A', 1, 1},     {'B', 0.25, 1},   {'C', 0.0625, 1},
                                            {'D', 1e-11, 1}, {'E', 1, 0.75},   {'F', 1, 0.5},
                                            {'G', 1, 0.25},  {'H', 1, 0.0625}, {'I', 1, 0.03125}};

inline Stated stated(const PaperTest& test, int level) {
  return {make_problem({}, test.width, 1),
          make_hierarchy(test.width, 1, level, {test.nu, {Side::right, Side::bottom}})};
}
inline Stated stated(char name, int level) {
  return stated(*std::find_if(std::begin(paper_tests), std::end(paper_tests),
                              [&](const PaperTest& test) { return test.name == name; }),
                level);
}

inline SolverOptions by(Smoother smoother, LineOrder order = LineOrder::zebra) {
  SolverOptions options;
  options.multigrid.smoother = smoother;
  options.multigrid.line_order = order;
  options.max_iterations = 40;
  return options;
}

/// Iterations of a solve that must converge.
inline int count(const Stated& stated, const SolverOptions& options) {
  const Report report = solve_on_host(stated, options).report;
  CAPTURE(report.smoother, report.remark);
  CHECK(report.outcome == Outcome::converged);
  return report.iterations;
}

inline double l2_error(const Stated& stated, const Solved& solved) {
  return measure_errors(stated.problem, stated.grids.back(), solved.solution).l2;
}

}  // namespace ninefold::testing
