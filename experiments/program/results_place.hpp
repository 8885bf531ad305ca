#pragma once
// Where results go, tried before anything is solved.
//
// Tests.  tests/experiments/program/run_test.cpp, tests/experiments/ranks.py

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "output/tables/results_files.hpp"

#include "experiments/config/study.hpp"

namespace ninefold {

/// The results folder, made if it is not there; throws ConfigurationError if it, or the place of
/// the additional JSON file, cannot be written to.
ResultsWriter open_results(const std::filesystem::path& directory,
                           const std::optional<std::filesystem::path>& json = {});

/// The same where files are written one by one; `json` may be empty.
void make_places(const std::filesystem::path& directory, const std::string& json);

/// The same of the plans' folder and `json`, if any, without anything left behind.
void require_place(const std::vector<Plan>& plans, const std::string& json = "");

}  // namespace ninefold
