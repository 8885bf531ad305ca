#pragma once
// The fields of a level: their names and values, in the order of every file and table.
//
// Tests.  tests/output/tables/results_files_test.cpp

#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "output/tables/results.hpp"
#include "output/tables/table.hpp"

namespace ninefold {

/// The columns of all fields; shown to people are those that one of these runs has something for.
std::vector<Column> level_columns(std::span<const RunResult> runs);

std::vector<Cell> level_cells(const LevelResult& level);

/// An object; what is absent or not finite is null.
nlohmann::ordered_json level_json(const LevelResult& level);

}  // namespace ninefold
