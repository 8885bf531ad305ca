#include "experiments/program/measured.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
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
#include "output/tables/enough.hpp"
#include "output/tables/results.hpp"

#include "experiments/program/level_costs.hpp"
#include "experiments/program/measured_notes.hpp"
#include "experiments/program/measured_rows.hpp"
#include "experiments/support/words.hpp"

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
  double scale = 1;
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
    {"memory_bytes", "memory", "MiB", 1 << 20},
    {"memory_gib", "memory", "GiB"},
    {"rate_over_plain", "rate over plain memory movement", ""},
    {"counts", "outer:inner iterations", ""},
    {"double", "iterations of double", ""},
    {"ratio", "time over double's", ""},
    {"peer_microseconds", "cuSPARSE and cuBLAS", "us"},
    {"sell_microseconds", "by SELL", "us"},
    {"times_as_fast", "times as fast", ""},
    {"times_as_fast_as_sell", "times as fast as by SELL", ""},
    {"deviation", "relative deviation of the error", ""},
    {"refined", "refined", ""},
    {"algebraic_share", "algebraic share", ""},
    {"tolerance_iterations", "iterations to the tolerance", ""},
    {"agreement", "agrees (what is compared)", ""},
};

void set_heading(Column& column, bool is_of_grids) {
  for (const Heading& heading : headings) {
    if (column.key != heading.key) continue;
    column.header = heading.header;
    column.unit = heading.unit;
    column.scale = heading.scale;
  }
  // Full multigrid has what it takes in all, the direct solver what it stores.
  if (column.key == "memory") {
    column.header = is_of_grids ? "memory" : "values kept per unknown";
    column.unit = is_of_grids ? "GiB" : "";
  }
}

/// Whether each point of a curve lies on one of another, within a hundredth: the same, measured
/// twice.
bool is_part_of(const FigureSeries& series, const FigureSeries& other) {
  return std::all_of(series.points.begin(), series.points.end(), [&](const FigurePoint& point) {
    return std::any_of(other.points.begin(), other.points.end(), [&](const FigurePoint& beside) {
      return point.x == beside.x && std::abs(point.y - beside.y) <= 0.01 * beside.y;
    });
  });
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
    const auto same =
        std::find_if(figure.series.begin(), figure.series.end(),
                     [&](const FigureSeries& other) { return is_part_of(series, other); });
    if (same != figure.series.end()) {
      same->name += "; " + series.name;
    } else {
      figure.series.push_back(std::move(series));
    }
  }
  return figure;
}

/// "double plain: 32.3 MiB, 0.00404 s"
std::string cost_words(const RunResult& run, int number) {
  const LevelResult& level = *level_of(run, number);
  std::string text = words_of(run) + ": ";
  if (level.memory_bytes > 0) {
    text += fmt::format("{:.3g} MiB, ", static_cast<double>(level.memory_bytes) / (1 << 20));
  }
  text += fmt::format("{:.3g} s", level.solve_seconds);
  if (level.outcome != "converged") text += ", " + level.outcome;
  return text;
}

/// How fast the quickest is beside the one with the least memory.
std::string beside_smallest(const Enough& group) {
  const double ratio = level_of(*group.smallest, group.level)->solve_seconds / group.seconds;
  constexpr double alike = 1.1;
  if (ratio > 1 / alike && ratio < alike) return "as fast";
  return fmt::format("{:.2g} times as fast", ratio);
}

/// Of the level that is asked for first, or of the finest below it.
std::vector<std::string> enough_words(const std::vector<Enough>& groups) {
  const auto after = std::find_if(groups.begin(), groups.end(), [](const Enough& group) {
    return group.level > first_told_level;
  });
  const Enough& group = after == groups.begin() ? groups.front() : *(after - 1);
  const std::string level = fmt::format("level {}: ", group.level);
  if (group.quickest == nullptr) return {level + "no run is enough"};
  const std::string quickest = cost_words(*group.quickest, group.level);
  const bool is_of_converged = is_quickest_of_converged(group);
  if (group.smallest == nullptr) {
    return {fmt::format("{}the quickest {}that is enough is {}", level,
                        is_of_converged ? "converged " : "", quickest)};
  }
  const std::string smallest = cost_words(*group.smallest, group.level);
  if (group.smallest == group.quickest) {
    return {level
            + (is_of_converged ? "least memory of those enough, and least time of those converged: "
                               : "least memory and least time of those enough: ")
            + smallest};
  }
  return {fmt::format("{}the least memory that is enough is {} ({})", level,
                      words_of(*group.smallest), smallest.substr(smallest.find(": ") + 2)),
          fmt::format("{}{} is {} ({})", words_of(*group.quickest),
                      is_of_converged ? ", the quickest converged," : "", beside_smallest(group),
                      quickest.substr(quickest.find(": ") + 2))};
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
    for (const auto& row : table.rows()) values.insert(full_text(row[*column]));
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

const Table& measured_table(const Article& document) {
  const TableBlock* last = nullptr;
  for (const Block& block : document.sections.front().blocks) {
    if (const auto* table = std::get_if<TableBlock>(&block)) last = table;
  }
  return last->table;
}

Article measured(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("'{}' cannot be read", file.string()));
  try {
    TableBlock block{{}, table_of_csv({std::istreambuf_iterator<char>(stream), {}})};
    Article document{.title = file.stem().string(), .subtitle = origin_of(block.table)};
    Section section{"measured", ""};
    RowsOfRuns all = rows_of_runs(block.table);
    document.summary = {fmt::format("{} rows", block.table.rows().size())};
    std::vector<Enough> groups = which_are_enough(all.results);
    std::erase_if(groups, [](const Enough& group) { return group.runs < 2; });
    if (!groups.empty() && has_one_problem(block.table)) {
      document.summary = enough_words(groups);
      section.blocks.emplace_back(TableBlock{"Which run is enough", enough_table(all.results)});
      section.blocks.emplace_back(Paragraph{enough_note()});
      section.blocks.emplace_back(TableBlock{"What each run costs", cost_table(all.results)});
    }
    for (Section& figures : results_figures(all.results)) {
      std::move(figures.blocks.begin(), figures.blocks.end(), std::back_inserter(section.blocks));
    }
    if (all.has_times) section.blocks.emplace_back(times_over_levels(all.results));
    block.row_ids = std::move(all.row_ids);
    block.title = fmt::format("All rows of {}", file.filename().string());
    Facts words = words_in(block);
    section.blocks.emplace_back(Paragraph{introduction(block.table)});
    if (const std::string note = discretisation_note(block.table); !note.empty()) {
      section.blocks.emplace_back(Paragraph{note});
    }
    section.blocks.emplace_back(std::move(block));
    if (!words.entries.empty()) {
      section.blocks.emplace_back(Paragraph{"Words of this table:"});
      section.blocks.emplace_back(std::move(words));
    }
    document.sections.push_back(std::move(section));
    return document;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("'{}': {}", file.string(), error.what()));
  }
}

}  // namespace ninefold
