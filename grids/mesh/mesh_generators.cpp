#include "grids/mesh/mesh_generators.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/require.hpp"
#include "precision/shortened.hpp"

#include "grids/counter_random.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

struct Generator {
  std::string_view name, description;
  MeshSizes sizes;
};
constexpr std::array<Generator, 4> generators{{
    {"patch", "a sheet that was rolled up, N x N cells: its unfolding is known", {1, 10'000}},
    {"bumps", "a square with bumps, N x N cells", {1, 10'000}},
    {"sphere", "6 N x N cells: closed, so that it can be smoothed, but not laid flat", {1, 1'000}},
    {"torus", "N x N cells: closed, with a handle", {3, 10'000}},
}};

/// Throws std::invalid_argument for a name that is not there and for sizes that are not possible.
void require_generator(std::string_view name, int size) {
  const auto [least, most] = mesh_generator_sizes(name);
  require(size >= least && size <= most, [&, from = least, to = most] {
    return fmt::format("a {} of size {}: it is from {} to {}", name, size, from, to);
  });
}

/// Cells of (n + 1) x (n + 1) vertices, of which `number` knows the numbers, cut at random.
template <class Number>
void add_cells(TriangleMesh& mesh, int n, const Number& number, bool keep_corners) {
  const CounterRandom random(1);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const std::int32_t p = number(i, j), right = number(i + 1, j), up = number(i, j + 1),
                         across = number(i + 1, j + 1);
      const auto counter = static_cast<std::uint64_t>(mesh.triangles.size());
      bool rising = random.bits(counter) >> 63 != 0;
      // A corner then belongs to two triangles.
      if (keep_corners && ((i == 0 && j == 0) || (i + 1 == n && j + 1 == n))) rising = true;
      if (keep_corners && n > 1 && ((i == 0 && j + 1 == n) || (i + 1 == n && j == 0))) {
        rising = false;
      }
      if (rising) {
        mesh.triangles.push_back({p, right, across});
        mesh.triangles.push_back({p, across, up});
      } else {
        mesh.triangles.push_back({p, right, up});
        mesh.triangles.push_back({right, across, up});
      }
    }
  }
}

void add_patch_cells(TriangleMesh& mesh, int n) {
  add_cells(
      mesh, n, [&](int i, int j) { return static_cast<std::int32_t>(j * (n + 1) + i); }, true);
}

struct Direction {
  double c, s;
};

/// (1 - t^2, 2 t) / (1 + t^2): the angle is twice that whose tangent is t.
Direction direction(double t) {
  const double square = t * t;
  return {(1 - square) / (1 + square), 2 * t / (1 + square)};
}

TriangleMesh patch(int n) {
  const std::vector<std::array<double, 2>> flat = unfolded_patch(n);
  TriangleMesh mesh;
  mesh.vertices.resize(flat.size());
  double x = 0, z = 0;
  for (int i = 0; i <= n; ++i) {
    if (i > 0) {
      const double width = flat[at(i)][0] - flat[at(i - 1)][0];
      const Direction along = direction(2.0 * (i - 1) / n - 1);  // from -90 to 90 degrees
      x += along.c * width;
      z += along.s * width;
    }
    for (int j = 0; j <= n; ++j) {
      // Turned around x by the angle of (3, 4, 5), so that no axis is that of the roll.
      const std::size_t p = at(std::int64_t{j} * (n + 1) + i);
      const double y = flat[p][1];
      mesh.vertices[p] = {x, 0.6 * y - 0.8 * z, 0.8 * y + 0.6 * z};
    }
  }
  add_patch_cells(mesh, n);
  return mesh;
}

/// Bumps of height 1 and width 1, one beside the other.
double bump(double t) {
  const double part = t - std::floor(t), product = part * (1 - part);
  return 16 * product * product;
}

TriangleMesh bumps(int n) {
  TriangleMesh mesh;
  mesh.vertices.reserve(at(std::int64_t{n + 1} * (n + 1)));
  for (int j = 0; j <= n; ++j) {
    for (int i = 0; i <= n; ++i) {
      const double x = static_cast<double>(i) / n, y = static_cast<double>(j) / n;
      double z = 0, size = 0.25;
      for (int frequency = 1; frequency <= 16; frequency *= 2, size *= 0.4) {
        z += size * bump(frequency * x + 0.3 * y) * bump(frequency * y + 0.2 * x);
      }
      mesh.vertices.push_back({x, y, z});
    }
  }
  add_patch_cells(mesh, n);
  return mesh;
}

TriangleMesh sphere(int n) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, std::int32_t> numbers;  // of the vertices of a cube of side n
  const auto number = [&](const std::array<int, 3>& place) {
    const auto [found, is_new] =
        numbers.emplace(place, static_cast<std::int32_t>(mesh.vertices.size()));
    if (is_new) {
      SpacePoint p{};
      double square = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        p[k] = (2.0 * place[k] - n) / n;
        square += p[k] * p[k];
      }
      for (double& c : p) c /= std::sqrt(square);
      mesh.vertices.push_back(p);
    }
    return found->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      add_cells(
          mesh, n,
          [&](int i, int j) {
            std::array<int, 3> place{};
            place[axis] = upper ? n : 0;
            place[(axis + 1) % 3] = upper ? i : j;  // seen from outside it turns to the left
            place[(axis + 2) % 3] = upper ? j : i;
            return number(place);
          },
          false);
    }
  }
  return mesh;
}

/// A point of the unit circle, `turns` of a turn from (1, 0).
Direction on_circle(double turns) {
  Direction d = direction(4 * turns - std::floor(4 * turns));
  for (int quarter = static_cast<int>(4 * turns); quarter > 0; --quarter) d = {-d.s, d.c};
  return d;
}

TriangleMesh torus(int n) {
  TriangleMesh mesh;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const Direction around = on_circle(static_cast<double>(i) / n),
                      across = on_circle(static_cast<double>(j) / n);
      const double radius = 1 + 0.4 * across.c;
      mesh.vertices.push_back({radius * around.c, radius * around.s, 0.4 * across.s});
    }
  }
  add_cells(
      mesh, n, [&](int i, int j) { return static_cast<std::int32_t>(j % n * n + i % n); }, false);
  return mesh;
}

}  // namespace

