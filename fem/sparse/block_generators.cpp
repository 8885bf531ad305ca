#include "fem/sparse/block_generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "precision/require.hpp"

#include "grids/counter_random.hpp"

namespace ninefold {
namespace {

std::size_t at(std::int64_t k) {
  return static_cast<std::size_t>(k);
}

/// Integrals over the unit element: those of derivatives are products of integrals over [0, 1].
template <std::size_t dim>
class ElasticElement {
 public:
  /// Between component i at corner a and component j at corner b; bit d of a corner is its side in
  /// direction d.
  static double stiffness(std::size_t a, std::size_t i, std::size_t b, std::size_t j) {
    constexpr double E = 1, nu = 0.3;
    constexpr double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    double sum = lambda * integral(a, i, b, j) + mu * integral(a, j, b, i);
    if (i == j) {
      for (std::size_t d = 0; d < dim; ++d) sum += mu * integral(a, d, b, d);
    }
    return sum;
  }

 private:
  /// Of (d/dx_i phi_a) (d/dx_j phi_b).
  static double integral(std::size_t a, std::size_t i, std::size_t b, std::size_t j) {
    double product = 1;
    for (std::size_t d = 0; d < dim; ++d) {
      const bool same = ((a ^ b) >> d & 1) == 0;
      const auto slope = [&](std::size_t corner) { return (corner >> d & 1) != 0 ? 1.0 : -1.0; };
      if (d == i && d == j) {
        product *= slope(a) * slope(b);
      } else if (d == i) {
        product *= slope(a) / 2;
      } else if (d == j) {
        product *= slope(b) / 2;
      } else {
        product *= same ? 1.0 / 3 : 1.0 / 6;
      }
    }
    return product;
  }
};

template <std::size_t dim>
SparseMatrix elasticity(const GeneratorOptions& options) {
  constexpr std::size_t corners = std::size_t{1} << dim;
  const std::int64_t N = options.size;
  require(N <= 30'000,
          [&] { return fmt::format("{} of size {}: at most 30000 is possible", options.name, N); });
  std::int64_t n_nodes = N, n_elements = 1;  // nodes of the left side are held
  for (std::size_t d = 0; d < dim; ++d) {
    n_nodes *= d == 0 ? 1 : N + 1;
    n_elements *= N;
  }
  const int n = generated_rows(static_cast<std::int64_t>(dim) * n_nodes, options);
  std::vector<SparseEntry> entries;
  for (std::int64_t element = 0; element < n_elements; ++element) {
    std::array<std::int64_t, corners> node{};
    for (std::size_t a = 0; a < corners; ++a) {
      std::int64_t rest = element, stride = 1;
      for (std::size_t d = 0; d < dim; ++d) {
        const std::int64_t place = rest % N + (a >> d & 1);
        rest /= N;
        if (d == 0 && place == 0) {
          node[a] = -1;
          break;
        }
        node[a] += stride * (d == 0 ? place - 1 : place);
        stride *= d == 0 ? N : N + 1;
      }
    }
    for (std::size_t a = 0; a < corners; ++a) {
      for (std::size_t b = 0; b < corners; ++b) {
        if (node[a] < 0 || node[b] < 0) continue;
        for (std::size_t i = 0; i < dim; ++i) {
          for (std::size_t j = 0; j < dim; ++j) {
            const std::int64_t row =
                static_cast<std::int64_t>(dim) * node[a] + static_cast<std::int64_t>(i);
            const std::int64_t column =
                static_cast<std::int64_t>(dim) * node[b] + static_cast<std::int64_t>(j);
            if (row < column) continue;
            entries.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                               ElasticElement<dim>::stiffness(a, i, b, j)});
          }
        }
      }
    }
  }
  return assemble_sparse(n, n, entries, true);
}

}  // namespace

SparseMatrix elasticity_2d(const GeneratorOptions& options) {
  return elasticity<2>(options);
}

SparseMatrix elasticity_3d(const GeneratorOptions& options) {
  return elasticity<3>(options);
}

