#include "grids/mesh/mesh_generators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/support/catch.hpp"

using namespace ninefold;
using Catch::Matchers::ContainsSubstring;

namespace {

double length(const TriangleMesh& mesh, std::int32_t p, std::int32_t q) {
  const SpacePoint& a = mesh.vertices[static_cast<std::size_t>(p)];
  const SpacePoint& b = mesh.vertices[static_cast<std::size_t>(q)];
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace

TEST_CASE("the patch keeps all lengths of its unfolding", "[mesh]") {
  const int n = GENERATE(1, 2, 5, 40);
  CAPTURE(n);
  const TriangleMesh folded = generate_mesh({"patch", n}), flat = flat_patch(n);
  REQUIRE(folded.triangles == flat.triangles);
  REQUIRE_NOTHROW(require_disc(folded, mesh_edges(folded)));
  for (const auto& corners : folded.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t p = corners[k], q = corners[(k + 1) % 3];
      REQUIRE(std::abs(length(folded, p, q) - length(flat, p, q)) < 1e-14);
    }
  }
  double highest = 0;
  for (const SpacePoint& p : folded.vertices) highest = std::max(highest, std::abs(p[2]));
  if (n > 1) REQUIRE(highest > 0.3);  // and is not flat itself
}

TEST_CASE("corners of patches belong to two triangles", "[mesh]") {
  const int n = GENERATE(2, 9);
  const TriangleMesh mesh = flat_patch(n);
  const std::int32_t side = n + 1;
  for (const std::int32_t corner : {0, n, n * side, n * side + n}) {
    CAPTURE(corner);
    REQUIRE(std::count_if(mesh.triangles.begin(), mesh.triangles.end(),
                          [&](const auto& t) { return std::count(t.begin(), t.end(), corner) > 0; })
            == 2);
  }
}

TEST_CASE("every generator has a description, and makes a surface", "[mesh]") {
  for (const std::string& name : mesh_generator_names()) {
    CAPTURE(name);
    REQUIRE_FALSE(mesh_generator_description(name).empty());
    const TriangleMesh mesh = generate_mesh({name, 6});
    const MeshEdges edges = mesh_edges(mesh);
    REQUIRE(edges.part_sizes.size() == 1);
    REQUIRE(edges.isolated == -1);
    REQUIRE(edges.pinched == -1);
    REQUIRE(mesh == generate_mesh({name, 6}));
  }
}

TEST_CASE("a sphere shows its upper side outside", "[mesh]") {
  const TriangleMesh mesh = generate_mesh({"sphere", 4});
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const SpacePoint &p = mesh.vertices[static_cast<std::size_t>(a)],
                     &q = mesh.vertices[static_cast<std::size_t>(b)],
                     &r = mesh.vertices[static_cast<std::size_t>(c)];
    volume += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2])
              + p[2] * (q[0] * r[1] - q[1] * r[0]);
  }
  REQUIRE(volume / 6 > 3.8);
  REQUIRE(volume / 6 < 4.19);
}

TEST_CASE("meshes that cannot be made are refused", "[mesh]") {
  REQUIRE_THROWS_WITH(generate_mesh({"cube", 3}),
                      ContainsSubstring("there is no mesh cube: there are patch, bumps"));
  REQUIRE_THROWS_WITH(generate_mesh({"torus", 2}), ContainsSubstring("from 3 to 10000"));
  REQUIRE_THROWS_WITH(generate_mesh({"patch", 0}), ContainsSubstring("from 1 to 10000"));
  // Whose vertices would be more than an int counts.
  REQUIRE_THROWS_WITH(unfolded_patch(46'341),
                      ContainsSubstring("a patch of size 46341: it is from 1 to 10000"));
  REQUIRE_THROWS_WITH(flat_patch(46'341), ContainsSubstring("from 1 to 10000"));
  REQUIRE_THROWS_WITH(unfolded_patch(std::numeric_limits<int>::max()),
                      ContainsSubstring("from 1 to 10000"));
  REQUIRE_THROWS_WITH(flat_patch(0), ContainsSubstring("from 1 to 10000"));
  REQUIRE_THROWS_WITH(generate_mesh({"sphere", 1'001}),
                      ContainsSubstring("a sphere of size 1001: it is from 1 to 1000"));
  REQUIRE(mesh_generator_sizes("sphere").most == 1000);
  REQUIRE(mesh_generator_sizes("torus").least == 3);
  REQUIRE(mesh_generator_sizes().least == 1);
  REQUIRE(mesh_generator_sizes().most == 10'000);
  REQUIRE_THROWS_WITH(mesh_generator_sizes("cone"), ContainsSubstring("there is no mesh cone"));
  REQUIRE_THROWS_WITH(generate_mesh({"bumps", 10'001}), ContainsSubstring("from 1 to 10000"));
  REQUIRE_THROWS_WITH(generate_mesh({"torus", 10'001}), ContainsSubstring("from 3 to 10000"));
}
