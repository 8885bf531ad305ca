#include "grids/mesh/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "precision/require.hpp"

namespace ninefold {
namespace {

using Corners = std::array<std::int32_t, 3>;

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

std::int32_t next(std::int32_t half_edge) {
  return half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
}

std::int32_t last(std::int32_t half_edge) {
  return half_edge % 3 == 0 ? half_edge + 2 : half_edge - 1;
}

/// The vertex at which a half-edge begins.
std::int32_t tail(const TriangleMesh& mesh, std::int32_t half_edge) {
  return mesh.triangles[at(half_edge / 3)][at(half_edge % 3)];
}

std::int32_t head(const TriangleMesh& mesh, std::int32_t half_edge) {
  return tail(mesh, next(half_edge));
}

std::string words_of(const Corners& corners) {
  return fmt::format("({}, {}, {})", corners[0], corners[1], corners[2]);
}

void require_vertices(const TriangleMesh& mesh) {
  require(mesh.vertices.size() <= at(max_vertices), [&] {
    return fmt::format("a mesh of {} vertices: at most {} are possible", mesh.vertices.size(),
                       max_vertices);
  });
  require(mesh.triangles.size() <= at(max_triangles), [&] {
    return fmt::format("a mesh of {} triangles: at most {} are possible", mesh.triangles.size(),
                       max_triangles);
  });
  for (std::size_t p = 0; p < mesh.vertices.size(); ++p) {
    for (const double c : mesh.vertices[p]) {
      require(std::isfinite(c),
              [&] { return fmt::format("vertex {} has the coordinate {}: no number", p, c); });
    }
  }
  const auto n = static_cast<std::int32_t>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Corners& corners = mesh.triangles[t];
    for (const std::int32_t p : corners) {
      require(p >= 0 && p < n, [&] {
        return fmt::format("triangle {} has a corner at vertex {}: {}", t, p, vertex_range(n));
      });
    }
    require(corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0], [&] {
      return fmt::format("triangle {} has a vertex twice: {}", t, words_of(corners));
    });
  }
}

/// Half-edges in lists, one for each vertex: those whose lower end it is, by their upper one and
/// then by their number.
struct EdgeLists {
  explicit EdgeLists(const TriangleMesh& mesh) : starts(mesh.vertices.size() + 1) {
    const auto n = static_cast<std::int32_t>(3 * mesh.triangles.size());
    for (std::int32_t h = 0; h < n; ++h) ++starts[at(std::min(tail(mesh, h), head(mesh, h))) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    half_edges.resize(at(n));
    std::vector<std::int64_t> place(starts.begin(), starts.end() - 1);
    for (std::int32_t h = 0; h < n; ++h) {
      half_edges[at(place[at(std::min(tail(mesh, h), head(mesh, h)))]++)] = h;
    }
    for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
      std::stable_sort(half_edges.begin() + starts[p], half_edges.begin() + starts[p + 1],
                       [&](std::int32_t g, std::int32_t h) {
                         return std::max(tail(mesh, g), head(mesh, g))
                                < std::max(tail(mesh, h), head(mesh, h));
                       });
    }
  }

  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> half_edges{};
};

void match_half_edges(const TriangleMesh& mesh, MeshEdges& edges) {
  const EdgeLists lists(mesh);
  edges.twins.assign(3 * mesh.triangles.size(), -1);
  const auto name = [&](std::int32_t h) {
    return fmt::format("({}, {})", tail(mesh, h), head(mesh, h));
  };
  for (std::size_t p = 0; p < mesh.vertices.size(); ++p) {
    const std::int64_t end = lists.starts[p + 1];
    for (std::int64_t k = lists.starts[p]; k < end; ++edges.count) {
      const auto upper = [&](std::int64_t i) {
        const std::int32_t h = lists.half_edges[at(i)];
        return std::max(tail(mesh, h), head(mesh, h));
      };
      std::int64_t behind = k + 1;
      while (behind < end && upper(behind) == upper(k)) ++behind;
      const std::int32_t g = lists.half_edges[at(k)];
      if (behind - k > 2) {
        throw std::invalid_argument(fmt::format(
            "edge {} belongs to {} triangles, {}, {} and {} among them: a surface has two at most",
            name(g), behind - k, g / 3, lists.half_edges[at(k + 1)] / 3,
            lists.half_edges[at(k + 2)] / 3));
      }
      if (behind - k == 2) {
        const std::int32_t h = lists.half_edges[at(k + 1)];
        if (tail(mesh, g) == tail(mesh, h)) {
          throw std::invalid_argument(
              fmt::format("triangles {} and {} both run along edge {} in that direction: one of "
                          "them shows its lower side",
                          g / 3, h / 3, name(g)));
        }
        edges.twins[at(g)] = h;
        edges.twins[at(h)] = g;
      }
      k = behind;
    }
  }
}