/// Springs between neighbours, each a definite block of 6; those that lead out of the grid hold it.
SparseMatrix shell_blocks(const GeneratorOptions& options) {
  constexpr std::int64_t b = 6;
  const std::int64_t N = options.size;
  const int n = generated_rows(b * N * N, options);
  const CounterRandom random(options.seed);
  std::vector<SparseEntry> entries;
  std::uint64_t springs = 0;
  const auto add_spring = [&](std::int64_t p, std::int64_t q) {  // q < 0: outside
    std::array<double, b> v{};
    for (double& c : v) c = 1 + static_cast<double>(random.below(3, springs++));
    const auto stiffness = [&](std::size_t i, std::size_t j) {
      const double soft = (i < 3 ? 1.0 : 0x1p-6) * (j < 3 ? 1.0 : 0x1p-6);
      return soft * ((i == j ? 1.0 : 0.0) + v[i] * v[j]);
    };
    const auto add = [&](std::int64_t r, std::int64_t s, double sign) {
      for (std::size_t i = 0; i < b; ++i) {
        for (std::size_t j = 0; j < b; ++j) {
          const std::int64_t row = b * r + static_cast<std::int64_t>(i);
          const std::int64_t column = b * s + static_cast<std::int64_t>(j);
          if (row < column) continue;
          entries.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
                             sign * stiffness(i, j)});
        }
      }
    };
    add(p, p, 1);
    if (q < 0) return;
    add(q, q, 1);
    add(std::max(p, q), std::min(p, q), -1);
  };
  for (std::int64_t y = 0; y < N; ++y) {
    for (std::int64_t x = 0; x < N; ++x) {
      for (int s = -1; s <= 1; ++s) {
        for (int r = -1; r <= 1; ++r) {
          if (r == 0 && s == 0) continue;
          const bool inside = x + r >= 0 && x + r < N && y + s >= 0 && y + s < N;
          const std::int64_t here = y * N + x, there = inside ? (y + s) * N + x + r : -1;
          if (there < here) add_spring(here, there);
        }
      }
    }
  }
  return assemble_sparse(n, n, entries, true);
}

SparseMatrix random_rows(const GeneratorOptions& options) {
  const std::int64_t n = options.size, b = options.blocks;
  require(options.mean >= 1 && options.mean <= static_cast<double>(n), [&] {
    return fmt::format("rows of a mean length of {} in a matrix of {}", options.mean, n);
  });
  require(options.spread >= 1 && options.spread <= 64,
          [&] { return fmt::format("spread = {}: it is from 1 to 64", options.spread); });
  require(b >= 1 && b <= 64 && n % b == 0, [&] {
    return fmt::format("blocks of {} rows: they are from 1 to 64 and divide the size, {}", b, n);
  });
  require(options.bandwidth >= 0,
          [&] { return fmt::format("bandwidth = {} is negative", options.bandwidth); });
  const std::int64_t n_blocks = n / b;
  const std::int64_t reach =
      options.bandwidth == 0 ? n_blocks : std::max<std::int64_t>(1, options.bandwidth / b);
  const double half = std::max(0.0, (options.mean / static_cast<double>(b) - 1) / 2);
  const CounterRandom random(options.seed);
  std::uint64_t counter = 0;
  std::vector<SparseEntry> entries;
  std::vector<double> sizes(at(n), 0.0);
  const auto add = [&](std::int64_t i, std::int64_t j) {
    const double value = (random.bits(counter) & 1) != 0 ? 1 - random.unit(counter) / 2
                                                         : random.unit(counter) / 2 - 1;
    ++counter;
    entries.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), value});
    sizes[at(i)] += std::abs(value);
    sizes[at(j)] += std::abs(value);
  };
  for (std::int64_t I = 0; I < n_blocks; ++I) {
    for (std::int64_t i = 0; i < b; ++i) {
      for (std::int64_t j = 0; j < i; ++j) add(b * I + i, b * I + j);
    }
    const bool long_row = random.below(64, counter++) == 0;
    const double wanted = half * (long_row ? options.spread : (64 - options.spread) / 63);
    const std::int64_t there_are = std::min(I, reach);
    const auto count =
        std::min(there_are, static_cast<std::int64_t>(std::floor(wanted + random.unit(counter++))));
    std::set<std::int64_t> neighbours;
    while (static_cast<std::int64_t>(neighbours.size()) < count) {
      const auto back = random.below(static_cast<std::uint64_t>(there_are), counter++);
      neighbours.insert(I - 1 - static_cast<std::int64_t>(back));
    }
    for (const std::int64_t J : neighbours) {
      for (std::int64_t i = 0; i < b; ++i) {
        for (std::int64_t j = 0; j < b; ++j) add(b * I + i, b * J + j);
      }
    }
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::int32_t>(i);
    entries.push_back({k, k, 1 + sizes[at(i)]});
  }
  return assemble_sparse(static_cast<int>(n), static_cast<int>(n), entries, true);
}

}  // namespace ninefold
