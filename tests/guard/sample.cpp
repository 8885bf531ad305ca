#include "tests/guard/sample.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ninefold::guard {
namespace {

bool is_narrow(Precision p) {
  return facts(p).max_exponent < 100;
}

/// 1, 2 or 5 times a power of ten.
double draw_tolerance(Draw& draw, double low, double high) {
  const int exponent = static_cast<int>(std::floor(draw.between(low, high)));
  return std::min(0.5, std::stod(fmt::format("{}e{}", draw.one_of<int>({1, 1, 2, 5}), exponent)));
}

void draw_domain(Draw& draw, Configuration& c) {
  using Size = std::pair<double, double>;
  const bool narrow = is_narrow(c.solver.precision) && draw.chance(0.85);
  const auto [width, height] = draw.weighted<Size>({{60, {1.0, 1.0}},
                                                    {12, {2.0, 0.5}},
                                                    {narrow ? 0.0 : 12.0, {1.0, 1000.0}},
                                                    {narrow ? 0.0 : 12.0, {1e-6, 1.0}}});
  c.width = width;
  c.height = height;
}

std::vector<Side> draw_sides(Draw& draw) {
  std::vector<Side> sides;
  for (const Side side : all_sides) {
    if (draw.chance(0.45)) sides.push_back(side);
  }
  if (sides.empty()) sides.push_back(draw.one_of<Side>({all_sides.begin(), all_sides.end()}));
  return sides;
}

/// Widths of 2^level cells: a few thin ones among equal ones, or all over some orders.
std::vector<double> draw_widths(Draw& draw, int level) {
  std::vector<double> widths(std::size_t{1} << level, std::ldexp(1.0, -level));
  const int kind = draw.integer(0, 3);
  if (kind == 0) {
    widths.front() = draw.power(-18, -3);
  } else if (kind == 1) {
    for (int thin = draw.integer(1, 3); thin > 0; --thin) {
      widths[static_cast<std::size_t>(draw.integer(0, (1 << level) - 1))] = draw.power(-18, -3);
    }
  } else {
    const double orders = kind == 2 ? 4 : 18;
    for (double& width : widths) width = draw.power(-orders, 0);
  }
  return widths;
}

/// For the size of a direction; the sum that the files state is the same to 12 digits.
double sum_of(const std::vector<double>& widths) {
  long double sum = 0;
  for (const double width : widths) sum += width;
  return static_cast<double>(sum);
}

bool draw_own_widths(Draw& draw, Configuration& c) {
  const int which = draw.integer(0, 2);
  if (which != 1) {
    c.grading.x_widths = draw_widths(draw, c.last_level);
    c.x_widths = "x_widths.txt";
    c.width = sum_of(c.grading.x_widths);
  }
  if (which != 0) {
    c.grading.y_widths = draw_widths(draw, c.last_level);
    c.y_widths = "y_widths.txt";
    c.height = sum_of(c.grading.y_widths);
  }
  return true;
}

}  // namespace

void draw_format(Draw& draw, Configuration& c) {
  using P = Precision;
  c.solver.precision = draw.weighted<P>({{40, P::double_},
                                         {12, P::single_},
                                         {10, P::double_double},
                                         {8, P::double_single},
                                         {5, P::bfloat16},
                                         {4, P::half},
                                         {4, P::soft(23, 8)},
                                         {4, P::soft(30, 11)},
                                         {4, P::soft(draw.integer(14, 50), 11)},
                                         {3, P::soft(draw.integer(14, 50), 8)}});
  c.solver.form = draw.one_of<std::optional<OperatorForm>>(
      {std::nullopt, OperatorForm::plain, OperatorForm::difference});
  const double digits = std::log10(facts(c.solver.precision).unit_roundoff);
  const double lowest = std::max(-13.0, digits);
  const bool out_of_reach = draw.chance(0.1);
  c.solver.tolerance = out_of_reach ? draw_tolerance(draw, -13, lowest)
                                    : draw_tolerance(draw, std::min(-2.0, lowest + 3),
                                                     std::max(-4.0, std::min(-1.0, lowest + 4)));
  int level = draw.weighted<int>({{20, 2}, {25, 3}, {30, 4}, {20, 5}, {4, 6}});
  if (c.solver.precision.kind() == P::Kind::soft) level = std::min(level, 4);
  c.first_level = c.last_level = level;
}

bool draw_grid(Draw& draw, Configuration& c) {
  draw_domain(draw, c);
  enum class Kind { uniform, anisotropic, geometric, shishkin, own };
  using enum Kind;
  const bool narrow = is_narrow(c.solver.precision) && draw.chance(0.85);
  const Kind kind = draw.weighted<Kind>({{25, uniform},
                                         {30, anisotropic},
                                         {narrow ? 5 : 15, geometric},
                                         {narrow ? 0.0 : 12.0, shishkin},
                                         {narrow ? 0 : 18, own}});
  GridGrading& grading = c.grading;
  if (kind == uniform) return c.width / c.height > 10 || c.height / c.width > 10;
  if (kind == own) return draw_own_widths(draw, c);
  grading.sides = draw_sides(draw);
  if (kind == anisotropic) {
    grading.nu = draw.power(narrow ? -0.5 : -3, -0.01);
    return grading.nu < 0.5;
  }
  if (kind == geometric) {
    grading.kind = Grading::geometric;
    grading.expansion_ratio = draw.power(0.1, narrow ? 1 : 12);
    return grading.expansion_ratio > 10;
  }
  grading.kind = Grading::shishkin;
  grading.layer_width = draw.power(-10, std::log10(widest_layer(true)));
  return grading.layer_width < 0.05;
}

Configuration draw_configuration(std::uint64_t seed) {
  Draw draw(seed);
  Configuration c;
  c.backend = "host";
  draw_format(draw, c);
  const bool wild = draw_grid(draw, c);
  draw_problem(draw, c);
  draw_solver(draw, wild || c.problem.gx != c.problem.gy, c);
  draw_norm(draw, c);
  return c;
}

std::string config_file(const Configuration& c) {
  std::string text;
  const auto show = [&](const std::string& file, const std::vector<double>& widths) {
    if (!widths.empty()) text += fmt::format("# {}: {}\n", file, fmt::join(widths, " "));
  };
  show(c.x_widths, c.grading.x_widths);
  show(c.y_widths, c.grading.y_widths);
  Configuration shown = c;  // the widths' own sums are the size
  if (!c.grading.x_widths.empty()) shown.width = Configuration{}.width;
  if (!c.grading.y_widths.empty()) shown.height = Configuration{}.height;
  const Options defaults = all_options(Configuration{});
  Options options = all_options(shown);
  std::erase_if(options, [&](const auto& option) {
    return std::find(defaults.begin(), defaults.end(), option) != defaults.end();
  });
  return text + to_toml(options);
}

}  // namespace ninefold::guard
