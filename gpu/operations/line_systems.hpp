#pragma once
// Tridiagonal systems along lines by partitioned elimination: one order of operations for a worker
// that takes a line after the other and for a thousand that share one.
//
// Mathematics.  A symmetric positive definite system of n unknowns is cut into segments of 16 (the
// reduced ones below into segments of 8).  The last node of a segment is a separator; the others
// are eliminated, first to last, from the node behind them and from the separator before them:
//
//      before | 0  1  2  ...  14 | 15 |            each node k < 15 leaves
//      -------+------------------+----+
//       X_s-1   x_0 ...  x_14      X_s             x_k = value - separator X_s-1 - next x_k+1
//
// What is left couples each separator to its two neighbours: a system of n/16 unknowns of the same
// kind, solved in the same way (n/128, n/1024, ...) until one unknown remains.  Then all x_k follow
// from the end of their segment to its beginning.
//
// Shape.  LineSystems views the numbers of several lines, line fastest: three per node, then five
// per node of each reduced system.  Lines are independent of each other, and so are the segments of
// one level.
//
// Cost.  Per node one quotient and ten other operations to eliminate, two to substitute, a
// fourteenth more for the reduced systems; 3.36 values of memory per node.  Segments of 8 halve the
// time for which the few threads that work on a reduced system keep the others waiting.
//
// Rounding.  Rows keep their sum instead of their diagonal entry, which follows from it: where
// couplings are negative (cells that are thin along the line) nothing is then subtracted, and each
// value is right to c n u of itself, however little holds the line: Alfa, Xue, Ye, Accurate
// computation of the smallest eigenvalue of a diagonally dominant M-matrix, Math. Comp. 71, 2002
// (the elimination of Grassmann, Taksar, Heyman).  A diagonal entry would be off by u of the
// largest coupling, and what holds a line at a Neumann end may be less.  (Of stored and computed
// rows the sum is made from their entries, and is no better than these.)
//
// Lines must be diagonally dominant, as those of Q1 elements are.  The computed x solves a system
// (T + E) x = r with |E_jk| <= c u sqrt(T_jj T_kk), c = 46R + 62 on the diagonal and 2R + 25 beside
// it after R reductions, and E_jk is zero outside the elimination's filled pattern: Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 10.3, with the operations
// counted in tests/support/line_pattern.hpp.  Seen: 4 % of it.
//
// Reference.  Wang, A parallel method for tridiagonal equations, ACM Trans. Math. Softw. 7, 1981;
// with segments of two nodes it is cyclic reduction.
// Tests.      tests/gpu/operations/line_systems_test.cpp (50 digits), line_layout_test.cpp

#include <cstddef>

#include "precision/host_device.hpp"
#include "precision/number.hpp"

#include "gpu/launch/team.hpp"

namespace ninefold {

inline constexpr int line_segment = 16;
inline constexpr int reduced_segment = 8;

/// The segments of n unknowns.
HOST_DEVICE constexpr int line_segments(int n) {
  return (n + line_segment - 1) / line_segment;
}
HOST_DEVICE constexpr int reduced_segments(int n) {
  return (n + reduced_segment - 1) / reduced_segment;
}

/// How many of n unknowns are in a segment that begins at `first` and has at most `most`.
HOST_DEVICE constexpr int segment_size(int n, int first, int most) {
  return n - first < most ? n - first : most;
}

/// One equation: coupling x_k-1 + diagonal x_k + next x_k+1 = right, next being the coupling of the
/// equation behind it and the diagonal sum - (coupling + next).
template <class D>
struct LineRow {
  D coupling, sum, right;
};

/// x_k = value - separator X - next x_k+1, X being the separator before the segment.
template <class D>
struct EliminatedRow {
  D next, separator, value;
};

/// What a segment leaves: the equation of its last node, coupled to the separator before it, and
/// what is to be taken from that one's row sum and right-hand side.
template <class D>
struct SegmentEnd {
  LineRow<D> row;
  D sum_before, right_before;
};

/// What the elimination of node k makes of the matrix: x_k = inverse r - separator X - next x_k+1,
/// r being its right-hand side by then.
template <class D>
struct LineFactor {
  D next, separator, inverse;
};

/// The matrix of the last node of a segment so far, and what is to be taken from the row sum of the
/// separator before it.
template <class D>
struct MatrixEnd {
  D coupling, sum, sum_before = D(0);

