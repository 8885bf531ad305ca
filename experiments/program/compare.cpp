#include "experiments/program/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/config/settings.hpp"
#include "experiments/support/comparison.hpp"

namespace ninefold {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number_in(const Json& level, const char* key) {
  const auto found = level.find(key);
  if (found == level.end() || !found->is_number()) return {};
  return found->get<double>();
}

Cell cell_of(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell();
}

Cell count_of(const Json& level, const char* key) {
  const auto found = level.find(key);
  return found != level.end() && found->is_number_integer() ? Cell(found->get<std::int64_t>())
                                                            : Cell();
}

/// The same run of the other results.
const Json* partner(const Json& run, const Json& runs, bool both_alone) {
  if (both_alone) return &runs.front();
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Json& other) {
    return other.at("name") == run.at("name");
  });
  return found == runs.end() ? nullptr : &*found;
}

const Json* level_of(const Json& run, const Json& level) {
  for (const Json& other : run.at("levels")) {
    if (other.at("level") == level.at("level")) return &other;
  }
  return nullptr;
}

/// "single, difference" of a study, else the name.
std::string words_of(const Json& run) {
  std::string text = run.at("name");
  for (const auto& [key, value] : run.at("varied").items()) {
    text += (text == run.at("name") ? ": " : ", ") + value.get<std::string>();
  }
  return text;
}

std::string origin(const Json& results) {
  const Json& meta = results.at("meta");
  return fmt::format("{}; ninefold {} ({}), {}", meta.at("device").get<std::string>(),
                     meta.at("version").get<std::string>(), meta.at("commit").get<std::string>(),
                     meta.at("date").get<std::string>());
}

Table differing_options(const Json& a, const Json& b, const std::string& name_a,
                        const std::string& name_b) {
  Table table({{.key = "option", .header = "option", .align = Align::left},
               {.key = "a", .header = name_a, .align = Align::left},
               {.key = "b", .header = name_b, .align = Align::left}});
  const auto value = [](const Json& options, const std::string& key) {
    return options.contains(key) ? options[key].get<std::string>() : std::string();
  };
  const auto add = [&](const std::string& key, const Json& in_a, const Json& in_b) {
    if (value(in_a, key) != value(in_b, key)) {
      table.add_row({key, value(in_a, key), value(in_b, key)});
    }
  };
  for (const char* key : {"device", "version", "commit", "compiler", "cuda", "driver", "date"}) {
    add(key, a.at("meta"), b.at("meta"));
  }
  const Json& in_a = a.at("meta").at("options");
  const Json& in_b = b.at("meta").at("options");
  for (const auto& [key, unused] : in_a.items()) add(key, in_a, in_b);
  for (const auto& [key, unused] : in_b.items()) {
    if (!in_a.contains(key)) add(key, in_a, in_b);
  }
  return table;
}

/// What all pairs of levels have in common.
struct Differences {
  int levels = 0, same_iterations = 0, same_errors = 0, timed = 0;
  int fewest_digits = std::numeric_limits<double>::max_digits10;
  double logarithm = 0;  // of all ratios of times, together
};

constexpr int all_digits = 16;

std::vector<std::string> lines_of(const Differences& d, const std::string& a,
                                  const std::string& b) {
  std::vector<std::string> lines{
      fmt::format("{} level{} in both", d.levels, d.levels == 1 ? " is" : "s are")};
  if (d.same_errors == d.levels) {
    lines.emplace_back("all l2 errors are the same, to the last digit");
  } else if (d.fewest_digits <= all_digits) {
    lines.push_back(fmt::format("the l2 errors share at least {} digit{}; {} of {} are the same",
                                d.fewest_digits, d.fewest_digits == 1 ? "" : "s", d.same_errors,
                                d.levels));
  }
  lines.push_back(
      fmt::format("the iterations are the same on {} of {} levels", d.same_iterations, d.levels));
  if (d.timed > 0) {
    lines.push_back(fmt::format("{} takes {:.3g} times as long as {} (geometric mean of {} levels)",
                                b, std::exp(d.logarithm / d.timed), a, d.timed));
  }
  return lines;
}

