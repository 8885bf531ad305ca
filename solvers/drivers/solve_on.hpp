#pragma once
// A prepared solve on one backend, in the formats that its options name.

#include "gpu/backend/backend.hpp"

#include "solvers/prepared_solve.hpp"
#include "solvers/solve.hpp"

namespace ninefold {

/// Those on a device throw std::logic_error in builds without CUDA.
Solved solve_on(const Host& on, const PreparedSolve& prepared);
Solved solve_on(const Cuda& on, const PreparedSolve& prepared);

/// In mixed precision.
Solved solve_mixed_on(const Host& on, const PreparedSolve& prepared);
Solved solve_mixed_on(const Cuda& on, const PreparedSolve& prepared);

/// The outer solver on the host, the inner ones on the device: the co-processor of the paper.
Solved solve_split(const Host& host, const Cuda& cuda, const PreparedSolve& prepared);

/// Makes all that such a solve holds, as it makes it, and lets it go; for a host that only counts.
void hold_on(const Host& on, const PreparedSolve& prepared);
/// The same in mixed precision, with the inner solvers on `inner`.
void hold_mixed_on(const Host& on, const Host& inner, const PreparedSolve& prepared);

/// The same with the outer format as a type: one generated file for each format and backend
/// (solvers/CMakeLists.txt).
template <Backend B, Number T>
Solved solve_in_format(const B& on, const PreparedSolve& prepared);
template <Number T>
void hold_in_format(const Host& on, const PreparedSolve& prepared);
template <Backend B, Number High>
Solved solve_mixed_in(const B& on, const PreparedSolve& prepared);
template <Number High>
Solved solve_split_in(const Host& host, const Cuda& cuda, const PreparedSolve& prepared);
template <Number High>
void hold_mixed_in(const Host& on, const Host& inner, const PreparedSolve& prepared);

}  // namespace ninefold
