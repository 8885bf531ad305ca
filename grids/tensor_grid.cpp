#include "grids/tensor_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "precision/number.hpp"

namespace ninefold {

namespace {

/// Splits every cell in two.  The distances of old nodes are kept and those of new nodes take one
/// addition, so rounding grows with the number of levels, not of cells.
Line refine(const Line& coarse, double nu, bool refine_start, bool refine_end) {
  const int n = coarse.cells();
  Line fine;
  fine.width.resize(2 * static_cast<std::size_t>(n));
  fine.from_start.resize(fine.width.size() + 1);
  fine.from_end.resize(fine.width.size() + 1);
  for (int i = 0; i < n; ++i) {
    const double width = coarse.width[i];
    const bool at_start = refine_start && i == 0;
    const bool at_end = refine_end && i == n - 1;
    double lower = 0.5 * width, upper = 0.5 * width;
    if (at_start && !at_end) {
      lower = 0.5 * nu * width;
      upper = (1.0 - 0.5 * nu) * width;
    } else if (at_end && !at_start) {
      lower = (1.0 - 0.5 * nu) * width;
      upper = 0.5 * nu * width;
    }
    require(
        upper >= std::numeric_limits<double>::min() && lower >= std::numeric_limits<double>::min(),
        "the grid has a cell narrower than the smallest normal double: use fewer levels or a "
        "larger anisotropy factor");
    fine.width[2 * i] = lower;
    fine.width[2 * i + 1] = upper;
    fine.from_start[2 * i] = coarse.from_start[i];
    fine.from_start[2 * i + 1] = coarse.from_start[i] + lower;
    fine.from_end[2 * i] = coarse.from_end[i];
    fine.from_end[2 * i + 1] = coarse.from_end[i + 1] + upper;
  }
  fine.from_start.back() = coarse.from_start.back();
  fine.from_end.back() = 0.0;
  return fine;
}

/// A sum of many words as three of them, the first two a normalised pair.
class LongSum {
 public:
  void add(double x) {
    const Rounded<double> first = two_sum(high_, x);
    const Rounded<double> second = two_sum(low_, first.error);
    const Rounded<double> pair = quick_two_sum(first.value, second.value);
    high_ = pair.value;
    low_ = pair.error;
    rest_ += second.error;
  }
  // Within u^2, for low + rest is rounded; what rest itself loses is below n^2 u^3 after n terms.
  DoubleDouble value() const { return DoubleDouble::normalise(high_, low_ + rest_); }

 private:
  double high_ = 0, low_ = 0, rest_ = 0;
};

}  // namespace

std::string_view to_string(Side side) {
  constexpr std::array<std::string_view, 4> names{"left", "right", "bottom", "top"};
  return names[static_cast<std::size_t>(side)];
}

Line make_line(std::vector<double> widths) {
  require(!widths.empty(), "a line needs at least one cell");
  for (const double width : widths) {
    require(std::isfinite(width) && width > 0,
            "a cell is " + std::to_string(width) + " wide; widths must be positive and finite");
  }
  Line line;
  const std::size_t n = widths.size();
  line.from_start.assign(n + 1, 0.0);
  line.from_end.assign(n + 1, 0.0);
  // long double keeps the sums of many widths correct to the last digit of a double.
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += static_cast<long double>(widths[i]);
    line.from_start[i + 1] = static_cast<double>(sum);
  }
  sum = 0;
  for (std::size_t i = n; i-- > 0;) {
    sum += static_cast<long double>(widths[i]);
    line.from_end[i] = static_cast<double>(sum);
  }
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
                                       const Refinement& refinement) {
  require(level >= 0 && level <= max_level, "level " + std::to_string(level)
                                                + " is out of range: 0 to "
                                                + std::to_string(max_level) + " are possible");
  require(std::isfinite(width) && width > 0 && std::isfinite(height) && height > 0,
          "the rectangle is " + std::to_string(width) + " x " + std::to_string(height)
              + "; both sizes must be positive and finite");
  require(
      refinement.nu > 0 && refinement.nu <= 1,
      "the anisotropy factor is " + std::to_string(refinement.nu) + "; 0 < nu <= 1 is possible");
  const auto refined = [&](Side side) {
    return std::find(refinement.sides.begin(), refinement.sides.end(), side)
           != refinement.sides.end();
  };
  std::vector<TensorGrid> grids{{make_line({width}), make_line({height})}};
  for (int l = 1; l <= level; ++l) {
    const TensorGrid& coarse = grids.back();
    TensorGrid fine{refine(coarse.x, refinement.nu, refined(Side::left), refined(Side::right)),
                    refine(coarse.y, refinement.nu, refined(Side::bottom), refined(Side::top))};
    grids.push_back(std::move(fine));
  }
  return grids;
}

}  // namespace ninefold
