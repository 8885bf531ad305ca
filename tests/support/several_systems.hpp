#pragma once
// Systems of very different sizes and kinds, for solves of several of them.

#include <cstddef>
#include <utility>
#include <vector>

#include "fem/sparse/generators.hpp"

#include "solvers/sparse/sparse_systems.hpp"

#include "tests/support/several_rights.hpp"

namespace ninefold::testing {

/// Systems that are kept beside what solve_systems() takes.
struct SeveralSystems {
  std::vector<SparseMatrix> matrices{};
  std::vector<std::vector<SparseRight>> rights{};

  void add(SparseMatrix A, std::size_t count) {
    rights.push_back(several_rights(A, count));
    matrices.push_back(std::move(A));
  }
  std::vector<GivenSystem> given() const {
    std::vector<GivenSystem> all;
    for (std::size_t k = 0; k < matrices.size(); ++k) all.push_back({&matrices[k], rights[k]});
    return all;
  }
};

/// `count` of them, of rows that blocks of two divide; every third one has several right-hand
/// sides, and one has long rows.
inline SeveralSystems several_systems(std::size_t count) {
  SeveralSystems all;
  for (std::size_t k = 0; k < count; ++k) {
    const int size = 4 + 2 * static_cast<int>((5 * k) % 9);
    if (k == 1) {
      all.add(generate_sparse({.name = "rows", .size = 300, .mean = 70, .spread = 3}), 1);
    } else {
      all.add(generate_sparse({.name = k % 2 == 0 ? "triangles" : "elasticity-2d", .size = size}),
              k % 3 == 2 ? 3 : 1);
    }
  }
  return all;
}

}  // namespace ninefold::testing
