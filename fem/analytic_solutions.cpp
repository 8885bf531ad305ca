#include "fem/analytic_solutions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/number.hpp"

namespace ninefold {
namespace {

using std::numbers::pi;

/// One direction: the distances to its ends and its length.
struct Place {
  double start, end, length;
};

/// A function of one direction and its derivatives with respect to the distance from the start.
struct Factor {
  double (*value)(const Place&);
  double (*first)(const Place&);
  double (*second)(const Place&);
};

/// sin(pi s/L), accurate at both ends.
double sine(const Place& p) {
  return std::sin(pi * (std::min(p.start, p.end) / p.length));
}

/// cos(pi s/L), accurate also where it crosses zero, since the distances differ little there.
double cosine(const Place& p) {
  return std::sin(pi * ((p.end - p.start) / (2 * p.length)));
}

constexpr Factor quadratic_factor{[](const Place& p) { return p.start * p.end; },
                                  [](const Place& p) { return p.end - p.start; },
                                  [](const Place&) { return -2.0; }};

constexpr Factor sine_factor{
    sine, [](const Place& p) { return pi / p.length * cosine(p); },
    [](const Place& p) { return -(pi / p.length) * (pi / p.length) * sine(p); }};

constexpr Factor cosine_factor{
    cosine, [](const Place& p) { return -(pi / p.length) * sine(p); },
    [](const Place& p) { return -(pi / p.length) * (pi / p.length) * cosine(p); }};

/// s/L (1 - exp(-e/(eps L))), e the distance to the end: a layer at the end of the direction.
constexpr double layer_thickness = 0.02;
constexpr Factor layer_factor{
    [](const Place& p) {
      return p.start / p.length * -std::expm1(-p.end / (layer_thickness * p.length));
    },
    [](const Place& p) {
      const double z = p.end / (layer_thickness * p.length);
      return (-std::expm1(-z) - p.start / (layer_thickness * p.length) * std::exp(-z)) / p.length;
    },
    [](const Place& p) {
      const double thickness = layer_thickness * p.length;
      return -(2 + p.start / thickness) * std::exp(-p.end / thickness) / (thickness * p.length);
    }};

/// exp(-((s - centre L)/(peak_width L))^2), written with both distances.
constexpr double peak_width = 0.05;
constexpr double peak_x = 0.6, peak_y = 0.4;
template <bool in_x>
struct Peak {
  static double offset(const Place& p) {
    constexpr double centre = in_x ? peak_x : peak_y;
    return ((1 - centre) * p.start - centre * p.end) / (peak_width * p.length);
  }
  static double value(const Place& p) { return std::exp(-offset(p) * offset(p)); }
  static double first(const Place& p) {
    return -2 * offset(p) / (peak_width * p.length) * value(p);
  }
  static double second(const Place& p) {
    const double width = peak_width * p.length;
    return (4 * offset(p) * offset(p) - 2) / (width * width) * value(p);
  }
  static constexpr Factor factor{value, first, second};
};

double growing(const Place& p) {
  return std::exp(p.start / p.length);
}
constexpr Factor growing_factor{growing, [](const Place& p) { return growing(p) / p.length; },
                                [](const Place& p) { return growing(p) / p.length / p.length; }};

constexpr Factor slow_cosine_factor{
    [](const Place& p) { return std::cos(p.start / p.length); },
    [](const Place& p) { return -std::sin(p.start / p.length) / p.length; },
    [](const Place& p) { return -std::cos(p.start / p.length) / p.length / p.length; }};

/// A solution in product form; `mirror_y` measures y from the top.
struct Named {
  const char* name;
  const char* description;
  Factor x, y;
  bool mirror_y;
};

constexpr std::array<Named, 6> named_solutions{{
    {"polynomial",
     "x (X-x) y (Y-y): the paper's test function; 2 x 2 Gauss points integrate its source exactly",
     quadratic_factor, quadratic_factor, false},
    {"sine", "sin(pi x/X) sin(pi y/Y): the smoothest eigenfunction, zero on all sides", sine_factor,
     sine_factor, false},
    {"boundary_layer",
     "x/X (1-exp(-(X-x)/(0.02 X))) (Y-y)/Y (1-exp(-y/(0.02 Y))): layers at the right and the "
     "bottom "
     "side, made for anisotropic refinement",
     layer_factor, layer_factor, true},
    {"peak",
     "exp(-((x-0.6 X)/(0.05 X))^2 - ((y-0.4 Y)/(0.05 Y))^2): a sharp peak inside, which coarse "
     "grids miss",
     Peak<true>::factor, Peak<false>::factor, false},
    {"exponential",
     "exp(x/X) cos(y/Y): not zero on the boundary; harmonic on a square with equal coefficients",
     growing_factor, slow_cosine_factor, false},
    {"cosine", "cos(pi x/X) cos(pi y/Y): no flux through any side, for Neumann sides",
     cosine_factor, cosine_factor, false},
}};

const Named* find(const std::string& name) {
  for (const Named& named : named_solutions) {
    if (name == named.name) return &named;
  }
  return nullptr;
}

using Part = double (*)(const Place&);

Function product(Part x, Part y, double sign, bool mirror_y, double width, double height) {
  return [=](const Point& p) {
    const Place in_x{p.left, p.right, width};
    const Place in_y = mirror_y ? Place{p.top, p.bottom, height} : Place{p.bottom, p.top, height};
    return sign * (x(in_x) * y(in_y));
  };
}

}  // namespace

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const Named& named : named_solutions) names.emplace_back(named.name);
  return names;
}

std::string problem_description(const std::string& name) {
  const Named* named = find(name);
  require(named != nullptr, fmt::format("\"{}\" is none of the named solutions: {}", name,
                                        fmt::join(problem_names(), ", ")));
  return named->description;
}

std::optional<AnalyticSolution> analytic_solution(const std::string& name, double width,
                                                  double height) {
  const Named* named = find(name);
  if (named == nullptr) return std::nullopt;
  const double sign = named->mirror_y ? -1 : 1;  // of d/dy, when y is measured from the top
  const auto part = [&](Part x, Part y, double s) {
    return product(x, y, s, named->mirror_y, width, height);
  };
  return AnalyticSolution{
      part(named->x.value, named->y.value, 1), part(named->x.first, named->y.value, 1),
      part(named->x.value, named->y.first, sign), part(named->x.second, named->y.value, 1),
      part(named->x.value, named->y.second, 1)};
}

}  // namespace ninefold
