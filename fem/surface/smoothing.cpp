#include "fem/surface/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "precision/double_word.hpp"
#include "precision/require.hpp"

#include "fem/discrete/parallel.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// The neighbours of each vertex along edges, ascending.
struct Neighbours {
  explicit Neighbours(const TriangleMesh& mesh) : starts(mesh.vertices.size() + 1) {
    const std::size_t n = mesh.vertices.size();
    std::vector<std::int64_t> places(n + 1);
    for (const auto& corners : mesh.triangles) {
      for (const std::int32_t p : corners) places[at(p) + 1] += 2;
    }
    std::partial_sum(places.begin(), places.end(), places.begin());
    std::vector<std::int32_t> all(at(places.back()));
    std::vector<std::int64_t> next(places.begin(), places.end() - 1);
    for (const auto& corners : mesh.triangles) {
      for (std::size_t a = 0; a < 3; ++a) {
        for (const std::size_t step : {1, 2}) {
          all[at(next[at(corners[a])]++)] = corners[(a + step) % 3];
        }
      }
    }
    // Inner edges are met twice.
    for_points(n, [&](std::size_t p) {
      const auto first = all.begin() + places[p], last = all.begin() + places[p + 1];
      std::sort(first, last);
      starts[p + 1] = std::unique(first, last) - first;
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    vertices.resize(at(starts.back()));
    for_points(n, [&](std::size_t p) {
      std::copy_n(all.begin() + places[p], starts[p + 1] - starts[p], vertices.begin() + starts[p]);
    });
  }

  std::span<const std::int32_t> of(std::int32_t p) const {
    return {vertices.data() + starts[at(p)], at(starts[at(p) + 1] - starts[at(p)])};
  }

  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> vertices{};
};

/// use(j, L_kj) for all entries of row k of L, its own first.
template <class Use>
void for_row_of_differences(const Neighbours& neighbours, std::int32_t k, const Use& use) {
  const auto around = neighbours.of(k);
  if (around.empty()) return;
  use(k, 1.0);
  const double part = -1.0 / static_cast<double>(around.size());
  for (const std::int32_t j : around) use(j, part);
}

struct Entry {
  std::int32_t column;
  double value;
};

/// Row i of L'L + f I, by columns.
void find_row(const Neighbours& neighbours, std::int32_t i, double fidelity,
              std::vector<Entry>& entries) {
  entries.clear();
  const auto around = neighbours.of(i);
  const auto add_row_of = [&](std::int32_t k) {
    double own = 0;  // L_ki
    for_row_of_differences(neighbours, k, [&](std::int32_t j, double value) {
      if (j == i) own = value;
    });
    for_row_of_differences(neighbours, k, [&](std::int32_t j, double value) {
      entries.push_back({j, own * value});
    });
  };
  // Rows in their order, so that (i, j) and (j, i) are the same sum.
  const auto after = std::lower_bound(around.begin(), around.end(), i);
  std::for_each(around.begin(), after, add_row_of);
  add_row_of(i);
  std::for_each(after, around.end(), add_row_of);
  if (entries.empty()) entries.push_back({i, 0.0});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.column < b.column; });
  std::size_t last = 0;
  for (std::size_t k = 1; k < entries.size(); ++k) {
    if (entries[k].column == entries[last].column) {
      entries[last].value += entries[k].value;
    } else {
      entries[++last] = entries[k];
    }
  }
  entries.resize(last + 1);
  for (Entry& entry : entries) {
    if (entry.column == i) entry.value += fidelity;
  }
}

struct MeshBox {
  SpacePoint middle{};
  double diagonal = 0;
};

MeshBox box_of(const TriangleMesh& mesh) {
  MeshBox box;
  if (mesh.vertices.empty()) return box;
  SpacePoint half{};
  for (std::size_t k = 0; k < 3; ++k) {
    double least = mesh.vertices.front()[k], most = least;
    for (const SpacePoint& p : mesh.vertices) {
      least = std::min(least, p[k]);
      most = std::max(most, p[k]);
    }
    box.middle[k] = least / 2 + most / 2;
    half[k] = most / 2 - least / 2;
  }
  box.diagonal = 2 * std::hypot(half[0], half[1], half[2]);
  return box;
}

