#pragma once
// A level's solution where it was solved, kept for the comparison with the next finer level's.
//
// Tests.  tests/solvers/estimate/level_errors_test.cpp, tests/gpu/device/same_estimates_test.cpp

#include <cstddef>
#include <vector>

#include "grids/tensor_grid.hpp"

#include "gpu/backend/vector.hpp"

#include "solvers/system/system.hpp"

namespace ninefold {

/// Its memory lies on a backend.
class LevelSolution {
 public:
  LevelSolution() = default;
  LevelSolution(const LevelSolution&) = delete;
  LevelSolution& operator=(const LevelSolution&) = delete;
  virtual ~LevelSolution() = default;

  /// At all nodes, k = j nx + i.
  virtual std::vector<double> on_host() const = 0;
};

/// Bytes that one takes there, about.
inline std::size_t level_solution_bytes(const TensorGrid& grid) {
  return NodeVector<Host, double>::storage(grid.nx(), grid.ny()) * sizeof(double);
}

template <Backend B>
struct LevelSolutionOn final : LevelSolution {
  LevelSolutionOn(const B& where, const TensorGrid& of)
      : on(where), grid(of), values(where, of.nx(), of.ny()) {}

  std::vector<double> on_host() const override {
    return download<B, double>(on, Field<const double>(values.view()), 0);
  }

  B on;
  TensorGrid grid;
  NodeVector<B, double> values;  ///< at all nodes
};

}  // namespace ninefold
