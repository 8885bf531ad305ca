#include "output/tables/results_files.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "output/tables/files.hpp"
#include "output/tables/remarks.hpp"

namespace ninefold {

namespace {

using Json = nlohmann::ordered_json;

/// The fields of `Meta` that are a name and a text, in the order of all files.
std::vector<std::pair<std::string, std::string>> meta_fields(const Meta& meta) {
  return {{"program", meta.program},   {"version", meta.version}, {"commit", meta.commit},
          {"compiler", meta.compiler}, {"cuda", meta.cuda},       {"device", meta.device},
          {"driver", meta.driver},     {"date", meta.date}};
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json finite_or_null(const std::optional<double>& value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

template <class Integer>
Json json_of(const std::optional<Integer>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const LevelResult& level) {
  Json json;
  json["level"] = level.level;
  json["unknowns"] = level.unknowns;
  json["h_min"] = finite_or_null(level.h_min);
  json["aspect_ratio"] = finite_or_null(level.aspect_ratio);
  json["iterations"] = level.iterations;
  json["inner_iterations"] = json_of(level.inner_iterations);
  json["inner_history"] = level.inner_iterations ? Json(level.inner_history) : Json(nullptr);
  json["outcome"] = level.outcome;
  json["residual_reduction"] = finite_or_null(level.residual_reduction);
  json["true_residual_reduction"] = finite_or_null(level.true_residual_reduction);
  json["error_bound"] = finite_or_null(level.error_bound);
  json["error_l2"] = finite_or_null(level.error_l2);
  json["error_rms"] = finite_or_null(level.error_rms);
  json["error_max"] = finite_or_null(level.error_max);
  json["reduction_factor"] = finite_or_null(level.reduction_factor);
  json["setup_seconds"] = finite_or_null(level.setup_seconds);
  json["solve_seconds"] = finite_or_null(level.solve_seconds);
  json["memory_bytes"] = level.memory_bytes;
  json["transferred_bytes"] = json_of(level.transferred_bytes);
  json["smoother"] = level.smoother.empty() ? Json(nullptr) : Json(level.smoother);
  json["remark"] = all_remarks(level);
  return json;
}

Json json_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json json = Json::object();
  for (const auto& [key, value] : pairs) json[key] = value;
  return json;
}

/// The keys that the runs vary, in order of their first appearance.
std::vector<std::string> varied_keys(std::span<const RunResult> runs) {
  std::vector<std::string> keys;
  for (const RunResult& run : runs) {
    for (const auto& [key, value] : run.varied) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

Cell value_of(const RunResult& run, const std::string& key) {
  for (const auto& [name, value] : run.varied) {
    if (name == key) return value;
  }
  return {};
}

/// The columns of a level.  They are the same in every CSV; what is shown depends on the runs.
std::vector<Column> level_columns(std::span<const RunResult> runs) {
  const auto no_level = [&](auto&& has) {
    return std::none_of(runs.begin(), runs.end(), [&](const RunResult& run) {
      return std::any_of(run.levels.begin(), run.levels.end(), has);
    });
  };
  const bool no_inner =
      no_level([](const LevelResult& l) { return l.inner_iterations.has_value(); });
  const bool squares = no_level([](const LevelResult& l) { return l.aspect_ratio != 1.0; });
  const bool no_l2 = no_level([](const LevelResult& l) { return l.error_l2.has_value(); });
  const bool no_rms = no_level([](const LevelResult& l) { return l.error_rms.has_value(); });
  const bool no_max = no_level([](const LevelResult& l) { return l.error_max.has_value(); });
  const bool no_factor =
      no_level([](const LevelResult& l) { return l.reduction_factor.has_value(); });
  const NumberStyle error = scientific(6), residual = scientific(3);
  constexpr double mebibyte = 1024.0 * 1024.0;
  return {
      {.key = "level", .header = "level"},
      {.key = "unknowns", .header = "unknowns"},
      {.key = "h_min", .header = "smallest\nwidth", .style = scientific(3), .data_only = squares},
      {.key = "aspect_ratio",
       .header = "aspect\nratio",
       .style = significant(3),
       .data_only = squares},
      {.key = "iterations", .header = "iterations"},
      {.key = "inner_iterations", .header = "inner\niterations", .data_only = no_inner},
      {.key = "inner_history", .header = "inner history", .align = Align::left, .data_only = true},
      {.key = "outcome", .header = "outcome", .align = Align::left},
      {.key = "residual_reduction", .header = "residual", .style = residual},
      {.key = "true_residual_reduction", .header = "true\nresidual", .style = residual},
      {.key = "error_bound", .header = "error bound", .style = residual, .data_only = true},
      {.key = "error_l2", .header = "l2\nerror", .style = error, .data_only = no_l2},
      {.key = "error_rms", .header = "rms\nerror", .style = error, .data_only = no_rms},
      {.key = "error_max", .header = "largest\nerror", .style = error, .data_only = no_max},
      {.key = "reduction_factor",
       .header = "l2 error\nfalls by",
       .style = fixed(2),
       .data_only = no_factor},
      {.key = "setup_seconds", .header = "setup", .unit = "s", .style = significant(3)},
      {.key = "solve_seconds", .header = "solve", .unit = "s", .style = significant(3)},
      {.key = "memory_bytes",
       .header = "memory",
       .unit = "MiB",
       .style = fixed(1),
       .scale = mebibyte},
      {.key = "transferred_bytes",
       .header = "transferred",
       .unit = "MiB",
       .style = fixed(1),
       .scale = mebibyte,
       .data_only = true},
      {.key = "smoother", .header = "smoother", .align = Align::left, .data_only = true},
      {.key = "remark", .header = "remark", .align = Align::left, .data_only = true}};
}

template <class Integer>
Cell count_cell(const std::optional<Integer>& count) {
  return count ? Cell(static_cast<std::int64_t>(*count)) : Cell();
}

/// "2 2 1"
Cell inner_history_cell(const LevelResult& level) {
  if (!level.inner_iterations) return {};
  return fmt::format("{}", fmt::join(level.inner_history, " "));
}

std::vector<Cell> level_cells(const LevelResult& level) {
  return {std::int64_t{level.level},
          level.unknowns,
          level.h_min,
          level.aspect_ratio,
          std::int64_t{level.iterations},
          count_cell(level.inner_iterations),
          inner_history_cell(level),
          level.outcome,
          level.residual_reduction,
          level.true_residual_reduction,
          to_cell(level.error_bound),
          to_cell(level.error_l2),
          to_cell(level.error_rms),
          to_cell(level.error_max),
          to_cell(level.reduction_factor),
          level.setup_seconds,
          level.solve_seconds,
          static_cast<std::int64_t>(level.memory_bytes),
          count_cell(level.transferred_bytes),
          level.smoother.empty() ? Cell() : Cell(level.smoother),
          all_remarks(level)};
}

Table table_of(std::span<const RunResult> runs, bool with_run) {
  const std::vector<std::string> keys = with_run ? varied_keys(runs) : std::vector<std::string>{};
  std::vector<Column> columns;
  if (with_run) {
    columns.push_back(
        {.key = "run", .header = "run", .align = Align::left, .data_only = runs.size() < 2});
    for (const std::string& key : keys) {
      columns.push_back({.key = key, .header = key, .align = Align::left});
    }
  }
  for (Column& column : level_columns(runs)) columns.push_back(std::move(column));
  Table table(std::move(columns));
  for (const RunResult& run : runs) {
    for (const LevelResult& level : run.levels) {
      std::vector<Cell> cells;
      if (with_run) {
        cells.emplace_back(run.name);
        for (const std::string& key : keys) cells.push_back(value_of(run, key));
      }
      for (Cell& cell : level_cells(level)) cells.push_back(std::move(cell));
      table.add_row(std::move(cells));
    }
  }
  return table;
}

std::string csv_of(const std::vector<double>& history) {
  std::string text = "iteration,reduction\n";
  for (std::size_t k = 0; k < history.size(); ++k) {
    text += fmt::format("{},{}\n", k, exact_number(history[k]));
  }
  return text;
}

std::string markdown_of(const Results& results) {
  std::string text = "# Results\n\n";
  for (const auto& [name, value] : meta_fields(results.meta)) {
    if (!value.empty()) text += fmt::format("- {}: {}\n", name, value);
  }
  text += '\n';
  text += level_table(results).to_markdown();
  std::string remarks;
  for (const RunResult& run : results.runs) {
    std::istringstream lines(remarks_text(run));
    for (std::string line; std::getline(lines, line);) {
      remarks += fmt::format("- {}, {}\n", run.name, line);
    }
  }
  if (!remarks.empty()) text += "\n## Remarks\n\n" + remarks;
  Table options({{.key = "option", .header = "option", .align = Align::left},
                 {.key = "value", .header = "value", .align = Align::left}});
  for (const auto& [key, value] : results.meta.options) options.add_row({key, value});
  if (!options.rows().empty()) text += "\n## Options\n\n" + options.to_markdown();
  return text;
}

std::string latex_of(const Results& results) {
  std::string text;
  for (auto [name, value] : meta_fields(results.meta)) {
    std::replace(value.begin(), value.end(), '\n', ' ');  // a comment ends with its line
    if (!value.empty()) text += fmt::format("% {}: {}\n", name, value);
  }
  return text + level_table(results).to_latex();
}

}  // namespace

Table level_table(const RunResult& run) {
  return table_of({&run, 1}, false);
}

Table level_table(const Results& results) {
  return table_of(results.runs, true);
}

nlohmann::ordered_json to_json(const Results& results) {
  Json meta = json_of(meta_fields(results.meta));
  meta["options"] = json_of(results.meta.options);
  Json runs = Json::array();
  for (const RunResult& run : results.runs) {
    Json levels = Json::array();
    for (const LevelResult& level : run.levels) levels.push_back(json_of(level));
    Json json;
    json["name"] = run.name;
    json["varied"] = json_of(run.varied);
    json["levels"] = std::move(levels);
    runs.push_back(std::move(json));
  }
  Json json;
  json["meta"] = std::move(meta);
  json["runs"] = std::move(runs);
  return json;
}

ResultsWriter::ResultsWriter(std::filesystem::path directory,
                             std::optional<std::filesystem::path> additional_json)
    : directory_(std::move(directory)), additional_json_(std::move(additional_json)) {
  ensure_writable_directory(directory_);
  if (additional_json_) {
    const std::filesystem::path parent = additional_json_->parent_path();
    ensure_writable_directory(parent.empty() ? "." : parent);
    const PendingFile refuses_what_is_no_file(*additional_json_);
  }
}

void ResultsWriter::update(const Results& results) {
  for (const RunResult& run : results.runs) write_histories(run);
  // A commit or device name that is no UTF-8 must not cost the results.
  const std::string json =
      to_json(results).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  write_file_atomically(directory_ / "results.json", json);
  if (additional_json_) write_file_atomically(*additional_json_, json);
  write_file_atomically(directory_ / "results.csv", level_table(results).to_csv());
  write_file_atomically(directory_ / "results.md", markdown_of(results));
  write_file_atomically(directory_ / "results.tex", latex_of(results));
}

void ResultsWriter::write_histories(const RunResult& run) {
  for (const LevelResult& level : run.levels) {
    if (level.history.empty() || histories_written_.contains({run.name, level.level})) continue;
    write_file_atomically(
        directory_ / fmt::format("history-{}-level{:02}.csv", file_stem(run.name), level.level),
        csv_of(level.history));
    histories_written_.insert({run.name, level.level});
  }
}

std::string ResultsWriter::file_stem(const std::string& run_name) {
  if (const auto known = stems_.find(run_name); known != stems_.end()) return known->second;
  std::string stem = run_name;
  for (char& c : stem) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '-';
  }
  const auto taken = [&](const std::string& candidate) {
    return std::any_of(stems_.begin(), stems_.end(),
                       [&](const auto& entry) { return entry.second == candidate; });
  };
  const std::string wanted = stem;
  for (int n = 2; taken(stem); ++n) stem = fmt::format("{}-{}", wanted, n);
  stems_.emplace(run_name, stem);
  return stem;
}

}  // namespace ninefold
