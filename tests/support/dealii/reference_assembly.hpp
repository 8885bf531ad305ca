#pragma once
// The same discrete problem by deal.II: FE_Q(1), its quadrature and its assembly loop.
//
// An independent reference for tests: nothing of fem/ takes part, and no deal.II type shows.
//
// Shape.  Rows are in band order, row[3(t+1) + (s+1)] couples node (i, j) with (i+s, j+t); nodes
// have the numbers j nx + i.
//
// Rounding.  deal.II keeps coordinates, so that a width h at position x is known to u x/h only:
// choose grids whose cells are not too small.
//
// Tests.  tests/fem/discrete/dealii_test.cpp

#include <array>
#include <functional>
#include <vector>

namespace ninefold {

using PlaneFunction = std::function<double(double x, double y)>;

/// -div(diag(gx, gy) grad u) + c u = f on cells of these widths; an empty function means zero.
struct ReferenceProblem {
  std::vector<double> widths_x, widths_y;
  double gx = 1.0, gy = 1.0, reaction = 0.0;
  PlaneFunction source;
  std::array<PlaneFunction, 4> flux;  ///< left, right, bottom, top
  int quadrature = 2;                 ///< Gauss points per direction for the load
};

struct ReferenceSystem {
  int nx = 0, ny = 0;
  std::vector<std::array<double, 9>> rows;
  std::vector<double> load;
};

/// Matrix and load before Dirichlet conditions: every node counts as an unknown.
ReferenceSystem assemble_reference(const ReferenceProblem& problem);

/// The l2 error of nodal values by VectorTools::integrate_difference, 3 x 3 Gauss points.
double reference_l2_error(const std::vector<double>& widths_x, const std::vector<double>& widths_y,
                          const std::vector<double>& u_h, const PlaneFunction& solution);

}  // namespace ninefold
