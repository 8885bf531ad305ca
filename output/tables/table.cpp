#include "output/tables/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"

namespace ninefold {

namespace {

/// The columns of a terminal that UTF-8 text takes, at one per code point.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

/// Blanks in place of control characters: a cell must not break its row.
std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20u || c == 0x7F) c = ' ';
  }
  return text;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return align == Align::right ? blanks + text : text + blanks;
}

std::string heading(const Column& column) {
  const std::string header = on_one_line(column.header);
  return column.unit.empty() ? header : fmt::format("{} [{}]", header, on_one_line(column.unit));
}

std::vector<std::string> heading_lines(const Column& column) {
  std::vector<std::string> lines{""};
  for (const char c : column.header) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  for (std::string& line : lines) line = on_one_line(line);
  if (!column.unit.empty()) lines.push_back(fmt::format("[{}]", on_one_line(column.unit)));
  return lines;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_field(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* number = std::get_if<double>(&cell)) return exact_number(*number);
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return std::to_string(*count);
  return {};
}

std::string markdown_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      if (std::string_view("\\`*_|").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string latex_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        escaped += '\\';
        escaped += c;
        break;
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '<':
        escaped += "\\textless{}";
        break;
      case '>':
        escaped += "\\textgreater{}";
        break;
      case '|':
        escaped += "\\textbar{}";
        break;
      // At the start of a row, \\ would take these for its arguments.
      case '[':
        escaped += "{[}";
        break;
      case '*':
        escaped += "{*}";
        break;
      // Two hyphens would become a dash.
      case '-':
        escaped += escaped.ends_with('-') ? "{}-" : "-";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string latex_number(const std::string& number) {
  if (number == "nan") return "NaN";
  if (number == "inf") return "$\\infty$";
  if (number == "-inf") return "$-\\infty$";
  const std::size_t e = number.find('e');
  if (e == std::string::npos) return number.starts_with('-') ? "$" + number + "$" : number;
  const int exponent = std::atoi(number.c_str() + e + 1);
  return fmt::format("${} \\cdot 10^{{{}}}$", number.substr(0, e), exponent);
}

std::string latex_cell(const Column& column, const Cell& cell) {
  const std::string text = shown(column, cell);
  return std::holds_alternative<std::string>(cell) ? latex_text(text) : latex_number(text);
}

/// `column` of every row, as `render` writes its cells.
template <class Render>
std::vector<std::vector<std::string>> rendered(const Table& table, Render render) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows()) {
    std::vector<std::string>& texts = rows.emplace_back();
    for (std::size_t c = 0; c < row.size(); ++c)
      texts.push_back(render(table.columns()[c], row[c]));
  }
  return rows;
}

std::vector<std::size_t> shown_columns(const Table& table) {
  std::vector<std::size_t> indices;
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (!table.columns()[c].data_only) indices.push_back(c);
  }
  return indices;
}

/// The largest width of column c in `rows`.
std::size_t widest(const std::vector<std::vector<std::string>>& rows, std::size_t c) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, display_width(row[c]));
  return width;
}

}  // namespace

Cell to_cell(const std::optional<double>& value) {
  return value ? Cell(*value) : Cell(std::monostate{});
}

std::string exact_number(double value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

std::string rounded_number(double value, NumberStyle style) {
  if (!std::isfinite(value)) return exact_number(value);
  if (style.kind == NumberStyle::Kind::fixed) return fmt::format("{:.{}f}", value, style.digits);
  const std::string with_exponent = fmt::format("{:.{}e}", value, style.digits - 1);
  if (style.kind == NumberStyle::Kind::scientific) return with_exponent;
  if (value == 0) return "0";
  // The exponent after rounding: 9.9999 to three digits is 10.0, not 10.00.
  const int exponent = std::atoi(with_exponent.c_str() + with_exponent.find('e') + 1);
  if (exponent < -4 || exponent >= std::max(style.digits, 6)) return with_exponent;
  return fmt::format("{:.{}f}", value, std::max(0, style.digits - 1 - exponent));
}

std::string shown(const Column& column, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return on_one_line(*text);
  if (const auto* number = std::get_if<double>(&cell)) {
    return rounded_number(*number / column.scale, column.style);
  }
  if (const auto* count = std::get_if<std::int64_t>(&cell)) {
    return column.scale == 1.0
               ? std::to_string(*count)
               : rounded_number(static_cast<double>(*count) / column.scale, column.style);
  }
  return {};
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  require(!columns_.empty(), "a table needs at least one column");
  for (const Column& column : columns_) {
    const int fewest = column.style.kind == NumberStyle::Kind::fixed ? 0 : 1;
    require(column.scale > 0 && column.style.digits >= fewest, [&] {
      return fmt::format("column '{}' has scale {} and {} digits", column.key, column.scale,
                         column.style.digits);
    });
  }
}

void Table::add_row(std::vector<Cell> cells) {
  require(cells.size() == columns_.size(), [&] {
    return fmt::format("a row of {} cells does not fit a table of {} columns", cells.size(),
                       columns_.size());
  });
  rows_.push_back(std::move(cells));
}

void Table::hide_empty_columns() {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const bool is_empty = std::all_of(rows_.begin(), rows_.end(), [&](const auto& cells) {
      return std::holds_alternative<std::monostate>(cells[k]);
    });
    if (is_empty && !rows_.empty()) columns_[k].data_only = true;
  }
}

