#include "fem/surface/lscm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "precision/double_word.hpp"
#include "precision/require.hpp"

#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

double distance(const TriangleMesh& mesh, std::int32_t p, std::int32_t q) {
  const SpacePoint e = difference(mesh.vertices[at(q)], mesh.vertices[at(p)]);
  return std::sqrt(dot(e, e));
}

/// The triangles around each vertex, in the order of their numbers.
struct Stars {
  explicit Stars(const TriangleMesh& mesh) : starts(mesh.vertices.size() + 1) {
    for (const auto& corners : mesh.triangles) {
      for (const std::int32_t p : corners) ++starts[at(p) + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    triangles.resize(at(starts.back()));
    std::vector<std::int64_t> place(starts.begin(), starts.end() - 1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (const std::int32_t p : mesh.triangles[t]) {
        triangles[at(place[at(p)]++)] = static_cast<std::int32_t>(t);
      }
    }
  }

  std::span<const std::int32_t> around(std::size_t p) const {
    return {triangles.data() + starts[p], at(starts[p + 1] - starts[p])};
  }

  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> triangles{};
};

/// What a row has for a vertex: between u and u, as between v and v; between u and v, of which that
/// between v and u has the other sign.
struct Coupling {
  std::int32_t vertex;
  double alike, across;
};

/// The couplings of vertex p, itself among them, by vertices.
void find_couplings(const TriangleMesh& mesh, const Stars& stars, std::size_t p,
                    TriangleWeight weight, std::vector<Coupling>& couplings) {
  couplings.clear();
  for (const std::int32_t t : stars.around(p)) {
    const auto& corners = mesh.triangles[at(t)];
    std::array<SpacePoint, 3> edge{};
    std::size_t own = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      edge[a] = difference(mesh.vertices[at(corners[(a + 2) % 3])],
                           mesh.vertices[at(corners[(a + 1) % 3])]);
      if (at(corners[a]) == p) own = a;
    }
    const double two_areas = twice_area(mesh, at(t));
    const double scale = weight == TriangleWeight::conformal ? two_areas : 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const double turn = d == own ? 0 : d == (own + 1) % 3 ? -1 : 1;
      couplings.push_back({corners[d], dot(edge[own], edge[d]) / scale,
                           weight == TriangleWeight::conformal ? turn : turn * two_areas});
    }
  }
  std::stable_sort(couplings.begin(), couplings.end(),
                   [](const Coupling& a, const Coupling& b) { return a.vertex < b.vertex; });
  std::size_t last = 0;
  for (std::size_t k = 1; k < couplings.size(); ++k) {
    if (couplings[k].vertex == couplings[last].vertex) {
      couplings[last].alike += couplings[k].alike;
      couplings[last].across += couplings[k].across;
    } else {
      couplings[++last] = couplings[k];
    }
  }
  couplings.resize(couplings.empty() ? 0 : last + 1);
}

}  // namespace

ConformalPins pins_at(const TriangleMesh& mesh, std::int32_t first, std::int32_t second,
                      const MeshNumbers& numbers) {
  const auto n = static_cast<std::int64_t>(mesh.vertices.size());
  for (const std::int32_t p : {first, second}) {
    require(p >= 0 && p < n,
            [&] { return fmt::format("vertex {} cannot be held: {}", p, vertex_range(n)); });
  }
  require(first != second, [&] {
    return fmt::format("vertex {} is held twice: two are needed", numbers.vertex(first));
  });
  const double length = distance(mesh, first, second);
  require(length > 0 && std::isfinite(length), [&] {
    return fmt::format("vertices {} and {} are at the same place: two places are needed",
                       numbers.vertex(first), numbers.vertex(second));
  });
  return {{first, second}, {{{0.0, 0.0}, {length, 0.0}}}};
}

ConformalPins automatic_pins(const TriangleMesh& mesh, const MeshEdges& edges) {
  require(!edges.boundaries.empty(), "the mesh is closed: no vertex of its boundary can be held");
  const std::vector<std::int32_t>& boundary = edges.boundaries.front();
  const auto farthest_from = [&](std::int32_t p) {
    std::int32_t farthest = p;
    double most = -1;
    for (const std::int32_t q : boundary) {
      const double length = distance(mesh, p, q);
      if (length > most) most = length, farthest = q;
    }
    return farthest;
  };
  const std::int32_t first = farthest_from(boundary.front()), second = farthest_from(first);
  return pins_at(mesh, first, second);
}

