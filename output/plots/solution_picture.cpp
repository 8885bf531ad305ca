#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "precision/number.hpp"

#include "output/plots/colours.hpp"
#include "output/plots/plot.hpp"
#include "output/plots/sampling.hpp"

namespace ninefold {

namespace {

constexpr int longer_side_samples = 257;

/// The canvas in pixels, with margins for the labels around a field that is drawn to scale.
std::string canvas(double aspect, bool with_title) {
  constexpr double longer = 720, shorter_at_least = 240;
  const double width = aspect >= 1 ? longer : std::max(longer * aspect, shorter_at_least);
  const double height = aspect <= 1 ? longer : std::max(longer / aspect, shorter_at_least);
  const double left = 130, right = 190, bottom = 95, top = with_title ? 70 : 30;
  const double total_width = left + width + right, total_height = bottom + height + top;
  return fmt::format(
      "set terminal pngcairo enhanced size {:.0f},{:.0f} font 'DejaVu Sans,19' background rgb "
      "'white'\n"
      "set output image\n"
      "set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n"
      "set bmargin at screen {:.6f}\nset tmargin at screen {:.6f}\n",
      total_width, total_height, left / total_width, (left + width) / total_width,
      bottom / total_height, (bottom + height) / total_height);
}

/// Ten contour lines between the extremes, none on them, where they would show rounding errors.
std::string contours(double lowest, double highest) {
  std::string text =
      "set contour base\nunset surface\nset cntrparam linear\nset cntrparam levels discrete ";
  for (int k = 1; k <= 10; ++k) {
    text += fmt::format("{}{:.17g}", k == 1 ? "" : ", ", lowest + k / 11.0 * (highest - lowest));
  }
  return text
         + "\nset table $contours\n"
           "splot $values using (x($1)):(y($2)):3 matrix\n"
           "unset table\n";
}

}  // namespace

Samples samples_to_draw(const TensorGrid& grid, const NodalValues<double>& values) {
  return sample(grid, values, longer_side_samples, 33);
}

Picture write_solution_picture(const TensorGrid& grid, const std::vector<double>& values,
                               const std::filesystem::path& image, const std::string& title) {
  return write_solution_picture(grid, samples_to_draw(grid, values), image, title);
}

Picture write_solution_picture(const TensorGrid& grid, const Samples& samples,
                               const std::filesystem::path& image, const std::string& title) {
  const double width = grid.x.from_start.back(), height = grid.y.from_start.back();
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  std::string matrix;
  for (std::size_t k = 0; k < samples.value.size(); ++k) {
    const double value = samples.value[k];
    if (std::isfinite(value)) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
      matrix += fmt::format("{:.6g}", value);
    } else {
      matrix += "NaN";
    }
    matrix += (k + 1) % static_cast<std::size_t>(samples.nx) == 0 ? '\n' : ' ';
  }
  if (lowest > highest) {
    return {.script = {},
            .image = image,
            .drawn = false,
            .remark = fmt::format("'{}' was not drawn: no value is finite", image.string())};
  }
  const bool constant = !(highest - lowest > 1e-6 * std::max(std::abs(lowest), std::abs(highest)));

  std::string script = canvas(width / height, !title.empty());
  if (!title.empty()) script += fmt::format("set title {} noenhanced\n", gnuplot_string(title));
  script += fmt::format("$values << END\n{}END\n", matrix);
  script += fmt::format("x(i) = {:.17g} * i / {}\ny(j) = {:.17g} * j / {}\n", width, samples.nx - 1,
                        height, samples.ny - 1);
  script += fmt::format("set xrange [0:{:.17g}]\nset yrange [0:{:.17g}]\n", width, height);
  if (!constant) {
    script += contours(lowest, highest);
    script += fmt::format("set cbrange [{:.17g}:{:.17g}]\n", lowest, highest);
  }
  script += "set palette defined (";
  for (std::size_t c = 0; c < viridis.size(); ++c) {
    script += fmt::format("{}{} '{}'", c == 0 ? "" : ", ", c, viridis[c]);
  }
  script +=
      ")\nset border linecolor rgb '#404040'\n"
      "set tics nomirror out scale 0.6\n"
      "set format cb '%g'\n"
      "set xlabel 'x'\n"
      "set ylabel 'y' norotate offset 1\n"
      "unset key\n"
      "plot $values using (x($1)):(y($2)):3 matrix with image";
  if (!constant) script += ", \\\n     $contours with lines linecolor rgb '#FFFFFF' linewidth 1";
  return draw(image, script + "\n");
}

}  // namespace ninefold
