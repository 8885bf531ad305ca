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
#include "gpu/meaning/generic_grid_operations.hpp"
#include "gpu/meaning/generic_line_operations.hpp"
#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/operations/coarse_operations.hpp"

namespace ninefold {

/// Call load, run and store, each by all workers; `memory` holds problem.memory_bytes and is
/// aligned to 16.  Nothing is checked.
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
    return reinterpret_cast<TransferWeights<C>*>(memory + problem.level[l].memory);
  }
  HOST_DEVICE void* entries(int l) const {
    return weights(l) + problem.level[l].A.nx + problem.level[l].A.ny;
  }
  HOST_DEVICE Transfer<C> transfer(int l) const {
    return {weights(l), weights(l) + problem.level[l].A.nx};
  }
  HOST_DEVICE Field<T> vector(int l, int which) const {
    const int n = nodes(l), m = margin(l);
    T* const vectors = reinterpret_cast<T*>(static_cast<unsigned char*>(entries(l))
                                            + coarse_matrix_bytes(problem.level[l].A));
    return {vectors + (which * (n + 2 * m) + m), problem.level[l].A.nx, problem.level[l].A.ny};
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

  /// Fills the memory.  All levels are one loop, so that few waits for far memory follow each
  /// other.
  HOST_DEVICE void load() const {
    for (int l = 0, k = Team::index(); l < problem.levels; k += Team::size()) {
      while (l < problem.levels && k >= nodes(l)) k -= nodes(l++);
      if (l < problem.levels) load_node(l, k);
    }
    // From the other end of the team, whose workers had less to do.
    for (int l = 0, k = Team::size() - 1 - Team::index(); l < problem.levels; k += Team::size()) {
      while (l < problem.levels && k >= problem.level[l].A.nx + problem.level[l].A.ny) {
        k -= problem.level[l].A.nx + problem.level[l].A.ny;
        ++l;
      }
      if (l < problem.levels) {
        const int nx = problem.level[l].A.nx;
        const Transfer<C>& from = problem.level[l].transfer;
        weights(l)[k] = k < nx ? from.x[k] : from.y[k - nx];
      }
    }
    if constexpr (!is_stored) load_factors();
    load_kept_lines();
    for (int l = 0; l < problem.levels; ++l) {
      const int n = nodes(l), m = margin(l);
      for_workers<Team>(m, [&](int k) {
        for (int which = 0; which <= b_vector; ++which) {
          T* const values = vector(l, which).data;
          values[k - m] = T(0);
          values[n + k] = T(0);
        }
      });
    }
    Team::wait();
  }

  HOST_DEVICE void load_node(int l, int k) const {
    const bool finest = l + 1 == problem.levels;
    const int n = nodes(l);
    [[maybe_unused]] T entry[9];
    if constexpr (is_stored) {
      for (int m = 0; m < 9; ++m) entry[m] = problem.level[l].A.band[m][k];
    }
    const int j = finest ? k / problem.x.nx : 0, i = k - j * problem.x.nx;
    const T x = finest ? problem.x(i, j) : T(0);
    const T t = finest ? problem.t(i, j) : T(0);
    const T b = finest ? problem.b(i, j) : T(0);
    if constexpr (is_stored) {
      for (int m = 0; m < 9; ++m) static_cast<T*>(entries(l))[m * n + k] = entry[m];
    }
    vector(l, 0).data[k] = x;
    vector(l, 1).data[k] = t;
    vector(l, b_vector).data[k] = b;
  }

  HOST_DEVICE void load_factors() const {
    for (int l = 0; l < problem.levels; ++l) {
      const Rows& from = problem.level[l].A;
      C* const to = static_cast<C*>(entries(l));
      const int nx = from.nx + 1, ny = from.ny + 1;
      for_workers<Team>(2 * (nx + ny), [&](int k) {
        to[k] = k < nx            ? from.x.stiffness[k]
                : k < 2 * nx      ? from.x.mass[k - nx]
                : k < 2 * nx + ny ? from.y.stiffness[k - 2 * nx]
                                  : from.y.mass[k - 2 * nx - ny];
      });
    }
  }

  HOST_DEVICE void load_kept_lines() const {
    for (int l = 0; l < problem.levels; ++l) {
      for (const auto& kept : problem.level[l].lines) {
        auto* const to = reinterpret_cast<Leading<T>*>(memory + kept.memory);
        for_workers<Team>(kept.count, [&](int k) { to[k] = kept.values[k]; });
      }
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

  HOST_DEVICE void step_by_lines(int l, const Field<T>& b, const Lines& lines,
                                 const Field<T>& x) const {
    const auto& kept = problem.level[l].lines[lines.direction == LineDirection::y];
    const bool is_kept = kept.values != nullptr;
    if (lines.direction == LineDirection::x) {
      if (is_kept) return solve_kept_lines<LineDirection::x>(l, b, lines, x, kept.memory);
      solve_lines<LineDirection::x>(l, b, lines, x);
    } else {
      if (is_kept) return solve_kept_lines<LineDirection::y>(l, b, lines, x, kept.memory);
      solve_lines<LineDirection::y>(l, b, lines, x);
    }
  }

  /// line_step in place with what was kept.  Groups solve lines of their own, for which they need
  /// not wait for others.
  template <LineDirection direction>
  HOST_DEVICE void solve_kept_lines(int l, const Field<T>& b, const Lines& lines, const Field<T>& x,
                                    int kept) const {
    using D = Leading<T>;
    using Group = typename Team::Group;
    const Box& unknowns = problem.level[l].A.unknowns;
    const int n = lines.length(unknowns), count = lines.count(unknowns);
    const KeptLineStep<Form, T, direction, Rows> step{
        {matrix(l), b, x, lines},
        reinterpret_cast<const D*>(memory + kept),
        {relaxations.damping[0], x, x},
        reinterpret_cast<D*>(memory + problem.line_memory),
        n,
        count,
        0};
    for (int line = Team::group(); line < count; line += Team::groups()) {
      for_workers<Group>(n, [&](int k) { step.put_right(line, k); });
    }
    Team::wait();
    const int segments = line_segments(n);
    const int at_once = segments < Group::size() ? Group::size() / segments : 1;
    for (int first = Team::group() * at_once; first < count; first += Team::groups() * at_once) {
      const int own = count - first < at_once ? count - first : at_once;
      const auto for_segments = [&](const auto& work) {
        for_workers<Group>(segments * own, [&](int k) { work(first + k % own, k / own); });
        Group::wait();
      };
      for_segments([&](int line, int s) { step.eliminate(line, s); });
      solve_reduced_rights<Group>(step.ends(), first, first + own,
                                  [&](int line) { return step.kept_of(line).next(); });
      for_segments([&](int line, int s) { step.substitute(line, s); });
    }
    Team::wait();
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
        case CycleOperation::line_steps_in_place:
          for (int k = step.first; k < step.first + step.count; ++k) {
            Lines lines{problem.sweep.direction_of(k)};
            const int all = lines.count(problem.level[l].A.unknowns);
            lines.stride = problem.sweep.stride_of(all);
            for (; lines.first < all && lines.first < lines.stride; ++lines.first) {
              step_by_lines(l, b, lines, x);
            }
          }
          break;
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
