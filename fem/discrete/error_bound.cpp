#include "fem/discrete/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "fem/discrete/q1_element.hpp"

namespace ninefold {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One direction.
struct HeldLine {
  const Line& line;
  bool fixed_start, fixed_end;

  bool fixed() const { return fixed_start || fixed_end; }
  double length() const { return line.from_start.back(); }

  /// True if the start is the Dirichlet end that node i is nearest to.
  bool nearest_is_start(std::size_t i) const {
    return fixed_start && (!fixed_end || line.from_start[i] <= line.from_end[i]);
  }

  /// The smallest eigenvalue of -d^2.
  double eigenvalue() const {
    const double wave = fixed() ? std::numbers::pi / length() : 0.0;
    return fixed_start && fixed_end ? wave * wave : wave * wave / 4;
  }

  /// The function of this direction that -d^2 holds least, at a node.
  double smoothest(std::size_t i) const {
    if (!fixed()) return 1;
    const double wave = (fixed_start && fixed_end ? 1.0 : 0.5) * std::numbers::pi / length();
    return std::sin(wave * (nearest_is_start(i) ? line.from_start[i] : line.from_end[i]));
  }

  /// v |K| v over v M v of it.
  double entries() const {
    double stiffness = 0, mass = 0;
    for (std::size_t k = 0; k < line.width.size(); ++k) {
      const double v = smoothest(k), w = smoothest(k + 1), h = line.width[k];
      stiffness += (v + w) * (v + w) / h;
      mass += h * (v * v + v * w + w * w) / 3;
    }
    return stiffness / mass;
  }

  /// d of the header; zero at Dirichlet nodes and where no end is Dirichlet.
  std::vector<double> hardy() const {
    const std::size_t n = line.from_start.size();
    std::vector<double> d(n, 0.0);
    if (!fixed()) return d;
    for (std::size_t i = fixed_start ? 1 : 0; i < n - (fixed_end ? 1 : 0); ++i) {
      const bool start = nearest_is_start(i);
      const std::vector<double>& s = start ? line.from_start : line.from_end;
      const std::size_t near = start ? i - 1 : i + 1;
      const double z = std::sqrt(s[i]), z_near = std::sqrt(s[near]);
      const bool has_far = start ? i + 1 < n : i > 0;
      if (!has_far) {
        d[i] = 1 / ((z + z_near) * z);
        continue;
      }
      const std::size_t far = start ? i + 1 : i - 1;
      const double z_far = std::sqrt(s[far]);
      const double cells = line.width[std::min(i, near)] + line.width[std::min(i, far)];
      d[i] = cells / (z_far + z_near) / (z + z_near) / (z + z_far) / z;
    }
    return d;
  }

  std::vector<double> mass() const { return lumped_masses<double>(line); }

  double thinnest() const { return *std::min_element(line.width.begin(), line.width.end()); }

  /// (K^-1)_ii: nothing bounds it where no end is Dirichlet.
  double inverse(std::size_t i) const {
    const double a = line.from_start[i], b = line.from_end[i];
    if (fixed_start && fixed_end) return a * b / length();
    return fixed_start ? a : fixed_end ? b : infinity;
  }