std::string Table::to_text() const {
  const auto cells = rendered(*this, shown);
  const auto indices = shown_columns(*this);
  std::vector<std::vector<std::string>> headings(columns_.size());
  std::vector<std::size_t> width(columns_.size(), 0);
  std::size_t height = 1;
  for (const std::size_t c : indices) {
    headings[c] = heading_lines(columns_[c]);
    height = std::max(height, headings[c].size());
    width[c] = widest(cells, c);
    for (const auto& line : headings[c]) width[c] = std::max(width[c], display_width(line));
  }
  std::string text;
  const auto add_line = [&](auto&& piece) {
    std::string line;
    for (const std::size_t c : indices) {
      if (!line.empty()) line += "  ";
      line += padded(piece(c), width[c], columns_[c].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  for (std::size_t row = 0; row < height; ++row) {
    add_line([&](std::size_t c) {
      const std::size_t missing = height - headings[c].size();
      return row < missing ? std::string() : headings[c][row - missing];
    });
  }
  add_line([&](std::size_t c) { return std::string(width[c], '-'); });
  for (const auto& row : cells) {
    add_line([&](std::size_t c) { return row[c]; });
  }
  return text;
}

std::string Table::to_markdown() const {
  const auto cells = rendered(*this, [](const Column& column, const Cell& cell) {
    return markdown_text(shown(column, cell));
  });
  const auto indices = shown_columns(*this);
  std::vector<std::size_t> width(columns_.size(), 0);
  std::string heading_line = "|", rule = "|";
  for (const std::size_t c : indices) {
    const std::string header = markdown_text(heading(columns_[c]));
    width[c] = std::max({widest(cells, c), display_width(header), std::size_t{3}});
    heading_line += fmt::format(" {} |", padded(header, width[c], columns_[c].align));
    const bool right = columns_[c].align == Align::right;
    rule += fmt::format("{}{:-<{}}{}|", right ? "" : ":", "", width[c] + 1, right ? ":" : "");
  }
  std::string text = heading_line + "\n" + rule + "\n";
  for (const auto& row : cells) {
    text += '|';
    for (const std::size_t c : indices) {
      text += fmt::format(" {} |", padded(row[c], width[c], columns_[c].align));
    }
    text += '\n';
  }
  return text;
}

std::string Table::to_csv() const {
  std::string text;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) text += ',';
    text += csv_field(columns_[c].key);
  }
  text += '\n';
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) text += ',';
      text += csv_field(row[c]);
    }
    text += '\n';
  }
  return text;
}

std::string Table::to_latex() const {
  const auto cells = rendered(*this, latex_cell);
  const auto indices = shown_columns(*this);
  std::string alignment;
  std::vector<std::string> headings(columns_.size());
  for (const std::size_t c : indices) {
    alignment += columns_[c].align == Align::right ? 'r' : 'l';
    headings[c] = latex_text(heading(columns_[c]));
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string joined = "  ";
    for (const std::size_t c : indices) {
      if (c != indices.front()) joined += " & ";
      joined += row[c];
    }
    return joined + " \\\\\n";
  };
  std::string text = "\\begin{tabular}{" + alignment + "}\n  \\toprule\n" + line(headings);
  text += "  \\midrule\n";
  for (const auto& row : cells) text += line(row);
  return text + "  \\bottomrule\n\\end{tabular}\n";
}

}  // namespace ninefold
