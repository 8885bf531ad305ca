#include "fem/consistency.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "precision/number.hpp"

namespace ninefold {
namespace {

constexpr double threshold = 1e-4;
constexpr double step = 0x1p-10;  // of the extent
constexpr int inner_points = 25;

/// The radical inverse of k: points that fill (0, 1) evenly without symmetry.
double halton(int k, int base) {
  double value = 0, digit = 1;
  for (; k > 0; k /= base) value += (k % base) * (digit /= base);
  return value;
}

Point at(const Problem& problem, double x, double y) {
  return {x, problem.width - x, y, problem.height - y};
}

std::vector<Point> inner_samples(const Problem& problem) {
  std::vector<Point> points;
  for (int k = 1; k <= inner_points; ++k) {
    points.push_back(at(problem, problem.width * (0.04 + 0.92 * halton(k, 2)),
                        problem.height * (0.04 + 0.92 * halton(k, 3))));
  }
  return points;
}

std::vector<Point> side_samples(const Problem& problem, Side side) {
  const double X = problem.width, Y = problem.height;
  std::vector<Point> points;
  for (const double part : {0.08, 0.29, 0.47, 0.68, 0.93}) {
    switch (side) {
      case Side::left:
        points.push_back({0, X, part * Y, Y - part * Y});
        break;
      case Side::right:
        points.push_back({X, 0, part * Y, Y - part * Y});
        break;
      case Side::bottom:
        points.push_back({part * X, X - part * X, 0, Y});
        break;
      case Side::top:
        points.push_back({part * X, X - part * X, Y, 0});
        break;
    }
  }
  return points;
}

/// The point moved by `dx`, `dy`.
Point moved(const Point& p, double dx, double dy) {
  return {p.left + dx, p.right - dx, p.bottom + dy, p.top - dy};
}

double second_difference(const Function& u, const Point& p, double dx, double dy) {
  const auto value = [&](double steps) { return u(moved(p, steps * dx, steps * dy)); };
  return (16 * (value(-1) + value(1)) - (value(-2) + value(2)) - 30 * value(0))
         / (12 * (dx * dx + dy * dy));
}

/// du/dn on a side, n outward, from values inside.
double normal_derivative(const Problem& problem, const Point& p, Side side) {
  const double dx = side == Side::left    ? step * problem.width
                    : side == Side::right ? -step * problem.width
                                          : 0;
  const double dy = side == Side::bottom ? step * problem.height
                    : side == Side::top  ? -step * problem.height
                                         : 0;
  const auto value = [&](double steps) {
    return problem.solution(moved(p, steps * dx, steps * dy));
  };
  const double inward =
      (-25 * value(0) + 48 * value(1) - 36 * value(2) + 16 * value(3) - 3 * value(4))
      / (12 * (std::abs(dx) + std::abs(dy)));
  return -inward;
}

/// Collects pairs of values that should agree; remembers the worst and the largest term.
class Comparison {
 public:
  void add(const Point& p, double expected, double given) {
    const double difference = std::abs(expected - given);
    if (!(difference <= worst_))
      worst_ = difference, where_ = p, expected_ = expected, given_ = given;
  }
  void scale(double term) { scale_ = std::max(scale_, std::abs(term)); }
  bool agree(double floor) const { return worst_ <= threshold * scale_ + floor; }
  std::string values() const {
    return fmt::format("at x = {:.6g}, y = {:.6g} it is {:.6g}, but the solution gives {:.6g}",
                       where_.x(), where_.y(), given_, expected_);
  }

 private:
  Point where_{};
  double worst_ = 0, scale_ = 0, expected_ = 0, given_ = 0;
};

double value_or_zero(const Function& f, const Point& p) {
  return f ? f(p) : 0.0;
}

void require_finite(const Function& f, const Point& p, const std::string& key) {
  if (!f) return;
  const double value = f(p);
  require(std::isfinite(value),
          fmt::format("{} is {} at x = {:.6g}, y = {:.6g}", key, value, p.x(), p.y()));
}

/// The largest |u| at the samples: the size against which rounding is measured.
double largest_value(const Problem& problem) {
  double largest = 0;
  for (const Point& p : inner_samples(problem)) {
    largest = std::max(largest, std::abs(problem.solution(p)));
  }
  return largest;
}

}  // namespace

std::vector<std::string> find_disagreements(const Problem& problem) {
  const double X = problem.width, Y = problem.height;
  const double size = largest_value(problem);
  std::vector<std::string> found;

  Comparison equation;
  for (const Point& p : inner_samples(problem)) {
    const double in_x = -problem.gx * second_difference(problem.solution, p, step * X, 0);
    const double in_y = -problem.gy * second_difference(problem.solution, p, 0, step * Y);
    const double zeroth = problem.reaction * problem.solution(p);
    const double f = problem.source(p);
    equation.add(p, in_x + in_y + zeroth, f);
    for (const double term : {in_x, in_y, zeroth, f}) equation.scale(term);
  }
  // Differences of values of size |u| carry an error of about 10 u 2^20 |u| / extent^2.
  const double rounding = 1e-8 * size * (problem.gx / X / X + problem.gy / Y / Y);
  if (!equation.agree(rounding)) {
    found.push_back("problem.source does not belong to problem.solution: " + equation.values());
  }

  Comparison values;
  values.scale(size);
  for (const Side side : all_sides) {
    if (problem.boundary[side] == BoundaryKind::dirichlet) {
      for (const Point& p : side_samples(problem, side)) {
        const double u = problem.solution(p);
        values.add(p, u, value_or_zero(problem.dirichlet, p));
        values.scale(u);
      }
      continue;
    }
    Comparison flux;
    const bool in_x = side == Side::left || side == Side::right;
    const double g = in_x ? problem.gx : problem.gy;
    const Function& given = problem.flux[static_cast<std::size_t>(side)];
    for (const Point& p : side_samples(problem, side)) {
      const double expected = g * normal_derivative(problem, p, side);
      const double value = value_or_zero(given, p);
      flux.add(p, expected, value);
      flux.scale(expected);
      flux.scale(value);
    }
    if (!flux.agree(1e-8 * size * g / (in_x ? X : Y))) {
      found.push_back(fmt::format("problem.flux.{} does not belong to problem.solution: {}",
                                  to_string(side), flux.values()));
    }
  }
  if (!values.agree(0)) {
    found.push_back("problem.dirichlet does not belong to problem.solution: " + values.values());
  }
  return found;
}

void require_finite_data(const Problem& problem) {
  for (const Point& p : inner_samples(problem)) {
    require_finite(problem.source, p, "problem.source");
    require_finite(problem.solution, p, "problem.solution");
  }
  for (const Side side : all_sides) {
    const bool dirichlet = problem.boundary[side] == BoundaryKind::dirichlet;
    for (const Point& p : side_samples(problem, side)) {
      require_finite(problem.solution, p, "problem.solution");
      if (dirichlet) {
        require_finite(problem.dirichlet, p, "problem.dirichlet");
      } else {
        require_finite(problem.flux[static_cast<std::size_t>(side)], p,
                       fmt::format("problem.flux.{}", to_string(side)));
      }
    }
  }
}

}  // namespace ninefold
