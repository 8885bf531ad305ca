#include "experiments/support/compared_notes.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ninefold {
namespace {

const TableBlock* table_in(const Article& page, const std::string& id) {
  for (const Section& section : page.sections) {
    if (section.id != id || section.blocks.empty()) continue;
    return std::get_if<TableBlock>(&section.blocks.front());
  }
  return nullptr;
}

std::size_t column_of(const Table& table, const std::string& key) {
  const auto& columns = table.columns();
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.key == key; });
  if (found == columns.end()) throw std::runtime_error("the compared values have no " + key);
  return static_cast<std::size_t>(found - columns.begin());
}

/// Of each comparison its quantities by the rule that they have, in their order, and for how many
/// values: "paper, within 1" -> "cycles" -> 9.
using Counted = std::vector<std::pair<std::string, int>>;
using Rules = std::vector<std::pair<std::string, Counted>>;

template <class Value>
Value& entry(std::vector<std::pair<std::string, Value>>& list, const std::string& key) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.first == key; });
  return found != list.end() ? found->second : list.emplace_back(key, Value{}).second;
}

std::map<std::string, Rules> rules_of(const Table& compared) {
  const std::size_t name = column_of(compared, "table"), source = column_of(compared, "source"),
                    rule = column_of(compared, "rule"), quantity = column_of(compared, "quantity");
  std::map<std::string, Rules> all;
  for (const auto& row : compared.rows()) {
    const auto text = [&](std::size_t column) {
      return shown(compared.columns()[column], row[column]);
    };
    Counted& counted = entry(all[text(name)], fmt::format("{}, {}", text(source), text(rule)));
    ++entry(counted, text(quantity));
  }
  return all;
}

/// Of each comparison.
std::map<std::string, AgreeingValues> agreeing_in(const Table& compared) {
  const std::size_t name = column_of(compared, "table"), source = column_of(compared, "source"),
                    agrees = column_of(compared, "agrees");
  std::map<std::string, AgreeingValues> all;
  for (const auto& row : compared.rows()) {
    const auto text = [&](std::size_t column) {
      return shown(compared.columns()[column], row[column]);
    };
    if (text(agrees) == "yes") ++all[text(name)][text(source)];
  }
  return all;
}

