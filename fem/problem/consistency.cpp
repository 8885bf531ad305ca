#include "fem/problem/consistency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "precision/require.hpp"

namespace ninefold {
namespace {

constexpr int inner_points = 1000, side_points = 128;

constexpr double doubt = 10;           // estimated errors that a difference must exceed
constexpr double local_share = 1e-6;   // of the terms at the point
constexpr double global_share = 1e-9;  // of the terms anywhere

/// Steps as parts of the extent.  Neither they nor their ratio are simple fractions: an oscillation
/// whose period fits into one does not fit into the others.
constexpr double widest_step = 0.0137, step_ratio = 3.7;
constexpr int steps = 6;

/// Element k of the sequence with increment a: fills (0, 1) evenly, and avoids the simple fractions
/// where formulas have their kinks.
double spread(int k, double a) {
  const double value = 0.5 + k * a;
  return value - std::floor(value);
}

Point at(const Problem& problem, double x, double y) {
  return {x, problem.width - x, y, problem.height - y};
}

std::vector<Point> inner_samples(const Problem& problem) {
  std::vector<Point> points;
  // Powers of the root of t^3 = t + 1, as the golden ratio in one dimension.
  for (int k = 1; k <= inner_points; ++k) {
    points.push_back(at(problem, problem.width * spread(k, 0.7548776662466927),
                        problem.height * spread(k, 0.5698402909980532)));
  }
  return points;
}

std::vector<Point> side_samples(const Problem& problem, Side side) {
  const double X = problem.width, Y = problem.height;
  std::vector<Point> points;
  for (int k = 1; k <= side_points; ++k) {
    const double part = spread(k, 0.6180339887498949);
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

/// A derivative from five values, `first` to `first + 4` steps away.
struct Formula {
  std::array<double, 5> weight;
  int first, order;
};
constexpr Formula second_derivative{{-1. / 12, 16. / 12, -30. / 12, 16. / 12, -1. / 12}, -2, 2};
constexpr Formula one_sided{{-25. / 12, 48. / 12, -36. / 12, 16. / 12, -3. / 12}, 0, 1};

struct Estimate {
  double value, error;
};

/// The derivative of value(distance), with steps of up to `widest` on an interval of size `extent`.
template <class Value>
Estimate differentiate(const Formula& formula, const Value& value, double widest, double extent) {
  // A formula rounds some times, and its argument once.
  constexpr double roundoffs = 32 * 0x1p-53, smallest = std::numeric_limits<double>::denorm_min();
  std::array<double, steps> found{}, noise{};
  double d = widest;
  for (std::size_t k = 0; k < steps; ++k, d /= step_ratio) {
    double size = 0, before = 0, slope = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double u = value((static_cast<int>(i) + formula.first) * d);
      found[k] += formula.weight[i] * u;
      size = std::max(size, std::abs(u));
      if (i > 0) slope = std::max(slope, std::abs(u - before) / d);
      before = u;
    }
    const double power = formula.order == 2 ? d * d : d;
    found[k] /= power;
    noise[k] = (roundoffs * (size + slope * extent) + smallest) / power;
    // Nothing can be said where a step leaves the function's range or domain.
    if (!std::isfinite(found[k]) || !std::isfinite(noise[k])) {
      return {0, std::numeric_limits<double>::infinity()};
    }
  }
  Estimate best{0, std::numeric_limits<double>::infinity()};
  for (std::size_t k = 1; k < steps; ++k) {
    double error = std::abs(found[k] - found[k - 1]);
    for (std::size_t j = k + 1; j < steps; ++j) {
      error = std::max(error, std::abs(found[j] - found[k]) - 4 * noise[j]);
    }
    error += noise[k];
    if (error < best.error) best = {found[k], error};
  }
  return best;
}

/// Two values that should agree, and how far they can be told apart.
struct Pair {
  Point where;
  double expected, given;
  double error;  ///< of the expected value
  double term;   ///< the largest from which the two are made

  double difference() const { return std::abs(expected - given); }
  /// `largest`: the largest term anywhere.
  bool disagree(double largest) const {
    return !(difference() <= doubt * error + local_share * term + global_share * largest);
  }
  std::string values() const {
    return fmt::format("at x = {:.6g}, y = {:.6g} it is {:.6g}, but the solution gives {:.6g}",
                       where.x(), where.y(), given, expected);
  }
};

/// The largest term; those that the differences miss do not count.
double largest_term(const std::vector<Pair>& pairs) {
  double largest = 0;
  for (const Pair& pair : pairs) {
    if (pair.error <= pair.term) largest = std::max(largest, pair.term);
  }
  return largest;
}

/// The pair of the largest difference among those that disagree and that `confirm` confirms.
template <class Confirm>
std::optional<Pair> worst(std::vector<Pair> pairs, double largest, const Confirm& confirm) {
  std::erase_if(pairs, [&](const Pair& pair) { return !pair.disagree(largest); });
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.difference() > b.difference(); });
  const auto found = std::find_if(pairs.begin(), pairs.end(), confirm);
  if (found == pairs.end()) return {};
  return *found;
}

/// Both sides of the equation.
Pair equation_at(const Problem& problem, const Point& p) {
  const Function& u = problem.solution;
  const auto step = [](double extent, double one_way, double other_way) {
    return std::min(widest_step * extent, 0.49 * std::min(one_way, other_way));
  };
  const Estimate in_x = differentiate(
      second_derivative, [&](double distance) { return u(moved(p, distance, 0)); },
      step(problem.width, p.left, p.right), problem.width);
  const Estimate in_y = differentiate(
      second_derivative, [&](double distance) { return u(moved(p, 0, distance)); },
      step(problem.height, p.bottom, p.top), problem.height);
  const double x_term = -problem.gx * in_x.value, y_term = -problem.gy * in_y.value;
  const double zeroth = problem.reaction * u(p), f = problem.source(p);
  return {p, x_term + y_term + zeroth, f, problem.gx * in_x.error + problem.gy * in_y.error,
          std::max({std::abs(x_term), std::abs(y_term), std::abs(zeroth), std::abs(f)})};
}

/// A kink that runs through a sample point, or chance, lets steps agree upon a wrong value there,
/// but not at two further points that are not on one line with it.
bool disagree_around(const Problem& problem, const Point& p, double largest) {
  const double dx = std::copysign(1e-3 * problem.width, p.right - p.left);
  const double dy = std::copysign(1e-3 * problem.height, p.top - p.bottom);
  return equation_at(problem, moved(p, dx, 0.31 * dy)).disagree(largest)
         && equation_at(problem, moved(p, 0.31 * dx, dy)).disagree(largest);
}

double value_or_zero(const Function& f, const Point& p) {
  return f ? f(p) : 0.0;
}

/// The fluxes through a Neumann side.
Pair flux_at(const Problem& problem, const Point& p, Side side) {
  const bool in_x = side == Side::left || side == Side::right;
  const double inward = side == Side::left || side == Side::bottom ? 1 : -1;
  const double extent = in_x ? problem.width : problem.height;
  const double g = in_x ? problem.gx : problem.gy;
  const Estimate slope = differentiate(
      one_sided,
      [&](double distance) {
        const double step = inward * distance;
        return problem.solution(in_x ? moved(p, step, 0) : moved(p, 0, step));
      },
      widest_step * extent, extent);
  const double expected = -g * slope.value;
  const double given = value_or_zero(problem.flux[static_cast<std::size_t>(side)], p);
  return {p, expected, given, g * slope.error, std::max(std::abs(expected), std::abs(given))};
}

/// That data of a problem are not its solution's.
std::string foreign(Parameter data, const Function& given, const Pair& worst) {
  if (!given) {
    return fmt::format(
        "{} is not given, so it is 0, which does not belong to {}: at x = {:.6g}, y = {:.6g} the "
        "solution gives {:.6g}",
        data, Parameter::solution, worst.where.x(), worst.where.y(), worst.expected);
  }
  return fmt::format("{} does not belong to {}: {}", data, Parameter::solution, worst.values());
}

void require_finite(const Function& f, const Point& p, Parameter parameter) {
  if (f) (void)finite_value(f, p, parameter);
}

}  // namespace

