#pragma once
// A solve and how far its result is from that of the banded direct solver.

#include <algorithm>
#include <cmath>
#include <memory>

#include "solvers/solve.hpp"

#include "tests/support/direct.hpp"
#include "tests/support/stated.hpp"

namespace ninefold::testing {

struct Judged {
  Report report;
  double error;  ///< relative to the solution, the larger of l2 and the largest node; or as the
                 ///< tolerance speaks of it, where that is one in one norm
};

struct DirectSolution {
  explicit DirectSolution(const Stated& s) : system(stated_directly(s.problem, s.grids.back())) {}

  DirectSystem system;
  DirectSystem::Values exact = system.solve();
};

/// The size of nodal values in the norm of a tolerance.
inline double size_in(StoppingNorm norm, const DirectSystem& system,
                      const DirectSystem::Values& v) {
  switch (norm) {
    case StoppingNorm::energy:
      return std::sqrt(static_cast<double>(system.energy(v)));
    case StoppingNorm::l2:
      return std::sqrt(static_cast<double>(system.square(v)));
    default:
      return static_cast<double>(DirectSystem::largest(v));
  }
}

/// An error as a tolerance in one norm speaks of it.
inline double error_in(const SolverOptions& options, const DirectSystem& system,
                       const DirectSystem::Values& e, const DirectSystem::Values& exact) {
  const double error = size_in(options.norm, system, e);
  if (!options.relative || error == 0) return error;
  return error / size_in(options.norm, system, exact);
}

inline Judged judge(const Stated& s, const SolverOptions& options) {
  const Solved solved = solve(s.problem, s.grids, options, BackendKind::host);
  if (s.direct == nullptr) s.direct = std::make_shared<const DirectSolution>(s);
  const auto& [system, exact] = *s.direct;
  DirectSystem::Values e(solved.solution.begin(), solved.solution.end());
  for (std::size_t k = 0; k < e.size(); ++k) {
    if (!solved.solution_low.empty()) e[k] += solved.solution_low[k];
    e[k] -= exact[k];
  }
  if (measures_error(options)) return {solved.report, error_in(options, system, e, exact)};
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

}  // namespace ninefold::testing
