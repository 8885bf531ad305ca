#include "experiments/paper/sparse_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "grids/counter_random.hpp"

#include "fem/sparse/generators.hpp"
#include "fem/sparse/reordering.hpp"
#include "fem/sparse/sparse_residual.hpp"
#include "fem/surface/lscm.hpp"

namespace ninefold {
namespace {

constexpr std::string_view parameterisation = "parameterisation", smoothing = "smoothing";

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

struct Model {
  std::string_view name, description;
  int components = 1;
};
constexpr std::array<Model, 8> models{{
    {parameterisation, "conformal maps of a mesh, as CNC's parameterisations", 2},
    {smoothing, "smooth interpolation on a mesh, as CNC's smoothings", 3},
    {"elasticity-2d", "full blocks of 2: what BCRS is made for", 2},
    {"elasticity-3d", "full blocks of 3, which neither 2 nor 4 divides", 3},
    {"shell", "full blocks of 6, as s3dkq4m2 of JDS", 6},
    {"triangles", "one unknown a node, numbered by rows", 1},
    {"triangles-shuffled", "the same, numbered as a mesh generator may", 1},
    {"laplace-3d-7", "a grid in space without blocks", 1},
}};

const Model& find_model(std::string_view name) {
  const auto* const found = std::find_if(models.begin(), models.end(),
                                         [&](const Model& one) { return one.name == name; });
  if (found == models.end()) {
    throw std::invalid_argument(fmt::format("there is no model \"{}\"", name));
  }
  return *found;
}

/// A square patch of n x n vertices, cut into triangles that turn to the left.
TriangleMesh square_patch(int n) {
  TriangleMesh patch;
  const CounterRandom random(1);
  const auto vertex = [&](int i, int j) { return static_cast<std::int32_t>(j * n + i); };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const std::int32_t p = vertex(i, j);
      const auto counter = 3 * static_cast<std::uint64_t>(p);
      patch.vertices.push_back({i + 0.3 * (random.unit(counter) - 0.5),
                                j + 0.3 * (random.unit(counter + 1) - 0.5), 0.0});
      if (i + 1 == n || j + 1 == n) continue;
      const std::int32_t right = vertex(i + 1, j), up = vertex(i, j + 1),
                         across = vertex(i + 1, j + 1);
      // A corner that is held then belongs to two triangles.
      const bool held = (i == 0 && j == 0) || (i + 2 == n && j + 2 == n);
      if (held || random.bits(counter + 2) >> 63 != 0) {
        patch.triangles.push_back({p, right, across});
        patch.triangles.push_back({p, across, up});
      } else {
        patch.triangles.push_back({p, right, up});
        patch.triangles.push_back({right, across, up});
      }
    }
  }
  return patch;
}

SparseModel make_parameterisation(int n) {
  const TriangleMesh patch = square_patch(n);
  const auto vertices = static_cast<std::int32_t>(patch.vertices.size());
  const ConformalSystem system = conformal_system(patch, pins_at(patch, 0, vertices - 1),
                                                  TriangleWeight::conformal, ZeroEntries::kept);
  SparseModel model{std::string(parameterisation), 2, system.A, {}};
  for (const std::int32_t p : system.vertices) {
    model.solution.push_back(patch.vertices[at(p)][0] / (n - 1));
    model.solution.push_back(patch.vertices[at(p)][1] / (n - 1));
  }
  return model;
}

SparseModel make_smoothing(int n) {
  const TriangleMesh patch = square_patch(n);
  const auto vertices = static_cast<std::int64_t>(patch.vertices.size());
  std::vector<std::vector<std::int32_t>> neighbours(at(vertices));
  for (const auto& corners : patch.triangles) {
    for (const std::int32_t p : corners) {
      for (const std::int32_t q : corners) {
        if (p != q) neighbours[at(p)].push_back(q);
      }
    }
  }
  for (auto& some : neighbours) {
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
  }
  std::vector<SparseEntry> entries;
  const auto add = [&](std::int64_t p, std::int64_t q, double value) {
    for (std::int64_t k = 0; p >= q && k < 3; ++k) {
      entries.push_back(
          {static_cast<std::int32_t>(3 * p + k), static_cast<std::int32_t>(3 * q + k), value});
    }
  };
  constexpr double fidelity = 1.0 / 64;
  for (std::int64_t p = 0; p < vertices; ++p) {
    const auto& around = neighbours[at(p)];
    const auto degree = static_cast<double>(around.size());
    add(p, p, degree * degree + fidelity);
    for (const std::int32_t q : around) {
      add(p, q, -degree);
      add(q, p, -degree);
      for (const std::int32_t r : around) add(q, r, 1);
    }
  }
  const auto unknowns = static_cast<int>(3 * vertices);
  SparseModel model{
      std::string(smoothing), 3, assemble_sparse(unknowns, unknowns, entries, true), {}};
  model.solution.reserve(at(unknowns));
  for (std::int64_t p = 0; p < vertices; ++p) {
    const double x = patch.vertices[at(p)][0] / (n - 1), y = patch.vertices[at(p)][1] / (n - 1);
    model.solution.insert(model.solution.end(), {x, y, x * (1 - x) * y * (1 - y)});
  }
  return model;
}

