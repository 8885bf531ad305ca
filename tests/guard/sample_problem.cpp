// Equation, sides and data of a sample.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include "tests/guard/sample.hpp"

namespace ninefold::guard {
namespace {

/// A solution and its derivatives, as texts.
struct Formula {
  std::string u, ux, uy, uxx, uyy;
};

/// gx uxx + gy uyy = 0 where gx k^2 = gy l^2.
Formula harmonic(int which, double k, double l) {
  const std::string x = fmt::format("({}*x)", k), y = fmt::format("({}*y)", l);
  const auto product = [&](const std::string& f, const std::string& g, const std::string& df,
                           const std::string& dg, int ddf, int ddg) {
    return Formula{fmt::format("{}*{}", f, g), fmt::format("{}*{}*{}", k, df, g),
                   fmt::format("{}*{}*{}", l, f, dg), fmt::format("{}*{}*{}", ddf * k * k, f, g),
                   fmt::format("{}*{}*{}", ddg * l * l, f, g)};
  };
  const std::string exp_x = "exp" + x, sin_x = "sin" + x, cos_x = "cos" + x;
  const std::string exp_y = "exp" + y, sin_y = "sin" + y, cos_y = "cos" + y;
  switch (which) {
    case 0:
      return {"1", "0", "0", "0", "0"};
    case 1:
      return {fmt::format("1+{}-2*{}", x, y), fmt::format("{}", k), fmt::format("{}", -2 * l), "0",
              "0"};
    case 2:
      return {x + "*" + y, fmt::format("{}*{}", k, y), fmt::format("{}*{}", l, x), "0", "0"};
    case 3:
      return product(exp_x, cos_y, exp_x, "(-" + sin_y + ")", 1, -1);
    case 4:
      return product(sin_x, exp_y, cos_x, exp_y, -1, 1);
    default:
      return {fmt::format("{0}*{0}-{1}*{1}", x, y), fmt::format("{}*{}", 2 * k, x),
              fmt::format("{}*{}", -2 * l, y), fmt::format("{}", 2 * k * k),
              fmt::format("{}", -2 * l * l)};
  }
}

/// Of x / width and y / height.
Formula with_source(int which, double width, double height) {
  const double a = 1 / width, b = 1 / height, pi = std::numbers::pi;
  const std::string x = fmt::format("({}*x)", a), y = fmt::format("({}*y)", b);
  switch (which) {
    case 0:
      return {fmt::format("sin(3*{})*exp{}", x, y), fmt::format("{}*cos(3*{})*exp{}", 3 * a, x, y),
              fmt::format("{}*sin(3*{})*exp{}", b, x, y),
              fmt::format("{}*sin(3*{})*exp{}", -9 * a * a, x, y),
              fmt::format("{}*sin(3*{})*exp{}", b * b, x, y)};
    case 1:
      return {fmt::format("(1-{0})*{1}*exp{1}", x, y), fmt::format("{0}*{1}*exp{1}", -a, y),
              fmt::format("{2}*(1-{0})*(1+{1})*exp{1}", x, y, b), "0",
              fmt::format("{2}*(1-{0})*(2+{1})*exp{1}", x, y, b * b)};
    case 2:
      return {fmt::format("exp(-10*{0})+{1}*{1}", x, y), fmt::format("{}*exp(-10*{})", -10 * a, x),
              fmt::format("{}*{}", 2 * b, y), fmt::format("{}*exp(-10*{})", 100 * a * a, x),
              fmt::format("{}", 2 * b * b)};
    case 3: {
      const std::string both = fmt::format("cos(pi*{})*cos(pi*{})", x, y);
      return {both + "+1", fmt::format("{}*sin(pi*{})*cos(pi*{})", -pi * a, x, y),
              fmt::format("{}*cos(pi*{})*sin(pi*{})", -pi * b, x, y),
              fmt::format("{}*{}", -pi * pi * a * a, both),
              fmt::format("{}*{}", -pi * pi * b * b, both)};
    }
    default: {
      const std::string sum = fmt::format("(1+{}+{})", x, y);
      return {"1/" + sum, fmt::format("{}/{}^2", -a, sum), fmt::format("{}/{}^2", -b, sum),
              fmt::format("{}/{}^3", 2 * a * a, sum), fmt::format("{}/{}^3", 2 * b * b, sum)};
    }
  }
}

void set_fluxes(const Formula& f, ProblemOptions& p) {
  const auto set = [&](Side side, double factor, const std::string& derivative) {
    if (p.boundary[side] == BoundaryKind::dirichlet) return;
    p.flux[static_cast<std::size_t>(side)] = fmt::format("{}*({})", factor, derivative);
  };
  set(Side::left, -p.gx, f.ux);
  set(Side::right, p.gx, f.ux);
  set(Side::bottom, -p.gy, f.uy);
  set(Side::top, p.gy, f.uy);
}

void draw_known(Draw& draw, bool sourceless, const Configuration& c, ProblemOptions& p) {
  const double across = std::sqrt(p.gx / p.gy);
  const double k = std::min(1 / c.width, 1 / (c.height * across));
  Formula f = sourceless ? harmonic(draw.integer(0, 5), k, k * across)
                         : with_source(draw.integer(0, 4), c.width, c.height);
  if (draw.chance(0.2)) f.u += draw.chance(0.5) ? "+1e6" : "+100";
  p.solution = f.u;
  p.source = sourceless ? "0" : fmt::format("-({}*({})+{}*({}))", p.gx, f.uxx, p.gy, f.uyy);
  if (p.reaction > 0) p.source += fmt::format("+{}*({})", p.reaction, f.u);
  set_fluxes(f, p);
}

void draw_unknown(Draw& draw, ProblemOptions& p) {
  p.solution = "";
  p.source = draw.one_of<std::string>(
      {"1", "1", "sin(pi*x/width)*sin(pi*y/height)", "x/width-0.5", "cos(pi*x/width)"});
  if (p.boundary.any_dirichlet() && draw.chance(0.4)) {
    p.dirichlet = draw.one_of<std::string>({"1", "x/width", "exp(y/height)", "1000-y/height"});
  }
  for (const Side side : all_sides) {
    if (p.boundary[side] == BoundaryKind::dirichlet || draw.chance(0.5)) continue;
    p.flux[static_cast<std::size_t>(side)] = draw.one_of<std::string>({"1", "-1", "y/height-0.5"});
  }
}

void draw_sides(Draw& draw, ProblemOptions& p) {
  if (draw.chance(0.4)) return;
  for (const Side side : all_sides) {
    if (draw.chance(0.5)) p.boundary[side] = BoundaryKind::neumann;
  }
  if (p.reaction > 0 || p.boundary.any_dirichlet()) return;
  p.boundary[draw.one_of<Side>({all_sides.begin(), all_sides.end()})] = BoundaryKind::dirichlet;
}

void draw_floating_sides(ProblemOptions& p) {
  p.reaction = 0;
  for (const Side side : all_sides) p.boundary[side] = BoundaryKind::neumann;
}

}  // namespace

void draw_problem(Draw& draw, Configuration& c) {
  ProblemOptions& p = c.problem;
  const bool half = facts(c.solver.precision).max_exponent < 100;
  if (draw.chance(half ? 0.1 : 0.35)) {
    const double orders = draw.chance(0.5) ? 2 : 6;
    p.gx = draw.power(-orders, orders);
    p.gy = draw.chance(0.3) ? p.gx : draw.power(-orders, orders);
  }
  if (draw.chance(half ? 0.1 : 0.35)) p.reaction = draw.power(-6, 6);
  p.quadrature = draw.chance(0.6) ? 2 : draw.integer(1, 5);
  if (draw.chance(0.03)) {
    draw_floating_sides(p);
  } else {
    draw_sides(draw, p);
  }
  const double kind = draw.unit();
  if (kind < 0.4) {
    p.solution = draw.one_of(problem_names());
  } else if (kind < 0.85) {
    draw_known(draw, kind < 0.65, c, p);
  } else {
    draw_unknown(draw, p);
  }
}

}  // namespace ninefold::guard
