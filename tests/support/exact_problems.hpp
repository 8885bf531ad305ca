#pragma once
// All named solutions for the oracle: formulas, derivatives and sizes in 50 digits.
//
// Mathematics.  The formulas of fem/problem/analytic_solutions.hpp, written down a second time, in
// x and y alone.  The size of a function f of the distances s, e and the length L is about |f| + |s
// df/ds|
// + |e df/de| + |L df/dL| and the same for inner arguments: what relative errors of its arguments
// are multiplied with.
//
// Tests.  tests/fem/discrete/wide_assembly_test.cpp

#include <functional>
#include <stdexcept>
#include <string>

#include <boost/math/constants/constants.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/exact.hpp"
#include "tests/support/problem_cases.hpp"

namespace ninefold::testing {

/// A function of one direction with its first two derivatives, and their sizes.
struct ExactFactor {
  using F = std::function<Exact(const Exact& s, const Exact& e, const Exact& L)>;
  F value[3], size[3];
};

inline const Exact& pi() {
  static const Exact value = boost::math::constants::pi<Exact>();
  return value;
}

inline ExactFactor exact_factor(const std::string& name, bool in_x) {
  using E = Exact;
  using C = const Exact&;
  if (name == "polynomial") {
    return {{[](C s, C e, C) -> E { return s * e; }, [](C s, C e, C) -> E { return e - s; },
             [](C, C, C) -> E { return -2; }},
            {[](C s, C e, C) -> E { return 3 * s * e; },
             [](C s, C e, C) -> E { return 2 * (s + e); }, [](C, C, C) -> E { return 2; }}};
  }
  if (name == "sine" || name == "cosine") {
    // The sine is as well conditioned as its argument up to pi/2; the cosine is not next to zero.
    const bool sine = name == "sine";
    const auto sin_at = [](C s, C L) -> E { return sin(pi() * s / L); };
    const auto cos_at = [](C s, C L) -> E { return cos(pi() * s / L); };
    const auto sin_size = [=](C s, C L) -> E { return 4 * abs(sin_at(s, L)); };
    const auto cos_size = [](C, C) -> E { return 4; };
    const auto f = [=](C s, C L) -> E { return sine ? sin_at(s, L) : cos_at(s, L); };
    const auto g = [=](C s, C L) -> E { return sine ? cos_at(s, L) : E(-sin_at(s, L)); };
    const auto f_size = [=](C s, C L) -> E { return sine ? sin_size(s, L) : cos_size(s, L); };
    const auto g_size = [=](C s, C L) -> E { return sine ? cos_size(s, L) : sin_size(s, L); };
    return {{[=](C s, C, C L) -> E { return f(s, L); },
             [=](C s, C, C L) -> E { return pi() / L * g(s, L); },
             [=](C s, C, C L) -> E { return -pi() * pi() / (L * L) * f(s, L); }},
            {[=](C s, C, C L) -> E { return f_size(s, L); },
             [=](C s, C, C L) -> E { return 2 * pi() / L * g_size(s, L); },
             [=](C s, C, C L) -> E { return 3 * pi() * pi() / (L * L) * f_size(s, L); }}};
  }
  if (name == "boundary_layer") {
    const auto z = [](C e, C L) -> E { return e / (E(0.02) * L); };
    const auto slope = [=](C s, C e, C L) -> E { return s / (E(0.02) * L) * exp(-z(e, L)); };
    const auto curve = [=](C s, C e, C L) -> E {
      return (2 + s / (E(0.02) * L)) * exp(-z(e, L)) / (E(0.02) * L * L);
    };
    return {{[=](C s, C e, C L) -> E { return s / L * (1 - exp(-z(e, L))); },
             [=](C s, C e, C L) -> E { return (1 - exp(-z(e, L)) - slope(s, e, L)) / L; },
             [=](C s, C e, C L) -> E { return -curve(s, e, L); }},
            {[=](C s, C e, C L) -> E { return 4 * s / L * (1 - exp(-z(e, L))); },
             [=](C s, C e, C L) -> E {
               return 4 * (1 - exp(-z(e, L)) + slope(s, e, L) * (1 + z(e, L))) / L;
             },
             [=](C s, C e, C L) -> E { return (4 + 2 * z(e, L)) * curve(s, e, L); }}};
  }
  if (name == "peak") {
    const E centre = in_x ? 0.6 : 0.4, width = 0.05;
    const auto xi = [=](C s, C L) -> E { return (s / L - centre) / width; };
    // A roundoff of a distance moves xi by 0.48/0.05 roundoffs.
    const auto steep = [=](C s, C L) -> E {
      return 1 + 20 * abs(xi(s, L)) + 3 * xi(s, L) * xi(s, L);
    };
    const auto f = [=](C s, C L) -> E { return exp(-xi(s, L) * xi(s, L)); };
    return {{[=](C s, C, C L) -> E { return f(s, L); },
             [=](C s, C, C L) -> E { return -2 * xi(s, L) / (width * L) * f(s, L); },
             [=](C s, C, C L) -> E {
               return (4 * xi(s, L) * xi(s, L) - 2) / (width * width * L * L) * f(s, L);
             }},
            {[=](C s, C, C L) -> E { return f(s, L) * steep(s, L); },
             [=](C s, C, C L) -> E {
               return (2 * abs(xi(s, L)) * steep(s, L) + 20) / (width * L) * f(s, L);
             },
             [=](C s, C, C L) -> E {
               return ((4 * xi(s, L) * xi(s, L) + 2) * (2 + steep(s, L)) + 80 * abs(xi(s, L)))
                      / (width * width * L * L) * f(s, L);
             }}};
  }
  if (name == "exponential" && in_x) {
    const auto f = [](C s, C L, int order) -> E { return exp(s / L) / pow(L, order); };
    return {
        {[=](C s, C, C L) -> E { return f(s, L, 0); }, [=](C s, C, C L) -> E { return f(s, L, 1); },
         [=](C s, C, C L) -> E { return f(s, L, 2); }},
        {[=](C s, C, C L) -> E { return 3 * f(s, L, 0); },
         [=](C s, C, C L) -> E { return 4 * f(s, L, 1); },
         [=](C s, C, C L) -> E { return 5 * f(s, L, 2); }}};
  }
  if (name == "exponential") {
    return {{[](C s, C, C L) -> E { return cos(s / L); },
             [](C s, C, C L) -> E { return -sin(s / L) / L; },
             [](C s, C, C L) -> E { return -cos(s / L) / (L * L); }},
            {[](C s, C, C L) -> E { return 5 * cos(s / L); },
             [](C s, C, C L) -> E { return 4 * sin(s / L) / L; },
             [](C s, C, C L) -> E { return 7 * cos(s / L) / (L * L); }}};
  }
  throw std::invalid_argument("no formula for " + name);
}

/// The case for the oracle, on the rectangle that the cells cover; with `size`, all data are
/// replaced by their sizes.
inline OracleProblem exact_problem(const ProblemCase& c, const TensorGrid& grid, bool size) {
  OracleProblem p;
  p.widths_x = grid.x.width;
  p.widths_y = grid.y.width;
  p.gx = c.gx;
  p.gy = c.gy;
  p.c = c.c;
  p.dirichlet = c.dirichlet;
  p.load_points = c.quadrature;
  p.with_matrix = false;
  Exact X = 0, Y = 0;
  for (const double w : grid.x.width) X += Exact(w);
  for (const double w : grid.y.width) Y += Exact(w);
  const ExactFactor fx = exact_factor(c.solution, true), fy = exact_factor(c.solution, false);
  const bool mirror = c.solution == "boundary_layer";
  const auto derivative = [=](int dx, int dy) -> ExactFunction {
    return [=](const Exact& x, const Exact& y) -> Exact {
      const Exact s = mirror ? Exact(Y - y) : y, e = mirror ? y : Exact(Y - y);
      const Exact in_x = (size ? fx.size : fx.value)[dx](x, X - x, X);
      const Exact in_y = (size ? fy.size : fy.value)[dy](s, e, Y);
      return mirror && dy == 1 && !size ? Exact(-in_x * in_y) : Exact(in_x * in_y);
    };
  };
  const Exact gx = c.gx, gy = c.gy, reaction = c.c, sign = size ? 1 : -1;
  const ExactFunction u = derivative(0, 0), ux = derivative(1, 0), uy = derivative(0, 1),
                      uxx = derivative(2, 0), uyy = derivative(0, 2);
  p.boundary_value = u;
  p.source = [=](const Exact& x, const Exact& y) -> Exact {
    return sign * (gx * uxx(x, y) + gy * uyy(x, y)) + reaction * u(x, y);
  };
  p.flux = {[=](const Exact& x, const Exact& y) -> Exact { return sign * gx * ux(x, y); },
            [=](const Exact& x, const Exact& y) -> Exact { return gx * ux(x, y); },
            [=](const Exact& x, const Exact& y) -> Exact { return sign * gy * uy(x, y); },
            [=](const Exact& x, const Exact& y) -> Exact { return gy * uy(x, y); }};
  return p;
}

}  // namespace ninefold::testing