/// "paper, within 1: cycles, error (4 of 9 rows); exact, 5 digits: error"
std::string words_of(const Rules& rules, std::size_t rows) {
  std::vector<std::string> parts;
  for (const auto& [rule, counted] : rules) {
    std::vector<std::string> quantities;
    for (const auto& [quantity, count] : counted) {
      quantities.push_back(static_cast<std::size_t>(count) < rows
                               ? fmt::format("{} ({} of {} rows)", quantity, count, rows)
                               : quantity);
    }
    parts.push_back(fmt::format("{}: {}", rule, fmt::join(quantities, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// What is left out for one reason.
struct LeftOut {
  std::string reason;
  std::vector<std::string> quantities{}, values{};
};

struct LeftOuts {
  std::vector<LeftOut> reasons{};
  int values = 0;
};

/// Of each comparison.
std::map<std::string, LeftOuts> left_out_in(const Table& table) {
  std::map<std::string, LeftOuts> all;
  const std::size_t name = column_of(table, "table"), level = column_of(table, "level"),
                    quantity = column_of(table, "quantity"),
                    expected = column_of(table, "expected"), ours = column_of(table, "ours"),
                    reason = column_of(table, "reason");
  for (const auto& row : table.rows()) {
    const auto text = [&](std::size_t column) {
      return shown(table.columns()[column], row[column]);
    };
    LeftOuts& of = all[text(name)];
    ++of.values;
    auto one = std::find_if(of.reasons.begin(), of.reasons.end(),
                            [&](const LeftOut& other) { return other.reason == text(reason); });
    if (one == of.reasons.end()) one = of.reasons.insert(of.reasons.end(), {text(reason)});
    auto& quantities = one->quantities;
    if (std::find(quantities.begin(), quantities.end(), text(quantity)) == quantities.end()) {
      quantities.push_back(text(quantity));
    }
    one->values.push_back(
        fmt::format("{} against {} on level {}", text(expected), text(ours), text(level)));
  }
  return all;
}

/// "d3 inner (the paper's against ours: 11 against 8 on level 8): rounding decides"
std::string words_of(const LeftOuts& left_out) {
  constexpr std::size_t most_listed = 3;
  std::vector<std::string> parts;
  for (const LeftOut& one : left_out.reasons) {
    std::string part = fmt::format("{}", fmt::join(one.quantities, ", "));
    part += one.values.size() > most_listed
                ? fmt::format(" ({} values)", one.values.size())
                : fmt::format(" (the paper's against ours: {})", fmt::join(one.values, ", "));
    parts.push_back(part + ", since " + one.reason);
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// With a heading of its verdicts that sends to the note.
Table with_heading(const Table& table) {
  std::vector<Column> columns = table.columns();
  for (Column& column : columns) {
    if (column.header == "agrees") column.header = "agrees (what\nis compared)";
  }
  Table made(std::move(columns));
  for (const auto& row : table.rows()) made.add_row(row);
  return made;
}

/// The name of a comparison in a line of the summary, "NAME: N of M values agree".
std::string comparison_of(const std::string& line) {
  return line.substr(0, line.rfind(": "));
}

}  // namespace

AgreeingValues agreeing_values(const Article& page) {
  AgreeingValues all;
  const TableBlock* const compared = table_in(page, "agreement");
  if (compared == nullptr) return all;
  for (const auto& [name, values] : agreeing_in(compared->table)) {
    for (const auto& [source, count] : values) all[source] += count;
  }
  return all;
}

std::string in_words(const AgreeingValues& values) {
  constexpr std::pair<const char*, const char*> sources[] = {
      {"paper", "with the paper's"}, {"exact", "exact"}, {"theory", "by theory"}};
  std::vector<std::string> parts;
  for (const auto& [source, words] : sources) {
    const auto found = values.find(source);
    if (found != values.end()) parts.push_back(fmt::format("{} {}", found->second, words));
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

void note_what_is_compared(Article& page) {
  const TableBlock* const compared = table_in(page, "agreement");
  if (compared == nullptr) return;
  const std::map<std::string, Rules> rules = rules_of(compared->table);
  const std::map<std::string, AgreeingValues> agreeing = agreeing_in(compared->table);
  std::map<std::string, LeftOuts> left_out;
  if (const TableBlock* const table = table_in(page, "left-out")) {
    left_out = left_out_in(table->table);
  }
  // By what lines of the summary lead to.
  std::map<std::string, std::vector<const Rules*>> by_table;
  std::map<std::string, std::string> left_out_of_table;
  for (std::size_t k = 0; k < std::min(page.summary.size(), page.summary_links.size()); ++k) {
    std::string& line = page.summary[k];
    const std::string& link = page.summary_links[k];
    const std::string name = comparison_of(line);
    const auto found = rules.find(name);
    if (found != rules.end()) by_table[link].push_back(&found->second);
    if (const auto some = agreeing.find(name); some != agreeing.end()) {
      line += in_words(some->second);
    }
    if (const auto some = left_out.find(name); some != left_out.end()) {
      line += fmt::format("; {} of the paper's not compared", some->second.values);
      std::string& words = left_out_of_table[link];
      words += (words.empty() ? "" : "; ") + words_of(some->second);
    }
  }
  for (Section& section : page.sections) {
    if (section.id == "agreement" || section.id == "left-out") continue;
    std::vector<Block> blocks;
    for (Block& block : section.blocks) {
      auto* const table = std::get_if<TableBlock>(&block);
      std::string note, left_out_here;
      if (table != nullptr) {
        left_out_here = left_out_of_table["#" + table->id];
        for (const Rules* one : by_table["#" + table->id]) {
          note += (note.empty() ? "" : "; ") + words_of(*one, table->table.rows().size());
        }
        table->table = with_heading(table->table);
      }
      blocks.push_back(std::move(block));
      if (note.empty()) continue;
      if (!left_out_here.empty()) {
        left_out_here =
            fmt::format("  NOT compared, though the paper prints them: {}.", left_out_here);
      }
      blocks.emplace_back(Paragraph{fmt::format(
          "Compared here, by source and rule: {}.{}  All else in this table is shown beside it, "
          "not "
          "compared: it goes by rounding, by the machine or by what the paper leaves open.",
          note, left_out_here)});
    }
    section.blocks = std::move(blocks);
  }
}

}  // namespace ninefold