/// No more than are there if all neighbours of each vertex meet for the first time.
void require_few_entries(const Neighbours& neighbours, std::size_t n) {
  std::int64_t entries = 0;
  std::size_t most = 0;
  const auto count = [&](std::size_t p) {
    return static_cast<std::int64_t>(neighbours.of(static_cast<std::int32_t>(p)).size());
  };
  for (std::size_t p = 0; p < n; ++p) {
    entries += (count(p) + 1) * (count(p) + 1);
    if (count(p) > count(most)) most = p;
  }
  require(entries <= most_smoothing_entries, [&] {
    return fmt::format(
        "smoothing makes a matrix of up to {} entries of this mesh, at most {} are allowed; vertex "
        "{} has {} neighbours, which meet each other in it",
        entries, most_smoothing_entries, most, count(most));
  });
}

}  // namespace

SmoothingSystem smoothing_system(const TriangleMesh& mesh, double fidelity) {
  require(fidelity > 0 && std::isfinite(fidelity),
          [&] { return fmt::format("a fidelity of {}: it is a positive number", fidelity); });
  const std::size_t n = mesh.vertices.size();
  const Neighbours neighbours(mesh);
  require_few_entries(neighbours, n);
  SmoothingSystem system;
  const MeshBox box = box_of(mesh);
  if (std::hypot(box.middle[0], box.middle[1], box.middle[2]) > box.diagonal) {
    system.origin = box.middle;
  }
  SparsePattern& pattern = system.A.pattern;
  pattern.n_rows = pattern.n_columns = static_cast<int>(n);
  pattern.row_starts.assign(n + 1, 0);
  for_points(n, [&](std::size_t p) {
    std::vector<Entry> entries;
    find_row(neighbours, static_cast<std::int32_t>(p), fidelity, entries);
    pattern.row_starts[p + 1] = static_cast<std::int64_t>(entries.size());
  });
  std::partial_sum(pattern.row_starts.begin(), pattern.row_starts.end(),
                   pattern.row_starts.begin());
  pattern.columns.resize(at(pattern.entries()));
  system.A.values.resize(at(pattern.entries()));
  for (WideVector& b : system.b) b.high.resize(n), b.low.resize(n);
  for_points(n, [&](std::size_t p) {
    std::vector<Entry> entries;
    find_row(neighbours, static_cast<std::int32_t>(p), fidelity, entries);
    std::size_t place = at(pattern.row_starts[p]);
    for (const Entry& entry : entries) {
      pattern.columns[place] = entry.column;
      system.A.values[place++] = entry.value;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const DoubleDouble from_origin =
          DoubleDouble(mesh.vertices[p][k]) - DoubleDouble(system.origin[k]);
      const DoubleDouble right = DoubleDouble(fidelity) * from_origin;
      system.b[k].high[p] = right.high;
      system.b[k].low[p] = right.low;
    }
  });
  return system;
}

TriangleMesh smoothed(const TriangleMesh& mesh, const SmoothingSystem& system,
                      const std::array<WideVector, 3>& solution) {
  TriangleMesh result = mesh;
  for (std::size_t p = 0; p < mesh.vertices.size(); ++p) {
    for (std::size_t k = 0; k < 3; ++k) {
      result.vertices[p][k] = static_cast<double>(solution[k][p] + DoubleDouble(system.origin[k]));
    }
  }
  return result;
}

MeshLengths mesh_lengths(const TriangleMesh& mesh) {
  const Neighbours neighbours(mesh);
  const auto n = static_cast<std::int32_t>(mesh.vertices.size());
  double sum = 0;
  std::int64_t edges = 0;
  for (std::int32_t p = 0; p < n; ++p) {
    for (const std::int32_t q : neighbours.of(p)) {
      if (q < p) continue;
      const SpacePoint e = difference(mesh.vertices[at(q)], mesh.vertices[at(p)]);
      sum += std::hypot(e[0], e[1], e[2]);
      ++edges;
    }
  }
  return {edges > 0 ? sum / static_cast<double>(edges) : 0, box_of(mesh).diagonal};
}

}  // namespace ninefold
