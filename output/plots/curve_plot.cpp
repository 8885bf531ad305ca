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

/// Labels at the ends of the curves.
std::string names(const std::vector<Curve>& curves, double last_x, const Range& y,
                  bool logarithmic) {
  std::map<double, std::vector<const Curve*>> ends;  // by x
  for (const Curve& curve : curves) {
    if (!curve.name.empty()) ends[curve.points.back().first].push_back(&curve);
  }
  std::string script;
  for (const auto& [x, named] : ends) {
    std::vector<double> heights;
    for (const Curve* curve : named) {
      heights.push_back(height_of(curve->points.back().second, y, logarithmic));
    }
    heights = moved_apart(heights, name_distance);
    for (std::size_t k = 0; k < named.size(); ++k) {
      // Inside the frame a name stands above the height of its end: falling curves pass below it.
      script += fmt::format(
          "set label {} at first {}, graph {:.4f} left offset 1.1, {} front textcolor rgb '{}' "
          "noenhanced\n",
          gnuplot_string(named[k]->name), exact_number(x), heights[k], x < last_x ? 0.7 : 0.0,
          named[k]->stroke.colour);
    }
  }
  return script;
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
  const Range y = y_range(plot, curves);

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
      "set key inside {} Left reverse spacing 1.25 samplen 3 noenhanced\n",
      gnuplot_string(plot.title), gnuplot_string(plot.x_label), gnuplot_string(plot.y_label),
      0.85 * static_cast<double>(longest_name) + 2,
      exact_number(plot.logarithmic_x ? x.first / 1.3 : x.first - 0.2),
      exact_number(plot.logarithmic_x ? x.last * 1.3 : x.last + 0.2), exact_number(y.first),
      exact_number(y.last), key_place(plot.key_corner));
  script += plot.logarithmic_x ? "set logscale x\nset format x '10^{%L}'\n"
                               : fmt::format("set xtics {}\n", plot.x_step);
  if (plot.logarithmic) script += "set logscale y\nset format y '10^{%L}'\n";
  script += names(curves, x.last, y, plot.logarithmic);
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
