#pragma once
// The steps of a CoarseSchedule on memory of their own, run by a team of workers; see
// gpu/operations/coarse_operations.hpp.
//
// On a device the team is one block of threads and the memory is shared memory
// (gpu/kernels/coarse_cycle.cuh); on the host it is one worker, for tests.
//
// Shape.  Level by level from the coarsest: weights of x and of y, the matrix, then the vectors 0
// and 1, which take turns as x and t, and b.  A vector has margins of nx + 1 zeros on both sides.
//
// Cost.  A team of W workers takes ceil(unknowns / W) turns per operation and waits once after it.

#include <type_traits>

#include "gpu/launch/team.hpp"
#include "gpu/meaning/generic_coarse_lines.hpp"
#include "gpu/meaning/generic_grid_operations.hpp"
#include "gpu/meaning/generic_line_operations.hpp"
#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/operations/coarse_operations.hpp"

namespace ninefold {

/// Call load_matrices, load_vectors, run and store, each by all workers; `memory` holds
/// problem.memory_bytes and is aligned to 16.  Nothing is checked.
template <class Form, class T, class Team, class Rows = NineBand<const T>>
struct CoarseCycle {
  using C = Arithmetic<T>;
  static constexpr int b_vector = 2;
  static constexpr bool is_stored = std::is_same_v<Rows, NineBand<const T>>;

  const CoarseProblem<T, Rows>& problem;
  const CycleRelaxations<T>& relaxations;
  unsigned char* memory;

  HOST_DEVICE int nodes(int l) const { return problem.level[l].A.nx * problem.level[l].A.ny; }
  HOST_DEVICE int margin(int l) const { return problem.level[l].A.nx + 1; }

  HOST_DEVICE TransferWeights<C>* weights(int l) const {
    return reinterpret_cast<TransferWeights<C>*>(memory + problem.level[l].weights);
  }
  HOST_DEVICE void* entries(int l) const { return memory + problem.level[l].entries; }
  HOST_DEVICE Transfer<C> transfer(int l) const {
    return {weights(l), weights(l) + problem.level[l].A.nx};
  }
  HOST_DEVICE Field<T> vector(int l, int which) const {
    const auto& level = problem.level[l];
    T* const values = reinterpret_cast<T*>(memory + level.vectors + which * level.vector_bytes);
    return {values + margin(l), level.A.nx, level.A.ny};
  }
  HOST_DEVICE Rows matrix(int l) const { return in_memory(problem.level[l].A, entries(l)); }

  /// The same matrix with its entries in that memory.
  HOST_DEVICE static NineBand<const T> in_memory(NineBand<const T> A, void* memory) {
    for (int m = 0; m < 9; ++m) A.band[m] = static_cast<const T*>(memory) + m * A.nx * A.ny;
    return A;
  }
  HOST_DEVICE static FactoredRows<T> in_memory(FactoredRows<T> A, void* memory) {
    const C* const factors = static_cast<const C*>(memory);
    A.x = {factors, factors + A.nx + 1};
    A.y = {factors + 2 * (A.nx + 1), factors + 2 * (A.nx + 1) + A.ny + 1};
    return A;
  }

  /// Fills the memory, first with what no kernel writes between two calls.
  HOST_DEVICE void load_matrices() const {
    for (int l = 0; l < problem.levels; ++l) {
      const int nx = problem.level[l].A.nx, ny = problem.level[l].A.ny;
      const Transfer<C>& from = problem.level[l].transfer;
      for_workers<Team>(nx, [&](int k) { copy_weights(weights(l) + k, from.x + k); });
      for_workers<Team>(ny, [&](int k) { copy_weights(weights(l) + nx + k, from.y + k); });
    }
    if constexpr (!is_stored) load_factors();
    load_kept_lines();
    // Vectors of coarser levels begin as zeros, and so do margins.
    for (int l = 0; l < problem.levels; ++l) {
      T* const values = reinterpret_cast<T*>(memory + problem.level[l].vectors);
      const bool finest = l + 1 == problem.levels;
      const int n = nodes(l), m = margin(l), vector_values = n + 2 * m;
      for_workers<Team>(vector_values, [&](int k) {
        if (finest && k >= m && k < m + n) return;
        for (int which = 0; which <= b_vector; ++which) values[which * vector_values + k] = T(0);
      });
    }
  }
  HOST_DEVICE static void copy_weights(TransferWeights<C>* to, const TransferWeights<C>* from) {
    Team::copy(&to->lower, &from->lower);
    Team::copy(&to->upper, &from->upper);
  }

