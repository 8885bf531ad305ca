#include "output/plots/heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "output/plots/colours.hpp"

namespace ninefold {
namespace {

// In pixels of the picture, whose origin is the top left corner.
constexpr double width = 1500, left = 140, right = 12, top = 104, gap = 16;
constexpr double cell_height = 37, below_panels = 74, scale_row = 62, mark_row = 32, bottom = 12;
constexpr double scale_height = 22;

/// The logarithms that the colours span.
struct Scale {
  double first = std::numeric_limits<double>::infinity(), last = -first;

  double place(double value) const {
    return last > first ? (std::log10(value) - first) / (last - first) : 0.0;
  }
};

bool has_colour(const HeatCell& cell) {
  return cell.value && std::isfinite(*cell.value) && *cell.value > 0;
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

void check(const HeatMap& map) {
  require(map.panels.size() == map.row_heads.size(), "one row of panels for each row head");
  for (const auto& row : map.panels) {
    require(row.size() == map.column_heads.size(), "one panel for each column head");
    for (const HeatPanel& panel : row) {
      require(panel.rows.size() == map.y_names.size(), "one row of cells for each name of y");
      for (const auto& cells : panel.rows) {
        require(cells.size() == map.x_names.size(), "one cell for each name of x");
        for (const HeatCell& cell : cells) {
          require(has_colour(cell) || cell.label.empty() || cell.mark < map.marks.size(),
                  "a cell without a value needs a mark");
        }
      }
    }
  }
}

Scale scale_of(const HeatMap& map) {
  Scale scale;
  for (const auto& row : map.panels) {
    for (const HeatPanel& panel : row) {
      for (const auto& cells : panel.rows) {
        for (const HeatCell& cell : cells) {
          if (!has_colour(cell)) continue;
          scale.first = std::min(scale.first, std::log10(*cell.value));
          scale.last = std::max(scale.last, std::log10(*cell.value));
        }
      }
    }
  }
  return scale;
}

/// A script whose coordinates are pixels.
class Sheet {
 public:
  explicit Sheet(double height)
      : script_(fmt::format(
          "set terminal pngcairo enhanced size {:.0f},{:.0f} font 'DejaVu Sans,19' background rgb "
          "'white'\n"
          "set output image\n"
          "unset border\nunset tics\nunset key\n"
          "set lmargin at screen 0\nset rmargin at screen 1\n"
          "set tmargin at screen 1\nset bmargin at screen 0\n"
          "set xrange [0:{:.0f}]\nset yrange [{:.0f}:0]\n",
          width, height, width, height)) {}

  void rectangle(double x, double y, double w, double h, const std::string& fill,
                 const std::string& edge = "") {
    script_ += fmt::format(
        "set object rectangle from {:.1f},{:.1f} to {:.1f},{:.1f} front fillcolor rgb '{}' "
        "fillstyle solid {}\n",
        x, y, x + w, y + h, fill,
        edge.empty() ? "noborder" : fmt::format("border linecolor rgb '{}'", edge));
  }

  /// `where` is gnuplot's: left, center or right, perhaps rotated.
  void text(const std::string& words, double x, double y, const std::string& where,
            const std::string& font = ",16", const std::string& colour = "#202020") {
    if (words.empty()) return;
    script_ += fmt::format(
        "set label {} at {:.1f},{:.1f} {} front noenhanced font '{}' textcolor "
        "rgb '{}'\n",
        gnuplot_string(words), x, y, where, font, colour);
  }

  std::string finish() const { return script_ + "plot NaN notitle\n"; }

 private:
  std::string script_;
};

/// The largest font in which a label fits into its cell.
int font_size(const std::string& label, double cell_width, double largest) {
  constexpr double letter = 0.86, dash = 0.48;  // widths over the size of the font
  double length = 0;
  for (const char c : label) length += c == '-' ? dash : letter;
  return static_cast<int>(std::clamp((cell_width - 3) / std::max(length, letter), 8.0, largest));
}

void draw_cell(Sheet& sheet, const HeatMap& map, const Scale& scale, const HeatCell& cell, double x,
               double y, double cell_width) {
  if (!has_colour(cell) && cell.label.empty()) return;
  std::string fill, ink;
  if (has_colour(cell)) {
    const HeatColour colour = heat_colour(scale.place(*cell.value));
    fill = colour.code;
    ink = colour.light ? "#000000" : "#FFFFFF";
  } else {
    fill = map.marks[cell.mark].fill;
    ink = map.marks[cell.mark].ink;
  }
  sheet.rectangle(x, y, cell_width - 1.5, cell_height - 1.5, fill);
  sheet.text(cell.label, x + (cell_width - 1.5) / 2, y + cell_height / 2, "center",
             fmt::format(",{}", font_size(cell.label, cell_width, has_colour(cell) ? 18 : 15)),
             ink);
}

/// Colours from few to many, with 1, 2 and 5 times the powers of ten, or these alone.
void draw_scale(Sheet& sheet, const HeatMap& map, const Scale& scale, double y) {
  constexpr int steps = 160;
  const double bar = 0.45 * width, start = width - right - bar;
  sheet.text(map.scale_label, start - 16, y + scale_height / 2, "right", ",17");
  for (int k = 0; k < steps; ++k) {
    sheet.rectangle(start + k * bar / steps, y, bar / steps + 0.7, scale_height,
                    heat_colour((k + 0.5) / steps).code);
  }
  constexpr double most_decades = 3.5;  // whose numbers have room side by side
  for (int decade = static_cast<int>(std::floor(scale.first)); decade <= scale.last; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit > 1 && scale.last - scale.first > most_decades) continue;
      const double value = digit * std::pow(10.0, decade), place = scale.place(value);
      if (place < -1e-9 || place > 1 + 1e-9 || scale.last <= scale.first) continue;
      sheet.rectangle(start + place * bar - 0.7, y + scale_height, 1.4, 6, "#404040");
      sheet.text(fmt::format("{:g}", value), start + place * bar, y + scale_height + 18, "center",
                 ",15");
    }
  }
}

}  // namespace

