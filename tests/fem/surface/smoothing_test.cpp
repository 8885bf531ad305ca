#include "fem/surface/smoothing.hpp"

#include <cmath>
#include <set>
#include <stdexcept>

#include <omp.h>

#include "grids/mesh/mesh_generators.hpp"

#include "solvers/sparse/sparse_solve.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

namespace {

std::size_t index(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

using Dense = std::vector<std::vector<long double>>;

/// L'L + f I by its definition.
Dense dense_system(const TriangleMesh& mesh, double fidelity) {
  const std::size_t n = mesh.vertices.size();
  std::vector<std::set<std::size_t>> around(n);
  for (const auto& corners : mesh.triangles) {
    for (const std::int32_t p : corners) {
      for (const std::int32_t q : corners) {
        if (p != q) around[index(p)].insert(index(q));
      }
    }
  }
  Dense L(n, std::vector<long double>(n)), A = L;
  for (std::size_t i = 0; i < n; ++i) {
    if (!around[i].empty()) L[i][i] = 1;
    for (const std::size_t j : around[i])
      L[i][j] = -1.0L / static_cast<long double>(around[i].size());
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      A[i][j] = i == j ? fidelity : 0;
      for (std::size_t k = 0; k < n; ++k) A[i][j] += L[k][i] * L[k][j];
    }
  }
  return A;
}

TriangleMesh moved(TriangleMesh mesh, const SpacePoint& by) {
  for (SpacePoint& p : mesh.vertices) {
    for (std::size_t k = 0; k < 3; ++k) p[k] += by[k];
  }
  return mesh;
}

std::vector<SparseSolved> solved_all(const SmoothingSystem& system, SparseOptions options = {}) {
  std::vector<SparseRight> rights;
  for (const WideVector& b : system.b) rights.push_back({b, {}});
  return solve_sparse(system.A, rights, options, BackendKind::host);
}

}  // namespace

TEST_CASE("the equations of smoothing are L'L + f, of two rings", "[fem][mesh][smoothing]") {
  const std::string name = GENERATE("patch", "torus", "sphere");
  TriangleMesh mesh = generate_mesh({name, 4});
  mesh.vertices.push_back({7, 8, 9});  // of no triangle
  const double fidelity = GENERATE(0.01, 2.5);
  const SmoothingSystem system = smoothing_system(mesh, fidelity);
  const Dense expected = dense_system(mesh, fidelity);
  const auto n = static_cast<int>(mesh.vertices.size());
  REQUIRE(system.A.pattern.n_rows == n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      CAPTURE(name, i, j);
      const long double entry = expected[index(i)][index(j)];
      // Products of rounded quotients, of which each sum has few.
      REQUIRE(std::abs(static_cast<double>(system.A(i, j) - entry)) <= 0x1p-50 * (1 + fidelity));
      REQUIRE((system.A.find(i, j) >= 0) == (entry != 0));
      REQUIRE(system.A(i, j) == system.A(j, i));
    }
    REQUIRE(system.b[1][index(i)].high
            == static_cast<double>(fidelity * mesh.vertices[index(i)][1]));
  }
}

TEST_CASE("with a fidelity of 0.01 smoothing takes 150 to 180 iterations on all meshes",
          "[fem][mesh][smoothing]") {
  for (const auto& [name, size] : std::vector<std::pair<std::string, int>>{{"patch", 32},
                                                                           {"patch", 96},
                                                                           {"bumps", 32},
                                                                           {"bumps", 96},
                                                                           {"sphere", 24},
                                                                           {"torus", 48}}) {
    const SmoothingSystem system = smoothing_system(generate_mesh({name, size}), 0.01);
    for (const SparseSolved& solved : solved_all(system)) {
      CAPTURE(name, size, solved.report.iterations);
      CHECK(solved.report.outcome == Outcome::converged);
      CHECK(solved.report.iterations >= 150);
      CHECK(solved.report.iterations <= 180);
    }
  }
}

