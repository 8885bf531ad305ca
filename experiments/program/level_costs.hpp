#pragma once
// What one level takes by each method that a table of measurements has, and to what.
//
// Tests.  tests/experiments/program/level_costs_test.cpp

#include <optional>
#include <string>
#include <vector>

#include "output/document/document.hpp"
#include "output/tables/table.hpp"

namespace ninefold {

/// The level that pages tell of first, where it is among those measured.
inline constexpr int first_told_level = 9;

struct LevelCost {
  std::string run;     ///< what tells it from others of its table; may be empty
  std::string target;  ///< what has been reached: "a residual of 1e-10"
  double seconds;      ///< of the solve
  std::optional<double> bytes;
  std::string row_id;
};

/// A row for each run and target; of a table that tells which runs are enough (output/tables/
/// enough.hpp) the smallest and the quickest of these alone.
std::vector<LevelCost> level_costs(const Table& table, int level);

/// One table of what a level takes by the methods of several tables of measurements.
class LevelTable {
 public:
  explicit LevelTable(int level) : level_(level) {}

  /// The rows of a table whose ids begin with `name`; `head` is what its runs have in common.
  /// Whether there are some.
  bool add(const Table& measured, const std::string& head, const std::string& name);

  std::string id() const;
  /// Without blocks if there is nothing to tell apart.
  Section section() const;

 private:
  struct Row {
    std::string method, link;
    LevelCost cost;
  };
  int level_;
  std::vector<Row> rows_;
};

}  // namespace ninefold
