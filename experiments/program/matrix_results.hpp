#pragma once
// What runs with a sparse matrix leave in files: results.csv, .json, .md, report.html, histories.
//
// Tests.  tests/experiments/matrix.py, tests/experiments/mesh.py

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "experiments/program/matrix_run.hpp"

namespace ninefold {

/// The residual after each iteration.
std::string matrix_history_csv(const Report& report);

/// A run as data: its row, and what its report holds beside that.
nlohmann::ordered_json json_of_run(const Plan& plan, const std::vector<Cell>& cells,
                                   const std::vector<Column>& columns, const Report& report);

/// What has been found, for all files: the table, the same as data, and the page.
struct RunResults {
  Table table;
  nlohmann::ordered_json& runs;
  Article page;
  std::size_t finished = 0;
};
/// results.csv, .json, .md and report.html of any runs with matrices; as write_matrix_results().
void write_results_of(const std::vector<Plan>& plans, RunResults results, const std::string& json,
                      const std::string& failure);

/// All runs so far; `json` is one more file, or empty.  The page says how many are still to come,
/// or the `failure` that has ended them.
void write_matrix_results(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                          const std::string& json, const std::string& failure = "");

/// On the page of the runs before it, if there are any.
void tell_matrix_failure(const std::vector<Plan>& plans, const std::vector<MatrixRun>& runs,
                         const std::string& json, const std::string& why) noexcept;

}  // namespace ninefold