std::vector<std::int32_t> random_nodes(std::int32_t n) {
  std::vector<std::int32_t> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  const CounterRandom random(2);
  for (std::int32_t k = n; k > 1; --k) {
    std::swap(order[at(k - 1)],
              order[random.below(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(k))]);
  }
  return order;
}

SparseModel with_nodes(const SparseModel& model, const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> order;
  order.reserve(nodes.size() * at(model.components));
  for (const std::int32_t node : nodes) {
    for (int k = 0; k < model.components; ++k) order.push_back(node * model.components + k);
  }
  SparseModel result{model.name, model.components, reordered(model.A, order), {}};
  result.solution.reserve(order.size());
  for (const std::int32_t k : order) result.solution.push_back(model.solution[at(k)]);
  return result;
}

}  // namespace

const std::vector<std::string>& sparse_model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Model& one : models) all.emplace_back(one.name);
    return all;
  }();
  return names;
}

std::string_view stands_for(std::string_view name) {
  return find_model(name).description;
}

int side_of(std::string_view name, int level) {
  if (name.find("-3d") == std::string_view::npos) return 1 << level;
  return 4 * std::max(1, static_cast<int>(std::lround(std::cbrt(std::ldexp(1.0, 2 * level)) / 4)));
}

SparseModel sparse_model(const std::string& name, int level) {
  const Model& one = find_model(name);
  const int n = side_of(name, level);
  if (name == parameterisation) return make_parameterisation(n);
  if (name == smoothing) return make_smoothing(n);
  SparseModel model{name, one.components, generate_sparse({.name = name, .size = n}), {}};
  model.solution.assign(at(model.A.pattern.n_rows), 1.0);
  return model;
}

SparseProblem with_solution(const SparseModel& model) {
  return {model.A, sparse_product(model.A, model.solution), WideVector{model.solution, {}}};
}

std::optional<CountedEntries> counted_entries(std::string_view name, int level) {
  const std::int64_t n = side_of(name, level);
  const std::int64_t edges = 2 * n * (n - 1) + (n - 1) * (n - 1);  // of n x n vertices
  const std::int64_t line = 3 * n - 2;  // entries of a tridiagonal matrix
  if (name == parameterisation) {
    const std::int64_t free = n * n - 2, free_edges = edges - 6;
    return CountedEntries{2 * free + 8 * free_edges, 4 * (free + 2 * free_edges), {}};
  }
  if (name == "triangles" || name == "triangles-shuffled") {
    return CountedEntries{n * n + 2 * edges, {}, {}};
  }
  if (name == "elasticity-2d") {
    const std::int64_t entries = 4 * line * (3 * n + 1);
    return CountedEntries{entries, entries, 16 * (3 * n / 2 - 2) * (3 * n + 1)};
  }
  if (name == "elasticity-3d") return CountedEntries{9 * line * (3 * n + 1) * (3 * n + 1), {}, {}};
  if (name == "shell") return CountedEntries{36 * line * line, 36 * line * line, {}};
  if (name == "laplace-3d-7") {
    const auto stored = [&](std::int64_t b) {
      return b * b * (n * n * (3 * n / b - 2) + 4 * n / b * n * (n - 1));
    };
    return CountedEntries{7 * n * n * n - 6 * n * n, stored(2), stored(4)};
  }
  return {};
}

std::string_view to_string(NodeOrder order) {
  switch (order) {
    case NodeOrder::rows:
      return "by rows";
    case NodeOrder::random:
      return "random";
    case NodeOrder::rcm:
      return "rcm";
  }
  throw std::logic_error("an order without a name");
}

SparsePattern node_pattern(const SparsePattern& pattern, int components) {
  if (components == 1) return pattern;
  SparsePattern nodes;
  nodes.n_rows = nodes.n_columns = pattern.n_rows / components;
  std::vector<std::int32_t> row;
  for (int p = 0; p < nodes.n_rows; ++p) {
    row.clear();
    for (int k = 0; k < components; ++k) {
      for (const std::int32_t column : pattern.row(p * components + k)) {
        row.push_back(column / components);
      }
    }
    std::sort(row.begin(), row.end());
    nodes.columns.insert(nodes.columns.end(), row.begin(), std::unique(row.begin(), row.end()));
    nodes.row_starts.push_back(static_cast<std::int64_t>(nodes.columns.size()));
  }
  return nodes;
}

SparseModel reordered(const SparseModel& model, NodeOrder order) {
  if (order == NodeOrder::rows) return model;
  SparseModel random = with_nodes(model, random_nodes(model.A.pattern.n_rows / model.components));
  if (order == NodeOrder::random) return random;
  return with_nodes(random,
                    reverse_cuthill_mckee(node_pattern(random.A.pattern, random.components)));
}

}  // namespace ninefold
