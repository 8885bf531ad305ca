#include "experiments/program/measured.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output/document/results_document.hpp"
#include "output/document/results_figures.hpp"
#include "output/tables/results.hpp"

namespace ninefold {
namespace {

using Fields = std::vector<std::string>;

/// Rows with the lines on which they begin.
std::vector<std::pair<int, Fields>> fields_of(std::string_view text) {
  std::vector<std::pair<int, Fields>> rows;
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    Fields row{""};
    const int first = line;
    bool quoted = false;
    for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
      const char c = text[at];
      if (c == '"' && quoted && at + 1 < text.size() && text[at + 1] == '"') {
        row.back() += c;
        ++at;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        row.emplace_back();
      } else if (c != '\r' || quoted) {
        row.back() += c;
        if (c == '\n') ++line;
      }
    }
    if (quoted) throw std::runtime_error(fmt::format("line {}: a quote does not end", first));
    ++at;
    if (row != Fields{""}) rows.emplace_back(first, std::move(row));
  }
  return rows;
}

template <class Number>
std::optional<Number> read(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

Cell cell_of(const std::string& text, bool is_number) {
  if (text.empty()) return {};
  if (!is_number) return text;
  if (const auto count = read<std::int64_t>(text)) return *count;
  return read<double>(text).value();
}

struct Heading {
  std::string_view key, header, unit;
};

/// What people read above columns of our measurements; others have their keys.
constexpr Heading headings[] = {
    {"true_residual_reduction", "true residual over the first", ""},
    {"residual", "residual over the first", ""},
    {"reached", "residual reached at the tolerance", ""},
    {"error_l2", "l2 error", ""},
    {"error_rms", "rms error", ""},
    {"l2_ratio", "l2 error over the converged", ""},
    {"rms_ratio", "rms error over the converged", ""},
    {"solver.precision", "format", ""},
    {"operator.form", "form", ""},
    {"setup_seconds", "setup", "s"},
    {"solve_seconds", "solve", "s"},
    {"finish_seconds", "judgement and errors", "s"},
    {"run_seconds", "whole run", "s"},
    {"to_discretisation_seconds", "to the discretisation error", "s"},
    {"to_tolerance_seconds", "to the tolerance", "s"},
    {"with_estimates_seconds", "with estimates", "s"},
    {"milliseconds", "solve", "ms"},
    {"double_milliseconds", "double alone", "ms"},
    {"preparation", "preparation", "ms"},
    {"to_tolerance", "to the tolerance", "ms"},
    {"per_unknown", "per unknown", "ns"},
    {"bytes_per_unknown", "moved per unknown", "bytes"},
    {"memory_bytes", "memory", "bytes"},
    {"memory_gib", "memory", "GiB"},
    {"rate_over_plain", "rate over plain memory movement", ""},
    {"counts", "outer:inner iterations", ""},
    {"double", "iterations of double", ""},
    {"ratio", "time over double's", ""},
    {"deviation", "deviation of the error", ""},
    {"agreement", "agrees (what is compared)", ""},
};

void set_heading(Column& column, bool is_of_grids) {
  for (const Heading& heading : headings) {
    if (column.key != heading.key) continue;
    column.header = heading.header;
    column.unit = heading.unit;
  }
  // Full multigrid has what it takes in all, the direct solver what it stores.
  if (column.key == "memory") {
    column.header = is_of_grids ? "memory" : "values kept per unknown";
    column.unit = is_of_grids ? "GiB" : "";
  }
}

std::optional<std::size_t> column_of(const Table& table, std::string_view key) {
  const auto found = std::find_if(table.columns().begin(), table.columns().end(),
                                  [&](const Column& column) { return column.key == key; });
  if (found == table.columns().end()) return {};
  return static_cast<std::size_t>(found - table.columns().begin());
}

std::string text_of(const Cell& cell) {
  return shown(Column{.style = significant(17)}, cell);
}

std::optional<double> number_of(const std::vector<Cell>& row, std::optional<std::size_t> column) {
  if (!column) return {};
  if (const auto* count = std::get_if<std::int64_t>(&row[*column])) {
    return static_cast<double>(*count);
  }
  if (const auto* value = std::get_if<double>(&row[*column])) return *value;
  return {};
}

/// What distinguishes each row's run: columns up to the level and texts right after it, but those
/// that say nothing more than the ones before them.
std::vector<std::string> names_of_runs(const Table& table, std::size_t level) {
  std::vector<std::string> names(table.rows().size());
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    if (c == level) continue;
    if (c > level && (column.align == Align::right || column.key == "outcome")) break;
    std::map<std::string, std::set<std::string>> texts;
    for (std::size_t r = 0; r < names.size(); ++r) {
      texts[names[r]].insert(text_of(table.rows()[r][c]));
    }
    if (std::all_of(texts.begin(), texts.end(),
                    [](const auto& of_name) { return of_name.second.size() == 1; })) {
      continue;
    }
    for (std::size_t r = 0; r < names.size(); ++r) {
      const std::string text = text_of(table.rows()[r][c]);
      names[r] += (names[r].empty() || text.empty() ? "" : ", ") + text;
    }
  }
  // As a key says it: "inner: single" for "refinement.inner_precision single".
  constexpr std::pair<std::string_view, std::string_view> short_words[] = {
      {"refinement.inner_precision ", "inner: "}, {"grid.anisotropy ", "nu: "}};
  for (std::string& name : names) {
    for (const auto& [key, words] : short_words) {
      if (const std::size_t at = name.find(key); at != std::string::npos) {
        name.replace(at, key.size(), words);
      }
    }
  }
  return names;
}

