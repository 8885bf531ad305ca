#include "experiments/program/measured_notes.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/program/measured_rows.hpp"

namespace ninefold {

std::string introduction(const Table& table) {
  std::string levels;
  if (const auto level = column_of(table, "level"); level && !table.rows().empty()) {
    const auto [first, last] = std::minmax_element(
        table.rows().begin(), table.rows().end(), [&](const auto& a, const auto& b) {
          return number_in(a, level).value_or(0) < number_in(b, level).value_or(0);
        });
    levels = fmt::format(", on levels {:g} to {:g}", number_in(*first, level).value_or(0),
                         number_in(*last, level).value_or(0));
  }
  return fmt::format(
      "Below is every measurement of this part{}, a row for each.  Tables and figures above it, if "
      "there are some, are made of these rows.",
      levels);
}

std::string discretisation_note(const Table& table) {
  const auto level = column_of(table, "level"), tolerance = column_of(table, "tolerance"),
             seconds = column_of(table, "to_discretisation_seconds"),
             other_seconds = column_of(table, "to_tolerance_seconds"),
             iterations = column_of(table, "iterations"),
             other_iterations = column_of(table, "tolerance_iterations");
  std::vector<std::string> levels;
  for (const auto& row : table.rows()) {
    const auto number = [&](auto column) { return number_in(row, column).value_or(0); };
    if (!(number(seconds) > number(other_seconds)) || number(other_seconds) == 0) continue;
    levels.push_back(fmt::format("{:g} ({:g} against {:g}, to {:g})", number(level),
                                 number(iterations), number(other_iterations), number(tolerance)));
  }
  if (levels.empty()) return "";
  return fmt::format(
      "To the discretisation error takes longer than to the tolerance on levels {}, in brackets "
      "the "
      "iterations.  The tolerance is met after as few there, and what asks for the discretisation "
      "error compares with the coarser level, too; a step more is made where rounding holds the "
      "residual, so that corrections alone tell how the error falls.",
      fmt::join(levels, ", "));
}

}  // namespace ninefold
