#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include "output/document/figure.hpp"
#include "output/plots/colours.hpp"

namespace ninefold {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_in_key = 16;

/// The powers of ten from the least value to the largest.
Json decades(const Figure& figure, bool of_x) {
  int first = std::numeric_limits<int>::max(), last = std::numeric_limits<int>::min();
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      if (!is_shown(figure, point)) continue;
      const double logarithm = std::log10(of_x ? point.x : point.y);
      first = std::min(first, static_cast<int>(std::floor(logarithm)));
      last = std::max(last, static_cast<int>(std::ceil(logarithm)));
    }
  }
  const int step = std::max(1, (last - first + 9) / 10);
  Json values = Json::array();
  for (int decade = first; decade <= last; decade += step) {
    values.push_back(std::pow(10.0, decade));
  }
  return values;
}

Json axis_of(const Figure& figure, bool of_x) {
  const bool logarithmic = !of_x || figure.logarithmic_x;
  Json axis{{"title", of_x ? figure.x_label : figure.y_label}, {"titlePadding", 10}};
  Json scale{{"type", logarithmic ? "log" : "linear"}, {"nice", false}, {"padding", 12}};
  if (logarithmic) {
    axis["format"] = ".0e";
    axis["values"] = decades(figure, of_x);
  } else {
    axis["tickMinStep"] = 1;
    axis["format"] = "d";
    scale["zero"] = false;
  }
  if (of_x) axis["grid"] = false;
  return {{"field", of_x ? "x" : "y"},
          {"type", "quantitative"},
          {"scale", std::move(scale)},
          {"axis", std::move(axis)}};
}

/// The curves, dashed or not; only those that are not have marks.
Json data_of(const Figure& figure, bool references) {
  Json values = Json::array();
  for (const FigureSeries& series : figure.series) {
    if (series.is_reference != references) continue;
    for (const FigurePoint& point : series.points) {
      if (!is_shown(figure, point)) continue;
      Json value{{"x", point.x}, {"y", point.y}, {"series", series.name}};
      if (!point.link.empty()) value["link"] = point.link;
      values.push_back(std::move(value));
    }
  }
  return {{"values", std::move(values)}};
}

bool has_key(const Figure& figure) {
  return figure.series.size() > 1 && figure.series.size() <= most_in_key;
}

Json colour_of(const Figure& figure) {
  Json names = Json::array(), colours = Json::array();
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    names.push_back(figure.series[k].name);
    colours.push_back(figure.series[k].is_reference ? reference_colour
                                                    : curve_colours[k % curve_colours.size()]);
  }
  return {{"field", "series"},
          {"type", "nominal"},
          {"scale", {{"domain", names}, {"range", colours}}},
          {"legend", has_key(figure) ? Json{{"title", nullptr},
                                            {"orient", "bottom"},
                                            {"columns", 1},
                                            {"labelLimit", 320},
                                            {"symbolType", "stroke"},
                                            {"symbolStrokeWidth", 3}}
                                     : Json(nullptr)}};
}

}  // namespace

nlohmann::ordered_json to_vega(const Figure& figure) {
  const auto tooltip = [](const char* field, const std::string& title) {
    return Json{{"field", field}, {"type", "nominal"}, {"title", title}};
  };
  Json marks{
      {"mark", {{"type", "point"}, {"filled", true}, {"opacity", 1}, {"size", 60}}},
      {"encoding",
       {{"tooltip",
         {tooltip("series", "run"), tooltip("x", figure.x_label), tooltip("y", figure.y_label)}},
        {"href", {{"field", "link"}, {"type", "nominal"}}}}}};
  Json line{{"mark", {{"type", "line"}, {"strokeWidth", 2}}}};
  Json reference{{"data", data_of(figure, true)},
                 {"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"strokeDash", {6, 4}}}}};
  return {
      {"width", "container"},
      {"height", 300 + (has_key(figure) ? 18 * figure.series.size() : 0)},
      {"autosize", {{"type", "fit"}, {"contains", "padding"}}},
      {"background", nullptr},
      {"config",
       {{"font", "system-ui, DejaVu Sans, sans-serif"},
        {"axis", {{"labelFontSize", 12}, {"titleFontSize", 12}, {"titleFontWeight", "normal"}}},
        {"legend", {{"labelFontSize", 12}}}}},
      {"description", figure.description},
      {"data", data_of(figure, false)},
      {"encoding",
       {{"x", axis_of(figure, true)}, {"y", axis_of(figure, false)}, {"color", colour_of(figure)}}},
      {"layer", {std::move(reference), std::move(line), std::move(marks)}}};
}

}  // namespace ninefold