Table paired_table() {
  const NumberStyle error = scientific(6), time = significant(3);
  return Table({{.key = "run", .header = "run", .align = Align::left},
                {.key = "level", .header = "level"},
                {.key = "outcome_a", .header = "outcome\nA", .align = Align::left},
                {.key = "outcome_b", .header = "outcome\nB", .align = Align::left},
                {.key = "iterations_a", .header = "iterations\nA"},
                {.key = "iterations_b", .header = "iterations\nB"},
                {.key = "error_l2_a", .header = "l2 error\nA", .style = error},
                {.key = "error_l2_b", .header = "l2 error\nB", .style = error},
                {.key = "digits", .header = "digits\nshared"},
                {.key = "solve_seconds_a", .header = "solve\nA", .unit = "s", .style = time},
                {.key = "solve_seconds_b", .header = "solve\nB", .unit = "s", .style = time},
                {.key = "ratio", .header = "B over A", .style = time}});
}

void add_pair(Table& table, Differences& d, const Json& run, const Json& a, const Json& b) {
  const auto error_a = number_in(a, "error_l2"), error_b = number_in(b, "error_l2");
  const auto seconds_a = number_in(a, "solve_seconds"), seconds_b = number_in(b, "solve_seconds");
  Cell digits, ratio;
  ++d.levels;
  if (a.value("iterations", Json()) == b.value("iterations", Json())) ++d.same_iterations;
  if (error_a && error_b && *error_a != 0) {
    const int shared =
        *error_a == *error_b ? all_digits : shared_digits(*error_a, *error_b, all_digits);
    digits = std::int64_t{shared};
    d.fewest_digits = std::min(d.fewest_digits, shared);
  }
  if (error_a && error_a == error_b) ++d.same_errors;
  if (seconds_a && seconds_b && *seconds_a > 0 && *seconds_b > 0) {
    ratio = *seconds_b / *seconds_a;
    d.logarithm += std::log(*seconds_b / *seconds_a);
    ++d.timed;
  }
  table.add_row({words_of(run), count_of(a, "level"), a.at("outcome").get<std::string>(),
                 b.at("outcome").get<std::string>(), count_of(a, "iterations"),
                 count_of(b, "iterations"), cell_of(error_a), cell_of(error_b), digits,
                 cell_of(seconds_a), cell_of(seconds_b), ratio});
}

}  // namespace

nlohmann::ordered_json read_results(const std::filesystem::path& place) {
  const std::filesystem::path file =
      std::filesystem::is_directory(place) ? place / "results.json" : place;
  std::ifstream stream(file);
  if (!stream) {
    throw ConfigurationError(
        std::filesystem::exists(place)
            ? fmt::format("there is no file '{}'", file.string())
            : fmt::format("there is no file or folder of results '{}'", place.string()));
  }
  Json json = Json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("meta") || !json.contains("runs")) {
    throw ConfigurationError(fmt::format("'{}' holds no results of ninefold", file.string()));
  }
  return json;
}

Article compared_results(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                         const std::string& name_a, const std::string& name_b) {
  try {
    TableBlock block{{}, paired_table()};
    Differences differences;
    const bool both_alone = a.at("runs").size() == 1 && b.at("runs").size() == 1;
    for (const Json& run : a.at("runs")) {
      const Json* other = partner(run, b.at("runs"), both_alone);
      if (other == nullptr) continue;
      for (const Json& level : run.at("levels")) {
        if (const Json* same = level_of(*other, level)) {
          add_pair(block.table, differences, run, level, *same);
        }
      }
    }
    if (differences.levels == 0) {
      throw ConfigurationError(
          fmt::format("no level of a run is in both {} and {}", name_a, name_b));
    }
    Article document{.title = fmt::format("{} and {}", name_a, name_b),
                     .summary = lines_of(differences, name_a, name_b)};
    document.sections.push_back(
        {"origin",
         "",
         {Facts{{{"A", name_a + ": " + origin(a)}, {"B", name_b + ": " + origin(b)}}}}});
    document.sections.push_back({"levels", "Levels", {std::move(block)}});
    if (Table options = differing_options(a, b, name_a, name_b); !options.rows().empty()) {
      document.sections.push_back(
          {"options", "What was different", {TableBlock{{}, std::move(options)}}});
    }
    return document;
  } catch (const Json::exception& error) {
    throw ConfigurationError(fmt::format("results that cannot be compared: {}", error.what()));
  }
}

}  // namespace ninefold
