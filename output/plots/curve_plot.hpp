#pragma once
// Pictures of curves over refinement levels, other whole numbers, or a logarithm.
//
// Shape.  Curves lie over each other in the order in which they are given, marks over all curves.
// Names stand right of the frame, at the heights of the ends, moved apart where they would touch;
// those of curves that end inside it stand there only where they hide nothing.
// The key explains the kinds of lines, and curves without a name; a logarithmic y is shown further
// where it would hide some.
//
// Tests.  tests/output/plots/curve_plot_test.cpp

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "output/plots/gnuplot.hpp"

namespace ninefold {

/// How a curve or a sample of the key is drawn.
struct Stroke {
  std::string colour = "#000000";
  double width = 3;
  bool dashed = false;
  int point = 0;      ///< gnuplot's number of the symbol, 0 for none
  double size = 1.7;  ///< of the symbol
};

struct Curve {
  std::string name;  ///< at the end; empty for none
  Stroke stroke{};
  std::vector<std::pair<double, double>> points;  ///< x and y; with a logarithm or left out
};

/// A symbol at one place.
struct Mark {
  double x = 0, y = 0;
  Stroke stroke{};  ///< colour and point
};

/// A line or symbol of the key, with its meaning.
struct KeyEntry {
  std::string meaning;
  Stroke stroke{};
  bool line = true;  ///< false: the symbol alone
};

enum class KeyCorner { top_right, bottom_left, top_left };

struct CurvePlot {
  std::string title{}, x_label{}, y_label{};
  std::vector<Curve> curves{};
  std::vector<Mark> marks{};
  std::vector<KeyEntry> key{};
  KeyCorner key_corner = KeyCorner::bottom_left;
  bool logarithmic = true;  ///< y
  bool logarithmic_x = false;
  int x_step = 1;                      ///< between the numbers along x, where it has no logarithm
  double least_y = 0, greatest_y = 0;  ///< what y shows; both 0: all
};

/// Draws the picture; not drawn, with a remark, if no curve has a point.
Picture write_curve_plot(const std::filesystem::path& image, const CurvePlot& plot);

/// What follows gnuplot's `with` for a line, a symbol, or both.
std::string style_of(const Stroke& stroke, bool line);

/// `heights` moved so that each two are at least `distance` apart, in the same order, by little;
/// those that are far from all others stay where they are.
std::vector<double> moved_apart(const std::vector<double>& heights, double distance);

}  // namespace ninefold
