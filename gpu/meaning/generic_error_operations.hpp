#pragma once
// The meaning of the operation of gpu/operations/error_operations.hpp; see
// gpu/meaning/generic_vector_operations.hpp.

#include "fem/discrete/level_error.hpp"

#include "gpu/meaning/generic_vector_operations.hpp"
#include "gpu/operations/error_operations.hpp"

namespace ninefold {

/// A node, and the cell right of and above it.
template <class T>
struct NodeErrors {
  using W = Assembly<T>;
  static constexpr int batch = 1, sum_blocks = 3;

  FoundSolution<T> found;
  ExactSolution<W> exact;
  ErrorScales scales;

  HOST_DEVICE static double size(double error) { return error < 0 ? -error : error; }

  HOST_DEVICE ErrorSums read(int i, int j) const {
    ErrorSums sums(0);
    const W here = found.at(i, j);
    sums.max = size(static_cast<double>(here - exact.nodes.at(i, j)));
    sums.largest = sums.max;
    const double part = scales.error.times(sums.max);
    sums.squares = part * part;
    if (i + 1 < found.x.nx && j + 1 < found.x.ny) add_cell(i, j, here, sums);
    return sums;
  }

  HOST_DEVICE void add_cell(int i, int j, const W& south_west, ErrorSums& sums) const {
    const W south_east = found.at(i + 1, j);
    const W north_west = found.at(i, j + 1), north_east = found.at(i + 1, j + 1);
    double cell = 0;
    for (int q = 0; q < error_points; ++q) {
      const W t = exact.place[q], below = 1.0 - t;
      const W west = below * south_west + t * north_west;
      const W east = below * south_east + t * north_east;
      W solution[error_points];
      exact.points.at_row(error_points * i, error_points * j + q, solution);
      for (int p = 0; p < error_points; ++p) {
        const W s = exact.place[p];
        const W value = (1.0 - s) * west + s * east;
        const auto error = static_cast<double>(value - solution[p]);
        sums.largest = larger(sums.largest, size(error));
        const double part = scales.error.times(error);
        cell = cell + exact.weight[p] * exact.weight[q] * part * part;
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
  sum_own(on, found.x.ny, all, NodeErrors<T>{found, exact, scales}, result);
}

/// A coarser node, and the coarser cell right of and above it.
template <class T>
struct LevelErrorSums {
  using W = Assembly<T>;
  static constexpr int batch = 1, sum_blocks = 3;

  FoundSolution<T> found;
  CoarserSolution coarser;
  ErrorScales scales;

  HOST_DEVICE static double size(double error) { return error < 0 ? -error : error; }

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
    sums.max = size(here);
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
    sums.max = value < 0 ? -value : value;
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
