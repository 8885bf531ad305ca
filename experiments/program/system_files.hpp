#pragma once
// A grid's linear system as files that other programs read.
//
// Tests.  tests/experiments/matrix.py

#include <filesystem>

#include "solvers/prepared_solve.hpp"

namespace ninefold {

/// `stem`-matrix.mtx and `stem`-right-hand-side.mtx, in the Matrix Market format: the unknowns of
/// the finest level, numbered along x first, in double and plain form; boundary values are in the
/// right-hand side, so that its solution is u.  Throws std::runtime_error if one cannot be written.
void write_system_files(const PreparedSolve& prepared, const std::filesystem::path& stem);

}  // namespace ninefold
