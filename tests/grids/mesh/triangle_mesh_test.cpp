#include "grids/mesh/triangle_mesh.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "grids/mesh/mesh_generators.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Vertices on a circle in space; a mesh is then made by its triangles.
TriangleMesh with_triangles(std::size_t n, std::vector<std::array<std::int32_t, 3>> triangles) {
  TriangleMesh mesh{std::vector<SpacePoint>(n), std::move(triangles)};
  for (std::size_t p = 0; p < n; ++p) {
    const auto t = static_cast<double>(p);
    mesh.vertices[p] = {t, t * t, 0.1 * t};
  }
  return mesh;
}

void refused_by_edges(const TriangleMesh& mesh, const std::string& part) {
  REQUIRE_THROWS_AS(mesh_edges(mesh), std::invalid_argument);
  REQUIRE_THROWS_WITH(mesh_edges(mesh), ContainsSubstring(part));
}

void no_disc(const TriangleMesh& mesh, const std::string& part) {
  const MeshEdges edges = mesh_edges(mesh);
  REQUIRE_THROWS_AS(require_disc(mesh, edges), std::invalid_argument);
  REQUIRE_THROWS_WITH(require_disc(mesh, edges), ContainsSubstring(part));
}

}  // namespace

TEST_CASE("a patch is a disc whose boundary goes around it", "[mesh]") {
  const int n = GENERATE(1, 2, 3, 7);
  CAPTURE(n);
  const TriangleMesh mesh = flat_patch(n);
  const MeshEdges edges = mesh_edges(mesh);
  REQUIRE_NOTHROW(require_disc(mesh, edges));
  REQUIRE(edges.count == 2 * n * (n + 1) + n * n);
  REQUIRE(edges.euler_characteristic(mesh) == 1);
  REQUIRE(edges.part_sizes == std::vector<std::int64_t>{2 * n * n});
  REQUIRE(edges.boundaries.size() == 1);
  REQUIRE(edges.boundaries[0].size() == static_cast<std::size_t>(4 * n));
  // To the left, as the triangles do: twice the area is two.
  double area = 0;
  const auto& loop = edges.boundaries[0];
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const SpacePoint& a = mesh.vertices[static_cast<std::size_t>(loop[k])];
    const SpacePoint& b = mesh.vertices[static_cast<std::size_t>(loop[(k + 1) % loop.size()])];
    area += a[0] * b[1] - a[1] * b[0];
  }
  REQUIRE(std::abs(area - 2) < 1e-12);
  for (std::size_t h = 0; h < edges.twins.size(); ++h) {
    const std::int32_t twin = edges.twins[h];
    if (twin >= 0) REQUIRE(edges.twins[static_cast<std::size_t>(twin)] == static_cast<int>(h));
  }
}

TEST_CASE("spheres and tori are closed, of their Euler characteristics", "[mesh]") {
  const TriangleMesh sphere = generate_mesh({"sphere", 3}), torus = generate_mesh({"torus", 5});
  const MeshEdges of_sphere = mesh_edges(sphere), of_torus = mesh_edges(torus);
  REQUIRE(of_sphere.euler_characteristic(sphere) == 2);
  REQUIRE(of_torus.euler_characteristic(torus) == 0);
  no_disc(sphere, "closed");
  no_disc(torus, "closed");
}

TEST_CASE("what is no surface is refused by number", "[mesh]") {
  refused_by_edges(with_triangles(3, {{0, 1, 3}}),
                   "triangle 0 has a corner at vertex 3: they are from 0 to 2");
  refused_by_edges(with_triangles(3, {{0, 1, -1}}), "triangle 0 has a corner at vertex -1");
  refused_by_edges(with_triangles(3, {{0, 1, 2}, {0, 1, 1}}),
                   "triangle 1 has a vertex twice: (0, 1, 1)");
  refused_by_edges(with_triangles(5, {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}),
                   "edge (0, 1) belongs to 3 triangles, 0, 1 and 2");
  refused_by_edges(with_triangles(4, {{0, 1, 2}, {0, 1, 3}}),
                   "triangles 0 and 1 both run along edge (0, 1)");
  TriangleMesh mesh = with_triangles(3, {{0, 1, 2}});
  mesh.vertices[1][2] = std::numeric_limits<double>::quiet_NaN();
  refused_by_edges(mesh, "vertex 1 has the coordinate nan");
}

TEST_CASE("what is no disc is refused by name and number", "[mesh]") {
  no_disc({}, "no triangles");
  no_disc(with_triangles(4, {{0, 1, 2}}), "vertex 3 belongs to no triangle");
  no_disc(with_triangles(6, {{0, 1, 2}, {3, 4, 5}}),
          "2 parts, of which the largest has 1 of the 2");
  TriangleMesh flat = with_triangles(4, {{0, 1, 2}, {2, 1, 3}});
  flat.vertices[3] = {1.5, 2.5, 0.15};
  flat.vertices[2] = {2, 4, 0.2};
  flat.vertices[1] = {1, 1, 0.1};
  no_disc(flat, "triangle 1, of vertices (2, 1, 3), has no area");
  TriangleMesh ring = flat_patch(3);
  ring.triangles.erase(ring.triangles.begin() + 8, ring.triangles.begin() + 10);
  no_disc(ring, "no disc: it has 2 boundaries, of 12 and 4 edges");
}

