#include "experiments/program/matrix_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/precision.hpp"

#include "output/tables/table.hpp"

#include "experiments/program/information.hpp"

namespace ninefold {
namespace {

constexpr std::size_t double_bytes = 8, single_bytes = 4;

/// A line of what stands in a column of names.
std::string fact(const std::string& name, const std::string& text) {
  return fmt::format("  {:<12}{}\n", name, text);
}

/// "1 entry", "2 entries"
std::string counted(std::int64_t n, const std::string& one, const std::string& several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

std::string symmetry_words(const SymmetryFacts& facts) {
  if (facts.values() && facts.pattern()) return "symmetric, to the last bit";
  if (facts.values()) {
    return fmt::format("symmetric; {} are zeros whose counterparts are not stored",
                       counted(facts.unmatched, "entry", "entries"));
  }
  return fmt::format(
      "not symmetric: {} without a counterpart, {} in all that differ from it, by "
      "{:.1e} of the largest entry at most",
      counted(facts.unmatched, "entry", "entries"), facts.unequal, facts.relative_difference());
}

std::string diagonal_words(const DiagonalFacts& facts) {
  std::string text = facts.missing > 0 ? fmt::format("{} missing, ", facts.missing) : "complete, ";
  text +=
      facts.not_positive > 0 ? fmt::format("{} not positive, ", facts.not_positive) : "positive, ";
  text += fmt::format("from {:.6g} to {:.6g}", facts.smallest, facts.largest);
  // Of sums of squares over all rows.
  constexpr double hidden_decades = 8;
  const double decades = facts.is_positive() && facts.smallest > 0
                             ? std::log10(facts.largest) - std::log10(facts.smallest)
                             : 0;
  if (decades < hidden_decades) return text;
  return text
         + fmt::format(
             ": {:.0f} decades, of which a residual sees the largest rows alone; a "
             "solve's backward error sees all",
             decades);
}

std::string eigenvalue_words(const DefinitenessFacts& facts) {
  std::string text =
      fmt::format("from {:.6g} to {:.6g}, by Gershgorin", facts.lowest, facts.highest);
  const double scaled = facts.scaled_lowest;
  // But for the rounding of its own sum.
  if (scaled > 1e-12)
    text += fmt::format("; from {:.3g} on after a scaling to a diagonal of 1", scaled);
  return text;
}

std::string value_words(const ValueRange& range) {
  if (range.others == 0) return "all are zero";
  std::string text = range.smallest == range.largest
                         ? fmt::format("|a| = {:.6g}", range.largest)
                         : fmt::format("|a| from {:.6g} to {:.6g}", range.smallest, range.largest);
  if (range.zeros > 0) text += fmt::format(", {}", counted(range.zeros, "zero", "zeros"));
  std::vector<std::string> as_they_are, scaled;
  for (const Precision format : {Precision::half, Precision::bfloat16, Precision::single_}) {
    if (range.fits(format, false)) {
      as_they_are.push_back(to_string(format));
    } else if (range.fits(format, true)) {
      scaled.push_back(to_string(format));
    }
  }
  text += fmt::format("; {}", counted(range.bits, "significant bit", "significant bits"));
  if (as_they_are.empty() && scaled.empty()) return text + ": exact in double only";
  if (!as_they_are.empty()) text += fmt::format(": exact in {}", fmt::join(as_they_are, ", "));
  if (!scaled.empty()) {
    text += fmt::format("{} after a scaling by a power of two in {}",
                        as_they_are.empty() ? ": exact" : ",", fmt::join(scaled, ", "));
  }
  return text;
}

std::string length_words(const RowLengths& lengths) {
  return fmt::format("{} to {} entries, {:.4g} on average", lengths.least, lengths.most,
                     lengths.mean);
}

Table length_table(const MatrixFacts& facts) {
  Table table({{.key = "entries", .header = "entries in a row"},
               {.key = "rows", .header = "rows"},
               {.key = "share", .header = "part of all", .style = fixed(4)}});
  for (const RowLengths::Range& range : facts.lengths.histogram) {
    table.add_row({range.first == range.last ? fmt::format("{}", range.first)
                                             : fmt::format("{} to {}", range.first, range.last),
                   range.rows, static_cast<double>(range.rows) / facts.n_rows});
  }
  return table;
}

Table order_table(const MatrixFacts::Square& square) {
  Table table({{.key = "order", .header = "order", .align = Align::left},
               {.key = "bandwidth", .header = "bandwidth"},
               {.key = "profile", .header = "profile"}});
  table.add_row({"as given", square.given.bandwidth, square.given.profile});
  table.add_row({"reverse Cuthill-McKee", square.reduced.bandwidth, square.reduced.profile});
  return table;
}

double per_entry(const StorageSize& size, std::size_t value_bytes, std::int64_t entries) {
  return entries == 0 ? 0.0
                      : static_cast<double>(size.bytes(value_bytes)) / static_cast<double>(entries);
}

double fill(const StorageSize& size, std::int64_t entries) {
  return size.stored == 0 ? 1.0 : static_cast<double>(entries) / static_cast<double>(size.stored);
}

Table storage_table(const MatrixFacts& facts) {
  std::vector<Column> columns{
      {.key = "storage", .header = "storage", .align = Align::left},
      {.key = "stored", .header = "stored\nvalues"},
      {.key = "fill", .header = "fill", .style = fixed(3)},
      {.key = "double", .header = "bytes per entry\ndouble", .style = fixed(2)},
      {.key = "single", .header = "\nsingle", .style = fixed(2)},
      {.key = "memory", .header = "memory\nin double"}};
  if (facts.square) {
    columns.push_back({.key = "rcm_fill", .header = "reordered:\nfill", .style = fixed(3)});
    columns.push_back({.key = "rcm_double", .header = "\ndouble", .style = fixed(2)});
    columns.push_back({.key = "rcm_single", .header = "\nsingle", .style = fixed(2)});
  }
  Table table(columns);
  for (std::size_t k = 0; k < facts.storages.size(); ++k) {
    const StorageSize& size = facts.storages[k];
    std::vector<Cell> row{size.name,
                          size.stored,
                          fill(size, facts.entries),
                          per_entry(size, double_bytes, facts.entries),
                          per_entry(size, single_bytes, facts.entries),
                          readable_bytes(static_cast<std::size_t>(size.bytes(double_bytes)))};
    if (facts.square) {
      const StorageSize& reduced = facts.square->reduced_storages[k];
      row.emplace_back(fill(reduced, facts.entries));
      row.emplace_back(per_entry(reduced, double_bytes, facts.entries));
      row.emplace_back(per_entry(reduced, single_bytes, facts.entries));
    }
    table.add_row(std::move(row));
  }
  return table;
}

/// The largest number of rows over their mean, less 1.
double imbalance(const std::vector<RowPart>& parts) {
  double most = 0, all = 0;
  for (const RowPart& part : parts) {
    const double rows = part.last_row - part.first_row;
    most = std::max(most, rows);
    all += rows;
  }
  return all > 0 ? most * static_cast<double>(parts.size()) / all - 1 : 0.0;
}

std::int64_t most_received(const std::vector<RowPart>& parts) {
  std::int64_t most = 0;
  for (const RowPart& part : parts) most = std::max(most, part.received);
  return most;
}

std::int64_t most_sent(const std::vector<RowPart>& parts) {
  std::int64_t most = 0;
  for (const RowPart& part : parts) most = std::max(most, part.sent);
  return most;
}

std::string parts_text(const std::vector<RowPart>& parts) {
  Table table({{.key = "part", .header = "part"},
               {.key = "first", .header = "first row"},
               {.key = "rows", .header = "rows"},
               {.key = "entries", .header = "entries"},
               {.key = "received", .header = "values of x\nreceived"},
               {.key = "sent", .header = "\nsent"}});
  std::int64_t number = 0;
  for (const RowPart& part : parts) {
    table.add_row({++number, std::int64_t{part.first_row} + 1,
                   std::int64_t{part.last_row} - part.first_row, part.entries, part.received,
                   part.sent});
  }
  const auto bytes = [](std::int64_t values) {
    return readable_bytes(static_cast<std::size_t>(values) * double_bytes);
  };
  return fmt::format(
      "{}\nimbalance of rows {:.1f} %; a product receives {} at most and sends {} in double\n",
      table.to_text(), 100 * imbalance(parts), bytes(most_received(parts)),
      bytes(most_sent(parts)));
}

std::string verdict(const MatrixFacts& facts) {
  const std::vector<std::string> refusals = spd_refusals(facts);
  if (refusals.empty()) {
    const auto& pivots = facts.square->pivots;
    if (pivots && pivots->definite == Definite::unknown) {
      return "is singular, as far as double can tell: no matrix of a positive definite system\n";
    }
    return "can be the matrix of a symmetric positive definite system, as far as is seen here\n";
  }
  return fmt::format("cannot be the matrix of a symmetric positive definite system: {}\n",
                     fmt::join(refusals, "; "));
}

std::string word(Definite definite) {
  return definite == Definite::yes ? "yes" : definite == Definite::no ? "no" : "unknown";
}

}  // namespace

std::string matrix_report(const MatrixFacts& facts, const std::string& name,
                          const std::string& header, const std::vector<std::string>& remarks) {
  std::string text = fmt::format("{}: {} x {}, {}{}\n", name, facts.n_rows, facts.n_columns,
                                 counted(facts.entries, "entry", "entries"),
                                 header.empty() ? "" : fmt::format(" ({})", header));
  if (facts.square) {
    text += fact("symmetry", symmetry_words(facts.square->symmetry));
    text += fact("diagonal", diagonal_words(facts.square->diagonal));
    if (const auto& definiteness = facts.square->definiteness) {
      text += fact("definite", definiteness_words(*facts.square));
      text += fact("eigenvalues", eigenvalue_words(*definiteness));
      if (definiteness->parts > 1) {
        text += fact("connected",
                     fmt::format("{} parts, which do not know of each other", definiteness->parts));
      }
    }
  }
  text += fact("values", value_words(facts.values));
  text += fact("rows", length_words(facts.lengths));
  text += "\n" + length_table(facts).to_text();
  if (facts.square) text += "\n" + order_table(*facts.square).to_text();
  text += "\n" + storage_table(facts).to_text();
  if (facts.square && !facts.square->parts.empty()) text += "\n" + parts_text(facts.square->parts);
  text += "\n";
  for (const std::string& remark : remarks) text += "note: " + remark + "\n";
  return text + verdict(facts);
}

nlohmann::ordered_json matrix_json(const MatrixFacts& facts, const std::string& name,
                                   const std::string& header,
                                   const std::vector<std::string>& remarks) {
  nlohmann::ordered_json json;
  json["name"] = name;
  json["header"] = header;
  json["rows"] = facts.n_rows;
  json["columns"] = facts.n_columns;
  json["entries"] = facts.entries;
  const ValueRange& values = facts.values;
  auto& range = json["values"];
  range = {{"zeros", values.zeros},           {"smallest", values.smallest},
           {"largest", values.largest},       {"significant_bits", values.bits},
           {"lowest_bit", values.lowest_bit}, {"highest_bit", values.highest_bit}};
  for (const Precision format : {Precision::half, Precision::bfloat16, Precision::single_}) {
    range["exact"][to_string(format)] = values.fits(format, false);
    range["exact_scaled"][to_string(format)] = values.fits(format, true);
  }
  range["narrowest"] = to_string(narrowest_format(values));
  json["row_lengths"] = {
      {"least", facts.lengths.least}, {"mean", facts.lengths.mean}, {"most", facts.lengths.most}};
  for (const RowLengths::Range& lengths : facts.lengths.histogram) {
    json["row_lengths"]["histogram"].push_back(
        {{"first", lengths.first}, {"last", lengths.last}, {"rows", lengths.rows}});
  }
  const auto sizes = [&](const std::vector<StorageSize>& storages) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const StorageSize& size : storages) {
      list.push_back({{"storage", size.name},
                      {"stored", size.stored},
                      {"fill", fill(size, facts.entries)},
                      {"index_bytes", size.index_bytes},
                      {"bytes_double", size.bytes(double_bytes)},
                      {"bytes_single", size.bytes(single_bytes)},
                      {"short_share", size.short_share},
                      {"diagonal_share", size.diagonal_share}});
    }
    return list;
  };
  json["storages"] = sizes(facts.storages);
  if (facts.square) {
    const auto& square = *facts.square;
    json["symmetry"] = {{"pattern", square.symmetry.pattern()},
                        {"values", square.symmetry.values()},
                        {"unmatched", square.symmetry.unmatched},
                        {"unequal", square.symmetry.unequal},
                        {"largest_difference", square.symmetry.largest_difference},
                        {"relative_difference", square.symmetry.relative_difference()}};
    json["diagonal"] = {{"missing", square.diagonal.missing},
                        {"not_positive", square.diagonal.not_positive},
                        {"smallest", square.diagonal.smallest},
                        {"largest", square.diagonal.largest}};
    if (const auto& definiteness = square.definiteness) {
      json["definiteness"] = {{"by_rows", word(definiteness->definite)},
                              {"lowest", definiteness->lowest},
                              {"highest", definiteness->highest},
                              {"parts", definiteness->parts}};
      if (const auto& pivots = square.pivots) {
        json["definiteness"]["smallest_pivot"] = pivots->smallest;
        json["definiteness"]["by_elimination"] = word(pivots->definite);
      }
    }
    json["orders"] = {{{"order", "as given"},
                       {"bandwidth", square.given.bandwidth},
                       {"profile", square.given.profile}},
                      {{"order", "reverse Cuthill-McKee"},
                       {"bandwidth", square.reduced.bandwidth},
                       {"profile", square.reduced.profile}}};
    json["storages_reordered"] = sizes(square.reduced_storages);
    for (const RowPart& part : square.parts) {
      json["parts"].push_back({{"first_row", part.first_row + 1},
                               {"rows", part.last_row - part.first_row},
                               {"entries", part.entries},
                               {"received", part.received},
                               {"sent", part.sent}});
    }
  }
  json["remarks"] = remarks;
  json["refusals"] = spd_refusals(facts);
  return json;
}

}  // namespace ninefold
