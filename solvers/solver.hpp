#pragma once
// A solver that is set up once and then solves for one right-hand side after the other on one grid,
// or steps in time.
//
// Usage.
//     Solver solver(prepare(problem, grids, options, where));
//     const Solved first = solver.solve();
//     problem.source = another;
//     solver.set_data(problem);
//     const Solved second = solver.solve();     // the bits that solve(problem, ...) has
//
// Usage, in time: u' = div(diag(gx, gy) grad u) - c u + f by implicit Euler's method, each step a
// system with the reaction c + 1/dt, which the problem states.
//     problem.reaction = 1 / dt;
//     Solver solver(prepare(problem, grids, options, where));
//     solver.set_solution(at_the_start);
//     for (int k = 0; k < steps; ++k) outcome = solver.step(1 / dt).outcome;
//     const Solved at_the_end = solver.current();
//
// Cost.  Matrices, memory and recorded steps stay: what is left beside the iteration is the load,
// two lines for each product of functions that it is a sum of (fem/problem/function.hpp).  Of a
// step a few norms cross a bus, unless the outer solver is on the host; vectors do where sources
// are no such sums, and where the right-hand side has left the range that the scaling was chosen
// for (by 2^31 in single; what corrects in half is then made anew, as it is by a solve() whose
// right-hand side has another exponent).
//
// Memory.  That of solve(); from the first step on one vector more, and a matrix of the same kind.
//
// Threads.  A solver serves one thread at a time, several solvers as many
// (solvers/solve_batch.hpp); but only one thread solves in a software format.
//
// Tests.  tests/solvers/solver_test.cpp, tests/gpu/device/same_steps_test.cpp

#include <memory>
#include <vector>

#include "fem/problem/problems.hpp"

#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"
#include "solvers/stopping.hpp"

namespace ninefold {

class Solver {
 public:
  /// Throws what solve() throws for the problem as it is.
  explicit Solver(PreparedSolve prepared);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// With the data that were set last.
  const PreparedSolve& prepared() const;

  /// Source, boundary values, fluxes, quadrature, and the solution that errors are measured
  /// against, from here on.  Throws as validate(problem) does, std::invalid_argument if its
  /// rectangle, its coefficients or the kinds of its sides are others, and std::runtime_error if
  /// memory does not suffice.
  void set_data(Problem problem);

  /// From zero; throws what solve() of the same problem does.
  Solved solve();

  /// The solution := values at node (i, j), k = j nx + i, at all nodes on each of several ranks; at
  /// Dirichlet nodes the boundary values hold.  Throws as solve() does for the data, and
  /// std::invalid_argument for another number of values, or one that is not finite; the solution
  /// then stays as it was.
  void set_solution(const std::vector<double>& values);

  /// The solution := u of one step from it, with 1/dt = rate: (A + M rate) u = b + M rate u_before,
  /// A + M rate being the problem's matrix.  Iterates from u_before, or from zero if that has the
  /// smaller residual, until the residual is solver.tolerance times that of zero, or as
  /// solver.norm has it; norms of the report are relative to that.  A solution that has never been
  /// set or solved for is zero.  Data may be set between steps, but no other boundary values unless
  /// set_solution() follows: std::invalid_argument.  The same for a rate that is not above zero and
  /// at most problem.reaction, and for a step from a solution that is not finite; other exceptions
  /// are those of solve().
  Report step(double rate);

  /// The solution that is there and its errors, as solve() has them, with the report of the last
  /// step or solve.
  Solved current() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Throws std::invalid_argument, as set_data() does, unless both problems have the same matrix.
void require_same_matrix(const Problem& problem, const Problem& own);

}  // namespace ninefold
