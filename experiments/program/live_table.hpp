#pragma once
// The table of a run or study on the screen, one row at a time.
//
// Shape.  The columns and their widths are fixed before the first row is known, by a row made of
// the widest values that can come.
//
// Tests.  tests/experiments/program/live_table_test.cpp

#include <string>
#include <vector>

#include "output/tables/results.hpp"

#include "experiments/config/study.hpp"
#include "experiments/program/run.hpp"

namespace ninefold {

class LiveTable {
 public:
  /// Several plans are told apart by name and by what they vary.  Requires at least one.
  LiveTable(const std::vector<Plan>& plans, const std::vector<PreparedRun>& runs);

  /// The headings and the line below them, each ended by a line feed.
  std::string heading() const;

  /// The last level of a run, ended by a line feed.
  std::string row(const RunResult& run) const;

 private:
  std::string render(const RunResult* run) const;

  RunResult widest_;
  bool several_;
};

}  // namespace ninefold
