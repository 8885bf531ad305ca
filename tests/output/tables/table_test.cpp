#include "output/tables/table.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

/// One of everything: texts that need escaping, absent cells, integers, scaled values.
Table example() {
  Table table({{.key = "name", .header = "name", .align = Align::left},
               {.key = "level", .header = "level"},
               {.key = "error_l2", .header = "l2\nerror", .style = scientific(6)},
               {.key = "memory_bytes",
                .header = "memory",
                .unit = "MiB",
                .style = fixed(1),
                .scale = 1048576.0},
               {.key = "hidden", .header = "hidden", .data_only = true}});
  table.add_row(
      {std::string("plain"), std::int64_t{5}, 5.2081234567e-4, std::int64_t{1572864}, 1.0 / 3.0});
  table.add_row({std::string("a|b_c, \"d\""), std::int64_t{10}, {}, std::int64_t{1048576}, {}});
  return table;
}

/// The fields of CSV text by RFC 4180, written for this test.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted && c == '"' && k + 1 < text.size() && text[k + 1] == '"') {
      rows.back().back() += '"';
      ++k;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

}  // namespace

TEST_CASE("a table as text is aligned and hides data columns", "[output][table]") {
  REQUIRE(example().to_text()
          == "                            l2  memory\n"
             "name        level        error   [MiB]\n"
             "----------  -----  -----------  ------\n"
             "plain           5  5.20812e-04     1.5\n"
             "a|b_c, \"d\"     10                  1.0\n");
}

TEST_CASE("a table as Markdown escapes what Markdown would take for itself", "[output][table]") {
  REQUIRE(example().to_markdown()
          == "| name         | level |    l2 error | memory [MiB] |\n"
             "|:-------------|------:|------------:|-------------:|\n"
             "| plain        |     5 | 5.20812e-04 |          1.5 |\n"
             "| a\\|b\\_c, \"d\" |    10 |             |          1.0 |\n");
}

TEST_CASE("a table as CSV holds all columns and quotes by RFC 4180", "[output][table]") {
  REQUIRE(example().to_csv()
          == "name,level,error_l2,memory_bytes,hidden\n"
             "plain,5,0.00052081234567,1572864,0.3333333333333333\n"
             "\"a|b_c, \"\"d\"\"\",10,,1048576,\n");
}

TEST_CASE("a table as LaTeX uses booktabs and escapes special characters", "[output][table]") {
  REQUIRE(example().to_latex()
          == "\\begin{tabular}{lrrr}\n"
             "  \\toprule\n"
             "  name & level & l2 error & memory {[}MiB] \\\\\n"
             "  \\midrule\n"
             "  plain & 5 & $5.20812 \\cdot 10^{-4}$ & 1.5 \\\\\n"
             "  a\\textbar{}b\\_c, \"d\" & 10 &  & 1.0 \\\\\n"
             "  \\bottomrule\n"
             "\\end{tabular}\n");
  Table table({{.key = "text", .header = "100 % & more", .align = Align::left}});
  table.add_row({std::string("#1 {a} $x$ ~ ^ \\ <b> --levels a-b")});
  REQUIRE(table.to_latex().find("  100 \\% \\& more \\\\\n") != std::string::npos);
  REQUIRE(table.to_latex().find("  \\#1 \\{a\\} \\$x\\$ \\textasciitilde{} \\textasciicircum{} "
                                "\\textbackslash{} \\textless{}b\\textgreater{} "
                                "-{}-levels a-b \\\\\n")
          != std::string::npos);
}

TEST_CASE("every text comes back from CSV", "[output][table]") {
  const std::vector<std::string> texts{"",           "plain", "a,b",    "\"quoted\"",
                                       "two\nlines", "\r\n",  "\"",     "a;b\tc",
                                       " blanks ",   "ü ≤ 1", "\",\"\n"};
  Table table({{.key = "first, \"key\"", .header = "a"}, {.key = "second", .header = "b"}});
  for (const std::string& text : texts) table.add_row({text, std::string("x")});
  const auto rows = parse_csv(table.to_csv());
  REQUIRE(rows.size() == texts.size() + 1);
  REQUIRE(rows[0][0] == "first, \"key\"");
  for (std::size_t k = 0; k < texts.size(); ++k) {
    CAPTURE(k);
    REQUIRE(rows[k + 1].size() == 2);
    REQUIRE(rows[k + 1][0] == texts[k]);
  }
}

