#pragma once
// The meaning of the operation of gpu/operations/error_operations.hpp; see
// gpu/meaning/generic_vector_operations.hpp.

#include <cmath>

#include "fem/discrete/level_error.hpp"

#include "gpu/meaning/generic_vector_operations.hpp"
#include "gpu/operations/error_operations.hpp"

namespace ninefold {

/// What cells have in common: the places of the Gauss points, in parts of a cell from both ends,
/// and their weights.
template <class W>
struct CellPoints {
  W place[error_points], rest[error_points];
  double weight[error_points][error_points];

  explicit CellPoints(const ExactSolution<W>& exact) {
    for (int q = 0; q < error_points; ++q) {
      place[q] = exact.place[q];
      rest[q] = 1.0 - exact.place[q];
      for (int p = 0; p < error_points; ++p) weight[q][p] = exact.weight[p] * exact.weight[q];
    }
  }
};

/// A node, and the cell right of and above it; `scales_errors` unless nothing is taken out of them.
template <class T, bool scales_errors>
struct NodeErrors {
  using W = Assembly<T>;
  static constexpr int batch = 1, sum_blocks = 4;

  FoundSolution<T> found;
  ExactSolution<W> exact;
  ErrorScales scales;
  CellPoints<W> points{exact};

  HOST_DEVICE double scaled(double error) const {
    if constexpr (scales_errors) return scales.error.times(error);
    return error;
  }

  HOST_DEVICE ErrorSums read(int i, int j) const {
    // Most cells hold unknowns alone, and need not ask each of their nodes.
    const Box& box = found.unknowns;
    if (box.contains(i, j) && box.contains(i + 1, j + 1)) {
      const auto value = [this](int k, int l) { return found.inside(k, l); };
      const W here = value(i, j);
      ErrorSums sums = at_node(here, i, j);
      add_cell(value, here, i, j, sums);
      return sums;
    }
    return at_side(i, j);
  }

  HOST_DEVICE ErrorSums at_side(int i, int j) const {
    const auto value = [this](int k, int l) { return found.at(k, l); };
    const W here = value(i, j);
    ErrorSums sums = at_node(here, i, j);
    if (i + 1 < found.x.nx && j + 1 < found.x.ny) add_cell(value, here, i, j, sums);
    return sums;
  }

  HOST_DEVICE ErrorSums at_node(const W& here, int i, int j) const {
    ErrorSums sums(0);
    sums.max = std::abs(static_cast<double>(here - exact.nodes.at(i, j)));
    sums.largest = sums.max;
    const double part = scaled(sums.max);
    sums.squares = part * part;
    return sums;
  }

  template <class Value>
  HOST_DEVICE void add_cell(const Value& value, const W& south_west, int i, int j,
                            ErrorSums& sums) const {
    const W south_east = value(i + 1, j);
    const W north_west = value(i, j + 1), north_east = value(i + 1, j + 1);
    W solution[error_points][error_points];
    exact.points.at_rows(error_points * i, error_points * j, solution);
    double cell = 0;
    for (int q = 0; q < error_points; ++q) {
      const W west = points.rest[q] * south_west + points.place[q] * north_west;
      const W east = points.rest[q] * south_east + points.place[q] * north_east;
      for (int p = 0; p < error_points; ++p) {
        const W there = points.rest[p] * west + points.place[p] * east;
        const auto error = static_cast<double>(there - solution[q][p]);
        sums.largest = larger(sums.largest, std::abs(error));
        const double part = scaled(error);
        cell = cell + points.weight[q][p] * part * part;
      }
    }
    sums.l2 = cell * scales.width.times(exact.width[i]) * scales.height.times(exact.height[j]);
  }

  HOST_DEVICE ErrorSums write(int, int, const ErrorSums& sums) const { return sums; }
};

template <Backend B, Number T>
void compare_solution(const B& on, const FoundSolution<T>& found,
                      const ExactSolution<Assembly<T>>& exact, const ErrorScales& scales,
                      ErrorSums* result) {
  const Box all{0, found.x.nx, 0, found.x.ny};
  require_inside("compare_solution", found.unknowns, found.x);
  require_shape("compare_solution", found.x,
                Field<const T>{nullptr, exact.nodes.columns, exact.nodes.rows});
  count(on, compare_solution_traffic, all, sizeof(T));
  share_borders(on, found.x);
  if (scales.error == PowerOfTwo(0)) {
    sum_own(on, found.x.ny, all, NodeErrors<T, false>{found, exact, scales}, result);
  } else {
    sum_own(on, found.x.ny, all, NodeErrors<T, true>{found, exact, scales}, result);
  }
}

/// A coarser node, and the coarser cell right of and above it.
template <class T>
struct LevelErrorSums {
  using W = Assembly<T>;
  static constexpr int batch = 1, sum_blocks = 3;

  FoundSolution<T> found;
  CoarserSolution coarser;
  ErrorScales scales;

  HOST_DEVICE ErrorSums read(int i, int j) const {
    // Most cells hold unknowns alone, and need not ask each of their nodes.
    const int x = 2 * i, y = 2 * j;
    if (found.unknowns.contains(x, y) && found.unknowns.contains(x + 2, y + 2)) {
      ErrorSums sums(0);
      const auto finer = [&](int k, int l) { return found.inside(k, l); };
      add_cell(finer, level_error_at(finer, coarse(), i, j), i, j, sums);
      return sums;
    }
    return at_side(i, j);
  }

