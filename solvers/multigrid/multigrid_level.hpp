#pragma once
// A level of multigrid: its matrix, what transfers to it from the next coarser one weigh, and its
// vectors.
//
// Shape.  Three vectors: b, and two that take turns as x and t in the steps of jacobi and tridi; t
// holds the residual in between.
//
// Tests.  those of solvers/multigrid/multigrid.hpp

#include "grids/tensor_grid.hpp"
#include "grids/transfer.hpp"

#include "solvers/multigrid/kept_lines.hpp"
#include "solvers/system/system.hpp"

namespace ninefold {

template <Backend B, Number T>
struct MultigridLevel {
  using C = Arithmetic<T>;

  MultigridLevel(const B& on, const TensorGrid& grid, const Box& unknowns,
                 const Coefficients<Assembly<T>>& coefficients, OperatorForm form,
                 OperatorStorage storage)
      : A(on, grid, unknowns, coefficients, form, storage),
        x_weights(on, transfer_weights<C>(grid.x)),
        y_weights(on, transfer_weights<C>(grid.y)) {}

  void allocate_vectors(const B& on) {
    const int nx = A.view().nx, ny = A.view().ny;
    turns[0] = NodeVector<B, T>(on, nx, ny);
    b = NodeVector<B, T>(on, nx, ny);
    turns[1] = NodeVector<B, T>(on, nx, ny);
  }
  const Box& unknowns() const { return A.view().unknowns; }

  /// To this level from the next coarser one.
  Transfer<C> transfer() const { return {x_weights.data(), y_weights.data()}; }

  Matrix<B, T> A;
  Array<B, TransferWeights<C>> x_weights, y_weights;
  KeptLines<B, T> lines;  // where they are solved, on a device
  NodeVector<B, T> turns[2], b;
};

}  // namespace ninefold
