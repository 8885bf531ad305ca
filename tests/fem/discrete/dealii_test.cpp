// The discretisation against deal.II: another author's elements, quadrature and assembly.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "fem/discrete/assembly.hpp"
#include "fem/discrete/errors.hpp"
#include "fem/problem/problems.hpp"

#include "gpu/operations/row_operations.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/dealii/reference_assembly.hpp"
#include "tests/support/exact.hpp"

namespace ninefold {
namespace {

struct Setting {
  const char* description;
  double width = 1, height = 1;
  GridGrading grading{};
  double gx = 1, gy = 1, reaction = 0;
  const char* solution = "polynomial";
  std::array<BoundaryKind, 4> kind{};  ///< Dirichlet by default
  int quadrature = 2;
};

std::vector<Setting> settings() {
  const auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann;
  return {{"uniform"},
          {"uniform, a rectangle", 0.25, 3},
          {"anisotropic, nu = 0.5", 1, 1, {0.5}},
          {"anisotropic, nu = 0.125, at the left and top", 1, 1, {0.125, {Side::left, Side::top}}},
          {"coefficients and reaction", 1, 0.5, {0.5}, 2.5, 0.3, 1.7, "sine"},
          {"right and top Neumann", 1, 2, {0.5}, 2, 0.7, 0, "polynomial", {D, N, D, N}},
          {"all Neumann", 1.5, 1, {0.25}, 1, 3, 0.8, "exponential", {N, N, N, N}},
          {"five points", 1, 1, {0.5}, 1, 1, 0.5, "boundary_layer", {N, D, N, D}, 5}};
}

/// The larger one; not a number counts as infinite.
double worse(double worst, double difference) {
  return difference <= worst ? worst : std::isnan(difference) ? INFINITY : difference;
}

/// Ours and deal.II's of one setting.
struct Both {
  TensorGrid grid;
  Problem problem;
  ReferenceProblem reference;
  double tolerance;  ///< relative, of a quantity computed from the cells

  Both(const Setting& s, int level)
      : grid(make_hierarchy(s.width, s.height, level, s.grading).back()) {
    ProblemOptions options;
    options.solution = s.solution;
    options.gx = s.gx;
    options.gy = s.gy;
    options.reaction = s.reaction;
    options.boundary.kind = s.kind;
    options.quadrature = s.quadrature;
    problem = make_problem(options, s.width, s.height);
    reference.widths_x = grid.x.width;
    reference.widths_y = grid.y.width;
    reference.gx = s.gx;
    reference.gy = s.gy;
    reference.reaction = s.reaction;
    reference.quadrature = s.quadrature;
    reference.source = plane(problem.source);
    for (std::size_t side = 0; side < 4; ++side) {
      if (problem.flux[side]) reference.flux[side] = plane(problem.flux[side]);
    }
    // deal.II differences coordinates of size X to get a width h: 4 u X/h each, four widths in an
    // entry; 100 u for all other roundings of both.
    tolerance = (100 + 16 * std::max(s.width, s.height) / grid.h_min()) * 0x1p-53;
  }

  PlaneFunction plane(const Function& f) const {
    return [f, X = problem.width, Y = problem.height](double x, double y) {
      return f({x, X - x, y, Y - y});
    };
  }
};

TEST_CASE("the matrix agrees with deal.II's entry by entry", "[dealii][assembly]") {
  const Setting setting = GENERATE(from_range(settings()));
  const int level = GENERATE(1, 3, 5);
  CAPTURE(setting.description, level);
  const Both both(setting, level);
  const ReferenceSystem reference = assemble_reference(both.reference);
  const int nx = both.grid.nx(), ny = both.grid.ny();
  REQUIRE(reference.nx == nx);
  REQUIRE(reference.ny == ny);

  std::vector<double> storage(9 * std::size_t(nx * ny));
  NineBand<double> A{};
  for (int m = 0; m < 9; ++m) A.band[m] = storage.data() + m * nx * ny;
  A.nx = nx;
  A.ny = ny;
  A.form = OperatorForm::plain;
  A.unknowns = unknown_nodes(both.grid, both.problem.boundary);
  const auto x = node_couplings<double>(both.grid.x), y = node_couplings<double>(both.grid.y);
  assemble_bands(Host(), Coefficients<double>{setting.gx, setting.gy, setting.reaction}, x.data(),
                 y.data(), A);

  double worst = 0;
  for (int j = A.unknowns.j0; j < A.unknowns.j1; ++j) {
    for (int i = A.unknowns.i0; i < A.unknowns.i1; ++i) {
      const int k = j * nx + i;
      const auto& row = reference.rows[std::size_t(k)];
      // Entries are sums of parts of both signs that are no larger than the diagonal.
      for (std::size_t m = 0; m < 9; ++m) {
        worst = worse(worst, std::abs(A.band[m][k] - row[m]) / row[4]);
      }
    }
  }
  REQUIRE(worst <= both.tolerance);
}

TEST_CASE("the load agrees with deal.II's entry by entry", "[dealii][assembly]") {
  const Setting setting = GENERATE(from_range(settings()));
  const int level = GENERATE(1, 3, 5);
  CAPTURE(setting.description, level);
  const Both both(setting, level);
  auto data = both.reference;
  const ReferenceSystem reference = assemble_reference(data);
  // The magnitude: the integrals of |f| phi and |flux| phi.
  const auto magnitude = [](const PlaneFunction& f) {
    return PlaneFunction([f](double x, double y) { return std::abs(f(x, y)); });
  };
  data.source = magnitude(data.source);
  for (PlaneFunction& flux : data.flux) {
    if (flux) flux = magnitude(flux);
  }
  const ReferenceSystem size = assemble_reference(data);
  const auto load = assemble_load<double>(both.problem, both.grid);
  const Box unknowns = unknown_nodes(both.grid, both.problem.boundary);
  // Functions of coordinates near a far side are off by u X/h; the layer is 50 times as sensitive.
  const double tolerance =
      both.tolerance * (std::string(setting.solution) == "boundary_layer" ? 50 : 1);
  double worst = 0;
  for (int k = 0; k < both.grid.nx() * both.grid.ny(); ++k) {
    if (!unknowns.contains(k % both.grid.nx(), k / both.grid.nx())) continue;
    const std::size_t node = std::size_t(k);
    worst = worse(worst, std::abs(load[node] - reference.load[node]) / size.load[node]);
  }
  REQUIRE(worst <= tolerance);
}

TEST_CASE("l2 errors agree with VectorTools::integrate_difference", "[dealii][errors]") {
  const Setting setting = GENERATE(from_range(settings()));
  const int level = GENERATE(2, 5);
  const double size = GENERATE(1.0, 1e-4);  // of the error
  CAPTURE(setting.description, level, size);
  const Both both(setting, level);
  auto u_h = nodal_solution(both.problem, both.grid);
  const auto noise = testing::random_values<double>(u_h.size(), 3);
  for (std::size_t k = 0; k < u_h.size(); ++k) u_h[k] += size * noise[k];
  const double ours = measure_errors(both.problem, both.grid, u_h).l2;
  const double theirs = reference_l2_error(both.grid.x.width, both.grid.y.width, u_h,
                                           both.plane(both.problem.solution));
  // An error of 1e-4 of the values has lost four digits.
  REQUIRE(std::abs(ours - theirs) <= both.tolerance * theirs / size);
}

}  // namespace
}  // namespace ninefold