void find_parts(MeshEdges& edges) {
  const std::size_t n = edges.twins.size() / 3;
  edges.part.assign(n, -1);
  std::vector<std::int32_t> open;
  for (std::size_t first = 0; first < n; ++first) {
    if (edges.part[first] >= 0) continue;
    const auto number = static_cast<std::int32_t>(edges.part_sizes.size());
    edges.part_sizes.push_back(0);
    edges.part[first] = number;
    open.push_back(static_cast<std::int32_t>(first));
    while (!open.empty()) {
      const std::int32_t t = open.back();
      open.pop_back();
      ++edges.part_sizes.back();
      for (std::int32_t k = 0; k < 3; ++k) {
        const std::int32_t twin = edges.twins[at(3 * std::int64_t{t} + k)];
        if (twin < 0 || edges.part[at(twin / 3)] >= 0) continue;
        edges.part[at(twin / 3)] = number;
        open.push_back(twin / 3);
      }
    }
  }
}

/// Turns around each vertex and sees whether all its triangles are met.
void look_around_vertices(const TriangleMesh& mesh, MeshEdges& edges) {
  std::vector<std::int32_t> corners(mesh.vertices.size(), 0), first(mesh.vertices.size(), -1);
  for (std::size_t h = 0; h < edges.twins.size(); ++h) {
    const auto half_edge = static_cast<std::int32_t>(h);
    const std::size_t p = at(tail(mesh, half_edge));
    ++corners[p];
    // From a boundary all triangles are met by turning to the left.
    if (first[p] < 0 || edges.twins[h] < 0) first[p] = half_edge;
  }
  for (std::size_t p = 0; p < first.size(); ++p) {
    if (first[p] < 0) {
      if (edges.isolated < 0) edges.isolated = static_cast<std::int32_t>(p);
      continue;
    }
    std::int32_t met = 0, h = first[p];
    do {
      ++met;
      h = edges.twins[at(last(h))];
    } while (h >= 0 && h != first[p]);
    if (met != corners[p] && edges.pinched < 0) edges.pinched = static_cast<std::int32_t>(p);
  }
}

void find_boundaries(const TriangleMesh& mesh, MeshEdges& edges) {
  std::vector<bool> seen(edges.twins.size(), false);
  for (std::size_t start = 0; start < edges.twins.size(); ++start) {
    if (edges.twins[start] >= 0 || seen[start]) continue;
    std::vector<std::int32_t> loop;
    auto h = static_cast<std::int32_t>(start);
    while (!seen[at(h)]) {
      seen[at(h)] = true;
      loop.push_back(tail(mesh, h));
      // The boundary goes on where turning around the head ends; also at a pinched vertex each
      // half-edge has one that follows it.
      h = next(h);
      while (edges.twins[at(h)] >= 0) h = next(edges.twins[at(h)]);
    }
    edges.boundaries.push_back(std::move(loop));
  }
  std::stable_sort(edges.boundaries.begin(), edges.boundaries.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

/// Twice an area, as it is times 2^(-2 exponent), and the longest edge times 2^(-exponent), which
/// is from 1 to 4: nothing leaves the range of double, and a power of two changes no bit.
struct ScaledTriangle {
  int exponent = 0;
  double longest = 0, twice_area = 0;
};

ScaledTriangle scaled_triangle(const TriangleMesh& mesh, const Corners& corners) {
  std::array<SpacePoint, 3> edges{};  // each from corner k to the next one
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const SpacePoint &from = mesh.vertices[at(corners[k])],
                     &to = mesh.vertices[at(corners[(k + 1) % 3])];
    edges[k] = difference(to, from);
    for (const double c : edges[k]) largest = std::max(largest, std::abs(c));
  }
  ScaledTriangle scaled;
  if (!(largest > 0) || !std::isfinite(largest)) {
    scaled.longest = largest;
    return scaled;
  }
  scaled.exponent = std::ilogb(largest);
  for (SpacePoint& edge : edges) {
    for (double& c : edge) c = std::scalbn(c, -scaled.exponent);
    scaled.longest = std::max(scaled.longest, std::hypot(edge[0], edge[1], edge[2]));
  }
  SpacePoint back = edges[2];
  for (double& c : back) c = -c;
  const SpacePoint normal = cross(edges[0], back);
  scaled.twice_area = std::sqrt(dot(normal, normal));
  return scaled;
}

}  // namespace

std::int64_t MeshEdges::euler_characteristic(const TriangleMesh& mesh) const {
  return static_cast<std::int64_t>(mesh.vertices.size()) - count
         + static_cast<std::int64_t>(mesh.triangles.size());
}

