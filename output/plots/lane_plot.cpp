#include "output/plots/lane_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "output/tables/table.hpp"

namespace ninefold {
namespace {

// In pixels of the picture.
constexpr double width = 1500, left = 285, top = 80, row = 24, under_points = 22;
constexpr double right = 45;  // half of the number under the right end
constexpr double frame_width = width - left - right;
constexpr double letter = 10.2;  // of a label, on average
constexpr double bottom = 118, key_row = 27;
constexpr int key_columns = 2;

/// The decades of x, as drawn.
struct Axis {
  double first = 0, last = 1;
  double pixel(double x) const { return frame_width * (std::log10(x) - first) / (last - first); }
};

bool can_be_drawn(const LanePoint& point) {
  return std::isfinite(point.x) && point.x > 0;
}

double label_width(const LanePoint& point) {
  return letter * (static_cast<double>(point.label.size()) + 1);
}

/// Wide enough for the labels that stand at the right end.
Axis fitting_axis(const std::vector<Lane>& lanes) {
  Axis axis{std::numeric_limits<double>::infinity(), 0};
  double greatest = -axis.first;
  for (const Lane& lane : lanes) {
    for (const LanePoint& point : lane.points) {
      axis.first = std::min(axis.first, std::log10(point.x));
      greatest = std::max(greatest, std::log10(point.x));
    }
  }
  axis.first -= 0.06 * std::max(greatest - axis.first, 0.5);
  axis.last = greatest + 0.05;
  for (const Lane& lane : lanes) {
    for (const LanePoint& point : lane.points) {
      const double free = 1 - std::min(label_width(point) / frame_width, 0.9);
      axis.last = std::max(axis.last, axis.first + (std::log10(point.x) - axis.first) / free);
    }
  }
  return axis;
}

/// 1, 2 and 5 times the powers of ten.
std::string tics(const Axis& axis) {
  std::string list;
  for (int decade = static_cast<int>(std::floor(axis.first)); decade <= axis.last; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double x = digit * std::pow(10.0, decade);
      if (std::log10(x) < axis.first || std::log10(x) > axis.last) continue;
      list += fmt::format("{}'{:g}' {}", list.empty() ? "" : ", ", x, exact_number(x));
    }
  }
  return list;
}

/// A lane with its place: its points stand at height `base`, in pixels from the lowest lane's foot.
struct PlacedLane {
  const Lane& lane;
  std::vector<int> rows;
  double height, base;
};

std::vector<PlacedLane> place(const std::vector<Lane>& lanes, const Axis& axis) {
  std::vector<PlacedLane> placed;
  for (const Lane& lane : lanes) {
    std::vector<double> begins, widths;
    for (const LanePoint& point : lane.points) {
      begins.push_back(axis.pixel(point.x));
      widths.push_back(label_width(point));
    }
    const std::vector<int> rows = flag_rows(begins, widths);
    const int most = rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
    placed.push_back({lane, rows, std::max(2 * under_points + row * (most + 1), 3 * row), 0});
  }
  double foot = 0;
  for (auto lane = placed.rbegin(); lane != placed.rend(); ++lane) {
    lane->base = foot + under_points;
    foot += lane->height;
  }
  return placed;
}

std::string lane_script(const PlacedLane& placed, bool lowest) {
  std::string script;
  const double foot = placed.base - under_points;
  if (!lowest) {
    script += fmt::format(
        "set arrow from graph 0, first {0:.1f} to graph 1, first {0:.1f} nohead linecolor rgb "
        "'#909090' linewidth 1\n",
        foot);
  }
  const double middle = foot + placed.height / 2;
  const bool has_remark = !placed.lane.remark.empty();
  script += fmt::format(
      "set label {} at graph -0.012, first {:.1f} right noenhanced font 'DejaVu Sans Bold,17'\n",
      gnuplot_string(placed.lane.name), middle + (has_remark ? 12 : 0));
  if (has_remark) {
    script += fmt::format(
        "set label {} at graph -0.012, first {:.1f} right noenhanced font ',14' textcolor rgb "
        "'#404040'\n",
        gnuplot_string(placed.lane.remark), middle - 14);
  }
  for (std::size_t k = 0; k < placed.lane.points.size(); ++k) {
    const LanePoint& point = placed.lane.points[k];
    const double height = placed.base + row * (placed.rows[k] + 1);
    script += fmt::format(
        "set arrow from {0}, {1:.1f} to {0}, {2:.1f} nohead linecolor rgb '{3}' linewidth 1.5\n"
        "set label {4} at {0}, {2:.1f} left offset character 0.3, 0 front noenhanced font ',15' "
        "textcolor rgb '{3}'\n",
        exact_number(point.x), placed.base, height, point.stroke.colour,
        gnuplot_string(point.label));
  }
  return script;
}

std::string frame_script(const LanePlot& plot, const Axis& axis, double frame_height) {
  const int key_rows = (static_cast<int>(plot.key.size()) + key_columns - 1) / key_columns;
  const double below = bottom + key_row * key_rows;
  const double height = top + frame_height + below;
  return fmt::format(
      "set terminal pngcairo enhanced size {:.0f},{:.0f} font 'DejaVu Sans,19' background rgb "
      "'white'\n"
      "set output image\n"
      "set border 3 linewidth 1.5 linecolor rgb '#404040'\n"
      "set tics nomirror out scale 0.6\n"
      "set grid xtics linecolor rgb '#C8C8C8' linewidth 1 dashtype 3\n"
      "set title {}\n"
      "set xlabel {}\n"
      "set logscale x\n"
      "set xrange [{}:{}]\n"
      "set yrange [0:{:.1f}]\n"
      "unset ytics\n"
      "set lmargin at screen {:.5f}\n"
      "set rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\n"
      "set bmargin at screen {:.5f}\n"
      "set key at screen 0.5, screen {:.5f} center bottom vertical maxrows {} Left reverse samplen "
      "1.5 spacing 1.15 width 2 font ',16' noenhanced\n"
      "set xtics ({})\n",
      width, height, gnuplot_string(plot.title), gnuplot_string(plot.x_label),
      exact_number(std::pow(10.0, axis.first)), exact_number(std::pow(10.0, axis.last)),
      frame_height, left / width, 1 - right / width, 1 - top / height, below / height, 8 / height,
      std::max(key_rows, 1), tics(axis));
}

/// The points, as data of their own each, and then what plots them and the key.
std::string points_script(const std::vector<PlacedLane>& placed, const std::vector<KeyEntry>& key) {
  std::string data, plot = "plot ";
  for (std::size_t l = 0; l < placed.size(); ++l) {
    for (std::size_t k = 0; k < placed[l].lane.points.size(); ++k) {
      const LanePoint& point = placed[l].lane.points[k];
      const std::string name = fmt::format("point{}_{}", l, k);
      data +=
          fmt::format("${} << END\n{} {:.1f}\nEND\n", name, exact_number(point.x), placed[l].base);
      plot += fmt::format("${} using 1:2 notitle with {}, \\\n     ", name,
                          style_of(point.stroke, false));
    }
  }
  for (const KeyEntry& entry : key) {
    plot += fmt::format("NaN title {} with {}, \\\n     ", gnuplot_string(entry.meaning),
                        style_of(entry.stroke, entry.line));
  }
  plot.resize(plot.rfind(','));
  return data + plot + "\n";
}

}  // namespace

