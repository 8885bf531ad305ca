#pragma once
// Two results side by side: what differs in digits, iterations and time.
//
// Tests.  tests/experiments/program/compare_test.cpp, tests/output/document/page.py

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "output/document/document.hpp"

namespace ninefold {

/// The results.json of a folder, or a file; throws ConfigurationError, which names it, if there is
/// none or it holds no results.
nlohmann::ordered_json read_results(const std::filesystem::path& place);

/// Runs are paired by name, in a pair of single runs whatever they are called, and by level. Throws
/// ConfigurationError if no level is in both.
Article compared_results(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                         const std::string& name_a, const std::string& name_b);

}  // namespace ninefold