  std::size_t first_unknown() const { return fixed_start ? 1 : 0; }
  std::size_t last_unknown() const { return line.width.size() - (fixed_end ? 1 : 0); }
};

HeldLine held_x(const Boundary& boundary, const TensorGrid& grid) {
  return {grid.x, boundary[Side::left] == BoundaryKind::dirichlet,
          boundary[Side::right] == BoundaryKind::dirichlet};
}

HeldLine held_y(const Boundary& boundary, const TensorGrid& grid) {
  return {grid.y, boundary[Side::bottom] == BoundaryKind::dirichlet,
          boundary[Side::top] == BoundaryKind::dirichlet};
}

/// Nodes of one direction that are alike: none has a larger (K^-1)_ii or a smaller mass.
struct Spot {
  double inverse, mass;
};

/// At most a factor of two is lost in each.
std::vector<Spot> spots(const HeldLine& e) {
  const std::vector<double> m = e.mass();
  std::map<std::pair<int, int>, Spot> alike;
  for (std::size_t i = e.first_unknown(); i <= e.last_unknown(); ++i) {
    const Spot own{e.inverse(i), m[i]};
    const auto [spot, is_new] =
        alike.try_emplace({std::ilogb(own.inverse), std::ilogb(own.mass)}, own);
    spot->second.inverse = std::max(spot->second.inverse, own.inverse);
    spot->second.mass = std::min(spot->second.mass, own.mass);
  }
  std::vector<Spot> all;
  for (const auto& [key, spot] : alike) all.push_back(spot);
  return all;
}

/// The first bound of G, the same at all nodes.
double green_2d(const HeldLine& x, const HeldLine& y, double gx, double gy, double c) {
  const double a = x.length() / std::sqrt(gx), b = y.length() / std::sqrt(gy);
  const double h = std::max(x.thinnest() / std::sqrt(gx), y.thinnest() / std::sqrt(gy));
  const auto along = [](const HeldLine& e, double length, double other) {
    if (!e.fixed()) return infinity;
    return (e.fixed_start && e.fixed_end ? 0.25 : 1.0) * length / other;
  };
  double rest = std::min(along(x, a, b), along(y, b, a));
  if (rest == infinity) rest = 1 / (c * a * b) + std::max(a / b, b / a) / 3;
  const double in_2d = 1 + 2 * std::log1p(std::min(a, b) / h) / std::numbers::pi + rest;
  return in_2d / (std::sqrt(gx) * std::sqrt(gy));
}

double green(const HeldLine& x, const HeldLine& y, double gx, double gy, double c,
             double reaction) {
  const double everywhere = green_2d(x, y, gx, gy, c);
  const std::vector<Spot> along_y = spots(y);
  double most = 0;
  for (const Spot& i : spots(x)) {
    for (const Spot& j : along_y) {
      const double by_reaction = reaction > 0 ? 9 / reaction / i.mass / j.mass : infinity;
      most = std::max(most, std::min({everywhere, 3 * i.inverse / gx / j.mass,
                                      3 * j.inverse / gy / i.mass, by_reaction}));
    }
  }
  return most;
}

bool is_detached(const HeldLine& e) {
  const auto cells = static_cast<double>(e.line.width.size());
  for (std::size_t k = 0; k < e.line.width.size(); ++k) {
    const double from_start = e.fixed_start ? e.line.from_start[k + 1] : infinity;
    const double from_end = e.fixed_end ? e.line.from_end[k] : infinity;
    const double distance = std::min({from_start, from_end, e.length()});
    if (cells * e.line.width[k] < distance / 4) return true;
  }
  return false;
}

/// What holds a constant: the reaction, or, if it is free, what holds the next function.
double hold_of_constant(const HeldLine& x, const HeldLine& y, double gx, double gy,
                        double reaction) {
  if (x.fixed() || y.fixed() || reaction != 0) return reaction;
  const double pi = std::numbers::pi;
  return std::min(gx * (pi / x.length()) * (pi / x.length()),
                  gy * (pi / y.length()) * (pi / y.length()));
}

}  // namespace

ErrorBoundWeights error_bound_weights(const Problem& problem, const TensorGrid& grid,
                                      int exponent) {
  const double gx = std::ldexp(problem.gx, -exponent), gy = std::ldexp(problem.gy, -exponent);
  const double reaction = std::ldexp(problem.reaction, -exponent);
  const HeldLine x = held_x(problem.boundary, grid), y = held_y(problem.boundary, grid);
  const double c = hold_of_constant(x, y, gx, gy, reaction);
  ErrorBoundWeights weights{x.hardy(), x.mass(), y.hardy(), y.mass()};
  for (std::size_t i = 0; i < weights.stiff_x.size(); ++i) {
    weights.stiff_x[i] = gx * weights.stiff_x[i] / 3 + c * weights.mass_x[i] / 9;
  }
  for (double& stiff : weights.stiff_y) stiff *= gy / 3;
  weights.to_l2 = 1 / std::sqrt(gx * x.eigenvalue() + gy * y.eigenvalue() + c);
  weights.to_largest = std::sqrt(green(x, y, gx, gy, c, reaction));
  return weights;
}

double entries_over_hold(const Problem& problem, const TensorGrid& grid) {
  const HeldLine x = held_x(problem.boundary, grid), y = held_y(problem.boundary, grid);
  const double gx = problem.gx, gy = problem.gy, reaction = problem.reaction;
  const double entries = gx * x.entries() + gy * y.entries() + reaction;
  return entries
         / (gx * x.eigenvalue() + gy * y.eigenvalue() + hold_of_constant(x, y, gx, gy, reaction));
}

bool has_detached_thin_cells(const Boundary& boundary, const TensorGrid& grid) {
  return is_detached(held_x(boundary, grid)) || is_detached(held_y(boundary, grid));
}

}  // namespace ninefold
