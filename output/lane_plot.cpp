#include "output/lane_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "output/table.hpp"

namespace ninefold {
namespace {

// In pixels of the picture.
constexpr double width = 1500, left = 285, right = 20, top = 80, row = 24, under_points = 22;
constexpr double frame_width = width - left - right;
constexpr double letter = 10.2;  // of a label, on average
constexpr double bottom = 120, key_row = 30;

/// The decades of x, as drawn.
struct Axis {
  double first = 0, last = 1;
  double pixel(double x) const {
    return frame_width * (std::log10(x) - first) / (last - first);
  }
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

}  // namespace

std::vector<int> flag_rows(const std::vector<double>& begins, const std::vector<double>& widths) {
  std::vector<std::size_t> order(begins.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return begins[a] > begins[b]; });
  // From the right: what is to the right of a label in its row and below begins after its end.
  std::vector<double> next_begin;  // of each row
  std::vector<int> rows(begins.size());
  for (const std::size_t k : order) {
    std::size_t free = 0;
    while (free < next_begin.size() && next_begin[free] < begins[k] + widths[k]) ++free;
    if (free == next_begin.size()) next_begin.emplace_back();
    next_begin[free] = begins[k];
    // A line to a higher label, further left, would cross none of the rows below it; one that
    // begins further right and higher up must not cross this label.
    for (std::size_t higher = free + 1; higher < next_begin.size(); ++higher) {
      if (next_begin[higher] < begins[k] + widths[k]) {
        next_begin[free] = begins[k];
        free = next_begin.size();
        next_begin.emplace_back(begins[k]);
        break;
      }
    }
    rows[k] = static_cast<int>(free);
  }
  return rows;
}