  /// The diagonal entry of that node.
  HOST_DEVICE D pivot(D coupling_below) const { return sum - (coupling + coupling_below); }
  /// Eliminates that node; the one below it is the last one then.
  HOST_DEVICE LineFactor<D> eliminate(D coupling_below, D sum_below) {
    return eliminate(coupling_below, sum_below, D(1) / pivot(coupling_below));
  }
  /// The same by a caller who has the inverse of the pivot.
  HOST_DEVICE LineFactor<D> eliminate(D coupling_below, D sum_below, D inverse) {
    const D next = coupling_below * inverse, separator = coupling * inverse;
    sum_before = fused(separator, sum, sum_before);
    coupling = -(next * coupling);
    sum = fused(-next, sum, sum_below);
    return {next, separator, inverse};
  }
};

/// The same of right-hand sides.
template <class D>
struct RightEnd {
  D right, before = D(0);

  /// The eliminated node's value.
  HOST_DEVICE D eliminate(const LineFactor<D>& factor, D right_below) {
    const D value = right * factor.inverse;
    before = fused(factor.separator, right, before);
    right = fused(-factor.next, right, right_below);
    return value;
  }
};

/// Eliminates all but the last of n >= 1 nodes.  read(k) is equation k as a LineRow, read in
/// order; keep(k, EliminatedRow) takes what is left of k, after read(k + 1).
template <class D, class Read, class Keep>
HOST_DEVICE inline SegmentEnd<D> eliminate_segment(int n, const Read& read, const Keep& keep) {
  const LineRow<D> first = read(0);
  MatrixEnd<D> matrix{first.coupling, first.sum};
  RightEnd<D> right{first.right};
  for (int k = 0; k + 1 < n; ++k) {
    const LineRow<D> below = read(k + 1);
    const LineFactor<D> factor = matrix.eliminate(below.coupling, below.sum);
    keep(k, EliminatedRow<D>{factor.next, factor.separator, right.eliminate(factor, below.right)});
  }
  return {{matrix.coupling, matrix.sum, right.right}, matrix.sum_before, right.before};
}

/// Nodes that substitute_segment takes before it puts the first, so that one wait for memory serves
/// all of them.
inline constexpr int substitution_batch = 4;

/// The values of a segment's n nodes, last to first, from those of its separator and the one before
/// it.  take(k) is what was kept of k < n - 1; then put(m, k, x_k) is called for all, and before it
/// look(m, k), where what put() needs of memory may be read; m < substitution_batch numbers the
/// nodes that are taken at once.
template <class D, class Take, class Look, class Put>
HOST_DEVICE inline void substitute_segment(int n, D before, D last, const Take& take,
                                           const Look& look, const Put& put) {
  D x = last;
  for (int end = n - 1; end >= 0; end -= substitution_batch) {
    EliminatedRow<D> row[substitution_batch] = {};
    for (int m = 0; m < substitution_batch; ++m) {
      const int k = end - m;
      if (k >= 0 && k < n - 1) row[m] = take(k);
      if (k >= 0) look(m, k);
    }
    for (int m = 0; m < substitution_batch; ++m) {
      const int k = end - m;
      if (k < n - 1) x = fused(-row[m].next, x, fused(-row[m].separator, before, row[m].value));
      if (k >= 0) put(m, k, x);
    }
  }
}

/// The same where put(k, x_k) needs nothing of memory.
template <class D, class Take, class Put>
HOST_DEVICE inline void substitute_segment(int n, D before, D last, const Take& take,
                                           const Put& put) {
  substitute_segment(
      n, before, last, take, [](int, int) {}, [&](int, int k, D x) { put(k, x); });
}

/// A view of reduced systems of `lines` lines with n unknowns each: node s is the last one of
/// segment s of the systems that were reduced.  Five numbers per node, line fastest.
template <class D>
struct ReducedSystems {
  D* data;
  int lines, n;

  /// What these systems are reduced to; behind them in memory.
  HOST_DEVICE ReducedSystems next() const {
    return {data + static_cast<std::ptrdiff_t>(5) * n * lines, lines, reduced_segments(n)};
  }

  /// Makes the segment's end the equation of node s.
  HOST_DEVICE void put(int line, int s, const SegmentEnd<D>& end) const {
    D* const p = at(line, s);
    p[0] = end.row.coupling;
    p[pitch()] = end.row.sum;
    p[2 * pitch()] = end.row.right;
    p[3 * pitch()] = end.sum_before;
    p[4 * pitch()] = end.right_before;
  }

  /// Makes segment s of these systems node s of the next ones.
  HOST_DEVICE void eliminate(int line, int s, const ReducedSystems& to) const {
    const int first = s * reduced_segment;
    to.put(line, s,
           eliminate_segment<D>(
               segment_size(n, first, reduced_segment),
               [&](int k) { return equation(line, first + k); },
               [&](int k, const EliminatedRow<D>& row) {
                 D* const p = at(line, first + k);
                 p[0] = row.next;
                 p[pitch()] = row.separator;
                 p[2 * pitch()] = row.value;
               }));
  }

  /// The only unknown, where n = 1.
  HOST_DEVICE void solve(int line) const {
    const LineRow<D> row = equation(line, 0);
    *at(line, 0, 3) = row.right / row.sum;
  }

