#include "output/tables/level_fields.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "output/tables/remarks.hpp"

namespace ninefold {

namespace {

using Json = nlohmann::ordered_json;
using Level = LevelResult;

/// One field; its column's key is its name in all files.
struct Field {
  Column column;
  Cell (*value)(const Level&);
  bool (*has)(const Level&) = nullptr;           ///< shown to people if a level has it
  void (*other)(const Level&, Json&) = nullptr;  ///< in JSON, where that is not `value`
  bool of_refused = false;                       ///< also known of a level that was refused
};

Cell cell_of(double value) {
  return value;
}
Cell cell_of(std::integral auto value) {
  return static_cast<std::int64_t>(value);
}
Cell cell_of(const std::string& text) {
  return text;
}
template <class Value>
Cell cell_of(const std::optional<Value>& value) {
  return value ? cell_of(*value) : Cell();
}

template <auto member>
Cell value(const Level& level) {
  return cell_of(level.*member);
}

template <auto member>
bool has(const Level& level) {
  return (level.*member).has_value();
}

bool stretched(const Level& level) {
  return level.aspect_ratio != 1.0;
}

/// "2 2 1"
Cell inner_history(const Level& level) {
  if (!level.inner_iterations) return {};
  return fmt::format("{}", fmt::join(level.inner_history, " "));
}

void inner_history_list(const Level& level, Json& json) {
  json = level.inner_iterations ? Json(level.inner_history) : Json(nullptr);
}

Cell bytes_per_second(const Level& level) {
  if (!(level.solve_seconds > 0)) return {};
  return static_cast<double>(level.moved_bytes) / level.solve_seconds;
}

Cell plain_share(const Level& level) {
  if (!level.plain_bytes_per_second || !(level.solve_seconds > 0)) return {};
  return static_cast<double>(level.moved_bytes) / level.solve_seconds
         / *level.plain_bytes_per_second;
}

template <std::string Level::*member>
Cell text_or_null(const Level& level) {
  return (level.*member).empty() ? Cell() : Cell(level.*member);
}

bool is_known(const Field& field, const Level& level) {
  return field.of_refused || level.outcome != refused;
}

Cell cell_of(const Field& field, const Level& level) {
  return is_known(field, level) ? field.value(level) : Cell();
}

Json json_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell);
      number != nullptr && std::isfinite(*number)) {
    return *number;
  }
  return nullptr;
}

