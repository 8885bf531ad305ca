#pragma once
// One page of several experiments: what each has left in its folder.
//
// Tests.  tests/experiments/program/compare_test.cpp

#include <filesystem>
#include <vector>

#include "output/document/document.hpp"

namespace ninefold {

/// Of the report.json of each folder; a folder without one is said not to have finished.  Throws
/// std::runtime_error, which names it, for one that holds no document.
Article gathered(const std::vector<std::filesystem::path>& folders);

}  // namespace ninefold
