#include "grids/grading.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "grids/long_sum.hpp"

namespace ninefold {
namespace {

/// Later steps divide by widths, and nobody bounds what subnormal numbers lose.
void require_normal(const std::vector<double>& widths) {
  require(*std::min_element(widths.begin(), widths.end()) >= std::numeric_limits<double>::min(),
          "the grid has a cell narrower than the smallest normal double: use fewer levels or a "
          "milder grading");
}

/// The parts of a cell that become its two halves, in order.
struct Split {
  double first = 0.5, second = 0.5;

  static Split at(double fraction) { return {fraction, 1.0 - fraction}; }
  Split mirrored() const { return {second, first}; }
};

/// Splits cell i at split(i).  The distances of old nodes are kept and those of new nodes take one
/// addition, so rounding grows with the number of levels, not of cells.
template <class F>
Line split_cells(const Line& coarse, const F& split) {
  const std::size_t n = coarse.width.size();
  Line fine;
  fine.width.resize(2 * n);
  fine.from_start.resize(2 * n + 1);
  fine.from_end.resize(2 * n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const Split parts = split(i);
    const double lower = parts.first * coarse.width[i], upper = parts.second * coarse.width[i];
    fine.width[2 * i] = lower;
    fine.width[2 * i + 1] = upper;
    fine.from_start[2 * i] = coarse.from_start[i];
    fine.from_start[2 * i + 1] = coarse.from_start[i] + lower;
    fine.from_end[2 * i] = coarse.from_end[i];
    fine.from_end[2 * i + 1] = coarse.from_end[i + 1] + upper;
  }
  fine.from_start.back() = coarse.from_start.back();
  fine.from_end.back() = 0.0;
  require_normal(fine.width);
  return fine;
}

Line halved(const Line& coarse) {
  return split_cells(coarse, [](std::size_t) { return Split{}; });
}

/// The next level of an anisotropic direction.  A single cell between two refined sides is halved.
Line anisotropic(const Line& coarse, double nu, RefinedEnds refined) {
  const std::size_t last = coarse.width.size() - 1;
  return split_cells(coarse, [=](std::size_t i) {
    const bool at_start = refined.start && i == 0, at_end = refined.end && i == last;
    if (at_start == at_end) return Split{};
    const Split split = Split::at(0.5 * nu);
    return at_start ? split : split.mirrored();
  });
}

/// The next level of a Shishkin direction: the layers are split off as soon as there are cells for
/// them, on level 1 at one side and on level 2 at two; all else is halving.
Line shishkin(const Line& coarse, double layer, RefinedEnds refined) {
  const std::size_t cells = coarse.width.size();
  if (refined.both() && cells == 2) {
    const Split split = Split::at(2 * layer);
    return split_cells(coarse, [=](std::size_t i) { return i == 0 ? split : split.mirrored(); });
  }
  if (!refined.both() && cells == 1) {
    const Split split = Split::at(layer);
    return split_cells(coarse,
                       [=](std::size_t) { return refined.start ? split : split.mirrored(); });
  }
  return halved(coarse);
}

std::vector<double> reversed(const std::vector<double>& values) {
  return {values.rbegin(), values.rend()};
}

/// A direction of n cells, a power of two, refined at its start.  Every difference of powers of the
/// ratio is an expm1, so that no digits cancel; and as i / n is exact, a node has the same bits on
/// all levels.
Line geometric_from_start(double length, std::size_t n, double ratio) {
  const long double logarithm = std::log(static_cast<long double>(ratio));
  const long double whole = std::expm1(logarithm);
  const auto exponent = [&](std::size_t i) {
    return static_cast<long double>(i) * logarithm / static_cast<long double>(n);
  };
  // (g^((i + k) / n) - g^(i / n)) / (g - 1), or what it tends to as g tends to 1
  const auto between = [&](std::size_t i, std::size_t k) {
    if (ratio == 1.0) return static_cast<long double>(k) / static_cast<long double>(n);
    return std::exp(exponent(i)) * std::expm1(exponent(k)) / whole;
  };
  Line line;
  for (std::size_t i = 0; i <= n; ++i) {
    if (i < n) line.width.push_back(static_cast<double>(length * between(i, 1)));
    line.from_start.push_back(static_cast<double>(length * between(0, i)));
    line.from_end.push_back(static_cast<double>(length * between(i, n - i)));
  }
  require_normal(line.width);
  return line;
}

Line geometric(double length, std::size_t n, double ratio, RefinedEnds refined) {
  if (!refined.both()) {
    Line line = geometric_from_start(length, n, ratio);
    if (refined.start) return line;
    return {reversed(line.width), reversed(line.from_end), reversed(line.from_start)};
  }
  if (n == 1) return make_line({length});
  const double half = 0.5 * length;
  Line line = geometric_from_start(half, n / 2, ratio);
  const std::vector<double> right = reversed(line.width), from_middle = reversed(line.from_end);
  line.width.insert(line.width.end(), right.begin(), right.end());
  for (std::size_t i = 1; i <= n / 2; ++i) line.from_start.push_back(half + from_middle[i]);
  line.from_end = reversed(line.from_start);
  return line;
}

}  // namespace

std::vector<Line> graded_lines(double length, int level, const GridGrading& grading,
                               RefinedEnds refined) {
  std::vector<Line> lines{make_line({length})};
  for (int l = 1; l <= level; ++l) {
    const Line& coarse = lines.back();
    Line fine;
    if (!refined.any()) {
      fine = halved(coarse);
    } else if (grading.kind == Grading::anisotropic) {
      fine = anisotropic(coarse, grading.nu, refined);
    } else if (grading.kind == Grading::geometric) {
      fine = geometric(length, std::size_t{1} << l, grading.expansion_ratio, refined);
    } else {
      fine = shishkin(coarse, grading.layer_width, refined);
    }
    lines.push_back(std::move(fine));
  }
  return lines;
}

std::vector<Line> own_lines(const std::vector<double>& widths, int level) {
  const std::size_t most = std::size_t{1} << max_level;
  require(widths.size() >= 2 && widths.size() <= most && std::has_single_bit(widths.size()), [&] {
    return fmt::format("{} cell widths are given; a power of two is possible, 2 to {}",
                       widths.size(), most);
  });
  const int own_level = std::countr_zero(widths.size());
  std::vector<Line> lines(static_cast<std::size_t>(level) + 1);
  Line own = make_line(widths);
  require_normal(own.width);
  for (int l = 0; l < own_level && l <= level; ++l) {
    // Each level from the widths themselves: its own are then off by one rounding only.
    Line& line = lines[static_cast<std::size_t>(l)];
    const std::size_t group = widths.size() >> l;
    for (std::size_t first = 0; first < widths.size(); first += group) {
      LongSum sum;
      for (std::size_t i = first; i < first + group; ++i) sum.add(widths[i]);
      line.width.push_back(sum.value().high);
      line.from_start.push_back(own.from_start[first]);
      line.from_end.push_back(own.from_end[first]);
    }
    line.from_start.push_back(own.from_start.back());
    line.from_end.push_back(0.0);
  }
  for (int l = own_level; l <= level; ++l) {
    std::vector<double> fine;
    for (const double width : widths) {
      fine.insert(fine.end(), std::size_t{1} << (l - own_level), std::ldexp(width, own_level - l));
    }
    require_normal(fine);
    lines[static_cast<std::size_t>(l)] = make_line(std::move(fine));
  }
  return lines;
}

}  // namespace ninefold
