#include "experiments/program/tuning.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/cuda_devices.hpp"

#include "solvers/with_backend.hpp"

#include "output/tables/files.hpp"

#include "experiments/config/bad_input.hpp"
#include "experiments/config/settings.hpp"
#include "experiments/program/tune_passes.hpp"

#include "ninefold/version.hpp"

namespace ninefold {
namespace {

std::int64_t nodes_of(int level) {
  const std::int64_t n = (std::int64_t{1} << level) + 1;
  return n * n;
}

/// What one needs of a device that this process can use.
struct Present {
  std::string name;
  int multiprocessors;
  int device;
};

/// One of each kind that can be used; `reason` says why another one cannot.
std::vector<Present> present_devices(std::string& reason) {
  std::vector<Present> found;
  std::set<std::pair<std::string, int>> seen;
  for (int device = 0; device < number_of_devices(); ++device) {
    const CudaDescription described = describe_cuda(device);
    if (!described.present) {
      reason = described.reason;
      continue;
    }
    const int multiprocessors = multiprocessors_of(device);
    if (seen.emplace(described.name, multiprocessors).second) {
      found.push_back({described.name, multiprocessors, device});
    }
  }
  if (found.empty() && reason.empty()) reason = describe_cuda().reason;
  return found;
}

/// A folder that may not be searched has none, as an empty one.
bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

[[noreturn]] void refuse_file(const Setting& setting, const std::string& allowed) {
  refuse_at(setting.origin,
            fmt::format("{} = {} is not possible", setting.key, to_toml(setting.value)),
            {"allowed: " + allowed,
             "`ninefold tune` writes the file anew; without it the rule of "
             "the program holds"});
}

const std::string& text_of(const Setting& setting) {
  const auto* const text = std::get_if<std::string>(&setting.value.content);
  if (text == nullptr) refuse_file(setting, "a text");
  return *text;
}

std::int64_t count_of(const Setting& setting, const Value& value) {
  const auto* const number = std::get_if<std::int64_t>(&value.content);
  if (number == nullptr || *number < 0) refuse_file(setting, "integers from 0 on");
  return *number;
}

/// The settings of a file, each of which must be stated, and no other.
class Stated {
 public:
  Stated(const Document& document, const std::vector<std::string>& keys)
      : file_(document.file), settings_(document.settings) {
    for (const Setting& setting : settings_) {
      if (std::count(keys.begin(), keys.end(), setting.key) == 0) {
        refuse_file(setting, fmt::format("{}", fmt::join(keys, ", ")));
      }
    }
  }
  const Setting& operator[](const std::string& key) const {
    if (const Setting* const setting = find_setting(settings_, key)) return *setting;
    throw ConfigurationError(fmt::format("{}: {} is missing; `ninefold tune` writes the file anew",
                                         file_.string(), key));
  }

 private:
  std::filesystem::path file_;
  const std::vector<Setting>& settings_;
};

/// What holds for a device.
std::string source_of_sizes(const std::optional<std::filesystem::path>& folder,
                            const Present& device) {
  const std::string by_rule = "sizes of passes by rule; ";
  if (!folder) return by_rule + "no folder for measured ones";
  const auto file = tuning_file(*folder, device.name, device.multiprocessors);
  if (!is_there(file)) return by_rule + "`ninefold tune` measures them";
  try {
    return read_tuning(file, device.name, device.multiprocessors)
               ? fmt::format("sizes of passes as measured, {}", file.string())
               : by_rule + fmt::format("{} is of another version or device", file.string());
  } catch (const ConfigurationError& error) {
    return error.what();
  }
}

/// With the commit: its kernels' times are not those of another one.
std::string program_version() {
  return commit.empty() ? std::string(version) : fmt::format("{} ({})", version, commit);
}

}  // namespace

std::int64_t size_by_times(const std::vector<WaySeconds>& levels, std::int64_t rule) {
  constexpr double hardly = 0.02;
  // Of the last level on which the way of large grids loses, and of the next one.
  constexpr std::int64_t none = PassSizes::never;
  std::int64_t lost = 0, won = none;
  for (const WaySeconds& level : levels) {
    const std::int64_t nodes = nodes_of(level.level);
    const double factor = nodes >= rule ? 1 + hardly : 1 - hardly;
    if (level.large >= factor * level.small) {
      lost = nodes;
      won = none;
    } else if (won == none) {
      won = nodes;
    }
  }
  if (lost < rule && rule <= won) return rule;
  // Of what is larger than all that was measured the rule says that it is large.
  return won == none ? 2 * lost : won / 2;
}

std::optional<std::filesystem::path> tuning_folder() {
  for (const auto& [variable, below] :
       {std::pair("XDG_CACHE_HOME", ""), std::pair("HOME", ".cache")}) {
    const char* const stated = std::getenv(variable);
    if (stated == nullptr || !std::filesystem::path(stated).is_absolute()) continue;
    return std::filesystem::path(stated) / below / "ninefold";
  }
  return {};
}

std::filesystem::path tuning_file(const std::filesystem::path& folder, const std::string& name,
                                  int multiprocessors) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    plain += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '-';
  }
  return folder / fmt::format("{}-{}.toml", plain, multiprocessors);
}