double finite_value(const Function& f, const Point& p, Parameter parameter) {
  const double value = f(p);
  if (std::isfinite(value)) return value;
  throw BadValue(value_text(value),
                 words("{} is {} at x = {:.6g}, y = {:.6g}", parameter, value, p.x(), p.y()));
}

std::vector<std::string> find_disagreements(const Problem& problem) {
  std::vector<std::string> found;
  double size = 0;  // of the solution
  std::vector<Pair> equation;
  for (const Point& p : inner_samples(problem)) {
    equation.push_back(equation_at(problem, p));
    size = std::max(size, std::abs(problem.solution(p)));
  }
  const double largest = largest_term(equation);
  const auto source = worst(std::move(equation), largest, [&](const Pair& pair) {
    return disagree_around(problem, pair.where, largest);
  });
  if (source) {
    found.push_back(foreign(Parameter::source, problem.source, *source));
  }

  const auto any = [](const Pair&) { return true; };
  std::vector<Pair> values;
  for (const Side side : all_sides) {
    if (problem.boundary[side] == BoundaryKind::dirichlet) {
      for (const Point& p : side_samples(problem, side)) {
        const double u = problem.solution(p);
        values.push_back({p, u, value_or_zero(problem.dirichlet, p), 0, 0});
        size = std::max(size, std::abs(u));
      }
      continue;
    }
    std::vector<Pair> fluxes;
    for (const Point& p : side_samples(problem, side)) {
      fluxes.push_back(flux_at(problem, p, side));
    }
    const bool in_x = side == Side::left || side == Side::right;
    const double scale =
        in_x ? problem.gx * size / problem.width : problem.gy * size / problem.height;
    const double largest_flux = std::max(largest_term(fluxes), scale);
    if (const auto flux = worst(std::move(fluxes), largest_flux, any)) {
      const Function& given = problem.flux[static_cast<std::size_t>(side)];
      found.push_back(foreign(flux_parameter(side), given, *flux));
    }
  }
  for (Pair& pair : values) pair.term = size;
  if (const auto value = worst(std::move(values), size, any)) {
    found.push_back(foreign(Parameter::dirichlet, problem.dirichlet, *value));
  }
  return found;
}

void require_finite_data(const Problem& problem) {
  for (const Point& p : inner_samples(problem)) {
    require_finite(problem.source, p, Parameter::source);
    require_finite(problem.solution, p, Parameter::solution);
  }
  for (const Side side : all_sides) {
    const bool dirichlet = problem.boundary[side] == BoundaryKind::dirichlet;
    for (const Point& p : side_samples(problem, side)) {
      require_finite(problem.solution, p, Parameter::solution);
      if (dirichlet) {
        require_finite(problem.dirichlet, p, Parameter::dirichlet);
      } else {
        require_finite(problem.flux[static_cast<std::size_t>(side)], p, flux_parameter(side));
      }
    }
  }
}

}  // namespace ninefold
