#pragma once
// A figure as SVG that needs no program to be seen, and as a specification for Vega-Lite.
//
// Reference.  https://vega.github.io/vega-lite (version 4).
// Tests.      tests/output/document/document_test.cpp, tests/output/document/page.py

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "output/document/document.hpp"

namespace ninefold {

/// An <svg>: each point with its value as a <title>, and a link to where it leads.
std::string to_svg(const Figure& figure);

/// What Vega-Lite draws the same from.
nlohmann::ordered_json to_vega(const Figure& figure);

/// A small curve without axes, over its places: for a row of a table.
std::string spark_line(const std::vector<double>& values, const std::string& description);

}  // namespace ninefold
