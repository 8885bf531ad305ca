#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "output/document/figure.hpp"
#include "output/plots/colours.hpp"

namespace ninefold {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers and their format: the powers of ten from the least value to the largest, or where there
/// are few between them others.
void add_decades(const Figure& figure, bool of_x, Json& axis) {
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      if (!is_shown(figure, point)) continue;
      least = std::min(least, of_x ? point.x : point.y);
      largest = std::max(largest, of_x ? point.x : point.y);
    }
  }
  axis["format"] = ".0e";
  axis["values"] = Json::array();
  if (largest == 0) return;  // there are no points
  Json values = Json::array();
  least = std::max(least, std::numeric_limits<double>::min());  // of which there are powers of ten
  largest = std::max(least, largest);
  if (const LogTicks ticks = log_ticks(least, largest); !ticks.are_powers) {
    axis["format"] = ".4~g";
    values = ticks.values;
  } else {
    const int first = static_cast<int>(std::floor(std::log10(least))),
              last = static_cast<int>(std::ceil(std::log10(largest)));
    const int step = std::max(1, (last - first + 9) / 10);
    for (int decade = first; decade <= last; decade += step) {
      values.push_back(std::pow(10.0, decade));
    }
  }
  axis["values"] = std::move(values);
}

Json axis_of(const Figure& figure, bool of_x) {
  const bool logarithmic = !of_x || figure.logarithmic_x;
  Json axis{{"title", of_x ? figure.x_label : figure.y_label}, {"titlePadding", 10}};
  Json scale{{"type", logarithmic ? "log" : "linear"}, {"nice", false}, {"padding", 12}};
  if (logarithmic) {
    add_decades(figure, of_x, axis);
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

bool has_labels(const Figure& figure) {
  return std::any_of(figure.series.begin(), figure.series.end(), [](const FigureSeries& series) {
    return std::any_of(series.points.begin(), series.points.end(),
                       [](const FigurePoint& point) { return !point.label.empty(); });
  });
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
      if (!point.label.empty()) value["label"] = point.label;
      if (const std::string others = names_at(figure, point, series);
          !references && !others.empty()) {
        value["also"] = others;
      }
      values.push_back(std::move(value));
    }
  }
  return {{"values", std::move(values)}};
}

/// Each series its colour, dashes or shape; the key is the page's.
template <class Value>
Json look_of(const Figure& figure, Value value_of) {
  Json names = Json::array(), values = Json::array();
  const std::vector<Look> looks = looks_of(figure);
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    names.push_back(figure.series[k].name);
    values.push_back(value_of(figure.series[k], looks[k]));
  }
  return {{"field", "series"},
          {"type", "nominal"},
          {"scale", {{"domain", names}, {"range", values}}},
          {"legend", nullptr}};
}

/// "7 3" as Vega has it.
Json dash_list(std::string_view dash) {
  Json list = Json::array();
  std::istringstream words{std::string(dash)};
  for (int length = 0; words >> length;) list.push_back(length);
  if (list.empty()) list = {1, 0};
  return list;
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
         {tooltip("runs", "run"), tooltip("x", figure.x_label), tooltip("y", figure.y_label)}},
        {"href", {{"field", "link"}, {"type", "nominal"}}}}}};
  Json line{{"mark", {{"type", "line"}, {"strokeWidth", 2}}}};
  if (figure.series.size() <= most_in_key) {  // of more Vega would take long
    marks["encoding"]["shape"] =
        look_of(figure, [](const FigureSeries&, const Look& look) { return shape_of(look); });
    line["encoding"]["strokeDash"] = look_of(
        figure, [](const FigureSeries&, const Look& look) { return dash_list(dash_of(look)); });
  }
  Json reference{{"data", data_of(figure, true)},
                 {"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"strokeDash", {6, 4}}}}};
  Json layers{std::move(reference), std::move(line), std::move(marks)};
  if (has_labels(figure)) {
    layers.push_back({{"transform", {{{"filter", "datum.label"}}}},
                      {"mark", {{"type", "text"}, {"dy", -12}, {"fontSize", 12}}},
                      {"encoding", {{"text", {{"field", "label"}, {"type", "nominal"}}}}}});
  }
  return {
      {"width", "container"},
      {"height", 300},
      {"autosize", {{"type", "fit"}, {"contains", "padding"}}},
      {"background", nullptr},
      {"config",
       {{"font", "system-ui, DejaVu Sans, sans-serif"},
        {"axis", {{"labelFontSize", 12}, {"titleFontSize", 12}, {"titleFontWeight", "normal"}}}}},
      {"description", figure.description},
      {"data", data_of(figure, false)},
      // Where marks cover each other all are named.
      {"transform",
       {{{"calculate", "datum.also ? datum.series + ', ' + datum.also : datum.series"},
         {"as", "runs"}}}},
      {"encoding",
       {{"x", axis_of(figure, true)},
        {"y", axis_of(figure, false)},
        {"color", look_of(figure,
                          [](const FigureSeries& series, const Look& look) {
                            return series.is_reference ? reference_colour : colour_of(look);
                          })}}},
      {"layer", std::move(layers)}};
}

}  // namespace ninefold
