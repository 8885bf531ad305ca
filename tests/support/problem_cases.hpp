#pragma once
// Discrete problems, stated once for the project and once for the oracle.

#include <string>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "fem/problem/problems.hpp"

#include "tests/support/dense.hpp"

namespace ninefold::testing {

struct ProblemCase {
  std::string description;
  double width = 1, height = 1;
  GridGrading grading{};
  std::array<bool, 4> dirichlet{true, true, true, true};  ///< left, right, bottom, top
  double gx = 1, gy = 1, c = 0;
  std::string solution = "polynomial";
  int quadrature = 2;
};

inline std::vector<ProblemCase> problem_cases() {
  const std::vector<Side> all(all_sides.begin(), all_sides.end());
  std::vector<ProblemCase> cases(9);
  cases[0] = {"uniform", 1, 1, {}, {true, true, true, true}};
  cases[1] = {"narrow", 1e-11, 1, {}, {true, true, true, true}};
  cases[2] = {"anisotropic, nu = 0.25", 1, 1, {0.25}, {true, true, true, true}};
  cases[3] = {"anisotropic, nu = 0.03125", 1, 1, {0.03125}, {true, true, true, true}};
  cases[4] = {"all sides refined", 0.7, 3, {0.3, all}, {true, true, true, true}, 2.5, 0.3, 1.7};
  cases[5] = {"right and top Neumann", 1, 0.5, {0.5}, {true, false, true, false}, 2.5, 0.3, 0};
  cases[6] = {"left and bottom Neumann", 1, 2, {}, {false, true, false, true}, 1, 1, 0.9};
  cases[7] = {"all sides Neumann", 1, 1, {0.5}, {false, false, false, false}, 1, 4, 2};
  cases[8] = {"inhomogeneous", 2, 1, {0.5}, {true, false, true, true}, 0.5, 2, 3, "exponential"};
  for (const int points : {1, 3, 5}) {
    cases.push_back(cases[8]);
    cases.back().quadrature = points;
    cases.back().description += ", " + std::to_string(points) + " points";
  }
  return cases;
}

inline TensorGrid make_grid(const ProblemCase& c, int level) {
  return make_hierarchy(c.width, c.height, level, c.grading).back();
}

inline Problem stated(const ProblemCase& c) {
  ProblemOptions options;
  options.solution = c.solution;
  options.gx = c.gx;
  options.gy = c.gy;
  options.reaction = c.c;
  options.quadrature = c.quadrature;
  for (const Side side : all_sides) {
    options.boundary[side] = c.dirichlet[static_cast<std::size_t>(side)] ? BoundaryKind::dirichlet
                                                                         : BoundaryKind::neumann;
  }
  return make_problem(options, c.width, c.height);
}

/// The same for the oracle on the cells of `grid`, whose exact sums replace the rounded sizes. With
/// `absolute`, all data are replaced by the sums of the absolute values of their terms: the load is
/// then the magnitude that its rounding errors are measured against.
inline OracleProblem for_oracle(const ProblemCase& c, const TensorGrid& grid, bool absolute) {
  OracleProblem p;
  p.widths_x = grid.x.width;
  p.widths_y = grid.y.width;
  p.gx = c.gx;
  p.gy = c.gy;
  p.c = c.c;
  p.dirichlet = c.dirichlet;
  p.load_points = c.quadrature;
  Exact X = 0, Y = 0;
  for (const double w : grid.x.width) X += Exact(w);
  for (const double w : grid.y.width) Y += Exact(w);
  ExactFunction u, ux, uy, minus_uxx, minus_uyy;
  if (c.solution == "polynomial") {
    u = [=](Exact x, Exact y) { return x * (X - x) * y * (Y - y); };
    ux = [=](Exact x, Exact y) { return (X - 2 * x) * y * (Y - y); };
    uy = [=](Exact x, Exact y) { return (Y - 2 * y) * x * (X - x); };
    minus_uxx = [=](Exact, Exact y) { return 2 * y * (Y - y); };
    minus_uyy = [=](Exact x, Exact) { return 2 * x * (X - x); };
  } else if (c.solution == "exponential") {
    u = [=](Exact x, Exact y) { return exp(x / X) * cos(y / Y); };
    ux = [=](Exact x, Exact y) { return exp(x / X) * cos(y / Y) / X; };
    uy = [=](Exact x, Exact y) { return -exp(x / X) * sin(y / Y) / Y; };
    minus_uxx = [=](Exact x, Exact y) { return -exp(x / X) * cos(y / Y) / (X * X); };
    minus_uyy = [=](Exact x, Exact y) { return exp(x / X) * cos(y / Y) / (Y * Y); };
  } else {
    throw std::invalid_argument("the oracle does not know " + c.solution);
  }
  const Exact gx = c.gx, gy = c.gy, reaction = c.c;
  const auto size = [absolute](const Exact& v) { return absolute ? abs(v) : v; };
  p.boundary_value = u;
  p.source = [=](Exact x, Exact y) {
    return size(gx * minus_uxx(x, y)) + size(gy * minus_uyy(x, y)) + size(reaction * u(x, y));
  };
  p.flux = {[=](Exact x, Exact y) { return size(-gx * ux(x, y)); },
            [=](Exact x, Exact y) { return size(gx * ux(x, y)); },
            [=](Exact x, Exact y) { return size(-gy * uy(x, y)); },
            [=](Exact x, Exact y) { return size(gy * uy(x, y)); }};
  return p;
}

}  // namespace ninefold::testing
