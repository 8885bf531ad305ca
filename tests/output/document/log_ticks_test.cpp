#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "output/document/document_json.hpp"
#include "output/document/figure.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("an axis with a logarithm has three numbers or more", "[output][document]") {
  const LogTicks far = log_ticks(2e-9, 5.0);
  CHECK(far.are_powers);
  CHECK(far.values.size() == 9);
  CHECK(log_ticks(1e-30, 1).values.size() <= 11);
  const LogTicks near = log_ticks(0.8, 18);
  CHECK(!near.are_powers);
  CHECK(near.values == std::vector<double>{1, 2, 5, 10});
  CHECK(log_ticks(1.2, 4.2).values == std::vector<double>{1.5, 2, 3, 4});
  for (const double least : {1e-7, 0.3, 5.0, 4e12}) {
    for (const double factor : {1.0, 1.001, 1.2, 1.9, 7.0, 90.0, 1e5}) {
      CAPTURE(least, factor);
      const LogTicks ticks = log_ticks(least, factor * least);
      CHECK(ticks.values.size() >= 3);
      CHECK(ticks.values.size() <= 12);
      for (const double value : ticks.values) {
        CHECK(value >= 0.9 * least);
        CHECK(value <= 1.11 * factor * least);
      }
    }
  }
}

TEST_CASE("numbers on an axis are normal ones, whatever is shown", "[output][document]") {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  constexpr double huge = std::numeric_limits<double>::max();
  for (const auto& [least, largest] : {std::pair{tiny, tiny},
                                       {tiny, 1e-320},
                                       {tiny, 1e-300},
                                       {0.0, 1.0},
                                       {tiny, huge},
                                       {huge, huge}}) {
    CAPTURE(least, largest);
    const LogTicks ticks = log_ticks(least, largest);
    CHECK(ticks.values.size() <= 12);
    for (const double value : ticks.values) CHECK(std::isnormal(value));
  }
  Figure figure{"A figure", "what it shows", "x", "y"};
  figure.series = {{"one", {{1, tiny, "#a", ""}, {2, 1e-305, "", ""}}}};
  CHECK_THAT(to_svg(figure), ContainsSubstring("1e-"));
}

TEST_CASE("labels stand beside points, in every kind of figure", "[output][document]") {
  Figure figure{"A figure", "what it shows", "x", "y"};
  figure.logarithmic_x = true;
  figure.series = {{"one", {{1, 2, "#a", "first"}, {8, 5, "", ""}, {9, 4, "", "last"}}}};
  const std::string svg = to_svg(figure);
  CHECK_THAT(svg, ContainsSubstring("text-anchor=\"start\">first</text>"));
  CHECK_THAT(svg, ContainsSubstring("text-anchor=\"end\">last</text>"));  // within the frame
  CHECK_THAT(svg, ContainsSubstring("\"middle\">5</text>"));
  const nlohmann::ordered_json vega = to_vega(figure);
  CHECK(vega["layer"].size() == 4);
  CHECK(vega["data"]["values"][0]["label"] == "first");
  CHECK(vega["encoding"]["x"]["axis"]["values"].size() >= 3);
  Article article{.title = "t", .sections = {{"f", "F", {figure}}}};
  const Article again = document_of(document_json(article));
  CHECK(std::get<Figure>(again.sections[0].blocks[0]).series[0].points[2].label == "last");
  figure.series[0].points[0].label = figure.series[0].points[2].label = "";
  CHECK(to_vega(figure)["layer"].size() == 3);
  CHECK(to_vega(Figure{"nothing", "", "", ""})["encoding"]["y"]["axis"]["values"].empty());
}
