#pragma once
// Line relaxation where the rows of a grid are divided among ranks; see gpu/meaning/divided.hpp.
//
// Lines along x are those among a rank's own rows.  Of lines along y all ranks have a part: each
// eliminates the segments that begin in its rows, what these leave is gathered, all solve the
// reduced systems, and each substitutes in its own.  A segment may end in the row above; what
// begins below is that row's own rank's, and its solution known to all.
//
// Rounding.  The operations of one rank: no number depends on who computes it.
// Tests.  tests/solvers/ranks_test.cpp, tests/gpu/device/line_ranks_test.cpp

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/meaning/divided.hpp"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold {

/// Those lines along x of a set among `unknowns` that are in a part of its rows, counted from the
/// first one there; none where count() is 0.
inline Lines lines_of_part(const Lines& lines, const Box& unknowns, const Box& part) {
  const int first = lines.first - (part.j0 - unknowns.j0);
  const int behind = (first % lines.stride + lines.stride) % lines.stride;
  return {lines.direction, first > 0 ? first : behind, lines.stride};
}

/// A with the unknowns of the lines that keep_lines keeps; throws std::invalid_argument where it
/// keeps none.
template <class T, Backend B, class Rows>
Rows rows_of_kept_lines(const B& on, const Rows& A, LineDirection direction) {
  require_inside("keep_lines", A.unknowns, A);
  if (!keeps_lines<Leading<T>>(A.unknowns, direction)) {
    throw std::invalid_argument(
        "keep_lines: lines of " + std::to_string(Lines{direction}.length(A.unknowns))
        + " unknowns are longer than " + std::to_string(longest_kept_line<Leading<T>>));
  }
  if (divides(on, A.ny) && direction == LineDirection::y) {
    throw std::invalid_argument("keep_lines: lines along y of a grid of " + std::to_string(A.ny)
                                + " rows, which are divided among ranks");
  }
  Rows own = A;
  own.unknowns = own_part(on, A.ny, A.unknowns).box;
  return own;
}

/// Whose segments of lines along y are whose.
struct DividedSegments {
  static_assert(Slabs::row_multiple == line_segment);

  Slabs slabs;
  int ny, n;  ///< rows of the grid; unknowns of a line

  RowRange of(int rank) const {
    const auto first = [&](int r) { return slabs.rows(ny, r).first / line_segment; };
    return {first(rank), rank + 1 == slabs.ranks() ? line_segments(n) : first(rank + 1)};
  }
  /// The unknowns in segments.
  RowRange nodes(const RowRange& segments) const {
    return {segments.first * line_segment, std::min(n, segments.last * line_segment)};
  }
  /// The most that a rank has.
  int most_nodes() const {
    int most = 0;
    for (int r = 0; r < slabs.ranks(); ++r) most = std::max(most, nodes(of(r)).count());
    return most;
  }
};

/// Makes what each rank's segments leave everybody's.
template <Backend B, class D>
void gather_ends(const B& on, const ReducedSystems<D>& ends, const DividedSegments& segments) {
  const std::size_t row_bytes = static_cast<std::size_t>(ends.lines) * sizeof(D);
  std::vector<std::size_t> begin;
  for (int r = 0; r < on.ranks()->size(); ++r) {
    begin.push_back(static_cast<std::size_t>(segments.of(r).first) * row_bytes);
  }
  begin.push_back(static_cast<std::size_t>(ends.n) * row_bytes);
  on.gather(ends.numbers_of(0), begin, ReducedSystems<D>::numbers, begin.back());
}

/// SubstituteLines of a rank's own segments.
template <class T>
struct SubstituteOwnLines {
  SubstituteLines<T, LineDirection::y> all;
  int first;           ///< segment
  bool has_row_below;  ///< the end of the one below it is in the own rows

  SubstituteOwnLines(const SubstituteLines<T, LineDirection::y>& substitute,
                     const RowRange& own_segments, const RowRange& own_rows)
      : all(substitute),
        first(own_segments.first),
        has_row_below(first > 0 && all.unknowns.j0 + first * line_segment - 1 >= own_rows.first) {}

  HOST_DEVICE void operator()(int line, int s) const {
    all(line, s);
    if (s != first || !has_row_below) return;
    const LineNode node = all.node(line, first * line_segment - 1);
    all.add.put(node, all.add.before(node), all.systems.reduced().solution(line, first - 1));
  }
};

}  // namespace ninefold