ConformalSystem conformal_system(const TriangleMesh& mesh, const ConformalPins& pins,
                                 TriangleWeight weight, ZeroEntries zeros) {
  const std::size_t n = mesh.vertices.size();
  constexpr std::size_t most = (std::size_t{1} << 30) - 1024;
  require(n <= most, [&] {
    return fmt::format("a mesh of {} vertices: at most {} can be laid flat", n, most);
  });
  ConformalSystem system;
  system.pins = pins;
  std::vector<std::int32_t> node(n, -1);
  for (std::size_t p = 0; p < n; ++p) {
    const auto vertex = static_cast<std::int32_t>(p);
    if (vertex == pins.vertices[0] || vertex == pins.vertices[1]) continue;
    node[p] = static_cast<std::int32_t>(system.vertices.size());
    system.vertices.push_back(vertex);
  }
  const std::size_t nodes = system.vertices.size();
  const Stars stars(mesh);
  const auto is_stored = [&](const Coupling& coupling, std::size_t p) {
    if (at(coupling.vertex) == p) return false;  // of a vertex with itself there is none
    return zeros == ZeroEntries::kept || coupling.across != 0;
  };
  SparsePattern& pattern = system.A.pattern;
  pattern.n_rows = pattern.n_columns = static_cast<int>(2 * nodes);
  pattern.row_starts.assign(2 * nodes + 1, 0);
  for_points(nodes, [&](std::size_t k) {
    std::vector<Coupling> couplings;
    const std::size_t p = at(system.vertices[k]);
    find_couplings(mesh, stars, p, weight, couplings);
    std::int64_t length = 0;
    for (const Coupling& coupling : couplings) {
      if (node[at(coupling.vertex)] >= 0) length += is_stored(coupling, p) ? 2 : 1;
    }
    pattern.row_starts[2 * k + 1] = pattern.row_starts[2 * k + 2] = length;
  });
  std::partial_sum(pattern.row_starts.begin(), pattern.row_starts.end(),
                   pattern.row_starts.begin());
  pattern.columns.resize(at(pattern.entries()));
  system.A.values.resize(at(pattern.entries()));
  system.b.high.resize(2 * nodes);
  system.b.low.resize(2 * nodes);
  for_points(nodes, [&](std::size_t k) {
    std::vector<Coupling> couplings;
    const std::size_t p = at(system.vertices[k]);
    find_couplings(mesh, stars, p, weight, couplings);
    for (const std::size_t component : {std::size_t{0}, std::size_t{1}}) {
      const std::size_t row = 2 * k + component;
      std::int64_t place = pattern.row_starts[row];
      const auto add = [&](std::int32_t column, double value) {
        pattern.columns[at(place)] = column;
        system.A.values[at(place++)] = value;
      };
      DoubleDouble right(0.0);
      for (const Coupling& coupling : couplings) {
        const double across = component == 0 ? coupling.across : -coupling.across;
        const std::int32_t column = node[at(coupling.vertex)];
        if (column < 0) {
          const PlanePoint& held = pins.places[coupling.vertex == pins.vertices[0] ? 0 : 1];
          right = right - DoubleDouble(coupling.alike) * DoubleDouble(held[component]);
          right = right - DoubleDouble(across) * DoubleDouble(held[1 - component]);
          continue;
        }
        const bool both = is_stored(coupling, p);
        if (component == 0) {
          add(2 * column, coupling.alike);
          if (both) add(2 * column + 1, across);
        } else {
          if (both) add(2 * column, across);
          add(2 * column + 1, coupling.alike);
        }
      }
      system.b.high[row] = right.high;
      system.b.low[row] = right.low;
    }
  });
  return system;
}

std::vector<PlanePoint> places_of(const ConformalSystem& system, std::size_t n_vertices,
                                  std::span<const double> unknowns) {
  std::vector<PlanePoint> places(n_vertices);
  for (std::size_t k = 0; k < 2; ++k) {
    places[at(system.pins.vertices[k])] = system.pins.places[k];
  }
  for (std::size_t k = 0; k < system.vertices.size(); ++k) {
    places[at(system.vertices[k])] = {unknowns[2 * k], unknowns[2 * k + 1]};
  }
  return places;
}

MapDistortion map_distortion(const TriangleMesh& mesh, std::span<const PlanePoint> places) {
  MapDistortion distortion;
  const std::size_t n = mesh.triangles.size();
  distortion.stretch.resize(n);
  distortion.area.resize(n);
  for_points(n, [&](std::size_t t) {
    const auto& [a, b, c] = mesh.triangles[t];
    const SpacePoint e = difference(mesh.vertices[at(b)], mesh.vertices[at(a)]);
    const SpacePoint f = difference(mesh.vertices[at(c)], mesh.vertices[at(a)]);
    // In the triangle's plane e is (length, 0), f is (x, y).
    const double length = std::sqrt(dot(e, e)), x = dot(e, f) / length,
                 y = twice_area(mesh, t) / length;
    const PlanePoint &at_a = places[at(a)], &at_b = places[at(b)], &at_c = places[at(c)];
    PlanePoint along{}, across{};  // the columns of the derivative
    for (std::size_t k = 0; k < 2; ++k) {
      along[k] = (at_b[k] - at_a[k]) / length;
      across[k] = (at_c[k] - at_a[k] - x * along[k]) / y;
    }
    const double kept = std::hypot(along[0] + across[1], along[1] - across[0]),
                 turned = std::hypot(along[0] - across[1], along[1] + across[0]);
    // Of an image without area, a point among them, and of one that leaves the range.
    const bool has_area = kept != turned && std::isfinite(kept) && std::isfinite(turned);
    distortion.stretch[t] = has_area ? (kept + turned) / std::abs(kept - turned)
                                     : std::numeric_limits<double>::infinity();
    distortion.area[t] = (kept - turned) * (kept + turned) / 4;
  });
  for (const double area : distortion.area) distortion.turned_over += area < 0;
  if (n == 0) return distortion;
  std::vector<double> sorted = distortion.stretch;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(n / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  distortion.median_stretch = *middle;
  distortion.largest_stretch = *std::max_element(sorted.begin(), sorted.end());
  return distortion;
}

}  // namespace ninefold
