#pragma once
// Several right-hand sides on one grid at once.
//
// Usage.
//     const std::vector<Solved> all = solve_batch(prepare(...), {problem, another, a_third});
//
// Method.  Several solvers, each on a thread of its own, take one right-hand side after the other:
// on a device they share it, and fill it where one does not (docs/performance.md, "Solvers that
// stay").  Each has its memory, and its share of the caller's threads on the host.
//
// Tests.  tests/solvers/solve_batch_test.cpp, tests/gpu/device/same_steps_test.cpp

#include <vector>

#include "fem/problem/problems.hpp"

#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"

namespace ninefold {

/// Solves for each of `data`, in whose order the results are, with the bits of solve() of that
/// problem.  Of `prepared` the data are not solved for.  At most `solvers` work at once, fewer
/// where memory does not suffice for as many; on several ranks, and in software formats, one.
/// Results stay in the host's memory, solutions among them unless `prepared` leaves them out; no
/// forecast has them.  Throws what Solver, its set_data() and solve() throw, of the first data that
/// are solved for and cannot be, when all solvers have ended; std::invalid_argument before any does
/// if a problem has another matrix, or `solvers` is not positive.
std::vector<Solved> solve_batch(const PreparedSolve& prepared, const std::vector<Problem>& data,
                                int solvers);
/// By four on a device, and on a host by one, which has all its threads.
std::vector<Solved> solve_batch(const PreparedSolve& prepared, const std::vector<Problem>& data);

}  // namespace ninefold
