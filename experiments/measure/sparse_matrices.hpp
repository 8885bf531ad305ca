#pragma once
// The matrices that sparse products and conjugate gradients are measured with: made here, in the
// shapes of those that the papers have (Cevahir, Nukada, Matsuoka 2009) and of usual
// discretisations.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fem/sparse/generators.hpp"
#include "fem/sparse/reordering.hpp"
#include "fem/sparse/sparse_matrix.hpp"

#include "experiments/config/settings.hpp"

namespace ninefold {

/// A matrix of the list, with its size at scale 1.
struct ListedMatrix {
  std::string name;
  GeneratorOptions options;
  bool reorder = false;
};

inline const std::vector<ListedMatrix>& all_listed() {
  static const std::vector<ListedMatrix> all{
      {"laplace-3d-7", {.name = "laplace-3d-7", .size = 200}},
      {"laplace-3d-27", {.name = "laplace-3d-27", .size = 128}},
      {"triangles", {.name = "triangles", .size = 2048}},
      {"triangles, shuffled", {.name = "triangles-shuffled", .size = 2048}},
      {"triangles, shuffled, rcm", {.name = "triangles-shuffled", .size = 2048}, true},
      {"elasticity-2d", {.name = "elasticity-2d", .size = 1000}},
      {"elasticity-3d", {.name = "elasticity-3d", .size = 64}},
      {"shell", {.name = "shell", .size = 122}},
      {"like G3_circuit", {.name = "rows", .size = 1585478, .mean = 4.8, .bandwidth = 60000}},
      {"like thermal2", {.name = "rows", .size = 1228045, .mean = 7, .bandwidth = 200000}},
      {"like nd24k", {.name = "rows", .size = 72000, .mean = 399, .blocks = 3, .bandwidth = 12000}},
      {"like crankseg",
       {.name = "rows", .size = 63838, .mean = 222, .spread = 8, .blocks = 3, .bandwidth = 30000}},
      {"like exdata", {.name = "rows", .size = 6001, .mean = 378, .spread = 4, .bandwidth = 4000}},
  };
  return all;
}

/// With about `scale` times as many rows.
inline GeneratorOptions scaled(GeneratorOptions options, double scale) {
  const bool is_space = options.name.find("3d") != std::string::npos;
  const double power = options.name == "rows" ? 1.0 : is_space ? 1.0 / 3 : 0.5;
  options.size = std::max(4, static_cast<int>(std::lround(options.size * std::pow(scale, power))));
  options.mean = std::min(options.mean, options.size / 8.0);
  options.size -= options.name == "rows" ? options.size % options.blocks : 0;
  if (options.bandwidth > 0) {
    options.bandwidth = std::max(64, static_cast<int>(options.bandwidth * std::min(1.0, scale)));
  }
  return options;
}

/// All, or those of these names; throws ConfigurationError for one that is not there.
inline std::vector<ListedMatrix> listed_matrices(const std::vector<std::string>& names) {
  if (names.empty()) return all_listed();
  std::vector<ListedMatrix> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(all_listed().begin(), all_listed().end(),
                                    [&](const ListedMatrix& one) { return one.name == name; });
    if (found == all_listed().end()) {
      std::vector<std::string> known;
      for (const ListedMatrix& one : all_listed()) known.push_back(one.name);
      throw ConfigurationError(
          fmt::format("--only {}: there are {}", name, fmt::join(known, "; ")));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

/// The matrix.
inline SparseMatrix made(const ListedMatrix& one, double scale) {
  SparseMatrix A = generate_sparse(scaled(one.options, scale));
  return one.reorder ? reordered(A, reverse_cuthill_mckee(A.pattern)) : A;
}

}  // namespace ninefold
