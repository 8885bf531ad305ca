#pragma once
// What runs with a sparse matrix leave in files: results.csv, .json, .md, report.html, histories.
//
// Tests.  tests/experiments/matrix.py, tests/experiments/mesh.py

#include <string>
#include <vector>

#include "experiments/program/matrix_run.hpp"

namespace ninefold {

/// The residual after each iteration.
std::string matrix_history_csv(const Report& report);

/// All runs so far; `json` is one more file, or empty.  The page says how many are still to come,
/// or the `failure` that has ended them.
void write_matrix_results(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                          const std::string& json, const std::string& failure = "");

/// On the page of the runs before it, if there are any.
void tell_matrix_failure(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                         const std::string& json, const std::string& why) noexcept;

}  // namespace ninefold
