#pragma once
// A table of measurements in a CSV file as a document: where it was measured, which run is enough,
// errors and times over the level, and the table itself.
//
// Shape.  A heading line of keys, then rows, whose columns up to "level" and texts right after it
// tell the runs apart; "error_l2" and "solve_seconds" (or "milliseconds") are drawn if they are
// there.  "device", "driver", "commit" and "date" say where and when.
//
// Reference.  RFC 4180.
// Tests.      tests/experiments/program/measured_test.cpp

#include <filesystem>
#include <string>

#include "output/document/document.hpp"
#include "output/tables/table.hpp"

namespace ninefold {

/// The cells of a CSV file, as numbers where they are; throws std::runtime_error, which names the
/// line, for rows of unequal length and for a quote that does not end.
Table table_of_csv(const std::string& text);

/// All rows of a document that measured() has made.
const Table& measured_table(const Article& document);

/// The document of a file; its title is the name of the file.  Throws std::runtime_error, which
/// names the file, if it cannot be read.
Article measured(const std::filesystem::path& file);

}  // namespace ninefold
