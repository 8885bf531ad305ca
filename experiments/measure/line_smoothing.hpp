#pragma once
// What the parts of line_smoothing share: the system that is smoothed, and the rows of its tables.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "precision/precision.hpp"

#include "grids/tensor_grid.hpp"

#include "fem/discrete/assembly.hpp"

#include "gpu/backend/vector.hpp"
#include "gpu/operations/line_operations.hpp"

#include "solvers/multigrid/kept_lines.hpp"
#include "solvers/system/system.hpp"

#include "output/tables/table.hpp"

#include "experiments/support/measuring.hpp"

namespace ninefold {

struct LineSmoothingSettings {
  std::vector<int> levels{10, 12}, solve_levels{10, 12};
  std::vector<Precision> precisions{Precision::single_, Precision::double_};
  int stretches = 9;  ///< of which the median counts
  std::string backend = "auto", output = "results/line_smoothing";
};

/// Test G's grid of this level.
TensorGrid stretched_grid(int level);

/// The power of two that the matrix is multiplied by, so that its entries are in half's range.
inline int matrix_exponent(const TensorGrid& grid) {
  return std::min(0, 9 - std::ilogb(grid.max_aspect_ratio()));
}

/// Rough values of all signs at all nodes, zero on the boundary: steps may move or compute zeros
/// faster than what a solver sees.
std::vector<double> rough_values(const TensorGrid& grid);

/// A x = b on a stretched grid with a known solution, and what steps of smoothing need.
template <Backend B, Number T>
class LineProblem {
 public:
  LineProblem(const B& on, const TensorGrid& grid, OperatorForm form)
      : on_(on),
        matrix_(on, grid, unknown_nodes(grid, {}), coefficients(grid), form),
        x_(on, grid.nx(), grid.ny()),
        b_(on, grid.nx(), grid.ny()),
        other_(on, grid.nx(), grid.ny()),
        start_(rough_values(grid)) {
    lines_ = KeptLines<B, T>(on, Operator<T>(A()), {LineDirection::x, true, 2});
    if (std::is_same_v<B, Cuda>) {
      memory_ = Array<B, Leading<T>>(on, line_scratch_values<T>(std::max(grid.nx(), grid.ny())));
    }
    upload(on, start_, 0, x());
    product<B, T>(on, A(), x(), b());
    restart();
  }

  const B& on() const { return on_; }
  NineBand<const T> A() const { return matrix_.view(); }
  Field<T> x() const { return x_.view(); }
  Field<T> b() const { return b_.view(); }
  Field<T> other() const { return other_.view(); }  ///< a vector for anything
  const std::vector<double>& start() const { return start_; }

  /// x := half of the solution, the start.
  void restart() const { upload(on_, start_, -1, x()); }

  /// One zebra step along a direction, in place; `kept`: with what was kept of lines.
  void step(LineDirection direction, bool kept = false) const {
    for (const int colour : {0, 1}) {
      line_step<T>(on_, A(), b(), Leading<T>(1), Lines{direction, colour, 2}, x(),
                   {memory_.data(), memory_.size(), kept ? lines_.along(direction) : nullptr}, x());
    }
  }
  /// False for long lines.
  bool keeps() const {
    return lines_.along(LineDirection::x) != nullptr && lines_.along(LineDirection::y) != nullptr;
  }
  void jacobi_step_to_other() const {
    jacobi_step<B, T>(on_, A(), b(), Leading<T>(0.8), x(), other());
  }

 private:
  static Coefficients<Assembly<T>> coefficients(const TensorGrid& grid) {
    const Assembly<T> g(std::ldexp(1.0, matrix_exponent(grid)));
    return {g, g, Assembly<T>(0)};
  }

  B on_;
  StoredMatrix<B, T> matrix_;
  NodeVector<B, T> x_, b_, other_;
  std::vector<double> start_;
  Array<B, Leading<T>> memory_;
  KeptLines<B, T> lines_;
};

/// Seconds of our steps in plain form, for comparison.
struct LineSeconds {
  double along_x, along_y, alternating;
};

/// Empty if cuSPARSE can be measured here, else why not.
std::string why_no_peer(bool on_device);
/// "cuSPARSE 12.6.3"
std::string peer_name();

Table make_peer_table();
/// Appends cuSPARSE's steps on the system in single or double; returns whether all of them give our
/// x up to rounding.
bool measure_peer(const LineSmoothingSettings& settings, int level, Precision precision,
                  const LineSeconds& ours, Table& table, const Context& context);

}  // namespace ninefold
