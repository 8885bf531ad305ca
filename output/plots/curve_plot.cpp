#include "output/plots/curve_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "output/tables/table.hpp"

namespace ninefold {
namespace {

constexpr double name_distance = 0.034;  // of the height: a line of text

struct Range {
  double first = std::numeric_limits<double>::infinity(), last = -first;
  void include(double value) {
    first = std::min(first, value);
    last = std::max(last, value);
  }
};

bool can_be_drawn(const std::pair<double, double>& point, const CurvePlot& plot) {
  return std::isfinite(point.first) && std::isfinite(point.second)
         && (!plot.logarithmic || point.second > 0) && (!plot.logarithmic_x || point.first > 0);
}

/// The curves without what cannot be drawn.
std::vector<Curve> drawable(const CurvePlot& plot) {
  std::vector<Curve> curves = plot.curves;
  for (Curve& curve : curves) {
    std::erase_if(curve.points, [&](const auto& point) { return !can_be_drawn(point, plot); });
  }
  std::erase_if(curves, [](const Curve& curve) { return curve.points.empty(); });
  return curves;
}

/// Of y: what is asked for, or all points and a little more.
Range y_range(const CurvePlot& plot, const std::vector<Curve>& curves) {
  if (plot.least_y != 0 || plot.greatest_y != 0) return {plot.least_y, plot.greatest_y};
  Range range;
  for (const Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) range.include(y);
  }
  if (plot.logarithmic) return {range.first / 3, range.last * 3};
  const double margin = 0.05 * std::max(range.last - range.first, 1.0);
  return {range.first - margin, range.last + margin};
}

/// Where y stands between the bottom, 0, and the top, 1.
double height_of(double y, const Range& range, bool logarithmic) {
  const double height = logarithmic ? std::log(y / range.first) / std::log(range.last / range.first)
                                    : (y - range.first) / (range.last - range.first);
  return std::clamp(height, 0.0, 1.0);
}

/// The frame in units of itself: both directions from 0 to 1.
struct Frame {
  Range x, y;
  bool logarithmic_x, logarithmic;