struct Measured {
  Results results;
  std::vector<std::string> row_ids;
  bool has_times = false;
};

/// Of each run and level the row that comes first.
Measured results_in(const Table& table) {
  Measured all;
  const auto level = column_of(table, "level");
  if (!level) return all;
  const auto error = column_of(table, "error_l2"), rms = column_of(table, "error_rms"),
             seconds = column_of(table, "solve_seconds"),
             milliseconds = column_of(table, "milliseconds"), outcome = column_of(table, "outcome");
  const std::vector<std::string> names = names_of_runs(table, *level);
  std::set<std::string> ids;
  for (std::size_t r = 0; r < names.size(); ++r) {
    const std::vector<Cell>& row = table.rows()[r];
    LevelResult one;
    one.level = static_cast<int>(number_of(row, level).value_or(0));
    one.error_l2 = number_of(row, error);
    one.error_rms = number_of(row, rms);
    if (outcome) one.outcome = text_of(row[*outcome]);
    one.solve_seconds =
        number_of(row, seconds).value_or(1e-3 * number_of(row, milliseconds).value_or(0));
    all.has_times = all.has_times || one.solve_seconds > 0;
    const std::string name = names[r].empty() ? "all" : names[r], id = row_id(name, one.level);
    all.row_ids.push_back(ids.insert(id).second ? id : "");
    if (all.row_ids.back().empty()) continue;
    auto& runs = all.results.runs;
    auto run = std::find_if(runs.begin(), runs.end(),
                            [&](const RunResult& other) { return other.name == name; });
    if (run == runs.end()) run = runs.insert(runs.end(), {name, {}, {}});
    run->levels.push_back(std::move(one));
  }
  return all;
}

