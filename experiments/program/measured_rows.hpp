#pragma once
// What the columns and rows of a table of measurements say: see measured.hpp.
//
// Tests.  tests/experiments/program/measured_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output/tables/results.hpp"
#include "output/tables/table.hpp"

namespace ninefold {

std::optional<std::size_t> column_of(const Table& table, std::string_view key);

/// All digits of a cell.
std::string full_text(const Cell& cell);

/// Of a column that there may not be.
std::optional<double> number_in(const std::vector<Cell>& row, std::optional<std::size_t> column);

/// What distinguishes each row's run: columns up to the level and texts right after it, but those
/// that say nothing more than the ones before them.
std::vector<std::string> names_of_runs(const Table& table, std::size_t level);

/// The bytes that a row's run has held, from whichever column has them.
std::optional<double> memory_in(const Table& table, const std::vector<Cell>& row);

struct RowsOfRuns {
  Results results;                   ///< of each run and level the row that comes first
  std::vector<std::string> row_ids;  ///< for links; empty for those that come later
  bool has_times = false;
};

/// Without runs if there is no column "level".
RowsOfRuns rows_of_runs(const Table& table);

}  // namespace ninefold
