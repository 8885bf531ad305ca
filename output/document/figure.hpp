#pragma once
// A figure as SVG that needs no program to be seen, and as a specification for Vega-Lite.
//
// Reference.  https://vega.github.io/vega-lite (version 4).
// Tests.      tests/output/document/document_test.cpp, tests/output/document/page.py

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "output/document/document.hpp"

namespace ninefold {

/// How a curve looks: its colour, and which dashes and marks it has.
struct Look {
  std::size_t colour = 0, style = 0;
  bool operator==(const Look&) const = default;
};
inline constexpr std::size_t most_styles = 6, most_in_key = 36;

/// Of each series; no two alike, up to most_in_key.  Where names of two words allow it the first
/// word, a format, has the colour, the second, its form, the style.
std::vector<Look> looks_of(const Figure& figure);
std::string_view colour_of(const Look& look);
std::string_view dash_of(const Look& look);
/// "circle", or a path.
std::string_view shape_of(const Look& look);

/// The mark and the line of a series in SVG.
std::string mark_of(const Look& look, double x, double y, const std::string& inside);
std::string line_of(const FigureSeries& series, const Look& look, const std::string& path);

/// What the curves stand for, as HTML.
std::string key_of(const Figure& figure);

/// Where an axis with a logarithm has numbers: powers of ten, or where fewer than three of these
/// are between its ends, both above zero, values between them, too.
struct LogTicks {
  std::vector<double> values{};
  bool are_powers = true;
};
LogTicks log_ticks(double least, double largest);

/// The other series that have a point at the same place.
std::string names_at(const Figure& figure, const FigurePoint& point, const FigureSeries& but);

/// An <svg>: each point with its value as a <title>, and a link to where it leads.
std::string to_svg(const Figure& figure);
/// The same as a file of its own, with the style that a page gives it; empty if nothing is shown.
std::string svg_file(const Figure& figure);

/// What Vega-Lite draws the same from.
nlohmann::ordered_json to_vega(const Figure& figure);

/// A small curve without axes, over its places: for a row of a table.
std::string spark_line(const std::vector<double>& values, const std::string& description);

}  // namespace ninefold
