#pragma once
// What a terminal shows while runs go on.
//
// Tests.  tests/experiments/program.py

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/program/live_table.hpp"
#include "experiments/program/run.hpp"

namespace ninefold {

/// Prints at once, also into a pipe.
void print(const std::string& text);

/// "run-1, " where there are several.
std::string run_prefix(const std::vector<Plan>& plans, const std::string& name);

/// Shows the runs as they go.
class Screen {
 public:
  Screen();
  /// It must outlive them.
  RunEvents events();

  /// What there is if a run ends here.
  std::string kept() const { return kept_; }

  /// Removes the line that says what is being worked on.
  void clear_progress() const;

 private:
  void begin_run(const Problem& problem);

  std::optional<LiveTable> table_;
  std::set<std::string> told_;
  int levels_ = 0;
  std::string kept_ = "no level was finished";
  bool headed_ = false, on_terminal_;
};

}  // namespace ninefold