std::vector<int> flag_rows(const std::vector<double>& begins, const std::vector<double>& widths) {
  std::vector<std::size_t> order(begins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return begins[a] > begins[b]; });
  // From the right: a label stands above all that begin before it ends, and so does not lie across
  // the lines that go up to them.
  std::vector<int> rows(begins.size(), 0);
  for (auto k = order.begin(); k != order.end(); ++k) {
    for (auto right = order.begin(); right != k; ++right) {
      if (begins[*right] < begins[*k] + widths[*k]) rows[*k] = std::max(rows[*k], rows[*right] + 1);
    }
  }
  return rows;
}

Picture write_lane_plot(const std::filesystem::path& image, const LanePlot& plot) {
  std::vector<Lane> lanes = plot.lanes;
  std::size_t points = 0;
  for (Lane& lane : lanes) {
    std::erase_if(lane.points, [](const LanePoint& point) { return !can_be_drawn(point); });
    points += lane.points.size();
  }
  if (points == 0) {
    return {.script = {},
            .image = image,
            .drawn = false,
            .remark = fmt::format("'{}' was not drawn: no lane has a point", image.string())};
  }
  const Axis axis = fitting_axis(lanes);
  const std::vector<PlacedLane> placed = place(lanes, axis);
  double frame_height = 0;
  for (const PlacedLane& lane : placed) frame_height += lane.height;
  std::string script = frame_script(plot, axis, frame_height);
  for (const PlacedLane& lane : placed) script += lane_script(lane, &lane == &placed.back());
  return draw(image, script + points_script(placed, plot.key));
}

}  // namespace ninefold
