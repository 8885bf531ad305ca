#include "fem/problem/analytic_solutions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/elementary.hpp"
#include "precision/number.hpp"
#include "precision/require.hpp"

namespace ninefold {
namespace {

/// pi in the format W.
template <class W>
constexpr W pi = [] {
  if constexpr (std::same_as<W, double>) {
    return std::numbers::pi;
  } else {
    return wide_pi;
  }
}();

/// One direction: the distances to its ends and its length.
template <class W>
struct Place {
  W start, end, length;
};

/// A function of one direction in both formats.
struct Part {
  double (*narrow)(const Place<double>&);
  DoubleDouble (*wide)(const Place<DoubleDouble>&);

  double operator()(const Place<double>& p) const { return narrow(p); }
  DoubleDouble operator()(const Place<DoubleDouble>& p) const { return wide(p); }
};

/// A function of one direction and its derivatives with respect to the distance from the start.
struct Factor {
  Part value, first, second;
};

// The formulas below find exp, expm1, sin and cos of pairs beside those of std.
using std::cos;
using std::exp;
using std::expm1;
using std::sin;

struct Quadratic {
  template <class W>
  static W value(const Place<W>& p) {
    return p.start * p.end;
  }
  template <class W>
  static W first(const Place<W>& p) {
    return p.end - p.start;
  }
  template <class W>
  static W second(const Place<W>&) {
    return -2.0;
  }
};

/// sin(pi s/L), accurate at both ends.
template <class W>
W sine(const Place<W>& p) {
  return sin(pi<W> * (std::min(p.start, p.end) / p.length));
}

/// cos(pi s/L), accurate also where it crosses zero, since the distances differ little there.
template <class W>
W cosine(const Place<W>& p) {
  return sin(pi<W> * ((p.end - p.start) / (2.0 * p.length)));
}

struct Sine {
  template <class W>
  static W value(const Place<W>& p) {
    return sine(p);
  }
  template <class W>
  static W first(const Place<W>& p) {
    return pi<W> / p.length * cosine(p);
  }
  template <class W>
  static W second(const Place<W>& p) {
    return -(pi<W> / p.length) * (pi<W> / p.length) * sine(p);
  }
};

struct Cosine {
  template <class W>
  static W value(const Place<W>& p) {
    return cosine(p);
  }
  template <class W>
  static W first(const Place<W>& p) {
    return -(pi<W> / p.length) * sine(p);
  }
  template <class W>
  static W second(const Place<W>& p) {
    return -(pi<W> / p.length) * (pi<W> / p.length) * cosine(p);
  }
};

/// s/L (1 - exp(-e/(eps L))), e the distance to the end: a layer at the end of the direction.
struct Layer {
  static constexpr double thickness = 0.02;