TEST_CASE("a vertex at which a surface touches itself is refused", "[mesh]") {
  // A strip of five triangles whose last vertex is the first one.
  const TriangleMesh mesh =
      with_triangles(6, {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}, {4, 5, 0}});
  no_disc(mesh, "at vertex 0 triangles meet that share no edge there");
  REQUIRE(mesh_edges(mesh).pinched == 0);
}

TEST_CASE("a torus with a hole has a handle", "[mesh]") {
  TriangleMesh mesh = generate_mesh({"torus", 5});
  mesh.triangles.pop_back();
  no_disc(mesh, "no disc: it has 1 handle");
  mesh.triangles.erase(mesh.triangles.begin() + 24);
  no_disc(mesh, "no disc: it has 2 boundaries, of 3 and 3 edges and 1 handle");
}

TEST_CASE("the largest part is a mesh of its own", "[mesh]") {
  const TriangleMesh patch = flat_patch(2);
  TriangleMesh mesh;
  mesh.vertices = {{9, 9, 9}, {8, 9, 9}, {9, 8, 9}, {7, 7, 7}};
  mesh.triangles = {{0, 1, 2}};
  mesh.vertices.insert(mesh.vertices.end(), patch.vertices.begin(), patch.vertices.end());
  for (const auto& [a, b, c] : patch.triangles) mesh.triangles.push_back({a + 4, b + 4, c + 4});
  const MeshEdges edges = mesh_edges(mesh);
  REQUIRE(edges.isolated == 3);
  const MeshPart part = largest_part(mesh, edges);
  REQUIRE(part.mesh == patch);
  for (std::size_t p = 0; p < part.vertices.size(); ++p) {
    REQUIRE(part.vertices[p] == static_cast<int>(p) + 4);
  }
  REQUIRE(largest_part({}, mesh_edges({})).mesh == TriangleMesh{});
}

TEST_CASE("what is wrong with a part has the numbers of the whole", "[mesh]") {
  TriangleMesh mesh = with_triangles(8, {{0, 1, 2}, {3, 4, 5}, {5, 4, 6}, {5, 6, 7}});
  const MeshPart part = largest_part(mesh, mesh_edges(mesh));
  REQUIRE(part.triangles == std::vector<std::int32_t>{1, 2, 3});
  const MeshEdges edges = mesh_edges(part.mesh);
  REQUIRE_NOTHROW(require_disc(part.mesh, edges, part.numbers()));
  TriangleMesh flat = part.mesh;
  flat.vertices[3] = flat.vertices[2];
  REQUIRE_THROWS_WITH(require_disc(flat, edges, part.numbers()),
                      ContainsSubstring("triangle 2, of vertices (5, 4, 6), has no area"));
  REQUIRE_THROWS_WITH(require_disc(flat, edges),
                      ContainsSubstring("triangle 1, of vertices (2, 1, 3), has no area"));
  // Two triangles that only meet at a vertex, joined elsewhere, behind one that is a part alone.
  mesh = with_triangles(9, {{0, 1, 2}, {3, 4, 5}, {5, 4, 6}, {5, 6, 7}, {7, 6, 8}, {7, 8, 3}});
  const MeshPart strip = largest_part(mesh, mesh_edges(mesh));
  REQUIRE_THROWS_WITH(require_disc(strip.mesh, mesh_edges(strip.mesh), strip.numbers()),
                      ContainsSubstring("at vertex 3 triangles meet"));
}

TEST_CASE("areas are right at every scale, and edges have a range", "[mesh]") {
  const TriangleMesh mesh = generate_mesh({"bumps", 3});
  const MeshEdges edges = mesh_edges(mesh);
  for (const int exponent : {-430, -300, -90, 0, 90, 300, 430}) {
    CAPTURE(exponent);
    TriangleMesh scaled = mesh;
    for (SpacePoint& p : scaled.vertices) {
      for (double& c : p) c = std::scalbn(c, exponent);
    }
    REQUIRE_NOTHROW(require_disc(scaled, edges));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      REQUIRE(twice_area(scaled, t) == std::scalbn(twice_area(mesh, t), 2 * exponent));
    }
  }
  const auto one = [](double size) {
    return TriangleMesh{{{0, 0, 0}, {size, 0, 0}, {0, size, 0}}, {{0, 1, 2}}};
  };
  REQUIRE(twice_area(one(1e-100), 0) > 0.99e-200);
  no_disc(one(1e140), "has a longest edge of 1.41e+140: from 1e-130 to 1e+130 are possible");
  no_disc(one(1.7e308), "has a longest edge of");
  no_disc(one(1e-140), "has a longest edge of 1.41e-140");
  no_disc(one(0), "has no area");
}
