#include "grids/tensor_grid.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "grids/grading.hpp"
#include "grids/long_sum.hpp"

namespace ninefold {

namespace {

void require_size(double size, const Line& line, const char* direction) {
  const double sum = line.from_start.back();
  require(agrees(size, sum), [&] {
    return fmt::format(
        "the cell widths in {} add up to {}, but the rectangle is {} long in that "
        "direction",
        direction, sum, size);
  });
}

}  // namespace

std::string_view to_string(Side side) {
  constexpr std::array<std::string_view, 4> names{"left", "right", "bottom", "top"};
  return names[static_cast<std::size_t>(side)];
}

std::string_view to_string(Grading grading) {
  switch (grading) {
    case Grading::anisotropic:
      return "anisotropic";
    case Grading::geometric:
      return "geometric";
    case Grading::shishkin:
      return "shishkin";
  }
  throw std::logic_error("a grading without a name");
}

Line make_line(std::vector<double> widths) {
  require(!widths.empty(), "a line needs at least one cell");
  for (const double width : widths) {
    if (std::isfinite(width) && width > 0) continue;
    throw std::invalid_argument(
        fmt::format("a cell is {} wide; widths must be positive and finite", width));
  }
  Line line;
  const std::size_t n = widths.size();
  line.from_start.assign(n + 1, 0.0);
  line.from_end.assign(n + 1, 0.0);
  LongSum from_start, from_end;
  for (std::size_t i = 0; i < n; ++i) {
    from_start.add(widths[i]);
    line.from_start[i + 1] = from_start.value().high;
    from_end.add(widths[n - 1 - i]);
    line.from_end[n - 1 - i] = from_end.value().high;
  }
  require(std::isfinite(line.from_start[n]), "the cell widths add up to more than a double holds");
  line.width = std::move(widths);
  return line;
}

template <>
Distances<double> distances(const Line& line) {
  return {line.from_start, line.from_end};
}

template <>
Distances<DoubleDouble> distances(const Line& line) {
  const std::size_t n = line.width.size();
  Distances<DoubleDouble> result{std::vector<DoubleDouble>(n + 1, 0),
                                 std::vector<DoubleDouble>(n + 1, 0)};
  LongSum from_start, from_end;
  for (std::size_t i = 0; i < n; ++i) {
    from_start.add(line.width[i]);
    result.from_start[i + 1] = from_start.value();
    from_end.add(line.width[n - 1 - i]);
    result.from_end[n - 1 - i] = from_end.value();
  }
  return result;
}

double TensorGrid::h_min() const {
  return std::min(*std::min_element(x.width.begin(), x.width.end()),
                  *std::min_element(y.width.begin(), y.width.end()));
}

double TensorGrid::max_aspect_ratio() const {
  const auto [x_min, x_max] = std::minmax_element(x.width.begin(), x.width.end());
  const auto [y_min, y_max] = std::minmax_element(y.width.begin(), y.width.end());
  return std::max(*x_max / *y_min, *y_max / *x_min);
}

std::vector<TensorGrid> make_hierarchy(double width, double height, int level,
                                       const GridGrading& grading) {
  require_value(level >= 0 && level <= max_level, Parameter::levels, level, "0 to {}", max_level);
  for (const auto& [parameter, size] :
       {std::pair{Parameter::width, width}, std::pair{Parameter::height, height}}) {
    require_value(std::isfinite(size) && size > 0, parameter, size,
                  "the rectangle is {} x {}, and both must be positive and finite", width, height);
  }
  require_value(grading.nu > 0 && grading.nu <= 1, Parameter::anisotropy, grading.nu,
                "greater than 0, at most 1");
  require_value(std::isfinite(grading.expansion_ratio) && grading.expansion_ratio >= 1,
                Parameter::expansion_ratio, grading.expansion_ratio,
                "an expansion ratio is at least 1");
  const auto refined = [&](Side side) {
    return std::find(grading.sides.begin(), grading.sides.end(), side) != grading.sides.end();
  };
  const auto lines = [&](double size, const std::vector<double>& own, RefinedEnds ends,
                         const char* direction) {
    if (!own.empty()) {
      std::vector<Line> levels = own_lines(own, level);
      require_size(size, levels.front(), direction);
      return levels;
    }
    const double widest = widest_layer(ends.start && ends.end);
    const bool layered = grading.kind == Grading::shishkin && ends.any();
    require_value(!layered || (grading.layer_width > 0 && grading.layer_width <= widest),
                  Parameter::layer_width, grading.layer_width,
                  "layers in {} are more than 0 and at most {} of its length", direction, widest);
    return graded_lines(size, level, grading, ends);
  };
  auto x = lines(width, grading.x_widths, {refined(Side::left), refined(Side::right)}, "x");
  auto y = lines(height, grading.y_widths, {refined(Side::bottom), refined(Side::top)}, "y");
  std::vector<TensorGrid> grids;
  for (std::size_t l = 0; l < x.size(); ++l) grids.push_back({std::move(x[l]), std::move(y[l])});
  return grids;
}

std::vector<double> first_shares(const Line& line) {
  std::vector<double> shares(line.width.size() / 2);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double first = line.width[2 * k];
    shares[k] = first / (first + line.width[2 * k + 1]);
  }
  return shares;
}

}  // namespace ninefold