  /// The solution of segment s from that of the next systems.
  HOST_DEVICE void substitute(int line, int s, const ReducedSystems& from) const {
    const int first = s * reduced_segment;
    substitute_segment(
        segment_size(n, first, reduced_segment), from.solution(line, s - 1), from.solution(line, s),
        [&](int k) {
          const D* const p = at(line, first + k);
          return EliminatedRow<D>{p[0], p[pitch()], p[2 * pitch()]};
        },
        [&](int k, D x) { *at(line, first + k, 3) = x; });
  }

  /// Those that a node has, and one of them of all nodes, line fastest.
  static constexpr int numbers = 5;
  HOST_DEVICE D* numbers_of(int number) const { return data + number * pitch(); }
  /// The values of all nodes, line fastest.
  HOST_DEVICE D* solutions() const { return numbers_of(3); }
  /// The value of node s, zero before the first one.
  HOST_DEVICE D solution(int line, int s) const { return s < 0 ? D(0) : *at(line, s, 3); }

 private:
  HOST_DEVICE std::ptrdiff_t pitch() const { return static_cast<std::ptrdiff_t>(n) * lines; }
  HOST_DEVICE D* at(int line, int k, int number = 0) const {
    return data + (number * pitch() + static_cast<std::ptrdiff_t>(k) * lines + line);
  }
  HOST_DEVICE LineRow<D> equation(int line, int k) const {
    const D* const p = at(line, k);
    LineRow<D> row{p[0], p[pitch()], p[2 * pitch()]};
    if (k + 1 < n) {
      row.sum = row.sum - p[3 * pitch() + lines];
      row.right = row.right - p[4 * pitch() + lines];
    }
    return row;
  }
};

/// A view of systems of `lines` lines with n unknowns each: three numbers per node, then the
/// reduced systems.  Of some nodes that follow each other, if others work on the rest: the reduced
/// systems are whole.
template <class D>
struct LineSystems {
  D* data;
  int lines, n;
  int first = 0, held = n;  ///< nodes whose numbers there are

  HOST_DEVICE int segments() const { return line_segments(n); }
  HOST_DEVICE ReducedSystems<D> reduced() const { return {data + 3 * pitch(), lines, segments()}; }

  HOST_DEVICE void keep(int line, int k, const EliminatedRow<D>& row) const {
    D* const p = at(line, k);
    p[0] = row.next;
    p[pitch()] = row.separator;
    p[2 * pitch()] = row.value;
  }
  HOST_DEVICE EliminatedRow<D> kept(int line, int k) const {
    const D* const p = at(line, k);
    return {p[0], p[pitch()], p[2 * pitch()]};
  }

 private:
  HOST_DEVICE std::ptrdiff_t pitch() const { return static_cast<std::ptrdiff_t>(held) * lines; }
  HOST_DEVICE D* at(int line, int k) const {
    return data + (static_cast<std::ptrdiff_t>(k - first) * lines + line);
  }
};

/// Values of memory of reduced systems of n unknowns and of those that they are reduced to.
constexpr std::size_t reduced_values(int n) {
  std::size_t values = 5 * static_cast<std::size_t>(n);
  for (; n > 1; n = reduced_segments(n)) {
    values += 5 * static_cast<std::size_t>(reduced_segments(n));
  }
  return values;
}
/// The same for a line of n unknowns, of which `held` have their numbers there.
constexpr std::size_t line_values(int n, int held) {
  return 3 * static_cast<std::size_t>(held) + reduced_values(line_segments(n));
}
constexpr std::size_t line_values(int n) {
  return line_values(n, n);
}

/// A line of level 16.  65537 unknowns leave 4097, 513, 65, 9, 2 and 1.
inline constexpr int max_line_unknowns = 65537;
inline constexpr int max_reductions = 6;

/// The solution of the lines first <= line < last by the team that calls this together: segments
/// are shared, and Team::wait() follows each round.
template <class Team, int depth = 1, class D>
HOST_DEVICE inline void solve_reduced(const ReducedSystems<D>& systems, int first, int last) {
  const int count = last - first;
  if (systems.n == 1 || depth == max_reductions) {
    for_workers<Team>(count, [&](int k) { systems.solve(first + k); });
    Team::wait();
    return;
  }
  if constexpr (depth < max_reductions) {
    const ReducedSystems<D> next = systems.next();
    for_workers<Team>(next.n * count,
                      [&](int k) { systems.eliminate(first + k % count, k / count, next); });
    Team::wait();
    solve_reduced<Team, depth + 1>(next, first, last);
    for_workers<Team>(next.n * count,
                      [&](int k) { systems.substitute(first + k % count, k / count, next); });
    Team::wait();
  }
}

}  // namespace ninefold
