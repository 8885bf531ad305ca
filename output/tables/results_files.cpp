#include "output/tables/results_files.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/document/results_document.hpp"
#include "output/tables/files.hpp"
#include "output/tables/level_fields.hpp"

namespace ninefold {

namespace {

using Json = nlohmann::ordered_json;

/// The fields of `Meta` that are a name and a text, in the order of all files.
std::vector<std::pair<std::string, std::string>> meta_fields(const Meta& meta) {
  return {{"program", meta.program},   {"version", meta.version}, {"commit", meta.commit},
          {"compiler", meta.compiler}, {"cuda", meta.cuda},       {"device", meta.device},
          {"driver", meta.driver},     {"date", meta.date}};
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
    for (const LevelResult& level : run.levels) levels.push_back(level_json(level));
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
  update(results, ReportState{});
}

void ResultsWriter::update(const Results& results, const ReportState& state) {
  update_tables(results);
  write_page(results, state);
}

void ResultsWriter::update_tables(const Results& results) {
  for (const RunResult& run : results.runs) write_histories(run);
  // A commit or device name that is no UTF-8 must not cost the results.
  const std::string json =
      to_json(results).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  write_file_atomically(directory_ / "results.json", json);
  if (additional_json_) write_file_atomically(*additional_json_, json);
  write_file_atomically(directory_ / "results.csv", level_table(results).to_csv());
  write_file_atomically(directory_ / "results.md", to_markdown(results_document(results)));
  write_file_atomically(directory_ / "results.tex", latex_of(results));
}

void ResultsWriter::write_page(const Results& results, const ReportState& state) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const std::string page = to_html(results_page(results, state));
  write_file_atomically(this->page(), page);
  progress_ = progress_place(page);
  constexpr int share = 10;  // of the time for what is shown of it
  next_page_ = Clock::now() + share * (Clock::now() - begin);
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
  std::string stem = identifier(run_name);
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
