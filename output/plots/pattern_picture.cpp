#include "output/plots/pattern_picture.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/plots/colours.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// The places of a direction that fall into a cell.
double places(std::int64_t cell, std::int64_t cells, std::int64_t n) {
  const auto start = [&](std::int64_t c) { return (c * n + cells - 1) / cells; };
  return static_cast<double>(start(cell + 1) - start(cell));
}

/// The cells as a block of gnuplot's data, empty ones as NaN.
std::string data_block(const std::string& name, const PatternDensity& density) {
  std::string text = fmt::format("${} << END\n", name);
  for (int y = 0; y < density.n_y; ++y) {
    for (int x = 0; x < density.n_x; ++x) {
      const double share = density.share[at(y) * at(density.n_x) + at(x)];
      text += (x > 0 ? " " : "") + (share > 0 ? fmt::format("{:.4g}", share) : "NaN");
    }
    text += '\n';
  }
  return text + "END\n";
}

/// One of `count` panels, from left to right.
std::string panel(int number, int count, const std::string& name, const std::string& heading,
                  const PatternDensity& density, const SparsePattern& pattern) {
  constexpr double left = 0.09, right = 0.87, gap = 0.09;
  const double width = (right - left - (count - 1) * gap) / count;
  const double start = left + number * (width + gap);
  return fmt::format(
      "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n"
      "set title {} noenhanced\n{}"
      "plot ${} using (1 + ($1 + 0.5) * {:.17g}):(1 + ($2 + 0.5) * {:.17g}):3 matrix with image\n",
      start, start + width, gnuplot_string(heading),
      number + 1 == count ? "set colorbox\n" : "unset colorbox\n", name,
      static_cast<double>(pattern.n_columns) / density.n_x,
      static_cast<double>(pattern.n_rows) / density.n_y);
}

}  // namespace

PatternDensity pattern_density(const SparsePattern& pattern, const std::vector<std::int32_t>& order,
                               int most_cells) {
  PatternDensity density{.n_x = std::min(pattern.n_columns, most_cells),
                         .n_y = std::min(pattern.n_rows, most_cells)};
  density.share.assign(at(density.n_x) * at(density.n_y), 0.0);
  std::vector<std::int32_t> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    position[at(order[k])] = static_cast<std::int32_t>(k);
  }
  const auto cell = [&](std::int32_t index, std::int64_t cells, std::int64_t n) {
    const std::int64_t place = position.empty() ? index : position[at(index)];
    return at(place * cells / n);
  };
  for (int i = 0; i < pattern.n_rows; ++i) {
    const std::size_t start = cell(i, density.n_y, pattern.n_rows) * at(density.n_x);
    for (const std::int32_t j : pattern.row(i)) {
      ++density.share[start + cell(j, density.n_x, pattern.n_columns)];
    }
  }
  for (int y = 0; y < density.n_y; ++y) {
    for (int x = 0; x < density.n_x; ++x) {
      density.share[at(y) * at(density.n_x) + at(x)] /=
          places(x, density.n_x, pattern.n_columns) * places(y, density.n_y, pattern.n_rows);
    }
  }
  return density;
}

Picture write_pattern_picture(const SparsePattern& pattern, const std::vector<std::int32_t>& order,
                              const std::string& order_name, const std::filesystem::path& image,
                              const std::string& title) {
  if (pattern.entries() == 0) {
    return {.script = {},
            .image = image,
            .drawn = false,
            .remark = fmt::format("'{}' was not drawn: there are no entries", image.string())};
  }
  std::vector<PatternDensity> densities{pattern_density(pattern, {})};
  if (!order.empty()) densities.push_back(pattern_density(pattern, order));
  double lowest = 1;
  for (const PatternDensity& density : densities) {
    for (const double share : density.share) {
      if (share > 0) lowest = std::min(lowest, share);
    }
  }
  const auto count = static_cast<int>(densities.size());
  std::string script = fmt::format(
      "set terminal pngcairo enhanced size {},820 font 'DejaVu Sans,19' background rgb 'white'\n"
      "set output image\n",
      count == 1 ? 960 : 1720);
  for (int k = 0; k < count; ++k) {
    script += data_block(fmt::format("pattern{}", k), densities[at(k)]);
  }
  script += "set palette defined (";
  for (std::size_t c = 0; c < viridis.size(); ++c) {  // dark where there are many
    script += fmt::format("{}{} '{}'", c == 0 ? "" : ", ", c, viridis[viridis.size() - 1 - c]);
  }
  script += fmt::format(
      ")\nset logscale cb\nset cbrange [{:.4g}:1]\nset format cb '%g'\n"
      "set cblabel 'entries per place'\n"
      "set border linecolor rgb '#404040'\nset tics nomirror out scale 0.6\nunset key\n"
      "set format x '%.0f'\nset format y '%.0f'\nset xtics {:.17g}\nset ytics {:.17g}\n"
      "set xrange [1:{}]\nset yrange [{}:1]\nset bmargin at screen 0.09\nset tmargin at screen "
      "0.83\n"
      "set multiplot title {} noenhanced\n",
      // One place of a single cell is no scale.
      std::min(lowest, 0.5), std::max(1.0, pattern.n_columns / 4.0),
      std::max(1.0, pattern.n_rows / 4.0), pattern.n_columns + 1.0, pattern.n_rows + 1.0,
      gnuplot_string(title));
  script += panel(0, count, "pattern0", "as given", densities[0], pattern);
  if (count > 1) script += panel(1, count, "pattern1", order_name, densities[1], pattern);
  return draw(image, script + "unset multiplot\n");
}

}  // namespace ninefold