  HOST_DEVICE auto coarse() const {
    return [this](int k, int l) { return W(coarser.u(k, l)); };
  }

  HOST_DEVICE ErrorSums at_side(int i, int j) const {
    const auto finer = [&](int k, int l) { return found.at(k, l); };
    ErrorSums sums(0);
    const double here = level_error_at(finer, coarse(), i, j);
    if (i + 1 == coarser.u.nx || j + 1 == coarser.u.ny) {
      add_node(here, sums);
    } else {
      add_cell(finer, here, i, j, sums);
    }
    return sums;
  }

  HOST_DEVICE void add_node(double here, ErrorSums& sums) const {
    sums.max = std::abs(here);
    sums.largest = sums.max;
    const double part = scales.error.times(here);
    sums.squares = part * part;
  }

  template <class Finer>
  HOST_DEVICE void add_cell(const Finer& finer, double here, int i, int j, ErrorSums& sums) const {
    add_node(here, sums);
    const LevelErrorCell cell = level_error_in(finer, coarse(), i, j, coarser.x[i], coarser.y[j]);
    sums.largest = larger(sums.largest, larger(cell.bend_x.largest(), cell.bend_y.largest()));
    sums.l2 = cell.times(scales.error).mean_square() * scales.width.times(coarser.width[i])
              * scales.height.times(coarser.height[j]);
  }

  HOST_DEVICE ErrorSums write(int, int, const ErrorSums& sums) const { return sums; }
};

template <Backend B, Number T>
void compare_levels(const B& on, const FoundSolution<T>& found, const CoarserSolution& coarser,
                    const ErrorScales& scales, ErrorSums* result) {
  const Box all{0, coarser.u.nx, 0, coarser.u.ny};
  require_inside("compare_levels", found.unknowns, found.x);
  require_shape("compare_levels", found.x,
                Field<const T>{nullptr, 2 * coarser.u.nx - 1, 2 * coarser.u.ny - 1});
  count(on, compare_levels_traffic, Box{0, found.x.nx, 0, found.x.ny}, sizeof(T));
  share_borders(on, Bordered<T>{found.x, 2}, Bordered<double>{coarser.u, 2});
  sum_own_coarse(on, found.x.ny, all, LevelErrorSums<T>{found, coarser, scales}, result);
}

template <class T>
struct SolutionValue {
  FoundSolution<T> found;
  Field<double> values;
  HOST_DEVICE void operator()(int i, int j) const {
    values(i, j) = static_cast<double>(found.at(i, j));
  }
};

template <Backend B, Number T>
void solution_values(const B& on, const FoundSolution<T>& found, const Field<double>& values) {
  const Box all{0, found.x.nx, 0, found.x.ny};
  require_inside("solution_values", found.unknowns, found.x);
  require_shape("solution_values", values, found.x);
  count(on, solution_values_traffic, all, sizeof(T));
  for_nodes(on, own_part(on, values.ny, all), SolutionValue<T>{found, values});
}

template <class T>
struct SolutionSquare {
  static constexpr int batch = 1;
  FoundSolution<T> found;
  NodeWeights weights;
  PowerOfTwo scale;

  HOST_DEVICE ErrorSums read(int i, int j) const {
    const auto value = static_cast<double>(found.at(i, j));
    const double part = scale.times(value);
    ErrorSums sums(0);
    sums.squares = weights.mass(i, j) * part * part;
    sums.max = std::abs(value);
    return sums;
  }
  HOST_DEVICE ErrorSums write(int, int, const ErrorSums& sums) const { return sums; }
};

template <Backend B, Number T>
void sum_solution(const B& on, const FoundSolution<T>& found, const NodeWeights& weights,
                  const PowerOfTwo& scale, ErrorSums* result) {
  const Box all{0, found.x.nx, 0, found.x.ny};
  require_inside("sum_solution", found.unknowns, found.x);
  count(on, sum_solution_traffic, all, sizeof(T));
  sum_own(on, found.x.ny, all, SolutionSquare<T>{found, weights, scale}, result);
}

template <class T>
struct SolutionShare {
  using W = Assembly<T>;
  static constexpr int batch = 1;
  FoundSolution<T> found;
  const W* share_x;
  const W* share_y;

  HOST_DEVICE W read(int i, int j) const { return share_x[i] * share_y[j] * found.at(i, j); }
  HOST_DEVICE W write(int, int, const W& share) const { return share; }
};

template <Backend B, Number T>
void mean_of_solution(const B& on, const FoundSolution<T>& found, const Assembly<T>* share_x,
                      const Assembly<T>* share_y, Assembly<T>* result) {
  const Box all{0, found.x.nx, 0, found.x.ny};
  require_inside("mean_of_solution", found.unknowns, found.x);
  count(on, mean_of_solution_traffic, all, sizeof(T));
  sum_own(on, found.x.ny, all, SolutionShare<T>{found, share_x, share_y}, result);
}

}  // namespace ninefold
