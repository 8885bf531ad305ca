#include "experiments/program/results_place.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "output/tables/files.hpp"

#include "experiments/config/settings.hpp"

namespace ninefold {
namespace {

[[noreturn]] void refuse_place(const std::runtime_error& error, bool has_json) {
  throw ConfigurationError(fmt::format("{}\n  choose another place with --output{}", error.what(),
                                       has_json ? " or --json" : ""));
}

/// Before the folder of results is made: nothing shall be left behind.
void make_place_of(const std::filesystem::path& json) {
  const auto parent = json.parent_path();
  ensure_writable_directory(parent.empty() ? "." : parent);
  const PendingFile possible(json);
}

}  // namespace

ResultsWriter open_results(const std::filesystem::path& directory,
                           const std::optional<std::filesystem::path>& json) {
  try {
    if (json) make_place_of(*json);
    return ResultsWriter(directory, json);
  } catch (const std::runtime_error& error) {
    refuse_place(error, json.has_value());
  }
}

void make_places(const std::filesystem::path& directory, const std::string& json) {
  try {
    if (!json.empty()) make_place_of(json);
    ensure_writable_directory(directory);
  } catch (const std::runtime_error& error) {
    refuse_place(error, !json.empty());
  }
}

void require_place(const std::vector<Plan>& plans, const std::string& json) {
  try {
    require_writable_directory(plans.front().configuration.output.directory);
    if (json.empty()) return;
    const std::filesystem::path parent = std::filesystem::absolute(json).parent_path();
    require_writable_directory(parent);
    if (std::filesystem::exists(parent)) (void)PendingFile(json);
  } catch (const std::runtime_error& error) {
    refuse_place(error, !json.empty());
  }
}

}  // namespace ninefold