  template <class W>
  static W value(const Place<W>& p) {
    return p.start / p.length * -expm1(-p.end / (thickness * p.length));
  }
  template <class W>
  static W first(const Place<W>& p) {
    const W z = p.end / (thickness * p.length);
    return (-expm1(-z) - p.start / (thickness * p.length) * exp(-z)) / p.length;
  }
  template <class W>
  static W second(const Place<W>& p) {
    const W depth = thickness * p.length;
    return -(2.0 + p.start / depth) * exp(-p.end / depth) / (depth * p.length);
  }
};

/// exp(-((s - centre L)/(peak_width L))^2), written with both distances.
constexpr double peak_width = 0.05;
constexpr double peak_x = 0.6, peak_y = 0.4;
template <bool in_x>
struct Peak {
  template <class W>
  static W offset(const Place<W>& p) {
    constexpr double centre = in_x ? peak_x : peak_y;
    return ((W(1) - centre) * p.start - centre * p.end) / (peak_width * p.length);
  }
  template <class W>
  static W value(const Place<W>& p) {
    return exp(-offset(p) * offset(p));
  }
  template <class W>
  static W first(const Place<W>& p) {
    return -2.0 * offset(p) / (peak_width * p.length) * value(p);
  }
  template <class W>
  static W second(const Place<W>& p) {
    const W width = peak_width * p.length;
    return (4.0 * offset(p) * offset(p) - 2.0) / (width * width) * value(p);
  }
};

struct Growing {
  template <class W>
  static W value(const Place<W>& p) {
    return exp(p.start / p.length);
  }
  template <class W>
  static W first(const Place<W>& p) {
    return value(p) / p.length;
  }
  template <class W>
  static W second(const Place<W>& p) {
    return value(p) / p.length / p.length;
  }
};

struct SlowCosine {
  template <class W>
  static W value(const Place<W>& p) {
    return cos(p.start / p.length);
  }
  template <class W>
  static W first(const Place<W>& p) {
    return -sin(p.start / p.length) / p.length;
  }
  template <class W>
  static W second(const Place<W>& p) {
    return -cos(p.start / p.length) / p.length / p.length;
  }
};

template <class F>
constexpr Factor factor{{F::template value<double>, F::template value<DoubleDouble>},
                        {F::template first<double>, F::template first<DoubleDouble>},
                        {F::template second<double>, F::template second<DoubleDouble>}};

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
     factor<Quadratic>, factor<Quadratic>, false},
    {"sine", "sin(pi x/X) sin(pi y/Y): the smoothest eigenfunction, zero on all sides",
     factor<Sine>, factor<Sine>, false},
    {"boundary_layer",
     "x/X (1-exp(-(X-x)/(0.02 X))) (Y-y)/Y (1-exp(-y/(0.02 Y))): layers at the right and the "
     "bottom "
     "side, made for anisotropic refinement",
     factor<Layer>, factor<Layer>, true},
    {"peak",
     "exp(-((x-0.6 X)/(0.05 X))^2 - ((y-0.4 Y)/(0.05 Y))^2): a sharp peak inside, which coarse "
     "grids miss",
     factor<Peak<true>>, factor<Peak<false>>, false},
    {"exponential",
     "exp(x/X) cos(y/Y): not zero on the boundary; harmonic on a square with equal coefficients",
     factor<Growing>, factor<SlowCosine>, false},
    {"cosine", "cos(pi x/X) cos(pi y/Y): no flux through any side, for Neumann sides",
     factor<Cosine>, factor<Cosine>, false},
}};

const Named* find(const std::string& name) {
  for (const Named& named : named_solutions) {
    if (name == named.name) return &named;
  }
  return nullptr;
}

/// Where a distance to the start and one to the end are.  In double-double the length is their sum:
/// cell widths are numbers of double, and where they are rounded they add up to something else than
/// the stated length, by less than a roundoff of double, but by more than one of double-double.
Place<double> place(double start, double end, double length) {
  return {start, end, length};
}
Place<DoubleDouble> place(DoubleDouble start, DoubleDouble end, double) {
  return {start, end, start + end};
}

/// A part as a function of the distances to both ends, or to the ends the other way round.
LineFunction along(Part part, double length, bool mirrored) {
  const auto value = [=]<class W>(const W& start, const W& end) -> W {
    return part(mirrored ? place(end, start, length) : place(start, end, length));
  };
  return {[value](double start, double end) { return value(start, end); },
          [value](DoubleDouble start, DoubleDouble end) { return value(start, end); }};
}

}  // namespace

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const Named& named : named_solutions) names.emplace_back(named.name);
  return names;
}

std::string problem_description(const std::string& name) {
  const Named* named = find(name);
  require(named != nullptr, [&] {
    return fmt::format("\"{}\" is none of the named solutions: {}", name,
                       fmt::join(problem_names(), ", "));
  });
  return named->description;
}

std::optional<AnalyticSolution> analytic_solution(const std::string& name, double width,
                                                  double height) {
  const Named* named = find(name);
  if (named == nullptr) return std::nullopt;
  const double sign = named->mirror_y ? -1 : 1;  // of d/dy, when y is measured from the top
  const auto part = [&](Part x, Part y, double s) {
    return Function({{s, along(x, width, false), along(y, height, named->mirror_y)}});
  };
  return AnalyticSolution{
      part(named->x.value, named->y.value, 1), part(named->x.first, named->y.value, 1),
      part(named->x.value, named->y.first, sign), part(named->x.second, named->y.value, 1),
      part(named->x.value, named->y.second, 1)};
}

}  // namespace ninefold
