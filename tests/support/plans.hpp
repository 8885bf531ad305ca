#pragma once
// Runs of the program, below a folder of the test.

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/config/study.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ninefold::testing {

/// Plans for a file whose results go below `folder`.
inline std::vector<Plan> plans_of(const std::string& text, const std::filesystem::path& folder) {
  const Document document =
      parse_document(text, "a.toml",
                     {{"output.directory=" + (folder / "out").string(), "--output", true},
                      {"backend.name=host", "--backend host", true}});
  return document.study_origin ? plan_study(document) : plan_run(document);
}

inline nlohmann::json json_of(const std::filesystem::path& file) {
  return nlohmann::json::parse(content_of(file));
}

}  // namespace ninefold::testing
