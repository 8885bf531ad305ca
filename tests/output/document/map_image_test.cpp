#include "output/document/map_image.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "output/document/surface_image.hpp"

#include "tests/support/catch.hpp"

using namespace ninefold;

TEST_CASE("pixels have the values of the triangles that hold their middles", "[output][mesh]") {
  const std::vector<std::array<double, 2>> places{{1, 1}, {3, 1}, {3, 2}, {1, 2}};
  const std::vector<std::array<std::int32_t, 3>> triangles{{0, 1, 2}, {0, 2, 3}};
  const PlaneSamples samples = sample_triangles(places, triangles, std::vector<double>{1, 2}, 40);
  REQUIRE(samples.width == 40);
  REQUIRE(samples.height == 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 40; ++x) {
      const double value = samples.values[static_cast<std::size_t>(y * 40 + x)];
      const double right = x + 0.5, up = 20 - y - 0.5;
      CAPTURE(x, y);
      if (right > 2 * up + 1e-9) REQUIRE(value == 1);
      if (right < 2 * up - 1e-9) REQUIRE(value == 2);
    }
  }
}

TEST_CASE("a small triangle is seen, and nothing where there is none", "[output][mesh]") {
  const std::vector<std::array<double, 2>> places{
      {0, 0}, {1, 1}, {0.52, 0.52}, {0.53, 0.52}, {0.52, 0.53}};
  const PlaneSamples samples = sample_triangles(
      places, std::vector<std::array<std::int32_t, 3>>{{2, 3, 4}}, std::vector<double>{7}, 10);
  int shown = 0;
  for (const double value : samples.values) shown += value == 7;
  REQUIRE(shown == 1);
  REQUIRE(samples.values[4 * 10 + 5] == 7);
  REQUIRE(std::isnan(samples.values[0]));
}

TEST_CASE("maps that cannot be drawn have no image", "[output][mesh]") {
  const std::vector<std::array<std::int32_t, 3>> triangles{{0, 1, 2}};
  const std::vector<double> values{1};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double c : {0.0, infinity, std::nan("")}) {
    const std::vector<std::array<double, 2>> places{{0, 0}, {0, 0}, {c, 0}};
    REQUIRE(map_image(places, triangles, values, "a map").png.empty());
  }
  const std::vector<std::array<double, 2>> places{{0, 0}, {1, 0}, {0, 1}};
  const Image image = map_image(places, triangles, std::vector<double>{1.5}, "a map");
  REQUIRE(image.png.starts_with("\x89PNG"));
  REQUIRE(image.least == "1");
  REQUIRE(image.largest == "1.5");
  // What rounding leaves of a map that keeps its angles is no picture.
  REQUIRE(map_image(places, triangles, std::vector<double>{1 + 1e-7}, "a map").largest == "1.01");
}

TEST_CASE("squares of a texture are seen on a surface, the nearest one in front",
          "[output][mesh]") {
  // A square that looks along y, and behind it a triangle.
  TriangleMesh mesh{{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  std::vector<std::array<double, 2>> texture{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const auto check = [&] {
    const PlaneSamples samples = sample_surface(mesh, texture, 4, 40);
    REQUIRE(samples.width == 40);
    REQUIRE(samples.height == 40);
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 40; ++x) {
        CAPTURE(x, y);
        const int number = x / 10 + (39 - y) / 10;
        const double value = samples.values[static_cast<std::size_t>(y * 40 + x)];
        REQUIRE(std::abs(value - (number % 2 == 0 ? 1 : 0.5)) < 1e-12);
      }
    }
  };
  check();
  mesh.vertices.insert(mesh.vertices.end(), {{0.3, -0.5, 0.4}, {0.3, -0.5, 0.6}, {0.6, -0.5, 0.6}});
  texture.insert(texture.end(), 3, {0.5, 0.5});
  mesh.triangles.push_back({4, 5, 6});
  check();
  mesh.vertices[0][0] = std::nan("");
  REQUIRE(surface_image(mesh, texture, "a surface").png.empty());
}

TEST_CASE("a surface is seen obliquely and lit from the upper left", "[output][mesh]") {
  // A square that looks along y, seen from 40 degrees below.
  TriangleMesh mesh{{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  const SurfaceView view = view_of_shape(mesh);
  const double cosine = std::cos(40 * std::acos(-1.0) / 180), sine = std::sqrt(1 - cosine * cosine);
  REQUIRE(std::abs(view[2][1] - cosine) < 1e-12);
  REQUIRE(std::abs(view[2][2] + sine) < 1e-12);
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t l = 0; l < 3; ++l) {
      const double product =
          view[k][0] * view[l][0] + view[k][1] * view[l][1] + view[k][2] * view[l][2];
      REQUIRE(std::abs(product - (k == l ? 1 : 0)) < 1e-12);
    }
  }
  const PlaneSamples flat = sample_lit(mesh, view, 30);
  REQUIRE(flat.width == 30);
  REQUIRE(flat.height == 23);  // 30 cos(40 degrees)
  // (0, 1, 0) with the lamp: eye + (up - right) / 2, over the root of 1.5.
  const double light = (cosine + 0.5 * sine) / std::sqrt(1.5);
  for (const double value : flat.values) {
    if (!std::isnan(value)) REQUIRE(std::abs(value - light) < 1e-12);
  }
  // The lower side is lit as the upper one, and what looks away from the lamp a little.
  std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
  const PlaneSamples turned = sample_lit(mesh, view, 30);
  for (std::size_t k = 0; k < flat.values.size(); ++k) {
    if (!std::isnan(flat.values[k])) REQUIRE(std::abs(turned.values[k] - light) < 1e-12);
  }
  const SpacePoint edge{view[0][0] * 0.9 + view[2][0] * 0.1, view[0][1] * 0.9 + view[2][1] * 0.1,
                        view[0][2] * 0.9 + view[2][2] * 0.1};
  const TriangleMesh wall{{{0, 0, 0}, {edge[2], 0, -edge[0]}, {0, edge[2], -edge[1]}}, {{0, 1, 2}}};
  double least = 1;
  for (const double value : sample_lit(wall, view, 30).values) {
    if (!std::isnan(value)) least = std::min(least, value);
  }
  REQUIRE(least == 0.1);
  const TriangleMesh closed{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                            {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  const SpacePoint eye = view_of_shape(closed)[2];
  REQUIRE(std::abs(eye[1] / eye[0] + 1.4) < 1e-12);
  REQUIRE(lit_image(closed, view_of_shape(closed), "a tetrahedron").png.starts_with("\x89PNG"));
  mesh.vertices[0][0] = std::nan("");
  REQUIRE(lit_image(mesh, view, "a surface").png.empty());
}
