#include "fem/surface/lscm.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <stdexcept>

#include <omp.h>

#include "grids/mesh/mesh_generators.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

using Complex = std::complex<double>;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// The sum that is least, by a frame in each triangle: its definition.
double energy(const TriangleMesh& mesh, const std::vector<PlanePoint>& z, TriangleWeight weight) {
  double sum = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& c = mesh.triangles[t];
    SpacePoint e{}, f{};
    for (std::size_t k = 0; k < 3; ++k) {
      e[k] = mesh.vertices[at(c[1])][k] - mesh.vertices[at(c[0])][k];
      f[k] = mesh.vertices[at(c[2])][k] - mesh.vertices[at(c[0])][k];
    }
    const double length = std::hypot(e[0], e[1], e[2]);
    const double x = (e[0] * f[0] + e[1] * f[1] + e[2] * f[2]) / length;
    const double y = std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2] - x * x);
    const Complex p[3]{{0, 0}, {length, 0}, {x, y}};
    Complex of_triangle = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const PlanePoint& place = z[at(c[a])];
      of_triangle += (p[(a + 2) % 3] - p[(a + 1) % 3]) * Complex(place[0], place[1]);
    }
    sum += std::norm(of_triangle) / (weight == TriangleWeight::conformal ? length * y : 1);
  }
  return sum;
}

std::vector<double> values_at(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = std::sin(1.7 * static_cast<double>(k * k % 101));
  return x;
}

SparseSolved solved_in_double(const ConformalSystem& system, SparseStorage storage) {
  SparseOptions options;
  options.components = 2;
  options.storage = storage;
  options.solver.tolerance = 1e-13;
  return solve_sparse({system.A, system.b, {}}, options, BackendKind::host);
}

}  // namespace

TEST_CASE("the equations are those of the least energy", "[fem][mesh][lscm]") {
  const auto weight = GENERATE(TriangleWeight::conformal, TriangleWeight::unscaled);
  const std::string name = GENERATE("patch", "bumps");
  const TriangleMesh mesh = generate_mesh({name, 4});
  ConformalPins pins = automatic_pins(mesh, mesh_edges(mesh));
  pins.places = {{{0.3, -0.2}, {1.1, 0.7}}};
  const ConformalSystem system = conformal_system(mesh, pins, weight);
  const std::vector<double> x = values_at(at(system.A.pattern.n_rows));
  const WideVector product = sparse_product(system.A, x);
  const auto at_value = [&](std::size_t k, double value) {
    std::vector<double> moved = x;
    moved[k] = value;
    return energy(mesh, places_of(system, mesh.vertices.size(), moved), weight);
  };
  for (std::size_t k = 0; k < x.size(); ++k) {
    CAPTURE(k);
    const double half_slope = (at_value(k, x[k] + 1) - at_value(k, x[k] - 1)) / 4;
    const double residual = static_cast<double>(product[k] - system.b[k]);
    REQUIRE(std::abs(half_slope - residual) < 1e-11);
  }
}

TEST_CASE("the matrix is symmetric to the last bit, with 2 entries a vertex and 2 or 4 an edge",
          "[fem][mesh][lscm]") {
  const int n = 6;
  const TriangleMesh mesh = generate_mesh({"bumps", n});
  const MeshEdges edges = mesh_edges(mesh);
  const ConformalPins pins = automatic_pins(mesh, edges);
  const ConformalSystem system = conformal_system(mesh, pins);
  const ConformalSystem whole =
      conformal_system(mesh, pins, TriangleWeight::conformal, ZeroEntries::kept);
  const std::int64_t free = (n + 1) * (n + 1) - 2;
  // The two held corners have two triangles each: three edges are not among the unknowns.
  const std::int64_t inner = edges.count - 4 * n, of_boundary = 4 * n - 4;
  REQUIRE(whole.A.pattern.entries() == 2 * free + 8 * (edges.count - 6));
  REQUIRE(system.A.pattern.entries() == 2 * free + 4 * (inner - 2) + 8 * of_boundary);
  for (const SparseMatrix* A : {&system.A, &whole.A}) {
    for (int i = 0; i < A->pattern.n_rows; ++i) {
      for (const std::int32_t j : A->pattern.row(i)) REQUIRE((*A)(i, j) == (*A)(j, i));
    }
  }
  for (int i = 0; i < whole.A.pattern.n_rows; ++i) {
    for (const std::int32_t j : whole.A.pattern.row(i)) REQUIRE(whole.A(i, j) == system.A(i, j));
  }
}

TEST_CASE("threads change no bit of the equations", "[fem][mesh][lscm]") {
  const TriangleMesh mesh = generate_mesh({"bumps", 40});
  const ConformalPins pins = automatic_pins(mesh, mesh_edges(mesh));
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const ConformalSystem one = conformal_system(mesh, pins);
  omp_set_num_threads(7);
  const ConformalSystem seven = conformal_system(mesh, pins);
  omp_set_num_threads(threads);
  REQUIRE(one.A == seven.A);
  REQUIRE(one.b.high == seven.b.high);
  REQUIRE(one.b.low == seven.b.low);
}

