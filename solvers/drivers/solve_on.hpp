#pragma once
// The solver of a prepared solve on one backend, in the formats that its options name.

#include <memory>

#include "gpu/backend/backend.hpp"

#include "solvers/drivers/standing_solve.hpp"
#include "solvers/prepared_solve.hpp"

namespace ninefold {

/// On the backend that it names; throws as solve() does (solvers/solve.hpp).
std::unique_ptr<StandingSolve> make_standing(const PreparedSolve& prepared);

/// Makes all that such a solver holds, as it makes it, and lets it go; for a host that only counts.
void hold_on(const Host& on, const PreparedSolve& prepared);
/// The same in mixed precision, with the inner solvers on `inner`.
void hold_mixed_on(const Host& on, const Host& inner, const PreparedSolve& prepared);

/// With the outer format as a type: one generated file for each format and backend
/// (solvers/CMakeLists.txt).
template <Backend B, Number T>
std::unique_ptr<StandingSolve> solver_in_format(const B& on, const PreparedSolve& prepared);
template <Number T>
void hold_in_format(const Host& on, const PreparedSolve& prepared);
/// In mixed precision.
template <Backend B, Number High>
std::unique_ptr<StandingSolve> mixed_solver_in(const B& on, const PreparedSolve& prepared);
/// The outer solver on the host, the inner ones on the device: the co-processor of the paper.
template <Number High>
std::unique_ptr<StandingSolve> split_solver_in(const Host& host, const Cuda& cuda,
                                               const PreparedSolve& prepared);
template <Number High>
void hold_mixed_in(const Host& on, const Host& inner, const PreparedSolve& prepared);

}  // namespace ninefold