TEST_CASE("smoothing brings bumps down and a far mesh along", "[fem][mesh][smoothing]") {
  TriangleMesh mesh = generate_mesh({"torus", 20});
  mesh.vertices[77][2] += 0.3;
  const auto result = [&](const TriangleMesh& of, Precision precision) {
    const SmoothingSystem system = smoothing_system(of, 0.1);
    SparseOptions options;
    options.solver.precision = precision;
    const std::vector<SparseSolved> solved = solved_all(system, options);
    return smoothed(of, system, {solved[0].solution, solved[1].solution, solved[2].solution});
  };
  const TriangleMesh near = result(mesh, Precision::double_);
  REQUIRE(near.triangles == mesh.triangles);
  REQUIRE(mesh.vertices[77][2] - near.vertices[77][2] > 0.15);
  // Further away than it is large: single still has the shape, though not the place.
  const SpacePoint far{4096, -8192, 1024};
  REQUIRE(smoothing_system(mesh, 0.1).origin == SpacePoint{});
  const TriangleMesh there = moved(mesh, far);
  const SpacePoint origin = smoothing_system(there, 0.1).origin;
  for (std::size_t k = 0; k < 3; ++k) REQUIRE(std::abs(origin[k] - far[k]) < 1);
  const TriangleMesh single = result(there, Precision::single_);
  for (std::size_t p = 0; p < near.vertices.size(); ++p) {
    for (std::size_t k = 0; k < 3; ++k) {
      REQUIRE(std::abs(single.vertices[p][k] - far[k] - near.vertices[p][k]) < 1e-5);
    }
  }
}

TEST_CASE("a larger fidelity moves less, parts and threads change nothing",
          "[fem][mesh][smoothing]") {
  const TriangleMesh mesh = generate_mesh({"bumps", 12});
  const auto largest_move = [&](double fidelity) {
    const SmoothingSystem system = smoothing_system(mesh, fidelity);
    const std::vector<SparseSolved> solved = solved_all(system);
    double largest = 0;
    for (std::size_t p = 0; p < mesh.vertices.size(); ++p) {
      largest = std::max(largest, std::abs(solved[2].solution.high[p] - mesh.vertices[p][2]));
    }
    return largest;
  };
  REQUIRE(largest_move(0.01) > 2 * largest_move(1));
  REQUIRE(largest_move(1) > 2 * largest_move(100));

  TriangleMesh two = mesh;
  const auto n = static_cast<std::int32_t>(mesh.vertices.size());
  for (const SpacePoint& p : generate_mesh({"torus", 5}).vertices) two.vertices.push_back(p);
  for (auto corners : generate_mesh({"torus", 5}).triangles) {
    for (std::int32_t& p : corners) p += n;
    two.triangles.push_back(corners);
  }
  const SmoothingSystem one = smoothing_system(mesh, 0.01);
  omp_set_num_threads(3);
  const SmoothingSystem both = smoothing_system(two, 0.01);
  REQUIRE(smoothing_system(mesh, 0.01).A == one.A);
  omp_set_num_threads(1);
  for (int i = 0; i < n; ++i) {
    const auto own = one.A.pattern.row(i), beside = both.A.pattern.row(i);
    REQUIRE(std::vector(own.begin(), own.end()) == std::vector(beside.begin(), beside.end()));
    for (const std::int32_t j : own) REQUIRE(one.A(i, j) == both.A(i, j));
  }
}

TEST_CASE("fidelities that are none are refused", "[fem][mesh][smoothing]") {
  const TriangleMesh mesh = generate_mesh({"torus", 3});
  for (const double fidelity : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    REQUIRE_THROWS_AS(smoothing_system(mesh, fidelity), std::invalid_argument);
  }
}

TEST_CASE("a vertex that fills the matrix is refused", "[fem][mesh][smoothing]") {
  TriangleMesh fan{{{0, 0, 1}}, {}};
  const std::int32_t rim = 50'000;
  for (std::int32_t k = 1; k <= rim; ++k) {
    fan.vertices.push_back({std::cos(6.0 * k / rim), std::sin(6.0 * k / rim), 0});
    if (k > 1) fan.triangles.push_back({0, k - 1, k});
  }
  REQUIRE_THROWS_WITH(smoothing_system(fan, 0.01),
                      Catch::Matchers::ContainsSubstring("vertex 0 has 50000 neighbours")
                          && Catch::Matchers::ContainsSubstring("2147483648"));
}

TEST_CASE("the lengths of a mesh are those of its edges and its box", "[fem][mesh][smoothing]") {
  // Two triangles of a rectangle of 3 x 4; the diagonal is an edge once.
  const TriangleMesh mesh{{{0, 0, 1}, {3, 0, 1}, {3, 4, 1}, {0, 4, 1}}, {{0, 1, 2}, {0, 2, 3}}};
  const MeshLengths lengths = mesh_lengths(mesh);
  REQUIRE(lengths.mean_edge == (3 + 4 + 3 + 4 + 5) / 5.0);
  REQUIRE(lengths.diagonal == 5);
}
