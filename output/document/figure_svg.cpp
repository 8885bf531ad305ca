#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "output/document/escape.hpp"
#include "output/document/figure.hpp"
#include "output/plots/colours.hpp"

namespace ninefold {
namespace {

constexpr double width = 640, height = 380, left = 70, right = 14, top = 12, bottom = 46;

/// From values to the places of one direction.
struct Axis {
  double first = std::numeric_limits<double>::infinity(), last = -first;  // logarithms if it has
  bool logarithmic = false;
  double from = 0, to = 0;  // places

  double coordinate(double value) const { return logarithmic ? std::log10(value) : value; }
  void include(double value) {
    first = std::min(first, coordinate(value));
    last = std::max(last, coordinate(value));
  }
  void widen(double share) {
    const double more = last > first ? share * (last - first) : 0.5;
    first -= more;
    last += more;
  }
  double place(double value) const {
    return from + (coordinate(value) - first) / (last - first) * (to - from);
  }
};

struct Tick {
  double value;
  std::string name;
};

/// Where numbers stand: whole ones, or those of log_ticks().
std::vector<Tick> ticks_of(const Axis& axis) {
  std::vector<Tick> result;
  if (axis.logarithmic) {
    const LogTicks ticks = log_ticks(std::pow(10.0, axis.first), std::pow(10.0, axis.last));
    for (const double value : ticks.values) {
      result.push_back({value, ticks.are_powers ? fmt::format("1e{:.0f}", std::log10(value) + 0.0)
                                                : fmt::format("{:.4g}", value)});
    }
    return result;
  }
  const double step = std::max(1.0, std::ceil((axis.last - axis.first) / 10));
  for (double at = std::ceil(axis.first / step) * step; at <= axis.last; at += step) {
    result.push_back({at, fmt::format("{:g}", at + 0.0)});  // no -0
  }
  return result;
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& text,
                    const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, escaped(text));
}

std::string axes(const Figure& figure, const Axis& x, const Axis& y) {
  std::string text;
  for (const Tick& tick : ticks_of(y)) {
    const double at = y.place(tick.value);
    text += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, at,
                        width - right);
    text += text_at(left - 7, at + 4, "end", tick.name);
  }
  for (const Tick& tick : ticks_of(x)) {
    const double at = x.place(tick.value);
    text += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/>\n", at, height - bottom);
    text += text_at(at, height - bottom + 19, "middle", tick.name);
  }
  text += fmt::format("<path class=\"axis\" d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\"/>\n", left, top,
                      height - bottom, width - right);
  text += text_at((left + width - right) / 2, height - 8, "middle", figure.x_label);
  const double middle = (top + height - bottom) / 2;
  return text
         + text_at(14, middle, "middle", figure.y_label,
                   fmt::format(" transform=\"rotate(-90 14 {:.1f})\"", middle));
}

std::string curve(const Figure& figure, const FigureSeries& series, const Look& look, const Axis& x,
                  const Axis& y) {
  std::string path, marks;
  for (const FigurePoint& point : series.points) {
    if (!is_shown(figure, point)) continue;
    const double px = x.place(point.x), py = y.place(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
    if (series.is_reference) continue;
    const std::string others = names_at(figure, point, series);
    std::string mark =
        mark_of(look, px, py,
                fmt::format("<title>{}</title>",
                            escaped(fmt::format("{}: {} at {}{}", series.name,
                                                exact_number(point.y), exact_number(point.x),
                                                others.empty() ? "" : "; also here: " + others))));
    if (!point.link.empty()) {
      mark = fmt::format("<a href=\"{}\">{}</a>", escaped(point.link), mark);
    }
    marks += mark + "\n";
    if (point.label.empty()) continue;
    const bool is_right = px > 0.8 * width;
    marks += text_at(px + (is_right ? -8 : 8), py - 7, is_right ? "end" : "start", point.label);
  }
  if (path.empty()) return path;
  return line_of(series, look, path) + "\n" + marks;
}

}  // namespace

bool is_shown(const Figure& figure, const FigurePoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && point.y > 0
         && (!figure.logarithmic_x || point.x > 0);
}

std::string to_svg(const Figure& figure) {
  Axis x{.logarithmic = figure.logarithmic_x, .from = left, .to = width - right};
  Axis y{.logarithmic = true, .from = height - bottom, .to = top};
  for (const FigureSeries& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      if (!is_shown(figure, point)) continue;
      x.include(point.x);
      y.include(point.y);
    }
  }
  if (x.first > x.last) return "";
  x.widen(0.04);
  y.widen(0.06);
  std::string text = axes(figure, x, y);
  const std::vector<Look> looks = looks_of(figure);
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    text += curve(figure, figure.series[k], looks[k], x, y);
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"group\" aria-label=\"{}\">\n{}</svg>\n", width,
      height, escaped(figure.description), text);
}

std::string svg_file(const Figure& figure) {
  const std::string drawn = to_svg(figure);
  if (drawn.empty()) return drawn;
  const std::size_t head = drawn.find('>') + 1;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\"{}\n"
      "<style>text {{ fill: #222; font: 12px sans-serif; }} .grid {{ stroke: #ddd; fill: none; }} "
      ".axis {{ stroke: #888; fill: none; }} .curve {{ fill: none; stroke-width: 2; }}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}",
      width, height, drawn.substr(4, head - 4), drawn.substr(head));
}

std::string spark_line(const std::vector<double>& values, const std::string& description) {
  constexpr double spark_width = 120, spark_height = 24;
  Axis x{.from = 1, .to = spark_width - 1},
      y{.logarithmic = true, .from = spark_height - 1, .to = 1};
  const auto has_place = [](double value) { return std::isfinite(value) && value > 0; };
  constexpr std::size_t most = 100;
  const std::size_t step = (values.size() + most - 1) / most;
  for (std::size_t k = 0; k < values.size(); k += step) {
    if (!has_place(values[k])) continue;
    x.include(static_cast<double>(k));
    y.include(values[k]);
  }
  if (x.first > x.last) return "";
  x.widen(0);
  y.widen(0);
  std::string path;
  for (std::size_t k = 0; k < values.size(); k += step) {
    if (!has_place(values[k])) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                        x.place(static_cast<double>(k)), y.place(values[k]));
  }
  return fmt::format(
      "<svg class=\"spark\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\"><path "
      "class=\"curve\" stroke=\"{}\" d=\"{}\"/></svg>",
      spark_width, spark_height, escaped(description), curve_colours.front(), path);
}

}  // namespace ninefold
