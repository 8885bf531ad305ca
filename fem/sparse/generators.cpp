#include "fem/sparse/generators.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "precision/require.hpp"
#include "precision/shortened.hpp"

#include "grids/counter_random.hpp"

#include "fem/sparse/block_generators.hpp"
#include "fem/sparse/reordering.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// `diagonal`, and -1 to the neighbours (r, s, t) that `coupled` names.
template <class Coupled>
SparseMatrix stencil_3d(const GeneratorOptions& options, double diagonal, const Coupled& coupled) {
  const std::int64_t N = options.size;
  require(N <= 1290,
          [&] { return fmt::format("{} of size {}: at most 1290 is possible", options.name, N); });
  SparseMatrix A;
  A.pattern.n_rows = A.pattern.n_columns = generated_rows(N * N * N, options);
  A.pattern.row_starts.reserve(at(N * N * N) + 1);
  for (std::int64_t z = 0; z < N; ++z) {
    for (std::int64_t y = 0; y < N; ++y) {
      for (std::int64_t x = 0; x < N; ++x) {
        for (int t = z > 0 ? -1 : 0; t <= (z + 1 < N ? 1 : 0); ++t) {
          for (int s = y > 0 ? -1 : 0; s <= (y + 1 < N ? 1 : 0); ++s) {
            for (int r = x > 0 ? -1 : 0; r <= (x + 1 < N ? 1 : 0); ++r) {
              const bool centre = r == 0 && s == 0 && t == 0;
              if (!centre && !coupled(r, s, t)) continue;
              A.pattern.columns.push_back(
                  static_cast<std::int32_t>(((z + t) * N + y + s) * N + x + r));
              A.values.push_back(centre ? diagonal : -1.0);
            }
          }
        }
        A.pattern.row_starts.push_back(static_cast<std::int64_t>(A.pattern.columns.size()));
      }
    }
  }
  return A;
}

struct Point {
  double x, y;
};

SparseMatrix triangles(const GeneratorOptions& options) {
  const std::int64_t N = options.size, n_nodes = N + 2;
  const int n = generated_rows(N * N, options);
  const CounterRandom random(options.seed);
  // In units of the distance of nodes: the matrix has no unit of length.
  const auto node = [&](std::int64_t i, std::int64_t j) {
    Point p{static_cast<double>(i), static_cast<double>(j)};
    if (i == 0 || j == 0 || i == N + 1 || j == N + 1) return p;
    const auto counter = 3 * static_cast<std::uint64_t>(j * n_nodes + i);
    p.x += 0.3 * (random.unit(counter) - 0.5);
    p.y += 0.3 * (random.unit(counter + 1) - 0.5);
    return p;
  };
  std::vector<SparseEntry> entries;
  const auto add_triangle = [&](const std::array<std::array<std::int64_t, 2>, 3>& corners) {
    std::array<Point, 3> p{};
    for (std::size_t a = 0; a < 3; ++a) p[a] = node(corners[a][0], corners[a][1]);
    std::array<double, 3> b{}, c{};
    for (std::size_t a = 0; a < 3; ++a) {
      const Point &next = p[(a + 1) % 3], &last = p[(a + 2) % 3];
      b[a] = next.y - last.y;
      c[a] = last.x - next.x;
    }
    const double four_areas = 2 * (b[0] * c[1] - b[1] * c[0]);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t d = 0; d < 3; ++d) {
        const auto [i, j] = corners[a];
        const auto [k, l] = corners[d];
        if (i == 0 || j == 0 || i > N || j > N || k == 0 || l == 0 || k > N || l > N) continue;
        const std::int64_t row = (j - 1) * N + i - 1, column = (l - 1) * N + k - 1;
        if (row < column) continue;
        entries.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                           (b[a] * b[d] + c[a] * c[d]) / four_areas});
      }
    }
  };
  for (std::int64_t j = 0; j <= N; ++j) {
    for (std::int64_t i = 0; i <= N; ++i) {
      const bool rising = random.bits(3 * static_cast<std::uint64_t>(j * n_nodes + i) + 2) >> 63;
      if (rising) {
        add_triangle({{{i, j}, {i + 1, j}, {i + 1, j + 1}}});
        add_triangle({{{i, j}, {i + 1, j + 1}, {i, j + 1}}});
      } else {
        add_triangle({{{i, j}, {i + 1, j}, {i, j + 1}}});
        add_triangle({{{i + 1, j}, {i + 1, j + 1}, {i, j + 1}}});
      }
    }
  }
  return assemble_sparse(n, n, entries, true);
}

SparseMatrix shuffled(const SparseMatrix& A, std::uint64_t seed) {
  const CounterRandom random(seed ^ 0x5348'5546'464C'4521);
  std::vector<std::int32_t> order(at(A.pattern.n_rows));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = order.size(); k > 1; --k) {
    std::swap(order[k - 1], order[random.below(k, k)]);
  }
  return reordered(A, order);
}

struct Generator {
  std::string name;
  std::string_view description;
  SparseMatrix (*generate)(const GeneratorOptions&);
};

SparseMatrix seven_points(const GeneratorOptions& options) {
  return stencil_3d(options, 6, [](int r, int s, int t) { return r * r + s * s + t * t == 1; });
}

SparseMatrix all_points(const GeneratorOptions& options) {
  return stencil_3d(options, 26, [](int, int, int) { return true; });
}

SparseMatrix shuffled_triangles(const GeneratorOptions& options) {
  return shuffled(triangles(options), options.seed);
}

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all{
      {"laplace-3d-7", "-Laplace on N x N x N nodes, to six neighbours", seven_points},
      {"laplace-3d-27", "the same, to all 26 neighbours", all_points},
      {"triangles", "-Laplace by linear elements on N x N nodes, moved a little", triangles},
      {"triangles-shuffled", "the same, numbered at random", shuffled_triangles},
      {"elasticity-2d", "plane strain on N x N squares, two unknowns a node", elasticity_2d},
      {"elasticity-3d", "an elastic body of N x N x N cubes, three unknowns a node", elasticity_3d},
      {"shell", "N x N nodes of six unknowns in dense blocks", shell_blocks},
      {"rows", "N rows with entries at random places: see --with", random_rows}};
  return all;
}

}  // namespace

int generated_rows(std::int64_t n, const GeneratorOptions& options) {
  require(n <= max_sparse_rows, [&] {
    return fmt::format("{} of size {} has {} rows; {} are possible", options.name, options.size, n,
                       max_sparse_rows);
  });
  return static_cast<int>(n);
}

const std::vector<std::string>& generator_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Generator& generator : generators()) all.push_back(generator.name);
    return all;
  }();
  return names;
}

std::string_view generator_description(std::string_view name) {
  for (const Generator& generator : generators()) {
    if (generator.name == name) return generator.description;
  }
  return "";
}

SparseMatrix generate_sparse(const GeneratorOptions& options) {
  for (const Generator& generator : generators()) {
    if (generator.name != options.name) continue;
    require(options.size >= 1, [&] {
      return fmt::format("{} of size {}: it is at least 1", options.name, options.size);
    });
    return generator.generate(options);
  }
  throw std::invalid_argument(fmt::format("there is no matrix \"{}\"; there are {}",
                                          shortened(options.name),
                                          fmt::join(generator_names(), ", ")));
}

}  // namespace ninefold