TEST_CASE("every double comes back from CSV bit for bit", "[output][table]") {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values{
      0.0,           -0.0, 1.0 / 3.0,         0.1, 1e23, Limits::max(), Limits::denorm_min(),
      Limits::min(), -1.0, 9007199254740993.0};
  const unsigned seed = 20070402;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-1060, 1000);
  for (int k = 0; k < 2000; ++k) values.push_back(std::ldexp(mantissa(random), exponent(random)));
  Table table({{.key = "value", .header = "value", .style = scientific(3)}});
  for (const double value : values) table.add_row({value});
  const auto rows = parse_csv(table.to_csv());
  REQUIRE(rows.size() == values.size() + 1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double back = std::strtod(rows[k + 1][0].c_str(), nullptr);
    CAPTURE(k, values[k], rows[k + 1][0]);
    REQUIRE(back == values[k]);
    REQUIRE(std::signbit(back) == std::signbit(values[k]));
  }
}

TEST_CASE("numbers are rounded as a reader expects", "[output][table]") {
  CHECK(rounded_number(5.2081234567e-4, scientific(6)) == "5.20812e-04");
  CHECK(rounded_number(9.999996, scientific(6)) == "1.00000e+01");
  CHECK(rounded_number(0.0, scientific(3)) == "0.00e+00");
  CHECK(rounded_number(3.987, fixed(2)) == "3.99");
  CHECK(rounded_number(0.0, significant(3)) == "0");
  CHECK(rounded_number(9.9999, significant(3)) == "10.0");
  CHECK(rounded_number(0.00123456, significant(3)) == "0.00123");
  CHECK(rounded_number(0.0000123456, significant(3)) == "1.23e-05");
  CHECK(rounded_number(123456.7, significant(3)) == "123457");
  CHECK(rounded_number(1234567.8, significant(3)) == "1.23e+06");
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(rounded_number(-std::nan(""), fixed(2)) == "nan");
  CHECK(rounded_number(infinity, scientific(6)) == "inf");
  CHECK(exact_number(-infinity) == "-inf");
}

TEST_CASE("widths count characters, and control characters do not break a row", "[output][table]") {
  Table table({{.key = "a", .header = "größe", .align = Align::left}, {.key = "b", .header = "b"}});
  table.add_row({std::string("ü"), std::string("x\ny")});
  REQUIRE(table.to_text()
          == "größe    b\n"
             "-----  ---\n"
             "ü      x y\n");
}

TEST_CASE("infinite numbers are written in LaTeX's way", "[output][table]") {
  Table table({{.key = "a", .header = "a", .style = fixed(1)}});
  table.add_row({std::numeric_limits<double>::infinity()});
  table.add_row({-std::numeric_limits<double>::infinity()});
  table.add_row({std::nan("")});
  table.add_row({-2.5});
  REQUIRE(table.to_latex().find("  $\\infty$ \\\\\n  $-\\infty$ \\\\\n  NaN \\\\\n  $-2.5$ \\\\\n")
          != std::string::npos);
}

TEST_CASE("columns without a cell are hidden from people", "[output][table]") {
  Table table({{.key = "a", .header = "a"}, {.key = "b", .header = "b"}});
  table.hide_empty_columns();
  REQUIRE(table.to_text() == "a  b\n-  -\n");  // nothing is known yet
  table.add_row({std::int64_t{1}, Cell()});
  table.hide_empty_columns();
  REQUIRE(table.to_text() == "a\n-\n1\n");
  REQUIRE(table.to_csv() == "a,b\n1,\n");
}

TEST_CASE("a row that does not fit its table is refused", "[output][table]") {
  Table table({{.key = "a", .header = "a"}, {.key = "b", .header = "b"}});
  REQUIRE_THROWS_WITH(table.add_row({1.0}), "a row of 1 cells does not fit a table of 2 columns");
  REQUIRE_THROWS_AS(Table({}), std::invalid_argument);
}
