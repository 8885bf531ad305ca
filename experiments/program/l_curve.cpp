#include "experiments/program/l_curve.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "output/tables/files.hpp"

namespace ninefold {

std::vector<LCurvePoint> sorted_l_curve(std::vector<LCurvePoint> points) {
  std::erase_if(points, [](const LCurvePoint& p) {
    const auto is_good = [](double v) { return v > 0 && std::isfinite(v); };
    return !is_good(p.lambda) || !is_good(p.residual) || !is_good(p.size);
  });
  std::stable_sort(points.begin(), points.end(),
                   [](const LCurvePoint& a, const LCurvePoint& b) { return a.lambda < b.lambda; });
  return points;
}

std::optional<std::size_t> l_curve_corner(const std::vector<LCurvePoint>& points) {
  if (points.size() < 3) return {};
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
                .description = "the size of the solution over that of the residual, by lambda",
                .x_label = "|A x - b|",
                .y_label = "|L x|",
                .logarithmic_x = true};
  FigureSeries curve{"lambda", {}};
  for (const LCurvePoint& point : points) {
    curve.points.push_back({point.residual, point.size, "#" + identifier(point.run)});
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
