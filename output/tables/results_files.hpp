#pragma once
// The files of a run or study: results.json, results.csv, results.md, results.tex, report.html and
// a history of the residual for each level.
//
// Shape.  JSON: {"meta": {..., "options": {key: value}}, "runs": [{"name", "varied": {key: value},
// "levels": [{"level", "unknowns", ...}]}]}, the fields of a level named as in LevelResult; the
// history is left to its own file.  CSV: one row for each level of each run, "run" and the varied
// keys first.
//
// Units.  Seconds and bytes in JSON and CSV; the tables for people show MiB.
//
// Rounding.  JSON and CSV give back every double exactly.  What is absent or not finite is null in
// JSON; the outcome says why.
//
// Tests.  tests/output/tables/results_files_test.cpp

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "output/document/html.hpp"
#include "output/tables/results.hpp"
#include "output/tables/table.hpp"

namespace ninefold {

struct ReportState;

/// The levels of one run.  Columns that say nothing here (errors without a solution, the aspect
/// ratio of squares) and the remarks are in its CSV only.
Table level_table(const RunResult& run);

/// The levels of all runs; more than one run is told apart by name and by what the study varied.
Table level_table(const Results& results);

nlohmann::ordered_json to_json(const Results& results);

/// Keeps the files of a directory in step with the results.
class ResultsWriter {
 public:
  /// Creates the directory and tries it; throws std::runtime_error if it, or the directory of the
  /// additional JSON file, cannot be written to.
  explicit ResultsWriter(std::filesystem::path directory,
                         std::optional<std::filesystem::path> additional_json = {});

  /// Rewrites the tables, each atomically, and writes the histories of levels that are new:
  /// history-<run>-level<LL>.csv, the run by its identifier(), with a number behind it where
  /// another run has the same.  Throws std::runtime_error if a file cannot be written.
  void update(const Results& results);

  /// The same with what the page says beside the results.
  void update(const Results& results, const ReportState& state);

  /// The same without the page.
  void update_tables(const Results& results);

  /// False if writing the page again would make that more than a tenth of the time.
  bool page_is_due() const { return std::chrono::steady_clock::now() >= next_page_; }

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path page() const { return directory_ / "report.html"; }
  /// Of the page as it was written last.
  const ProgressPlace& progress() const { return progress_; }

 private:
  void write_histories(const RunResult& run);
  void write_page(const Results& results, const ReportState& state);
  std::string file_stem(const std::string& run_name);

  std::filesystem::path directory_;
  std::optional<std::filesystem::path> additional_json_;
  std::map<std::string, std::string> stems_;  // of runs, by name
  std::set<std::pair<std::string, int>> histories_written_;
  std::chrono::steady_clock::time_point next_page_{};
  ProgressPlace progress_{};
};

}  // namespace ninefold
