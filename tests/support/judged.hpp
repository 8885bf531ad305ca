#pragma once
// A solve and how far its result is from that of the banded direct solver.

#include <algorithm>
#include <string>
#include <vector>

#include "solvers/solve.hpp"

#include "tests/support/direct.hpp"

namespace ninefold::testing {

struct StatedProblem {
  Problem problem;
  std::vector<TensorGrid> grids;
};

inline StatedProblem problem_on(const ProblemOptions& options, int level,
                                const GridGrading& grading) {
  return {make_problem(options, 1, 1), make_hierarchy(1, 1, level, grading)};
}

struct Judged {
  Report report;
  double error;  ///< relative to the solution, the larger of l2 and the largest node
};

inline Judged judge(const StatedProblem& s, const SolverOptions& options) {
  const Solved solved = solve(s.problem, s.grids, options, BackendKind::host);
  DirectSystem system(stated_directly(s.problem, s.grids.back()));
  const DirectSystem::Values exact = system.solve();
  DirectSystem::Values e(solved.solution.begin(), solved.solution.end());
  for (std::size_t k = 0; k < e.size(); ++k) {
    if (!solved.solution_low.empty()) e[k] += solved.solution_low[k];
    e[k] -= exact[k];
  }
  return {solved.report,
          std::max(system.relative_l2(e, exact), DirectSystem::relative_max(e, exact))};
}

inline SolverOptions solved_by(Method method,
                               Preconditioning preconditioner = Preconditioning::none,
                               double tolerance = 1e-10) {
  SolverOptions options;
  options.method = method;
  options.preconditioner = preconditioner;
  options.tolerance = tolerance;
  return options;
}

inline ProblemOptions formula(const std::string& u, const std::string& f) {
  ProblemOptions options;
  options.solution = u;
  options.source = f;
  return options;
}

inline void make_neumann(ProblemOptions& options, Side side, const std::string& flux) {
  options.boundary[side] = BoundaryKind::neumann;
  options.flux[static_cast<std::size_t>(side)] = flux;
}

}  // namespace ninefold::testing
