#include "output/plots/heat_map.hpp"

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "output/plots/colours.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/gnuplot.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

/// One row of two panels, each of two rows of three cells.
HeatMap small_map() {
  HeatMap map{.title = "it's a title",
              .x_label = "level",
              .y_label = "factor",
              .x_names = {"3", "4", "5"},
              .y_names = {"one", "half"},
              .column_heads = {"left panel", "right panel"},
              .row_heads = {"the row"},
              .scale_label = "iterations"};
  const HeatPanel first{{{{"10", 10, {}}, {"100", 100, {}}, {"7e-8", {}, 0}},
                         {{"1000", 1000, {}}, {"broken", {}, 1}, {}}}};
  const HeatPanel second{{{{"31", 31, {}}, {"32", 32, {}}, {"33", 33, {}}},
                          {{"41", 41, {}}, {"42", 42, {}}, {"43", 43, {}}}}};
  map.panels = {{first, second}};
  map.marks = {{"goes no further"}, {"diverges", "#303030", "#FFFFFE"}};
  return map;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// The line of the script that holds `part`; empty if there is none.
std::string line_with(const std::string& script, const std::string& part) {
  const std::size_t at = script.find(part);
  if (at == std::string::npos) return "";
  const std::size_t begin = script.rfind('\n', at) + 1;
  return script.substr(begin, script.find('\n', at) - begin);
}

/// The x of a label.
double x_of(const std::string& script, const std::string& label) {
  const std::string line = line_with(script, "set label '" + label + "' at ");
  REQUIRE(!line.empty());
  return std::stod(line.substr(line.find(" at ") + 4));
}

}  // namespace

TEST_CASE("a map is drawn, with heads, names, labels, scale and marks", "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  const Picture picture = write_heat_map(directory.path() / "map.png", small_map());
  CAPTURE(picture.remark);
  REQUIRE(picture.drawn);
  REQUIRE(content_of(picture.image).starts_with("\x89PNG\r\n"));
  const std::string script = content_of(picture.script);
  for (const char* words : {"it''s a title", "left panel", "right panel", "the row", "half", "7e-8",
                            "goes no further", "diverges", "iterations", "1000", "43"}) {
    CAPTURE(words);
    REQUIRE_THAT(script, ContainsSubstring("set label '" + std::string(words) + "' at "));
  }
  REQUIRE(x_of(script, "10") < x_of(script, "100"));
  REQUIRE(x_of(script, "100") < x_of(script, "31"));
  REQUIRE(count_of(script, "set label 'level'") == 2);   // under every column
  REQUIRE(count_of(script, "set label 'factor'") == 1);  // beside every row
  // The ends of the scale are the least and the greatest value.
  REQUIRE_THAT(script, ContainsSubstring(std::string(viridis.front()))
                           && ContainsSubstring(std::string(viridis.back())));
  // A blank cell is no rectangle: 11 cells, 160 steps and 7 tics (10 to 1000) of the scale, 2
  // marks.
  REQUIRE(count_of(script, "set object rectangle") == 11 + 160 + 7 + 2);
  // The cell and the sample that explains it.
  REQUIRE(count_of(script, "fillcolor rgb '#303030'") == 2);
  REQUIRE_THAT(line_with(script, "set label 'broken'"), ContainsSubstring("#FFFFFE"));
}

TEST_CASE("a map without a value is not drawn, a value without a logarithm is a mark",
          "[output][plot]") {
  if (!testing::has_gnuplot()) return testing::skip("gnuplot is not installed");
  const TemporaryDirectory directory;
  HeatMap map = small_map();
  for (HeatPanel& panel : map.panels[0]) {
    for (auto& cells : panel.rows) {
      for (HeatCell& cell : cells) cell.value = std::nan("");
    }
  }
  const Picture none = write_heat_map(directory.path() / "none.png", map);
  REQUIRE_FALSE(none.drawn);
  REQUIRE_THAT(none.remark, ContainsSubstring("no cell has a value"));

  // Of one value alone there is no scale to speak of, but a picture.
  map.panels[0][1].rows[0][0].value = 31;
  const Picture one = write_heat_map(directory.path() / "one.png", map);
  CAPTURE(one.remark);
  REQUIRE(one.drawn);
}

TEST_CASE("a map whose cells do not fit its names is refused", "[output][plot]") {
  const TemporaryDirectory directory;
  const auto refused = [&](auto change) {
    HeatMap map = small_map();
    change(map);
    REQUIRE_THROWS_AS(write_heat_map(directory.path() / "map.png", map), std::invalid_argument);
  };
  refused([](HeatMap& map) { map.x_names.pop_back(); });
  refused([](HeatMap& map) { map.y_names.emplace_back("third"); });
  refused([](HeatMap& map) { map.row_heads.clear(); });
  refused([](HeatMap& map) { map.column_heads.pop_back(); });
  refused([](HeatMap& map) { map.marks.pop_back(); });
}

TEST_CASE("colours darken from few to many, and labels are read on each", "[output][plot]") {
  const auto luminance = [](const HeatColour& colour) {
    const auto channel = [&](std::size_t k) {
      return static_cast<double>(std::stoi(colour.code.substr(1 + 2 * k, 2), nullptr, 16));
    };
    return 0.299 * channel(0) + 0.587 * channel(1) + 0.114 * channel(2);
  };
  REQUIRE(heat_colour(0).code == viridis.back());
  REQUIRE(heat_colour(1).code == viridis.front());
  REQUIRE(heat_colour(-1).code == heat_colour(0).code);
  REQUIRE(heat_colour(2).code == heat_colour(1).code);
  std::set<std::string> codes;
  for (int k = 0; k <= 90; ++k) {
    const HeatColour colour = heat_colour(k / 90.0);
    CAPTURE(k, colour.code);
    REQUIRE(colour.code.size() == 7);
    codes.insert(colour.code);
    if (k > 0) REQUIRE(luminance(colour) <= luminance(heat_colour((k - 1) / 90.0)) + 0.6);
    REQUIRE(std::abs(luminance(colour) - (colour.light ? 0 : 255)) > 120);
  }
  REQUIRE(codes.size() > 80);
}