  /// Then with vectors and stored rows, of which a kernel before may have written some.
  HOST_DEVICE void load_vectors() const {
    const int finest = problem.levels - 1;
    const Field<T> to[] = {vector(finest, 0), vector(finest, 1), vector(finest, b_vector)};
    for_workers<Team>(nodes(finest), [&](int k) {
      const int j = coarse_row(k, problem.row_reciprocal), i = k - j * problem.x.nx;
      Team::copy(to[0].data + k, &problem.x(i, j));
      Team::copy(to[1].data + k, &problem.t(i, j));
      Team::copy(to[2].data + k, &problem.b(i, j));
    });
    if constexpr (is_stored) {
      for (int l = 0, k = Team::index(); l < problem.levels; k += Team::size()) {
        while (l < problem.levels && k >= nodes(l)) k -= nodes(l++);
        if (l < problem.levels) load_row(l, k);
      }
    }
    Team::wait_for_copies();
    Team::wait();
  }
  HOST_DEVICE void load_row(int l, int k) const {
    for (int m = 0; m < 9; ++m) {
      Team::copy(static_cast<T*>(entries(l)) + (m * nodes(l) + k), problem.level[l].A.band[m] + k);
    }
  }

  HOST_DEVICE void load_factors() const {
    for (int l = 0; l < problem.levels; ++l) {
      const Rows& from = problem.level[l].A;
      C* const to = static_cast<C*>(entries(l));
      const int nx = from.nx + 1, ny = from.ny + 1;
      for_workers<Team>(nx, [&](int k) {
        Team::copy(to + k, from.x.stiffness + k);
        Team::copy(to + nx + k, from.x.mass + k);
      });
      for_workers<Team>(ny, [&](int k) {
        Team::copy(to + 2 * nx + k, from.y.stiffness + k);
        Team::copy(to + 2 * nx + ny + k, from.y.mass + k);
      });
    }
  }

  HOST_DEVICE void load_kept_lines() const {
    for (int l = 0; l < problem.levels; ++l) {
      for (const auto& kept : problem.level[l].lines) {
        if (kept.values != nullptr) load_kept_lines(kept);
      }
    }
  }
  /// Groups copy a line each.
  HOST_DEVICE void load_kept_lines(const KeptCoarseLines<Leading<T>>& kept) const {
    using D = Leading<T>;
    using Group = typename Team::Group;
    const CoarseLines<D>& place = kept.place;
    const int segments = place.segments, nodes = line_segment * segments;
    const int reduced = place.reduced_values;
    for (int line = Team::group(); line < kept.lines; line += Team::groups()) {
      const D* const from = kept.values + line * (3 * nodes + reduced);
      D* const to = reinterpret_cast<D*>(memory + kept.memory) + line * place.kept_of_line;
      for_workers<Group>(nodes, [&](int p) {
        const int k = coarse_row(p, kept.reciprocal), s = p - k * segments;
        D* const factor = to + (s * place.kept_of_segment + 3 * k);
        for (int number = 0; number < 3; ++number) {
          Team::copy(factor + number, from + (number * nodes + p));
        }
      });
      for_workers<Group>(
          reduced, [&](int k) { Team::copy(to + (place.reduced() + k), from + (3 * nodes + k)); });
    }
  }

  template <class F>
  HOST_DEVICE void for_unknowns(int l, const F& f) const {
    const Box& box = problem.level[l].A.unknowns;
    const int width = box.width(), n = width * box.height();
    for_workers<Team>(n, [&](int k) {
      const int row = coarse_row(k, problem.level[l].reciprocal);
      f(box.i0 + (k - row * width), box.j0 + row);
    });
    Team::wait();
  }

  HOST_DEVICE void step_by_lines(int l, const Rows& A, const Field<T>& b, const Lines& lines,
                                 const Field<T>& x) const {
    using D = Leading<T>;
    const auto& kept = problem.level[l].lines[lines.direction == LineDirection::y];
    if (kept.values != nullptr) {
      return run_coarse_lines<Team>(CoarseLineStep<Form, T, Rows>{
          A, b, x, lines, relaxations.damping[0], reinterpret_cast<const D*>(memory + kept.memory),
          reinterpret_cast<D*>(memory + problem.line_memory), kept.place});
    }
    if (lines.direction == LineDirection::x) {
      solve_lines<LineDirection::x>(l, b, lines, x);
    } else {
      solve_lines<LineDirection::y>(l, b, lines, x);
    }
  }

