#include "experiments/program/level_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "output/tables/enough.hpp"

#include "experiments/program/measured_rows.hpp"

namespace ninefold {
namespace {

using Row = std::vector<Cell>;

/// A column with times, and what they lead to: a text, or the column of the residual that tells it.
struct TimeColumn {
  std::string_view key;
  double scale;  ///< in seconds
  std::string_view target, residual;
};

// "milliseconds" is to the discretisation error where errors stand beside those of the converged
// solution.
constexpr TimeColumn times[] = {
    {"solve_seconds", 1, "", "true_residual_reduction"},
    {"to_discretisation_seconds", 1, "the discretisation error, judged by the solve", ""},
    {"to_tolerance_seconds", 1, "", "tolerance"},
    {"milliseconds", 1e-3, "", "residual"},
    {"to_tolerance", 1e-3, "", "reached"}};

std::string target_of(const Table& table, const Row& row, const TimeColumn& time) {
  if (!time.target.empty()) return std::string(time.target);
  if (const auto criterion = column_of(table, "criterion")) return full_text(row[*criterion]);
  if (time.key == "milliseconds" && column_of(table, "l2_ratio")) {
    return "the discretisation error; the solver does not check it";
  }
  const auto residual = number_in(row, column_of(table, time.residual));
  return residual ? fmt::format("a residual of {:.2g}", *residual) : "";
}

/// The runs that are told of, with what is said of them; all of them if no table tells which are
/// enough.
std::vector<std::pair<std::string, std::string>> told_runs(const Results& results, int level) {
  for (const Enough& group : which_are_enough(results)) {
    if (group.level != level || group.runs < 2) continue;
    const std::string quickest =
        is_quickest_of_converged(group) ? "quickest converged" : "quickest";
    std::vector<std::pair<std::string, std::string>> told;
    if (group.smallest != nullptr) told.emplace_back(group.smallest->name, "least memory");
    if (group.quickest != nullptr && group.quickest != group.smallest) {
      told.emplace_back(group.quickest->name, quickest);
    } else if (!told.empty()) {
      told.back().second += ", " + quickest;
    }
    for (auto& [name, words] : told) words = fmt::format(" ({} that is enough)", words);
    return told;
  }
  std::vector<std::pair<std::string, std::string>> all;
  for (const RunResult& run : results.runs) all.emplace_back(run.name, "");
  return all;
}

}  // namespace

std::vector<LevelCost> level_costs(const Table& table, int level) {
  std::vector<LevelCost> costs;
  const RowsOfRuns rows = rows_of_runs(table);
  const auto level_column = column_of(table, "level");
  if (!level_column) return costs;
  const std::vector<std::string> names = names_of_runs(table, *level_column);
  const auto outcome = column_of(table, "outcome");
  for (const auto& [name, words] : told_runs(rows.results, level)) {
    for (std::size_t r = 0; r < names.size(); ++r) {
      const Row& row = table.rows()[r];
      if ((names[r].empty() ? "all" : names[r]) != name || rows.row_ids[r].empty()) continue;
      if (number_in(row, level_column) != level) continue;
      for (const TimeColumn& time : times) {
        const auto seconds = number_in(row, column_of(table, time.key));
        if (!seconds) continue;
        std::string target = target_of(table, row, time);
        if (outcome && full_text(row[*outcome]) != "converged") {
          target += ", " + full_text(row[*outcome]);
        }
        const auto same = [&](const LevelCost& other) {  // measured twice
          return other.target == target
                 && std::abs(*seconds * time.scale - other.seconds) <= 0.01 * other.seconds;
        };
        if (std::any_of(costs.begin(), costs.end(), same)) continue;
        costs.push_back({names[r] + words, std::move(target), *seconds * time.scale,
                         memory_in(table, row), rows.row_ids[r]});
      }
    }
  }
  return costs;
}

bool LevelTable::add(const Table& measured, const std::string& head, const std::string& name) {
  const std::vector<LevelCost> costs = level_costs(measured, level_);
  for (const LevelCost& cost : costs) {
    rows_.push_back(
        {cost.run.empty() ? head : head + ": " + cost.run, "#" + name + "-" + cost.row_id, cost});
  }
  return !costs.empty();
}

std::string LevelTable::id() const {
  return fmt::format("level-{}", level_);
}

Section LevelTable::section() const {
  Section made{id(), fmt::format("Level {}: what each method takes", level_)};
  if (rows_.size() < 2) return made;
  Table table(
      {{.key = "method", .header = "method", .align = Align::left},
       {.key = "target", .header = "to", .align = Align::left},
       {.key = "seconds", .header = "takes", .unit = "ms", .style = significant(3), .scale = 1e-3},
       {.key = "memory",
        .header = "memory",
        .unit = "MiB",
        .style = significant(3),
        .scale = 1 << 20}});
  TableBlock block{{}, std::move(table)};
  for (const Row& row : rows_) {
    block.table.add_row(
        {row.method, row.cost.target, row.cost.seconds,
         row.cost.bytes ? Cell(*row.cost.bytes) : Cell(std::string("not recorded"))});
    block.links.push_back({row.link});
  }
  made.blocks.emplace_back(std::move(block));
  made.blocks.emplace_back(Paragraph{fmt::format(
      "Times of the solve on level {} alone, without set-up, preparation and the measuring of "
      "errors; the methods lead to their tables.  Times to different targets are not to be "
      "compared: to the discretisation error is as far as the grid is worth solving, a residual of "
      "1e-10 much farther; and full multigrid that judges its error makes a correction for that.",
      level_)});
  return made;
}

}  // namespace ninefold
