#include "experiments/support/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace ninefold {

std::string_view to_string(Source source) {
  switch (source) {
    case Source::paper:
      return "paper";
    case Source::exact:
      return "exact";
    case Source::theory:
      return "theory";
  }
  throw std::logic_error("a source without a name");
}

double half_unit(double value, int digits) {
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return 0.5 * std::pow(10.0, exponent - digits + 1);
}

int shared_digits(double value, double other, int most) {
  int digits = 0;
  while (digits < most && std::abs(value - other) <= half_unit(value, digits + 1)) ++digits;
  return digits;
}

void Comparison::begin_row(std::string row, int level) {
  row_ = std::move(row);
  level_ = level;
  row_begin_ = values_.size();
}

void Comparison::add(const std::string& quantity, Source source, Cell expected, Cell ours,
                     std::string rule, bool agrees) {
  values_.push_back({row_, level_, quantity, source, std::move(expected), std::move(ours),
                     std::move(rule), agrees});
}

void Comparison::count(const std::string& quantity, Source source, int expected, int ours,
                       int margin) {
  add(quantity, source, std::int64_t{expected}, std::int64_t{ours},
      margin == 0 ? "equal" : fmt::format("within {}", margin),
      std::abs(ours - expected) <= margin);
}

void Comparison::share(const std::string& quantity, Source source, int expected, int ours,
                       int margin, double part) {
  const int of_expected = static_cast<int>(std::lround(part * expected));
  if (of_expected <= margin) return count(quantity, source, expected, ours, margin);
  add(quantity, source, std::int64_t{expected}, std::int64_t{ours},
      fmt::format("within {:g} %", 100 * part), std::abs(ours - expected) <= of_expected);
}

void Comparison::relative(const std::string& quantity, Source source, double expected, double ours,
                          double tolerance) {
  add(quantity, source, expected, ours, fmt::format("within {:g} %", 100 * tolerance),
      std::abs(ours - expected) <= tolerance * std::abs(expected));
}

void Comparison::digits(const std::string& quantity, Source source, double expected, double ours,
                        int digits) {
  add(quantity, source, expected, ours, fmt::format("{} digits", digits),
      std::abs(ours - expected) <= half_unit(expected, digits));
}

void Comparison::statement(const std::string& quantity, Source source, const std::string& text,
                           double ours, bool holds) {
  add(quantity, source, text, ours, "holds", holds && !std::isnan(ours));
}

void Comparison::leave_out(const std::string& quantity, Cell expected, Cell ours,
                           const std::string& reason) {
  left_out_.push_back({row_, level_, quantity, std::move(expected), std::move(ours), reason});
}

std::string Comparison::verdict() const {
  if (row_begin_ == values_.size()) return "";
  std::string wrong;
  for (std::size_t k = row_begin_; k < values_.size(); ++k) {
    if (!values_[k].agrees) wrong += (wrong.empty() ? "" : ", ") + values_[k].quantity;
  }
  return wrong.empty() ? "yes" : "NO: " + wrong;
}

int Comparison::agreeing() const {
  return static_cast<int>(
      std::count_if(values_.begin(), values_.end(), [](const auto& v) { return v.agrees; }));
}

std::string Comparison::summary() const {
  return fmt::format("summary: {}: {} of {} values agree", name_, agreeing(), values_.size());
}

Table comparison_table(const std::vector<Comparison>& comparisons) {
  Table table({{.key = "table", .header = "table", .align = Align::left},
               {.key = "row", .header = "row", .align = Align::left},
               {.key = "level", .header = "level"},
               {.key = "quantity", .header = "quantity", .align = Align::left},
               {.key = "source", .header = "source", .align = Align::left},
               {.key = "expected", .header = "expected", .style = significant(10)},
               {.key = "ours", .header = "ours", .style = significant(10)},
               {.key = "rule", .header = "rule", .align = Align::left},
               {.key = "agrees", .header = "agrees", .align = Align::left}});
  for (const Comparison& comparison : comparisons) {
    for (const ComparedValue& value : comparison.values()) {
      table.add_row({comparison.name(), value.row, std::int64_t{value.level}, value.quantity,
                     std::string(to_string(value.source)), value.expected, value.ours, value.rule,
                     std::string(value.agrees ? "yes" : "NO")});
    }
  }
  return table;
}

Table left_out_table(const std::vector<Comparison>& comparisons) {
  Table table({{.key = "table", .header = "table", .align = Align::left},
               {.key = "row", .header = "row", .align = Align::left},
               {.key = "level", .header = "level"},
               {.key = "quantity", .header = "quantity", .align = Align::left},
               {.key = "expected", .header = "paper", .style = significant(10)},
               {.key = "ours", .header = "ours", .style = significant(10)},
               {.key = "reason", .header = "not compared since", .align = Align::left}});
  for (const Comparison& comparison : comparisons) {
    for (const LeftOutValue& value : comparison.left_out()) {
      table.add_row({comparison.name(), value.row, std::int64_t{value.level}, value.quantity,
                     value.expected, value.ours, value.reason});
    }
  }
  return table;
}

}  // namespace ninefold