TEST_CASE("a patch is unfolded, in all storages with the same bits", "[fem][mesh][lscm]") {
  const int n = GENERATE(3, 12, 48);
  CAPTURE(n);
  const TriangleMesh mesh = generate_mesh({"patch", n});
  const auto flat = unfolded_patch(n);
  const std::int32_t last = (n + 1) * (n + 1) - 1;
  ConformalPins pins = pins_at(mesh, 0, last);
  pins.places = {flat.front(), flat.back()};
  const ConformalSystem system = conformal_system(mesh, pins);
  const SparseSolved solved = solved_in_double(system, SparseStorage::sliced);
  REQUIRE(solved.report.true_residual_reduction < 1e-12);
  const auto places = places_of(system, mesh.vertices.size(), solved.solution.high);
  double largest = 0;
  for (std::size_t p = 0; p < places.size(); ++p) {
    largest = std::max(largest, std::hypot(places[p][0] - flat[p][0], places[p][1] - flat[p][1]));
  }
  CAPTURE(largest);
  REQUIRE(largest < 1e-9);
  for (const SparseStorage storage : {SparseStorage::compressed, SparseStorage::jagged,
                                      SparseStorage::blocks_2, SparseStorage::blocks_4}) {
    REQUIRE(solved_in_double(system, storage).solution.high == solved.solution.high);
  }
  const MapDistortion distortion = map_distortion(mesh, places);
  REQUIRE(distortion.turned_over == 0);
  REQUIRE(distortion.largest_stretch < 1 + 1e-6);
  for (const double area : distortion.area) REQUIRE(std::abs(area - 1) < 1e-6);
}

TEST_CASE("pins are two vertices at two places", "[fem][mesh][lscm]") {
  TriangleMesh mesh = flat_patch(4);
  const ConformalPins pins = automatic_pins(mesh, mesh_edges(mesh));
  REQUIRE(pins.places[0] == PlanePoint{0, 0});
  REQUIRE(std::abs(pins.places[1][0] - std::numbers::sqrt2) < 1e-12);
  REQUIRE(pins.vertices[0] + pins.vertices[1] == 24);
  REQUIRE_THROWS_WITH(pins_at(mesh, 0, 25), ContainsSubstring("vertex 25 cannot be held"));
  REQUIRE_THROWS_WITH(pins_at(mesh, -1, 2), ContainsSubstring("from 0 to 24"));
  REQUIRE_THROWS_WITH(pins_at(mesh, 7, 7), ContainsSubstring("vertex 7 is held twice"));
  mesh.vertices[3] = mesh.vertices[9];
  REQUIRE_THROWS_WITH(pins_at(mesh, 3, 9), ContainsSubstring("at the same place"));
  std::vector<std::int32_t> numbers(mesh.vertices.size());
  for (std::size_t p = 0; p < numbers.size(); ++p) numbers[p] = static_cast<std::int32_t>(p) + 100;
  REQUIRE_THROWS_WITH(pins_at(mesh, 3, 9, {numbers, {}}),
                      ContainsSubstring("vertices 103 and 109 are at the same place"));
  REQUIRE_THROWS_WITH(pins_at(mesh, 7, 7, {numbers, {}}), ContainsSubstring("vertex 107 is held"));
  REQUIRE_THROWS_WITH(pins_at({}, 0, 1),
                      ContainsSubstring("vertex 0 cannot be held: there are none"));
  const TriangleMesh closed = generate_mesh({"sphere", 2});
  REQUIRE_THROWS_WITH(automatic_pins(closed, mesh_edges(closed)), ContainsSubstring("closed"));
}

TEST_CASE("distortion is the ratio of stretches, the factor of areas and the side",
          "[mesh][lscm]") {
  const TriangleMesh mesh{{{0, 0, 0}, {2, 0, 0}, {0, 0, 1}, {2, 0, 1}}, {{0, 1, 2}, {1, 3, 2}}};
  std::vector<PlanePoint> places{{0, 0}, {2, 0}, {0, 3}, {2, 3}};
  MapDistortion distortion = map_distortion(mesh, places);
  REQUIRE(distortion.stretch == std::vector<double>{3, 3});
  REQUIRE(distortion.area == std::vector<double>{3, 3});
  REQUIRE(distortion.turned_over == 0);
  places = {{0, 0}, {2, 0}, {0, -1}, {2, 3}};
  distortion = map_distortion(mesh, places);
  REQUIRE(distortion.area[0] == -1);
  REQUIRE(distortion.turned_over == 1);
}

TEST_CASE("an image without area is stretched infinitely", "[mesh][lscm]") {
  const TriangleMesh mesh = flat_patch(3);
  const auto n = mesh.vertices.size();
  std::vector<PlanePoint> places(n, PlanePoint{2, 3});
  const auto all_infinite = [&] {
    const MapDistortion distortion = map_distortion(mesh, places);
    for (const double stretch : distortion.stretch) {
      REQUIRE(stretch == std::numeric_limits<double>::infinity());
    }
    for (const double area : distortion.area) REQUIRE(area == 0);
    REQUIRE(distortion.turned_over == 0);
    REQUIRE(distortion.median_stretch == std::numeric_limits<double>::infinity());
    REQUIRE(distortion.largest_stretch == std::numeric_limits<double>::infinity());
  };
  all_infinite();
  for (std::size_t p = 0; p < n; ++p) places[p] = {mesh.vertices[p][0], 0};
  const MapDistortion segment = map_distortion(mesh, places);
  REQUIRE(segment.median_stretch > 1e15);
  // Most triangles as they are, some are one point: the median is that of the others.
  for (std::size_t p = 0; p < n; ++p) places[p] = {mesh.vertices[p][0], mesh.vertices[p][1]};
  for (const std::int32_t p : mesh.triangles[0]) places[at(p)] = {0, 0};
  const MapDistortion mixed = map_distortion(mesh, places);
  REQUIRE(mixed.stretch[0] == std::numeric_limits<double>::infinity());
  REQUIRE(mixed.median_stretch < 100);
  REQUIRE(mixed.largest_stretch == std::numeric_limits<double>::infinity());
}