  double across(double at) const { return height_of(at, x, logarithmic_x); }
  double up(double at) const { return height_of(at, y, logarithmic); }
};

constexpr double letter = 0.0125, name_gap = 0.015;  // of the width, about

/// Names that begin at one x.
struct Names {
  std::vector<const Curve*> curves;
  std::vector<double> heights;
};

Names names_of(const std::vector<const Curve*>& curves, const Frame& frame, double offset = 0) {
  Names names{curves, {}};
  for (const Curve* curve : curves) names.heights.push_back(frame.up(curve->points.back().second));
  names.heights = moved_apart(names.heights, name_distance);
  for (double& height : names.heights) height += offset * name_distance;
  return names;
}

/// True if curves run through names that begin right of `x`, or the names beside the frame do.
bool hide_something(const Names& names, double x, const std::vector<Curve>& curves,
                    const Names& beside, double last_x, const Frame& frame) {
  const double begin = frame.across(x) + name_gap;
  for (std::size_t n = 0; n < names.curves.size(); ++n) {
    const double end = begin + letter * static_cast<double>(names.curves[n]->name.size());
    const auto near = [&](double height) {
      return std::abs(height - names.heights[n]) < 0.7 * name_distance;
    };
    const auto touches = [&](double height) {
      return std::abs(height - names.heights[n]) < name_distance;
    };
    if (names.heights[n] < 0 || names.heights[n] > 1) return true;
    if (end > frame.across(last_x)
        && std::any_of(beside.heights.begin(), beside.heights.end(), touches)) {
      return true;
    }
    for (const Curve& curve : curves) {
      for (std::size_t k = 1; k < curve.points.size(); ++k) {
        const auto& [x0, y0] = curve.points[k - 1];
        const auto& [x1, y1] = curve.points[k];
        constexpr int samples = 32;
        for (int s = 0; s <= samples; ++s) {
          const double part = static_cast<double>(s) / samples;
          const double at = std::lerp(frame.across(x0), frame.across(x1), part);
          if (at >= begin && at <= end && near(std::lerp(frame.up(y0), frame.up(y1), part))) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

std::string name_script(const Names& names, double x) {
  std::string script;
  for (std::size_t k = 0; k < names.curves.size(); ++k) {
    script += fmt::format(
        "set label {} at first {}, graph {:.4f} left offset 1.1, 0 front textcolor rgb '{}' "
        "noenhanced\n",
        gnuplot_string(names.curves[k]->name), exact_number(x), names.heights[k],
        names.curves[k]->stroke.colour);
  }
  return script;
}

/// Labels at the ends of the curves, beside the frame or, where there is room for all that end at
/// one x, above or below their ends; otherwise beside the frame, joined to their ends.
std::string names(const std::vector<Curve>& curves, double last_x, const Frame& frame) {
  std::map<double, std::vector<const Curve*>> ends;  // by x
  for (const Curve& curve : curves) {
    if (!curve.name.empty()) ends[curve.points.back().first].push_back(&curve);
  }
  std::vector<const Curve*> beside = ends[last_x];
  ends.erase(last_x);
  std::string script;
  for (const auto& [x, named] : ends) {
    const Names right = names_of(beside, frame);
    bool placed = false;
    for (const double offset : {0.7, -0.7, 1.4, -1.4}) {
      const Names inside = names_of(named, frame, offset);
      if (hide_something(inside, x, curves, right, last_x, frame)) continue;
      script += name_script(inside, x);
      placed = true;
      break;
    }
    if (!placed) beside.insert(beside.end(), named.begin(), named.end());
  }
  const Names right = names_of(beside, frame);
  for (std::size_t k = 0; k < beside.size(); ++k) {
    const auto& [x, y] = beside[k]->points.back();
    if (x == last_x) continue;
    script += fmt::format(
        "set arrow from first {}, graph {:.4f} to first {}, graph {:.4f} nohead linecolor rgb "
        "'#b0b0b0' linewidth 1 dashtype 3\n",  // grey, unlike any curve
        exact_number(x), frame.up(y), exact_number(last_x), right.heights[k]);
  }
  return script + name_script(right, last_x);
}

/// The range of a logarithmic y, longer where the key would hide curves.
Range with_room_for_key(const CurvePlot& plot, const std::vector<Curve>& curves, const Range& x,
                        const Range& y) {
  if (!plot.logarithmic || plot.key.empty()) return y;
  std::size_t longest = 0;
  for (const KeyEntry& entry : plot.key) longest = std::max(longest, entry.meaning.size());
  // Of the frame, about; gnuplot's box is wider than its text.
  const double width = 0.0155 * static_cast<double>(longest) + 0.09;
  const double height = std::min(0.05 * static_cast<double>(plot.key.size()) + 0.01, 0.7);
  const Frame frame{x, y, plot.logarithmic_x, true};
  const bool right = plot.key_corner == KeyCorner::top_right;
  const bool top = plot.key_corner != KeyCorner::bottom_left;
  double first = std::log10(y.first), last = std::log10(y.last);
  const double bottom = first, ceiling = last;
  const auto leave_free = [&](double at) {  // a logarithm that the key is not to hide
    if (top) {
      last = std::max(last, (at - height * bottom) / (1 - height));
    } else {
      first = std::min(first, (at - height * ceiling) / (1 - height));
    }
  };
  for (const Curve& curve : curves) {
    std::pair<double, double> before;
    for (std::size_t k = 0; k < curve.points.size(); ++k) {
      const double across = frame.across(curve.points[k].first);
      const std::pair<double, double> here{right ? 1 - across : across,
                                           std::log10(curve.points[k].second)};
      if (here.first <= width) leave_free(here.second);
      if (k > 0 && (here.first <= width) != (before.first <= width)) {
        const double part = (width - before.first) / (here.first - before.first);
        leave_free(before.second + part * (here.second - before.second));
      }
      before = here;
    }
  }
  return {first < bottom ? std::pow(10.0, first) : y.first,
          last > ceiling ? std::pow(10.0, last) : y.last};
}

std::string_view key_place(KeyCorner corner) {
  switch (corner) {
    case KeyCorner::top_right:
      return "right top";
    case KeyCorner::bottom_left:
      return "left bottom";
    case KeyCorner::top_left:
      return "left top";
  }
  return "";
}

std::string data_block(const std::string& name,
                       const std::vector<std::pair<double, double>>& points) {
  std::string text = fmt::format("${} << END\n", name);
  for (const auto& [x, y] : points) {
    text += fmt::format("{} {}\n", exact_number(x), exact_number(y));
  }
  return text + "END\n";
}

}  // namespace

std::string style_of(const Stroke& stroke, bool line) {
  std::string style = !line ? "points" : stroke.point == 0 ? "lines" : "linespoints";
  style += fmt::format(" linecolor rgb '{}'", stroke.colour);
  if (line) {
    style += fmt::format(" linewidth {:.1f} dashtype {}", stroke.width,
                         stroke.dashed ? "(9,5)" : "solid");
  } else {
    style += " linewidth 3";
  }
  if (stroke.point != 0) {
    style += fmt::format(" pointtype {} pointsize {:.1f}", stroke.point, stroke.size);
  }
  return style;
}

std::vector<double> moved_apart(const std::vector<double>& heights, double distance) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return heights[a] < heights[b]; });
  // Blocks of neighbours that touch; each is centred on the mean of what it holds.
  struct Block {
    double mean;
    int count;
    double half_width(double d) const { return 0.5 * d * (count - 1); }
  };
  std::vector<Block> blocks;
  for (const std::size_t k : order) {
    blocks.push_back({heights[k], 1});
    while (blocks.size() > 1) {
      Block &before = blocks[blocks.size() - 2], &last = blocks.back();
      if (last.mean - last.half_width(distance)
          >= before.mean + before.half_width(distance) + distance) {
        break;
      }
      const int count = before.count + last.count;
      before = {(before.mean * before.count + last.mean * last.count) / count, count};
      blocks.pop_back();
    }
  }
  std::vector<double> moved(heights.size());
  std::size_t next = 0;
  for (const Block& block : blocks) {
    for (int k = 0; k < block.count; ++k) {
      moved[order[next++]] = block.mean - block.half_width(distance) + k * distance;
    }
  }
  return moved;
}

Picture write_curve_plot(const std::filesystem::path& image, const CurvePlot& plot) {
  const std::vector<Curve> curves = drawable(plot);
  if (curves.empty()) {
    return {.script = {},
            .image = image,
            .drawn = false,
            .remark = fmt::format("'{}' was not drawn: no curve has a point", image.string())};
  }
  Range x;
  for (const Curve& curve : curves) {
    for (const auto& point : curve.points) x.include(point.first);
  }
  const Range shown_x{plot.logarithmic_x ? x.first / 1.3 : x.first - 0.2,
                      plot.logarithmic_x ? x.last * 1.3 : x.last + 0.2};
  const Range y = with_room_for_key(plot, curves, shown_x, y_range(plot, curves));

  std::size_t longest_name = 0;
  for (const Curve& curve : curves) longest_name = std::max(longest_name, curve.name.size());
  std::string script = fmt::format(
      "set terminal pngcairo enhanced size 1500,1000 font 'DejaVu Sans,19' background rgb 'white'\n"
      "set output image\n"
      "set border 3 linewidth 1.5 linecolor rgb '#404040'\n"
      "set tics nomirror out scale 0.6\n"
      "set grid linecolor rgb '#C8C8C8' linewidth 1 dashtype 3\n"
      "set title {} offset 0, -0.3\n"
      "set xlabel {}\n"
      "set ylabel {}\n"
      "set rmargin {:.0f}\n"
      "set xrange [{}:{}]\n"
      "set yrange [{}:{}]\n"
      "set key inside {} opaque Left reverse spacing 1.25 samplen 3 noenhanced\n",
      gnuplot_string(plot.title), gnuplot_string(plot.x_label), gnuplot_string(plot.y_label),
      0.85 * static_cast<double>(longest_name) + 2, exact_number(shown_x.first),
      exact_number(shown_x.last), exact_number(y.first), exact_number(y.last),
      key_place(plot.key_corner));
  script += plot.logarithmic_x ? "set logscale x\nset format x '10^{%L}'\n"
                               : fmt::format("set xtics {}\n", plot.x_step);
  if (plot.logarithmic) script += "set logscale y\nset format y '10^{%L}'\n";
  script += names(curves, x.last, {shown_x, y, plot.logarithmic_x, plot.logarithmic});
  for (std::size_t c = 0; c < curves.size(); ++c) {
    script += data_block(fmt::format("curve{}", c), curves[c].points);
  }
  std::string drawn;
  const auto add = [&](const std::string& what) {
    drawn += (drawn.empty() ? "plot " : ", \\\n     ") + what;
  };
  for (std::size_t c = 0; c < curves.size(); ++c) {
    add(fmt::format("$curve{} using 1:2 notitle with {}", c, style_of(curves[c].stroke, true)));
  }
  for (std::size_t m = 0; m < plot.marks.size(); ++m) {
    const Mark& mark = plot.marks[m];
    script += data_block(fmt::format("mark{}", m), {{mark.x, mark.y}});
    add(fmt::format("$mark{} using 1:2 notitle with {}", m, style_of(mark.stroke, false)));
  }
  for (const KeyEntry& entry : plot.key) {
    add(fmt::format("NaN title {} with {}", gnuplot_string(entry.meaning),
                    style_of(entry.stroke, entry.line)));
  }
  return draw(image, script + drawn + "\n");
}

}  // namespace ninefold