HeatColour heat_colour(double place) {
  const double at =
      (1 - std::clamp(place, 0.0, 1.0)) * (static_cast<double>(viridis.size()) - 1);  // light first
  const std::size_t lower = std::min(static_cast<std::size_t>(at), viridis.size() - 2);
  const double share = at - static_cast<double>(lower);
  std::array<double, 3> rgb{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto channel = [&](std::size_t step) {
      return static_cast<double>(
          std::stoi(std::string(viridis[step].substr(1 + 2 * k, 2)), nullptr, 16));
    };
    rgb[k] = (1 - share) * channel(lower) + share * channel(lower + 1);
  }
  const double luminance = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];
  return {fmt::format("#{:02X}{:02X}{:02X}", std::lround(rgb[0]), std::lround(rgb[1]),
                      std::lround(rgb[2])),
          luminance > 125};
}

Picture write_heat_map(const std::filesystem::path& image, const HeatMap& map) {
  check(map);
  const Scale scale = scale_of(map);
  if (scale.first > scale.last) {
    return {.script = {},
            .image = image,
            .drawn = false,
            .remark = fmt::format("'{}' was not drawn: no cell has a value", image.string())};
  }
  const auto columns = static_cast<double>(map.column_heads.size());
  const auto rows = static_cast<double>(map.row_heads.size());
  const double panel_width = (width - left - right - (columns - 1) * gap) / columns;
  const double panel_height = cell_height * static_cast<double>(map.y_names.size());
  const double cell_width = panel_width / static_cast<double>(map.x_names.size());
  const double end = top + rows * panel_height + (rows - 1) * gap;
  Sheet sheet(end + below_panels + scale_row + mark_row * static_cast<double>(map.marks.size())
              + bottom);
  sheet.text(map.title, width / 2, 30, "center", "DejaVu Sans,21");
  for (std::size_t r = 0; r < map.panels.size(); ++r) {
    const double y0 = top + static_cast<double>(r) * (panel_height + gap);
    sheet.text(map.row_heads[r], 20, y0 + panel_height / 2, "center rotate by 90",
               "DejaVu Sans Bold,18");
    sheet.text(map.y_label, 50, y0 + panel_height / 2, "center rotate by 90", ",16", "#404040");
    for (std::size_t j = 0; j < map.y_names.size(); ++j) {
      const double y = y0 + static_cast<double>(j) * cell_height;
      sheet.text(map.y_names[j], left - 10, y + cell_height / 2, "right");
      for (std::size_t p = 0; p < map.panels[r].size(); ++p) {
        const double x0 = left + static_cast<double>(p) * (panel_width + gap);
        for (std::size_t i = 0; i < map.x_names.size(); ++i) {
          draw_cell(sheet, map, scale, map.panels[r][p].rows[j][i],
                    x0 + static_cast<double>(i) * cell_width, y, cell_width);
        }
      }
    }
  }
  for (std::size_t p = 0; p < map.column_heads.size(); ++p) {
    const double x0 = left + static_cast<double>(p) * (panel_width + gap);
    sheet.text(map.column_heads[p], x0 + panel_width / 2, top - 26, "center",
               "DejaVu Sans Bold,18");
    for (std::size_t i = 0; i < map.x_names.size(); ++i) {
      sheet.text(map.x_names[i], x0 + (static_cast<double>(i) + 0.5) * cell_width, end + 18,
                 "center");
    }
    sheet.text(map.x_label, x0 + panel_width / 2, end + 44, "center", ",16", "#404040");
  }
  draw_scale(sheet, map, scale, end + below_panels);
  for (std::size_t k = 0; k < map.marks.size(); ++k) {
    const double y = end + below_panels + scale_row + mark_row * static_cast<double>(k);
    sheet.rectangle(left, y, 44, mark_row - 8, map.marks[k].fill, "#808080");
    sheet.text(map.marks[k].meaning, left + 60, y + (mark_row - 8) / 2, "left", ",16");
  }
  return draw(image, sheet.finish());
}

}  // namespace ninefold
