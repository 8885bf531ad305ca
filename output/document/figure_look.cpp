#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/document/escape.hpp"
#include "output/document/figure.hpp"
#include "output/plots/colours.hpp"

namespace ninefold {
namespace {

struct Style {
  const char* dash;  ///< of its line, as SVG has it
  const char* mark;  ///< a path about (0, 0), as Vega's shapes are within two units
  double size;       ///< of the mark, so that all look alike
};

// The first is the circle that is drawn as such.
constexpr Style all_styles[] = {
    {"", "circle", 1},
    {"7 3", "M-1,-1H1V1H-1Z", 3.6},
    {"2 2", "M0,-1L1,0.8H-1Z", 4.8},
    {"9 3 2 3", "M0,-1L1,0L0,1L-1,0Z", 5},
    {"1 3", "M-1,-0.35H-0.35V-1H0.35V-0.35H1V0.35H0.35V1H-0.35V0.35H-1Z", 4.6},
    {"12 4", "M0,1L1,-0.8H-1Z", 4.8},
};
static_assert(std::size(all_styles) == most_styles);

/// "double plain", or "run-1: double plain", as "double" and "plain".
std::pair<std::string, std::string> parts_of(std::string name) {
  if (const std::size_t colon = name.find(": "); name.starts_with("run-") && colon < name.size()) {
    name.erase(0, colon + 2);
  }
  const std::size_t blank = name.rfind(' ');
  if (blank == std::string::npos) return {name, ""};
  return {name.substr(0, blank), name.substr(blank + 1)};
}

std::size_t place_of(std::vector<std::string>& list, const std::string& text) {
  const auto found = std::find(list.begin(), list.end(), text);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(text);
  return list.size() - 1;
}

bool has_doubles(const std::vector<Look>& looks) {
  for (std::size_t k = 1; k < looks.size(); ++k) {
    const auto end = looks.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(looks.begin(), end, looks[k]) != end) return true;
  }
  return false;
}

}  // namespace

std::vector<Look> looks_of(const Figure& figure) {
  std::vector<std::string> firsts, lasts;
  std::vector<Look> by_name, in_order;
  for (const FigureSeries& series : figure.series) {
    if (series.is_reference) continue;
    const auto [first, last] = parts_of(series.name);
    by_name.push_back({place_of(firsts, first), place_of(lasts, last)});
    const std::size_t k = in_order.size();
    in_order.push_back({k % curve_colours.size(), k / curve_colours.size() % most_styles});
  }
  const bool has_forms = firsts.size() < by_name.size();
  const bool has_room = firsts.size() <= curve_colours.size() && lasts.size() <= most_styles;
  std::vector<Look> looks = has_forms && has_room && !has_doubles(by_name) ? by_name : in_order;
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    if (figure.series[k].is_reference)
      looks.insert(looks.begin() + static_cast<std::ptrdiff_t>(k), Look{});
  }
  return looks;
}

std::string_view colour_of(const Look& look) {
  return curve_colours[look.colour];
}

std::string_view dash_of(const Look& look) {
  return all_styles[look.style].dash;
}

std::string_view shape_of(const Look& look) {
  return all_styles[look.style].mark;
}

std::string mark_of(const Look& look, double x, double y, const std::string& inside) {
  const Style& style = all_styles[look.style];
  if (look.style == 0) {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\">{}</circle>", x, y,
                       colour_of(look), inside);
  }
  return fmt::format(
      "<path transform=\"translate({:.1f} {:.1f}) scale({})\" d=\"{}\" fill=\"{}\">{}</path>", x, y,
      style.size, style.mark, colour_of(look), inside);
}

std::string line_of(const FigureSeries& series, const Look& look, const std::string& path) {
  if (series.is_reference) return fmt::format("<path class=\"reference\" d=\"{}\"/>", path);
  const std::string_view dash = dash_of(look);
  return fmt::format("<path class=\"curve\" stroke=\"{}\"{} d=\"{}\"/>", colour_of(look),
                     dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash), path);
}

std::string key_of(const Figure& figure) {
  if (figure.series.size() > most_in_key) {
    return fmt::format(
        "<p class=\"scale\">{} curves, more than a key can tell apart: each point says "
        "whose it is.</p>\n",
        figure.series.size());
  }
  const std::vector<Look> looks = looks_of(figure);
  std::string text = "<ul class=\"key\">\n";
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    const FigureSeries& series = figure.series[k];
    text +=
        fmt::format("<li><svg viewBox=\"0 0 36 12\" aria-hidden=\"true\">{}{}</svg> {}</li>\n",
                    line_of(series, looks[k], "M1 6h34"),
                    series.is_reference ? "" : mark_of(looks[k], 18, 6, ""), escaped(series.name));
  }
  return text + "</ul>\n";
}

std::string names_at(const Figure& figure, const FigurePoint& point, const FigureSeries& but) {
  std::string text;
  if (figure.series.size() > most_in_key) return text;
  constexpr double alike = 0.02;  // a mark covers about this part of a factor of ten
  for (const FigureSeries& series : figure.series) {
    if (&series == &but || series.is_reference) continue;
    const bool is_there =
        std::any_of(series.points.begin(), series.points.end(), [&](const FigurePoint& other) {
          const auto is_near = [](double a, double b, bool logarithmic) {
            return logarithmic ? std::abs(std::log10(a / b)) < alike : a == b;
          };
          return is_shown(figure, other) && is_near(other.x, point.x, figure.logarithmic_x)
                 && is_near(other.y, point.y, true);
        });
    if (is_there) text += (text.empty() ? "" : ", ") + series.name;
  }
  return text;
}

}  // namespace ninefold