std::string tuning_text(const TunedDevice& device) {
  return fmt::format(
      "# Written by `ninefold tune`: from how many nodes on this device takes the ways of large\n"
      "# grids.  No bit of a result depends on it.  Without this file the program's rule holds.\n"
      "version = {}\n"
      "device = {}\n"
      "multiprocessors = {}\n"
      "strips = [{}]  # of values of 2, 4 and 8 bytes\n"
      "columns = {}\n"
      "sums = {}\n",
      to_toml(program_version()), to_toml(std::string_view(device.name)), device.multiprocessors,
      fmt::join(device.sizes.strips, ", "), device.sizes.columns, device.sizes.sums);
}

std::optional<PassSizes> read_tuning(const std::filesystem::path& file, const std::string& name,
                                     int multiprocessors) {
  if (!is_there(file)) return {};
  const Document document = read_document(file);
  const Setting* const of_version = document.find("version");
  // Another one's keys may be others.
  if (of_version != nullptr && text_of(*of_version) != program_version()) return {};
  const Stated stated(document,
                      {"version", "device", "multiprocessors", "strips", "columns", "sums"});
  (void)stated["version"];
  const Setting& count = stated["multiprocessors"];
  if (text_of(stated["device"]) != name || count_of(count, count.value) != multiprocessors) {
    return {};
  }
  PassSizes sizes;
  const Setting& strips = stated["strips"];
  const auto* const list = std::get_if<List>(&strips.value.content);
  if (list == nullptr || list->size() != sizes.strips.size()) {
    refuse_file(strips, fmt::format("a list of {} integers", sizes.strips.size()));
  }
  for (std::size_t k = 0; k < list->size(); ++k) sizes.strips[k] = count_of(strips, (*list)[k]);
  const auto number = [&](const char* key) { return count_of(stated[key], stated[key].value); };
  sizes.columns = number("columns");
  sizes.sums = number("sums");
  return sizes;
}

void use_kept_tuning() {
  const auto folder = tuning_folder();
  if (!folder) return;
  keep_pass_sizes([folder = *folder](const std::string& name, int multiprocessors) {
    return read_tuning(tuning_file(folder, name, multiprocessors), name, multiprocessors);
  });
}

std::string tuning_words() {
  std::string text, reason;
  const auto folder = tuning_folder();
  for (const Present& device : present_devices(reason)) {
    text += fmt::format("  {}: {}\n", device.name, source_of_sizes(folder, device));
  }
  return text;
}

std::string tune_command(bool only_show) {
  std::string text, reason;
  const std::vector<Present> devices = present_devices(reason);
  if (devices.empty()) {
    throw ConfigurationError("tune measures CUDA devices, and there is none: " + reason);
  }
  const auto folder = tuning_folder();
  if (!folder && !only_show) {
    throw ConfigurationError(
        "tune has no folder for what it finds: neither XDG_CACHE_HOME nor HOME names one, and "
        "--show alone needs none");
  }
  if constexpr (has_cuda) {
    for (const Present& device : devices) {
      const Cuda on(largest_scratch_bytes, device.device);
      const Tuning tuning = tune_passes(on);
      const PassSizes rule = PassSizes::by_rule(device.multiprocessors);
      Table table({{.key = "pass", .header = "way of large grids", .align = Align::left},
                   {.key = "measured", .header = "from nodes"},
                   {.key = "rule", .header = "by rule"}});
      const auto add = [&](const std::string& pass, std::int64_t found, std::int64_t ruled) {
        table.add_row({pass, found, ruled});
      };
      for (std::size_t k = 0; k < rule.strips.size(); ++k) {
        add(fmt::format("strips, values of {} bytes", 2 << k), tuning.sizes.strips[k],
            rule.strips[k]);
      }
      add("two columns or copied rows", tuning.sizes.columns, rule.columns);
      add("sums with copied rows", tuning.sizes.sums, rule.sums);
      text += fmt::format("{}, {} multiprocessors\n\n{}\n{}", device.name, device.multiprocessors,
                          tuning.times.to_text(), table.to_text());
      if (only_show) continue;
      ensure_writable_directory(*folder);
      const auto file = tuning_file(*folder, device.name, device.multiprocessors);
      write_file_atomically(file, tuning_text({device.name, device.multiprocessors, tuning.sizes}));
      text += fmt::format("\nkept in {}; no bit of a result depends on it\n", file.string());
    }
  }
  return text;
}

}  // namespace ninefold