  /// line_step in place; the equations of all nodes wait where what is kept of them will be.
  template <LineDirection direction>
  HOST_DEVICE void solve_lines(int l, const Field<T>& b, const Lines& lines,
                               const Field<T>& x) const {
    using D = Leading<T>;
    const LineEquations<Form, T, direction, Rows> equations{matrix(l), b, x, lines};
    const Box& unknowns = problem.level[l].A.unknowns;
    const int n = lines.length(unknowns), count = lines.count(unknowns);
    const LineSystems<D> systems{reinterpret_cast<D*>(memory + problem.line_memory), count, n};
    for_workers<Team>(n * count, [&](int k) {
      const LineRow<D> row = equations(k % count, k / count);
      systems.keep(k % count, k / count, {row.coupling, row.sum, row.right});
    });
    Team::wait();
    for_workers<Team>(systems.segments() * count, [&](int k) {
      const int line = k % count, s = k / count, first = s * line_segment;
      systems.reduced().put(line, s,
                            eliminate_segment<D>(
                                segment_size(n, first, line_segment),
                                [&](int node) {
                                  const EliminatedRow<D> row = systems.kept(line, first + node);
                                  return LineRow<D>{row.next, row.separator, row.value};
                                },
                                [&](int node, const EliminatedRow<D>& row) {
                                  systems.keep(line, first + node, row);
                                }));
    });
    Team::wait();
    solve_reduced<Team>(systems.reduced(), 0, count);
    const SubstituteLines<T, direction> substitute{
        unknowns, lines, systems, 0, {relaxations.damping[0], x, x}};
    for_workers<Team>(systems.segments() * count, [&](int k) { substitute(k % count, k / count); });
    Team::wait();
  }

  HOST_DEVICE void run(const CoarseSchedule& schedule) const {
    for (int s = 0; s < schedule.size; ++s) {
      const CoarseStep& step = schedule.step[s];
      const int l = step.level;
      Field<T> x = vector(l, step.x), t = vector(l, 1 - step.x);
      const Field<T> b = vector(l, b_vector);
      switch (step.operation) {
        case CycleOperation::set_zero:
          for_workers<Team>(nodes(l), [&](int k) { SetZero<T>{x}(k, 0); });
          Team::wait();
          break;
        case CycleOperation::jacobi_start:
          for_unknowns(l, JacobiStart<Form, T, Rows>{matrix(l), b, relaxations[0], x});
          break;
        case CycleOperation::jacobi_steps:
          for (int count = 0; count < step.count; ++count) {
            for_unknowns(
                l, JacobiStep<Form, T, Rows>{matrix(l), b, x, relaxations[step.first + count], t});
            const Field<T> last = x;
            x = t;
            t = last;
          }
          break;
        case CycleOperation::line_steps:  // made steps in place by CoarseSchedule::add
        case CycleOperation::line_steps_in_place: {
          const Rows A = matrix(l);
          for (int k = step.first; k < step.first + step.count; ++k) {
            Lines lines{problem.sweep.direction_of(k)};
            const int all = lines.count(A.unknowns);
            lines.stride = problem.sweep.stride_of(all);
            for (; lines.first < all && lines.first < lines.stride; ++lines.first) {
              step_by_lines(l, A, b, lines, x);
            }
          }
          break;
        }
        case CycleOperation::residual:
          for_unknowns(l, Residual<Form, T, Rows>{matrix(l), b, x, t});
          break;
        case CycleOperation::restrict_down:
          for_unknowns(l - 1, RestrictResidual<T>{transfer(l), problem.level[l].A.unknowns, t,
                                                  vector(l - 1, b_vector)});
          break;
        case CycleOperation::restrict_right:
          for_unknowns(l - 1, RestrictResidual<T>{transfer(l), problem.level[l].A.unknowns, b,
                                                  vector(l - 1, b_vector)});
          break;
        case CycleOperation::solve_coarsest:
          if (Team::index() == 0) SolveCoarsest<T, Rows>{matrix(l), b, x}(0);
          Team::wait();
          break;
        case CycleOperation::solve_small:  // not in a list
          break;
        case CycleOperation::prolong_up:
          for_unknowns(l, AddProlongated<T>{transfer(l), vector(l - 1, step.coarse_x), x});
          break;
      }
    }
  }

  /// x of the finest level, at all nodes.
  HOST_DEVICE void store(const CoarseSchedule& schedule) const {
    const int l = problem.levels - 1;
    const Field<T> x = vector(l, schedule.x[l]);
    for_workers<Team>(nodes(l), [&](int k) {
      const int j = k / x.nx, i = k - j * x.nx;
      problem.x(i, j) = x(i, j);
    });
  }
};

}  // namespace ninefold
