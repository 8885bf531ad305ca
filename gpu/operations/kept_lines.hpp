#pragma once
// What the elimination of gpu/operations/line_systems.hpp does to matrices alone, kept for steps
// that have other right-hand sides.
//
// Why.  A quotient waits for the one before it, 15 times in a segment and 7 times in each reduced
// one: most of the time of a short line.  With the factors kept, a product and two fused operations
// are left of a node's elimination.
//
// Shape.  A line of n <= longest_kept_line unknowns after the other, kept_line_values(n) for each.
// Of a line first its segments, then those of the reduced system, and so on: next, separator and
// inverse, and of each node k of a segment those of all segments side by side, in which order
// threads read them; last the row sum that is left of the line.
//
// Rounding.  The operations of line_systems.hpp, in its order: the same bits.
//
// Tests.  tests/gpu/operations/line_operations_test.cpp, tests/gpu/device/line_same_bits_test.cpp,
// tests/gpu/operations/coarse_cycle_test.cpp

#include <cstddef>
#include <type_traits>

#include "gpu/operations/line_systems.hpp"

namespace ninefold {

/// Longer lines are many enough to hide what a quotient waits, and take longer to read what is
/// kept: on an H200 a step takes 1.2 times as long with it on lines of 2047 unknowns in single, and
/// as long on lines of 1023 in double.
template <class D>
inline constexpr int longest_kept_line = sizeof(D) > 4 ? 512 : 1024;
inline constexpr int max_kept_line = 1024;  ///< of all

/// Values that are kept of the reduced systems of a line of n unknowns.
HOST_DEVICE constexpr int kept_reduced_values(int n) {
  int values = 1;
  for (n = line_segments(n); n > 1; n = reduced_segments(n)) {
    values += 3 * reduced_segment * reduced_segments(n);
  }
  return values;
}
/// Values that are kept of the line.
HOST_DEVICE constexpr int kept_line_values(int n) {
  return 3 * line_segment * line_segments(n) + kept_reduced_values(n);
}

/// A view of the factors of one system of a line, cut into segments of at most `length` nodes; D
/// may be const.
template <class D>
struct KeptSystem {
  D* data;
  int segments, length;

  /// Of a line of n unknowns.
  HOST_DEVICE static KeptSystem of(D* data, int n) {
    return {data, line_segments(n), line_segment};
  }

  /// The system that this one is reduced to, unless that has one unknown: then its row sum is
  /// *next().data.
  HOST_DEVICE KeptSystem next() const {
    return {data + 3 * length * segments, reduced_segments(segments), reduced_segment};
  }

  template <class Word>
  HOST_DEVICE void put(int s, int k, const LineFactor<Word>& factor) const {
    D* const p = at(s, k);
    p[0] = factor.next;
    p[pitch()] = factor.separator;
    p[2 * pitch()] = factor.inverse;
  }
  /// Of node k of segment s.
  HOST_DEVICE auto factor(int s, int k) const {
    const D* const p = at(s, k);
    return LineFactor<std::remove_const_t<D>>{p[0], p[pitch()], p[2 * pitch()]};
  }

 private:
  HOST_DEVICE int pitch() const { return length * segments; }
  HOST_DEVICE D* at(int s, int k) const { return data + (k * segments + s); }
};

// --- keeping ----------------------------------------------------------------------------------

/// A view of the matrices of one line's reduced system: three numbers for each of n nodes, and
/// behind them those of the next system.
template <class D>
struct ReducedMatrices {
  D* data;
  int n;