Figure times_over_levels(const Results& results) {
  Figure figure{"Time over level", "the time of the solve over the level, a curve for each run",
                "level", "time of the solve in seconds"};
  for (const RunResult& run : results.runs) {
    FigureSeries series{run.name, {}};
    for (const LevelResult& level : run.levels) {
      series.points.push_back({static_cast<double>(level.level), level.solve_seconds,
                               "#" + row_id(run.name, level.level)});
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

/// Of the level that is asked for first, or of the finest below it.
std::vector<std::string> enough_words(const Table& enough) {
  constexpr std::int64_t asked = 9;
  const auto& rows = enough.rows();
  const auto after = std::find_if(rows.begin(), rows.end(), [](const std::vector<Cell>& row) {
    return std::get<std::int64_t>(row[0]) > asked;
  });
  const std::vector<Cell>& row = after == rows.begin() ? rows.front() : *(after - 1);
  return {fmt::format("enough on level {}: {}", std::get<std::int64_t>(row[0]), text_of(row[2])),
          fmt::format("the quickest of them in this table{}: {}, in {:.3g} s",
                      text_of(row[5]) == "converged" ? " that converged" : ", " + text_of(row[5]),
                      text_of(row[3]), std::get<double>(row[4]))};
}

/// Whether the errors of all rows are of one problem.
bool has_one_problem(const Table& table) {
  const auto column = column_of(table, "problem");
  const auto& rows = table.rows();
  return !column || std::all_of(rows.begin(), rows.end(), [&](const std::vector<Cell>& row) {
    return row[*column] == rows.front()[*column];
  });
}

/// "device: NVIDIA H200; commit: abc; date: 2026-11-25"
std::string origin_of(const Table& table) {
  std::vector<std::string> parts;
  for (const char* key : {"device", "driver", "commit", "date"}) {
    const auto column = column_of(table, key);
    if (!column) continue;
    std::set<std::string> values;
    for (const auto& row : table.rows()) values.insert(text_of(row[*column]));
    values.erase("");
    if (!values.empty()) parts.push_back(fmt::format("{}: {}", key, fmt::join(values, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

Table table_of_csv(const std::string& text) {
  const auto rows = fields_of(text);
  if (rows.empty()) throw std::runtime_error("it is empty");
  const Fields& keys = rows.front().second;
  std::vector<bool> is_number(keys.size(), true);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto& [line, fields] = rows[r];
    if (fields.size() != keys.size()) {
      throw std::runtime_error(
          fmt::format("line {}: {} values under {} keys", line, fields.size(), keys.size()));
    }
    for (std::size_t c = 0; c < keys.size(); ++c) {
      // Commits of digits alone stay texts, as others do.
      is_number[c] =
          is_number[c] && keys[c] != "commit" && (fields[c].empty() || read<double>(fields[c]));
    }
  }
  std::vector<Column> columns;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    std::string header = keys[c];
    std::replace(header.begin(), header.end(), '_', ' ');
    columns.push_back({.key = keys[c],
                       .header = std::move(header),
                       .align = is_number[c] ? Align::right : Align::left,
                       .style = significant(4)});
    set_heading(columns.back(), std::find(keys.begin(), keys.end(), "to_tolerance") != keys.end());
  }
  Table table(std::move(columns));
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::vector<Cell> cells;
    for (std::size_t c = 0; c < keys.size(); ++c) {
      cells.push_back(cell_of(rows[r].second[c], is_number[c]));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Article measured(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("'{}' cannot be read", file.string()));
  try {
    TableBlock block{{}, table_of_csv({std::istreambuf_iterator<char>(stream), {}})};
    Article document{.title = file.stem().string(), .subtitle = origin_of(block.table)};
    Section section{"measured", ""};
    Measured all = results_in(block.table);
    document.summary = {fmt::format("{} rows", block.table.rows().size())};
    if (Table enough = enough_table(all.results);
        !enough.rows().empty() && has_one_problem(block.table)) {
      document.summary = enough_words(enough);
      section.blocks.emplace_back(TableBlock{"Which run is enough", std::move(enough)});
      section.blocks.emplace_back(TableBlock{"What each run costs", cost_table(all.results)});
    }
    for (Section& figures : results_figures(all.results)) {
      std::move(figures.blocks.begin(), figures.blocks.end(), std::back_inserter(section.blocks));
    }
    if (all.has_times) section.blocks.emplace_back(times_over_levels(all.results));
    block.row_ids = std::move(all.row_ids);
    block.title = fmt::format("All rows of {}", file.filename().string());
    section.blocks.emplace_back(std::move(block));
    document.sections.push_back(std::move(section));
    return document;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("'{}': {}", file.string(), error.what()));
  }
}

}  // namespace ninefold
