#pragma once
// The page of a run while it goes on, and when it ends.
//
// Tests.  tests/output/document/page.py

#include <string>
#include <vector>

#include "output/document/results_document.hpp"
#include "output/tables/results.hpp"
#include "output/tables/results_files.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/level_files.hpp"
#include "experiments/program/prepared_run.hpp"

namespace ninefold {

/// Keeps the files of results in step, the page among them, which says how far the runs have come.
class LivePage {
 public:
  /// All of them must outlive it.
  LivePage(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs,
           const LevelPictures& pictures, ResultsWriter& writer);

  /// Writes the files after a level.
  void update(const Results& results);

  /// After a failure, in its words, if a level was finished; what cannot be written then is left.
  void fail(const Results& results, const std::string& why) noexcept;

 private:
  ReportState state(const Results& results) const;

  const std::vector<Plan>& plans_;
  const LevelPictures& pictures_;
  ResultsWriter& writer_;
  std::size_t levels_ = 0;  ///< that there will be
};

/// What matters first: the errors of the finest level, which runs are enough, how all ended.
std::vector<std::string> first_lines(const std::vector<Plan>& plans, const Results& results);

}  // namespace ninefold