const std::vector<Field>& fields() {
  static const NumberStyle error = scientific(6), residual = scientific(3), time = significant(3);
  constexpr double mebibyte = 1024.0 * 1024.0;
  static const std::vector<Field> all{
      {{.key = "level", .header = "level"}, value<&Level::level>, nullptr, nullptr, true},
      {{.key = "unknowns", .header = "unknowns"}, value<&Level::unknowns>, nullptr, nullptr, true},
      {{.key = "h_min", .header = "smallest\nwidth", .style = scientific(3)},
       value<&Level::h_min>,
       stretched,
       nullptr,
       true},
      {{.key = "aspect_ratio", .header = "aspect\nratio", .style = significant(3)},
       value<&Level::aspect_ratio>,
       stretched,
       nullptr,
       true},
      {{.key = "iterations", .header = "iterations"}, value<&Level::iterations>},
      {{.key = "inner_iterations", .header = "inner\niterations"},
       value<&Level::inner_iterations>,
       has<&Level::inner_iterations>},
      {{.key = "inner_history", .header = "inner history", .align = Align::left, .data_only = true},
       inner_history,
       nullptr,
       inner_history_list},
      {{.key = "outcome", .header = "outcome", .align = Align::left},
       value<&Level::outcome>,
       nullptr,
       nullptr,
       true},
      {{.key = "formats", .header = "formats", .align = Align::left},
       text_or_null<&Level::formats>,
       [](const Level& level) { return !level.formats.empty(); }},
      {{.key = "formats_settings", .header = "settings", .align = Align::left, .data_only = true},
       text_or_null<&Level::formats_settings>},
      {{.key = "residual_reduction", .header = "residual", .style = residual, .data_only = true},
       value<&Level::residual_reduction>},
      {{.key = "true_residual_reduction", .header = "true\nresidual", .style = residual},
       value<&Level::true_residual_reduction>},
      {{.key = "attainable_reduction",
        .header = "attainable",
        .style = residual,
        .data_only = true},
       value<&Level::attainable_reduction>},
      {{.key = "error_bound", .header = "error bound", .style = residual, .data_only = true},
       value<&Level::error_bound>},
      {{.key = "judged_by", .header = "judged by", .align = Align::left, .data_only = true},
       text_or_null<&Level::judged_by>},
      {{.key = "bound_norm", .header = "in norm", .align = Align::left, .data_only = true},
       text_or_null<&Level::bound_norm>},
      {{.key = "error_l2", .header = "l2\nerror", .style = error},
       value<&Level::error_l2>,
       has<&Level::error_l2>},
      {{.key = "error_rms", .header = "rms\nerror", .style = error},
       value<&Level::error_rms>,
       has<&Level::error_rms>},
      {{.key = "error_max", .header = "largest\nerror", .style = error, .data_only = true},
       value<&Level::error_max>},
      {{.key = "estimated_l2", .header = "discretisation\nerror", .style = scientific(3)},
       value<&Level::estimated_l2>,
       has<&Level::estimated_l2>},
      {{.key = "estimated_rms",
        .header = "discretisation\nrms error",
        .style = scientific(3),
        .data_only = true},
       value<&Level::estimated_rms>},
      {{.key = "observed_order", .header = "order\nobserved", .style = fixed(2)},
       value<&Level::observed_order>,
       [](const Level& level) { return level.observed_order && !level.error_l2; }},
      {{.key = "algebraic_l2", .header = "algebraic\nerror", .style = scientific(2)},
       value<&Level::algebraic_l2>,
       has<&Level::algebraic_l2>},
      {{.key = "rounding_l2", .header = "rounding\nerror", .style = scientific(2)},
       value<&Level::rounding_l2>,
       has<&Level::rounding_l2>},
      {{.key = "left_l2", .header = "left by both", .style = scientific(2), .data_only = true},
       value<&Level::left_l2>},
      {{.key = "reduction_factor", .header = "l2 error\nfalls by", .style = significant(3)},
       value<&Level::reduction_factor>,
       has<&Level::reduction_factor>},
      {{.key = "integral", .header = "integral", .data_only = true}, value<&Level::integral>},
      {{.key = "l2_norm", .header = "l2 norm", .data_only = true}, value<&Level::l2_norm>},
      {{.key = "energy", .header = "energy", .data_only = true}, value<&Level::energy>},
      {{.key = "energy_error", .header = "energy\nerror", .style = error, .data_only = true},
       value<&Level::energy_error>},
      {{.key = "estimated_energy_error",
        .header = "estimated\nenergy error",
        .style = scientific(3),
        .data_only = true},
       value<&Level::estimated_energy_error>},
      {{.key = "setup_seconds", .header = "setup", .unit = "s", .style = time},
       value<&Level::setup_seconds>},
      {{.key = "solve_seconds", .header = "solve", .unit = "s", .style = time},
       value<&Level::solve_seconds>},
      {{.key = "finish_seconds", .header = "finish", .unit = "s", .style = time, .data_only = true},
       value<&Level::finish_seconds>},
      {{.key = "moved_bytes",
        .header = "moved",
        .unit = "MiB",
        .style = significant(3),
        .scale = mebibyte,
        .data_only = true},
       value<&Level::moved_bytes>},
      {{.key = "bytes_per_second",
        .header = "rate",
        .unit = "GB/s",
        .style = significant(4),
        .scale = 1e9,
        .data_only = true},
       bytes_per_second},
      {{.key = "plain_share", .header = "of plain\nmovement", .style = fixed(2), .data_only = true},
       plain_share},
      {{.key = "outer_bytes",
        .header = "moved by\nouter solver",
        .unit = "MiB",
        .style = significant(3),
        .scale = mebibyte,
        .data_only = true},
       value<&Level::outer_bytes>},
      {{.key = "memory_bytes",
        .header = "memory",
        .unit = "MiB",
        .style = significant(3),
        .scale = mebibyte},
       value<&Level::memory_bytes>},
      {{.key = "transferred_bytes",
        .header = "transferred",
        .unit = "MiB",
        .style = significant(3),
        .scale = mebibyte,
        .data_only = true},
       value<&Level::transferred_bytes>},
      {{.key = "smoother", .header = "smoother", .align = Align::left, .data_only = true},
       text_or_null<&Level::smoother>},
      {{.key = "remark", .header = "remark", .align = Align::left, .data_only = true},
       [](const Level& level) { return Cell(all_remarks(level)); },
       nullptr,
       nullptr,
       true}};
  return all;
}

}  // namespace

std::vector<Column> level_columns(std::span<const RunResult> runs) {
  std::vector<Column> columns;
  for (const Field& field : fields()) {
    columns.push_back(field.column);
    if (field.has == nullptr) continue;
    columns.back().data_only = std::none_of(runs.begin(), runs.end(), [&](const RunResult& run) {
      return std::any_of(run.levels.begin(), run.levels.end(), field.has);
    });
  }
  return columns;
}

std::vector<Cell> level_cells(const LevelResult& level) {
  std::vector<Cell> cells;
  for (const Field& field : fields()) cells.push_back(cell_of(field, level));
  return cells;
}

nlohmann::ordered_json level_json(const LevelResult& level) {
  Json json;
  for (const Field& field : fields()) {
    Json& entry = json[field.column.key];
    if (field.other != nullptr && is_known(field, level)) {
      field.other(level, entry);
    } else {
      entry = json_of(cell_of(field, level));
    }
  }
  // A list of its own, whose parts depend on the solver.
  Json& timeline = json["timeline"];  // null where nothing was solved
  const std::vector<std::pair<std::string, double>> none;
  for (const auto& [part, seconds] : level.outcome == refused ? none : level.timeline) {
    timeline.push_back({{"part", part}, {"seconds", seconds}});
  }
  return json;
}

}  // namespace ninefold