  HOST_DEVICE ReducedMatrices next() const { return {data + 3 * n, reduced_segments(n)}; }
  HOST_DEVICE void put(int s, const MatrixEnd<D>& end) const {
    data[s] = end.coupling;
    data[n + s] = end.sum;
    data[2 * n + s] = end.sum_before;
  }
  HOST_DEVICE D coupling(int k) const { return data[k]; }
  HOST_DEVICE D sum(int k) const {
    return k + 1 < n ? D(data[n + k] - data[2 * n + k + 1]) : data[n + k];
  }
};
/// Values of memory of reduced matrices of n unknowns and of those that they are reduced to.
HOST_DEVICE constexpr int reduced_matrix_values(int n) {
  int values = 3 * n;
  for (; n > 1; n = reduced_segments(n)) values += 3 * reduced_segments(n);
  return values;
}

/// Keeps the factors of a segment of n nodes; read(k) is equation k, of which the right-hand side
/// does not matter.
template <class D, class Read>
HOST_DEVICE inline MatrixEnd<D> keep_segment(int n, const Read& read, const KeptSystem<D>& kept,
                                             int s) {
  const LineRow<D> first = read(0);
  MatrixEnd<D> end{first.coupling, first.sum};
  for (int k = 0; k + 1 < n; ++k) {
    const LineRow<D> below = read(k + 1);
    kept.put(s, k, end.eliminate(below.coupling, below.sum));
  }
  return end;
}

/// Keeps the factors of a line of n unknowns, by the team that calls this together; `memory` holds
/// reduced_matrix_values(line_segments(n)) values.
template <class Team, class D, class Read>
HOST_DEVICE inline void keep_line(int n, const Read& read, D* kept, D* memory) {
  KeptSystem<D> system = KeptSystem<D>::of(kept, n);
  ReducedMatrices<D> reduced{memory, system.segments};
  for_workers<Team>(system.segments, [&](int s) {
    const int first = s * line_segment;
    reduced.put(s, keep_segment<D>(
                       segment_size(n, first, line_segment), [&](int k) { return read(first + k); },
                       system, s));
  });
  Team::wait();
  system = system.next();
  while (reduced.n > 1) {
    const ReducedMatrices<D> next = reduced.next();
    for_workers<Team>(next.n, [&](int s) {
      const int first = s * reduced_segment;
      next.put(s,
               keep_segment<D>(
                   segment_size(reduced.n, first, reduced_segment),
                   [&](int k) {
                     return LineRow<D>{reduced.coupling(first + k), reduced.sum(first + k), D(0)};
                   },
                   system, s));
    });
    Team::wait();
    reduced = next;
    system = system.next();
  }
  if (Team::index() == 0) *system.data = reduced.sum(0);
}

// --- using ------------------------------------------------------------------------------------

/// Eliminates all but the last of the `size` nodes of a segment, whose right-hand sides are in
/// value[]: then the others' values are; factor(k) is a LineFactor.  Arrays of a fixed length stay
/// in registers.
template <class D, class FactorOf>
HOST_DEVICE inline RightEnd<D> eliminate_rights(int size, const FactorOf& factor,
                                                D (&value)[line_segment]) {
  RightEnd<D> end{value[0]};
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int k = 0; k + 1 < line_segment; ++k) {
    if (k + 1 < size) value[k] = end.eliminate(factor(k), value[k + 1]);
  }
  return end;
}

/// The solution at the nodes of a segment in the place of value[], from those at its separator and
/// at the one before it.
template <class D, class FactorOf>
HOST_DEVICE inline void substitute_values(int size, D before, D last, const FactorOf& factor,
                                          D (&value)[line_segment]) {
  D x = last;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int k = line_segment - 1; k >= 0; --k) {
    if (k + 1 < size) {
      const LineFactor<D> of_node = factor(k);
      x = fused(-of_node.next, x, fused(-of_node.separator, before, value[k]));
    }
    if (k < size) value[k] = x;
  }
}

/// A view of the right-hand sides of the reduced systems of `lines` lines, n unknowns each, and
/// then of their solutions: two numbers for each node, line fastest, and behind them those of the
/// next systems.
template <class D>
struct ReducedRights {
  D* data;
  int lines, n;

  HOST_DEVICE ReducedRights next() const {
    return {data + 2 * n * lines, lines, reduced_segments(n)};
  }
  HOST_DEVICE void put(int line, int s, const RightEnd<D>& end) const {
    *at(line, s) = end.right;
    *(at(line, s) + n * lines) = end.before;
  }
  /// The right-hand side of node k, of which nothing has been eliminated.
  HOST_DEVICE D right(int line, int k) const {
    const D own = *at(line, k);
    return k + 1 < n ? D(own - *(at(line, k + 1) + n * lines)) : own;
  }
  /// The value of node s, zero before the first one.
  HOST_DEVICE D solution(int line, int s) const { return s < 0 ? D(0) : *at(line, s); }
  HOST_DEVICE D* at(int line, int k) const { return data + (k * lines + line); }

