#pragma once
// Pictures of panels of cells, each coloured by a value on a logarithmic scale and labelled.
//
// Shape.  Panels stand in rows, the first on top, below the heads of their columns and beside those
// of their rows; all have the same cells.  In a panel y runs from top to bottom.  A cell without a
// value is filled as its mark says; the marks are explained under the picture, beside the scale.
//
// Tests.  tests/output/plots/heat_map_test.cpp

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "output/plots/gnuplot.hpp"

namespace ninefold {

struct HeatCell {
  std::string label{};
  std::optional<double> value{};  ///< its colour, if finite and above zero
  std::size_t mark = 0;           ///< of a cell without one
};

/// What stands for a value that is not there.
struct HeatMark {
  std::string meaning{};
  std::string fill = "#E3E3E3", ink = "#404040";
};

struct HeatPanel {
  std::vector<std::vector<HeatCell>>
      rows{};  ///< one cell for each x in each; an empty one is blank
};

struct HeatMap {
  std::string title{}, x_label{}, y_label{};
  std::vector<std::string> x_names{}, y_names{};  ///< of the cells of every panel
  std::vector<std::string> column_heads{}, row_heads{};
  std::vector<std::vector<HeatPanel>> panels{};  ///< one row of panels for each row head
  std::string scale_label{};                     ///< what the colours count
  std::vector<HeatMark> marks{};
};

/// Draws the picture; not drawn, with a remark, if no cell has a value.  Throws
/// std::invalid_argument if the numbers of panels and cells are not those of the heads and names,
/// or a mark is missing.
Picture write_heat_map(const std::filesystem::path& image, const HeatMap& map);

/// The colour at `place` between 0, light, and 1, dark, as "#RRGGBB"; whether black is read better
/// on it than white.
struct HeatColour {
  std::string code;
  bool light;
};
HeatColour heat_colour(double place);

}  // namespace ninefold
