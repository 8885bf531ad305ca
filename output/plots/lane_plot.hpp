#pragma once
// Pictures of points in lanes, one lane per kind, along a logarithmic x; each point is labelled.
//
// Shape.  Lanes lie over each other, the first on top, named at the left.  A label stands over its
// point like a flag: it begins at the point's x, in the lowest row where it hides no other, joined
// to the point by a line.  A lane is as high as its labels need.
//
// Tests.  tests/output/plots/lane_plot_test.cpp

#include <filesystem>
#include <string>
#include <vector>

#include "output/plots/curve_plot.hpp"
#include "output/plots/gnuplot.hpp"

namespace ninefold {

struct LanePoint {
  double x = 1;  ///< not drawn unless finite and above zero
  std::string label{};
  Stroke stroke{};  ///< colour and point
};

struct Lane {
  std::string name{}, remark{};  ///< the remark stands under the name
  std::vector<LanePoint> points{};
};

struct LanePlot {
  std::string title{}, x_label{};
  std::vector<Lane> lanes{};
  std::vector<KeyEntry> key{};  ///< of symbols; stands under the picture
};

/// Draws the picture; not drawn, with a remark, if no lane has a point.
Picture write_lane_plot(const std::filesystem::path& image, const LanePlot& plot);

/// The row of each label, 0 the lowest, for labels that begin at `begins` and are as wide as
/// `widths`: no two of a row overlap, and no line from below to a label's beginning crosses another
/// label.
std::vector<int> flag_rows(const std::vector<double>& begins, const std::vector<double>& widths);

}  // namespace ninefold