const std::vector<std::string>& mesh_generator_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Generator& one : generators) all.emplace_back(one.name);
    return all;
  }();
  return names;
}

std::string_view mesh_generator_description(std::string_view name) {
  for (const Generator& one : generators) {
    if (one.name == name) return one.description;
  }
  return {};
}

MeshSizes mesh_generator_sizes(std::string_view name) {
  MeshSizes of_all = generators.front().sizes;
  for (const Generator& one : generators) {
    if (one.name == name) return one.sizes;
    of_all.least = std::min(of_all.least, one.sizes.least);
    of_all.most = std::max(of_all.most, one.sizes.most);
  }
  require(name.empty(), [&] {
    return fmt::format("there is no mesh {}: there are {}", shortened(name),
                       fmt::join(mesh_generator_names(), ", "));
  });
  return of_all;
}

std::vector<std::array<double, 2>> unfolded_patch(int size) {
  require_generator("patch", size);
  const CounterRandom random(2);
  std::vector<std::array<double, 2>> flat;
  flat.reserve(at(std::int64_t{size + 1} * (size + 1)));
  for (int j = 0; j <= size; ++j) {
    for (int i = 0; i <= size; ++i) {
      const auto column = static_cast<std::uint64_t>(i), row = static_cast<std::uint64_t>(j);
      const std::uint64_t lines = static_cast<std::uint64_t>(size) + 1;
      double x = i, y = j;
      if (i > 0 && i < size) x += 0.3 * (random.unit(column) - 0.5);
      if (j > 0 && j < size) y += 0.3 * (random.unit(lines + row * lines + column) - 0.5);
      flat.push_back({x / size, y / size});
    }
  }
  return flat;
}

TriangleMesh flat_patch(int size) {
  TriangleMesh mesh;
  for (const auto& [x, y] : unfolded_patch(size)) mesh.vertices.push_back({x, y, 0.0});
  add_patch_cells(mesh, size);
  return mesh;
}

TriangleMesh generate_mesh(const MeshGenerator& generator) {
  const std::string& name = generator.name;
  require_generator(name, generator.size);
  if (name == "patch") return patch(generator.size);
  if (name == "bumps") return bumps(generator.size);
  if (name == "sphere") return sphere(generator.size);
  return torus(generator.size);
}

}  // namespace ninefold
