#pragma once
// What an experiment leaves behind: tables on the screen and as files, and the closing summary.
//
// Shape.  report.md holds all that is on the screen, report.html that and every compared value, and
// report.json the same for a page of several reports.  Each table is also in a .csv (all digits)
// and a .tex file of its own; agreement.csv and agreement.json hold every compared value with the
// rule by which it was compared.
//
// Tests.  tests/experiments/support/report_test.cpp

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/document/document.hpp"
#include "output/tables/results.hpp"
#include "output/tables/table.hpp"

#include "experiments/config/study.hpp"
#include "experiments/support/comparison.hpp"

namespace ninefold {

/// The outcome of a solve of a fixed number of steps.
inline constexpr std::string_view as_asked = "as asked";

/// A line for each level on standard error, since standard output holds the tables alone; on a
/// terminal a line that is rewritten.  An interrupt tells where the finished levels are.
class LevelProgress {
 public:
  /// `levels` in all; their rows go to results.csv in `directory`.
  LevelProgress(int levels, std::filesystem::path directory);

  void begin(const std::string& run, int level) const;
  void end(const std::string& run, const LevelResult& row);
  void finish() const;

 private:
  bool terminal_;
  int levels_, done_ = 0;
  std::filesystem::path directory_;
};

/// Runs the plans with progress.  See run_plans() for files and exceptions.
Results run_with_progress(const std::vector<Plan>& plans);

/// The iterations; with the outcome, unless it is converged.
Cell iterations_cell(const LevelResult& row);

/// "outer:inner" iterations of a refinement, with the outcome, unless it is converged.
Cell counts_cell(const LevelResult& row);

/// Where a page shows the residuals of a level of a run; its row, if it has none.
std::string solve_link(const std::string& run, const LevelResult& row);

/// The links of a row of the table, from the keys of their columns.
std::vector<std::string> cell_links(const Table& table,
                                    const std::vector<std::pair<std::string, std::string>>& links);

/// The error, or NaN.
double error_l2(const LevelResult& row);
double error_rms(const LevelResult& row);

/// The run of this name; throws std::logic_error if there is none.
const RunResult& find_run(const Results& results, const std::string& name);

Column level_column();
Column text_column(const std::string& key, const std::string& header);
Column count_column(const std::string& key, const std::string& header);
Column error_column(const std::string& key, const std::string& header, int digits);
Column decimal_column(const std::string& key, const std::string& header, int decimals);
Column time_column(const std::string& key, const std::string& header);

class ExperimentReport {
 public:
  /// The page shows every solve of the results behind what is told of them.
  ExperimentReport(std::string title, const Results& results, std::filesystem::path directory);

  /// Text for the reader; may hold line feeds.
  void paragraph(const std::string& text);

  /// A table, with the name of its files; on the page its cells lead to solves (cell_links()).
  void table(const std::string& title, const std::string& stem, const Table& table,
             std::vector<std::vector<std::string>> links = {});

  /// Counts the values in the summary, whose line leads to the table before it.
  void add(Comparison comparison);

  /// Pictures side by side, on the page alone.
  void gallery(std::vector<Image> images);

  /// A picture in the directory, or why it was not drawn, which is not on the page.
  void picture(const std::string& file, const std::string& remark);

  /// Prints the report and writes the files; returns whether all values agree.  Throws
  /// std::runtime_error if a file cannot be written, and if nothing was compared.
  bool finish() const;

 private:
  std::filesystem::path directory_;
  Article document_;
  std::vector<Section> solves_;
  std::map<std::pair<std::string, int>, std::string> links_;  // to them, by run and level
  std::vector<std::pair<std::string, Table>> tables_;
  std::vector<Comparison> comparisons_;
  std::vector<std::string> compared_in_;  // the table of each
  std::vector<std::string> undrawn_;      // remarks on pictures, not for the page
};

}  // namespace ninefold
