#pragma once
// One page of several experiments and tables of measurements.
//
// Shape.  A place is a folder with the report.json that an experiment has left, or a CSV file (see
// measured.hpp), after a title of its own if it is written TITLE=PLACE.  On top is the agreement of
// all at a glance, whose rows lead to the tables.
//
// Tests.  tests/experiments/program/gathered_test.cpp

#include <filesystem>
#include <string>
#include <vector>

#include "output/document/document.hpp"

namespace ninefold {

/// For a page in `output`, from which solves are linked where an experiment's own page still is.  A
/// folder without a report.json is said not to have finished.  Throws std::runtime_error, which
/// names it, for a file that holds no document or table.
Article gathered(const std::vector<std::string>& places, const std::string& title,
                 const std::filesystem::path& output);

}  // namespace ninefold