MeshEdges mesh_edges(const TriangleMesh& mesh) {
  require_vertices(mesh);
  MeshEdges edges;
  match_half_edges(mesh, edges);
  find_parts(edges);
  look_around_vertices(mesh, edges);
  find_boundaries(mesh, edges);
  return edges;
}

std::int32_t MeshNumbers::vertex(std::int32_t p) const {
  return vertices.empty() ? p : vertices[at(p)];
}

std::int32_t MeshNumbers::triangle(std::size_t t) const {
  return triangles.empty() ? static_cast<std::int32_t>(t) : triangles[t];
}

std::string vertex_range(std::int64_t n) {
  return n == 0 ? "there are none" : fmt::format("they are from 0 to {}", n - 1);
}

double twice_area(const TriangleMesh& mesh, std::size_t triangle) {
  const ScaledTriangle scaled = scaled_triangle(mesh, mesh.triangles[triangle]);
  return std::scalbn(scaled.twice_area, 2 * scaled.exponent);
}

void require_areas(const TriangleMesh& mesh, const MeshNumbers& numbers) {
  require(!mesh.triangles.empty(), "the mesh has no triangles");
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const ScaledTriangle scaled = scaled_triangle(mesh, mesh.triangles[t]);
    const auto name = [&] {
      const Corners& own = mesh.triangles[t];
      return fmt::format(
          "triangle {}, of vertices {}", numbers.triangle(t),
          words_of({numbers.vertex(own[0]), numbers.vertex(own[1]), numbers.vertex(own[2])}));
    };
    // Eight roundoffs: of the products and their differences.
    require(
        scaled.twice_area > 0x1p-50 * scaled.longest * scaled.longest || std::isinf(scaled.longest),
        [&] { return name() + ", has no area"; });
    const double longest = std::scalbn(scaled.longest, scaled.exponent);
    require(longest >= least_edge && longest <= largest_edge, [&] {
      return fmt::format("{}, has a longest edge of {:.3g}: from {:g} to {:g} are possible", name(),
                         longest, least_edge, largest_edge);
    });
  }
}

void require_disc(const TriangleMesh& mesh, const MeshEdges& edges, const MeshNumbers& numbers) {
  require_areas(mesh, numbers);  // before parts are counted: what has none has parts in plenty
  const std::size_t parts = edges.part_sizes.size();
  require(parts == 1, [&] {
    const auto largest = std::max_element(edges.part_sizes.begin(), edges.part_sizes.end());
    return fmt::format("the mesh has {} parts, of which the largest has {} of the {} triangles",
                       parts, *largest, mesh.triangles.size());
  });
  require(edges.isolated < 0, [&] {
    return fmt::format("vertex {} belongs to no triangle", numbers.vertex(edges.isolated));
  });
  require(edges.pinched < 0, [&] {
    return fmt::format("at vertex {} triangles meet that share no edge there",
                       numbers.vertex(edges.pinched));
  });
  const std::size_t loops = edges.boundaries.size();
  require(loops > 0, "the mesh is closed: without a boundary it cannot be flattened; cut it open");
  const std::int64_t handles =
      (2 - static_cast<std::int64_t>(loops) - edges.euler_characteristic(mesh)) / 2;
  require(loops == 1 && handles == 0, [&] {
    std::string what;
    if (loops > 1) {
      what = fmt::format("{} boundaries, of {} and {} edges{}", loops, edges.boundaries[0].size(),
                         edges.boundaries[1].size(), loops > 2 ? " the longest" : "");
    }
    if (handles > 0) {
      what += fmt::format("{}{} handle{}", what.empty() ? "" : " and ", handles,
                          handles > 1 ? "s" : "");
    }
    return fmt::format("the mesh is no disc: it has {}", what);
  });
}

MeshPart largest_part(const TriangleMesh& mesh, const MeshEdges& edges) {
  MeshPart part;
  if (edges.part_sizes.empty()) return part;
  const auto largest =
      static_cast<std::int32_t>(std::max_element(edges.part_sizes.begin(), edges.part_sizes.end())
                                - edges.part_sizes.begin());
  std::vector<std::int32_t> number(mesh.vertices.size(), -1);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (edges.part[t] != largest) continue;
    for (const std::int32_t p : mesh.triangles[t]) number[at(p)] = 0;
  }
  for (std::size_t p = 0; p < number.size(); ++p) {
    if (number[p] < 0) continue;
    number[p] = static_cast<std::int32_t>(part.vertices.size());
    part.vertices.push_back(static_cast<std::int32_t>(p));
    part.mesh.vertices.push_back(mesh.vertices[p]);
  }
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (edges.part[t] != largest) continue;
    const Corners& corners = mesh.triangles[t];
    part.triangles.push_back(static_cast<std::int32_t>(t));
    part.mesh.triangles.push_back(
        {number[at(corners[0])], number[at(corners[1])], number[at(corners[2])]});
  }
  return part;
}

}  // namespace ninefold
