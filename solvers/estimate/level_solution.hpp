#pragma once
// A level's solution where it was solved, kept for the comparison with the next finer level's.
//
// Tests.  tests/solvers/estimate/level_errors_test.cpp, tests/gpu/device/same_estimates_test.cpp

#include <cstddef>
#include <memory>
#include <utility>

#include "grids/tensor_grid.hpp"

#include "fem/discrete/nodal_values.hpp"

#include "gpu/backend/vector.hpp"

#include "solvers/system/rows_of_ranks.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

/// Its memory lies on a backend.
class LevelSolution {
 public:
  LevelSolution() = default;
  LevelSolution(const LevelSolution&) = delete;
  LevelSolution& operator=(const LevelSolution&) = delete;
  virtual ~LevelSolution() = default;

  virtual NodeRows<double> on_host() const = 0;
};

/// Bytes that one takes there, about.
inline std::size_t level_solution_bytes(const TensorGrid& grid) {
  return NodeVector<Host, double>::storage(grid.nx(), grid.ny()) * sizeof(double);
}

template <Backend B>
struct LevelSolutionOn final : LevelSolution {
  LevelSolutionOn(const B& where, const TensorGrid& of, std::shared_ptr<const RowsOfRanks> shared)
      : on(where), grid(of), share(std::move(shared)), values(where.apart(), of.nx(), of.ny()) {}

  NodeRows<double> on_host() const override {
    return {download<B, double>(on, Field<const double>(values.view()), 0, share.get()), share};
  }

  B on;
  TensorGrid grid;
  std::shared_ptr<const RowsOfRanks> share;  ///< null where each rank has all rows
  NodeVector<B, double> values;              ///< at all nodes
};

}  // namespace ninefold
