#pragma once
// One table of results, rendered for the terminal, for Markdown, for LaTeX and as CSV.
//
// Shape.  Columns are fixed at construction, rows are appended.  A cell is absent, a text, an
// integer or a double.  Absent cells are rendered empty.
//
// Units.  The three renderings for people show value / scale with the column's unit in its
// heading; CSV always holds the value itself under the column's key.
//
// Rounding.  CSV prints the shortest decimal number that reads back as the same double; the other
// renderings round to the column's style.
//
// Reference.  RFC 4180 (CSV; lines end with a single line feed here); CommonMark tables as on
// GitHub; the LaTeX package booktabs.
// Tests.      tests/output/tables/table_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ninefold {

/// How a rendering for people rounds the doubles of a column.
struct NumberStyle {
  enum class Kind {
    significant,  ///< digits in all; an exponent only for very small and large numbers
    scientific,   ///< digits in all, always with an exponent
    fixed         ///< digits after the point
  };
  Kind kind = Kind::significant;
  int digits = 6;
};

constexpr NumberStyle significant(int digits) {
  return {NumberStyle::Kind::significant, digits};
}
constexpr NumberStyle scientific(int digits) {
  return {NumberStyle::Kind::scientific, digits};
}
constexpr NumberStyle fixed(int digits) {
  return {NumberStyle::Kind::fixed, digits};
}

enum class Align { left, right };

struct Column {
  std::string key{};     ///< the name in CSV, e.g. "solve_seconds"
  std::string header{};  ///< the heading for people; a line feed breaks it in to_text()
  std::string unit{};    ///< of value / scale, e.g. "MiB"
  Align align = Align::right;
  NumberStyle style{};
  double scale = 1.0;
  bool data_only = false;  ///< in CSV, but not shown to people
};

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

/// The value, or an absent cell.
Cell to_cell(const std::optional<double>& value);

/// The shortest decimal number that reads back as `value`; "nan", "inf" and "-inf" as such.
std::string exact_number(double value);

/// `value` rounded to `style`.
std::string rounded_number(double value, NumberStyle style);

/// The cell as people see it in its column, on one line.
std::string shown(const Column& column, const Cell& cell);

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  /// Throws std::invalid_argument unless there is one cell for each column.
  void add_row(std::vector<Cell> cells);
  /// From now on columns in which no row has anything are not shown to people.
  void hide_empty_columns();

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

  /// Aligned with blanks, headings underlined; every line ends with a line feed.
  std::string to_text() const;
  /// A pipe table, aligned in its source as well.
  std::string to_markdown() const;
  /// A heading line of keys, then all columns in full precision.
  std::string to_csv() const;
  /// A tabular environment; the document needs \usepackage{booktabs}.
  std::string to_latex() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace ninefold
