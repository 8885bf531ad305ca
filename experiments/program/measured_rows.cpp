#include "experiments/program/measured_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "output/document/results_document.hpp"

namespace ninefold {

std::optional<std::size_t> column_of(const Table& table, std::string_view key) {
  const auto found = std::find_if(table.columns().begin(), table.columns().end(),
                                  [&](const Column& column) { return column.key == key; });
  if (found == table.columns().end()) return {};
  return static_cast<std::size_t>(found - table.columns().begin());
}

std::string full_text(const Cell& cell) {
  return shown(Column{.style = significant(17)}, cell);
}

std::optional<double> number_in(const std::vector<Cell>& row, std::optional<std::size_t> column) {
  if (!column) return {};
  if (const auto* count = std::get_if<std::int64_t>(&row[*column])) {
    return static_cast<double>(*count);
  }
  if (const auto* value = std::get_if<double>(&row[*column])) return *value;
  return {};
}

std::vector<std::string> names_of_runs(const Table& table, std::size_t level) {
  std::vector<std::string> names(table.rows().size());
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    const Column& column = table.columns()[c];
    if (c == level) continue;
    if (c > level && (column.align == Align::right || column.key == "outcome")) break;
    std::map<std::string, std::set<std::string>> texts;
    for (std::size_t r = 0; r < names.size(); ++r) {
      texts[names[r]].insert(full_text(table.rows()[r][c]));
    }
    if (std::all_of(texts.begin(), texts.end(),
                    [](const auto& of_name) { return of_name.second.size() == 1; })) {
      continue;
    }
    for (std::size_t r = 0; r < names.size(); ++r) {
      const std::string text = full_text(table.rows()[r][c]);
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

std::optional<double> memory_in(const Table& table, const std::vector<Cell>& row) {
  constexpr double gib = 1 << 30;
  if (const auto bytes = number_in(row, column_of(table, "memory_bytes"))) return bytes;
  if (const auto some = number_in(row, column_of(table, "memory_gib"))) return *some * gib;
  // Of full multigrid, beside what it takes to a tolerance; a direct solver counts values there.
  if (!column_of(table, "to_tolerance")) return {};
  if (const auto some = number_in(row, column_of(table, "memory"))) return *some * gib;
  return {};
}

RowsOfRuns rows_of_runs(const Table& table) {
  RowsOfRuns all;
  const auto level = column_of(table, "level");
  if (!level) return all;
  const auto error = column_of(table, "error_l2"), rms = column_of(table, "error_rms"),
             seconds = column_of(table, "solve_seconds"),
             milliseconds = column_of(table, "milliseconds"), outcome = column_of(table, "outcome"),
             residual = column_of(table, "true_residual_reduction");
  const std::vector<std::string> names = names_of_runs(table, *level);
  std::set<std::string> ids;
  for (std::size_t r = 0; r < names.size(); ++r) {
    const std::vector<Cell>& row = table.rows()[r];
    LevelResult one;
    one.level = static_cast<int>(number_in(row, level).value_or(0));
    one.error_l2 = number_in(row, error);
    one.error_rms = number_in(row, rms);
    one.true_residual_reduction = number_in(row, residual).value_or(0);
    one.memory_bytes = static_cast<std::size_t>(memory_in(table, row).value_or(0));
    if (outcome) one.outcome = full_text(row[*outcome]);
    one.solve_seconds =
        number_in(row, seconds).value_or(1e-3 * number_in(row, milliseconds).value_or(0));
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

}  // namespace ninefold