  /// Makes segment s of these systems node s of the next ones.
  HOST_DEVICE void eliminate(int line, int s, const KeptSystem<const D>& kept,
                             const ReducedRights& to) const {
    const int first = s * reduced_segment, size = segment_size(n, first, reduced_segment);
    RightEnd<D> end{right(line, first)};
    for (int k = 0; k + 1 < size; ++k) {
      *at(line, first + k) = end.eliminate(kept.factor(s, k), right(line, first + k + 1));
    }
    to.put(line, s, end);
  }
  /// The solution of segment s from that of the next systems.
  HOST_DEVICE void substitute(int line, int s, const KeptSystem<const D>& kept,
                              const ReducedRights& from) const {
    const int first = s * reduced_segment, size = segment_size(n, first, reduced_segment);
    substitute_segment(
        size, from.solution(line, s - 1), from.solution(line, s),
        [&](int k) {
          const LineFactor<D> factor = kept.factor(s, k);
          return EliminatedRow<D>{factor.next, factor.separator, *at(line, first + k)};
        },
        [&](int k, D x) { *at(line, first + k) = x; });
  }
};
/// Values of memory of reduced right-hand sides of n unknowns and of those that they are reduced
/// to.
HOST_DEVICE constexpr int reduced_right_values(int n) {
  int values = 2 * n;
  for (; n > 1; n = reduced_segments(n)) values += 2 * reduced_segments(n);
  return values;
}

/// Values of memory of a step on a line of n unknowns: right-hand sides, and those of the reduced
/// systems.
HOST_DEVICE constexpr int kept_step_values(int n) {
  return n + reduced_right_values(line_segments(n));
}

/// Reductions of lines of max_kept_line unknowns.
inline constexpr int max_kept_reductions = 3;

/// The solution of the lines first <= line < last by the team that calls this together;
/// kept_of(line) is what is kept of the system that these are, as a KeptSystem.
template <class Team, int depth = 1, class D, class KeptOf>
HOST_DEVICE inline void solve_reduced_rights(const ReducedRights<D>& rights, int first, int last,
                                             const KeptOf& kept_of) {
  const int count = last - first;
  if (rights.n == 1 || depth == max_kept_reductions) {
    for_workers<Team>(count, [&](int k) {
      D* const at = rights.at(first + k, 0);
      *at = *at / *kept_of(first + k).data;
    });
    Team::wait();
    return;
  }
  if constexpr (depth < max_kept_reductions) {
    const ReducedRights<D> next = rights.next();
    const auto for_segments = [&](const auto& work) {
      for_workers<Team>(next.n * count, [&](int k) { work(first + k % count, k / count); });
      Team::wait();
    };
    for_segments([&](int line, int s) { rights.eliminate(line, s, kept_of(line), next); });
    solve_reduced_rights<Team, depth + 1>(next, first, last,
                                          [&](int line) { return kept_of(line).next(); });
    for_segments([&](int line, int s) { rights.substitute(line, s, kept_of(line), next); });
  }
}

/// The same of one line by one worker, where at most reduced_segment segments were reduced.
template <class D>
HOST_DEVICE inline void solve_few_rights(const ReducedRights<D>& rights, int line,
                                         const KeptSystem<const D>& kept) {
  const int left = rights.n - 1;
  RightEnd<D> end{rights.right(line, 0)};
  // As they are few, so are their instructions.
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int k = 0; k < left; ++k) {
    *rights.at(line, k) = end.eliminate(kept.factor(0, k), rights.right(line, k + 1));
  }
  D x = end.right / *(left > 0 ? kept.next() : kept).data;
  *rights.at(line, left) = x;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int k = left - 1; k >= 0; --k) {
    const LineFactor<D> factor = kept.factor(0, k);
    D* const at = rights.at(line, k);
    x = *at = fused(-factor.next, x, fused(-factor.separator, D(0), *at));
  }
}

}  // namespace ninefold
