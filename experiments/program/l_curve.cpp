#include "experiments/program/l_curve.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output/tables/files.hpp"

namespace ninefold {

namespace {

constexpr std::string_view lambda_key = "least_squares.regularisation";
constexpr std::size_t least_points = 3;

/// A power of ten, but for rounding.
bool is_decade(double lambda) {
  const double power = std::log10(lambda);
  return std::abs(power - std::round(power)) < 1e-9;
}

}  // namespace

std::string without_l_curve(const std::vector<Plan>& plans) {
  std::vector<std::string> others;
  bool differ = false;
  for (const auto& [key, unused] : plans.front().varied) {
    if (key == lambda_key) {
      differ = true;
    } else {
      others.push_back(key);
    }
  }
  if (!differ) return "";
  if (!others.empty()) {
    return fmt::format("there is no L-curve: {} {}, too; it is that of a study of {} alone",
                       fmt::join(others, ", "), others.size() == 1 ? "varies" : "vary", lambda_key);
  }
  if (plans.size() >= least_points) return "";
  return fmt::format("there is no L-curve of {} lambda: it takes {}", plans.size(), least_points);
}

bool has_logarithms(const LCurvePoint& point) {
  const auto is_good = [](double v) { return v > 0 && std::isfinite(v); };
  return is_good(point.lambda) && is_good(point.residual) && is_good(point.size);
}

std::vector<LCurvePoint> sorted_l_curve(std::vector<LCurvePoint> points) {
  std::erase_if(points, [](const LCurvePoint& p) { return !has_logarithms(p); });
  std::stable_sort(points.begin(), points.end(),
                   [](const LCurvePoint& a, const LCurvePoint& b) { return a.lambda < b.lambda; });
  return points;
}

std::optional<std::size_t> l_curve_corner(const std::vector<LCurvePoint>& points) {
  if (points.size() < least_points) return {};
  const auto x = [&](std::size_t k) { return std::log(points[k].residual); };
  const auto y = [&](std::size_t k) { return std::log(points[k].size); };
  constexpr double least_sine = 0.05;
  std::optional<std::size_t> corner;
  double sharpest = 0;
  for (std::size_t j = 1; j + 1 < points.size(); ++j) {
    const double ux = x(j) - x(j - 1), uy = y(j) - y(j - 1);
    const double vx = x(j + 1) - x(j), vy = y(j + 1) - y(j);
    const double u = std::hypot(ux, uy), v = std::hypot(vx, vy), w = std::hypot(ux + vx, uy + vy);
    if (u == 0 || v == 0 || w == 0) continue;
    // From upper left to lower right an L turns to the left.
    const double sine = (ux * vy - uy * vx) / (u * v), curvature = 2 * sine / w;
    if (sine < least_sine || curvature <= sharpest) continue;
    sharpest = curvature;
    corner = j;
  }
  return corner;
}

Figure l_curve_figure(const std::vector<LCurvePoint>& points, std::optional<std::size_t> corner) {
  Figure figure{.title = "L-curve",
                .description =
                    "the size of the solution over that of the residual; lambda stands "
                    "beside the points",
                .x_label = "|A x - b|",
                .y_label = "|L x|",
                .logarithmic_x = true};
  constexpr std::size_t few = 8;
  FigureSeries curve{"lambda, from left to right larger", {}};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const LCurvePoint& point = points[k];
    const bool is_end = k == 0 || k + 1 == points.size();
    const bool is_named = points.size() <= few || is_end || corner == k || is_decade(point.lambda);
    curve.points.push_back({point.residual, point.size, "#" + identifier(point.run),
                            is_named ? fmt::format("{:.3g}", point.lambda) : ""});
  }
  figure.series.push_back(std::move(curve));
  if (corner) {
    const LCurvePoint& point = points[*corner];
    figure.series.push_back({fmt::format("corner: lambda = {:.3g}", point.lambda),
                             {{point.residual, point.size, "#" + identifier(point.run)}}});
  }
  return figure;
}

std::string l_curve_csv(const std::vector<LCurvePoint>& points, std::optional<std::size_t> corner) {
  std::string text = "run,lambda,residual_norm,solution_norm,corner\n";
  for (std::size_t k = 0; k < points.size(); ++k) {
    const LCurvePoint& p = points[k];
    text += fmt::format("{},{},{},{},{}\n", p.run, exact_number(p.lambda), exact_number(p.residual),
                        exact_number(p.size), corner == k ? 1 : 0);
  }
  return text;
}

}  // namespace ninefold
