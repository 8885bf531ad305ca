#pragma once
// The meaning of the operations of gpu/operations/line_operations.hpp; see
// gpu/meaning/generic_row_operations.hpp.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/line_systems.hpp"

namespace ninefold {

/// Throws std::invalid_argument unless line_step can be asked for this.
template <class T, class Rows>
void require_line_step(const Rows& A, const Field<const T>& b, const Field<const T>& x,
                       const Lines& lines, const Field<T>& y) {
  require_shape("line_step", y, A, b, x);
  require_inside("line_step", A.unknowns, A);
  if (lines.first < 0 || lines.stride < 1 || lines.count(A.unknowns) < 1) {
    throw std::invalid_argument("line_step: line " + std::to_string(lines.first)
                                + " is not among the unknowns, or the stride is "
                                + std::to_string(lines.stride));
  }
  if (lines.length(A.unknowns) > max_line_unknowns) {
    throw std::invalid_argument("line_step: lines of " + std::to_string(lines.length(A.unknowns))
                                + " unknowns are longer than " + std::to_string(max_line_unknowns));
  }
  if (x.data == y.data && lines.stride == 1 && lines.count(A.unknowns) > 1) {
    throw std::invalid_argument("line_step: neighbouring lines cannot be solved in place");
  }
}

/// Counts what a step declares to move.
template <Backend B, RowSource Rows>
void count_line_step(const B& on, const Rows& A, const Lines& lines) {
  const std::int64_t nodes = std::int64_t{lines.length(A.unknowns)} * lines.count(A.unknowns);
  const Traffic traffic =
      with_rows<Rows>(lines.stride == 1 ? all_lines_traffic : line_step_traffic);
  on.count({0, nodes * traffic.values() * static_cast<std::int64_t>(sizeof(typename Rows::Value))});
}

/// Node k of a line.
struct LineNode {
  int i, j;
};
template <LineDirection direction>
HOST_DEVICE inline LineNode line_node(const Box& unknowns, const Lines& lines, int line, int k) {
  const int across = lines.first + line * lines.stride;
  return direction == LineDirection::x ? LineNode{unknowns.i0 + k, unknowns.j0 + across}
                                       : LineNode{unknowns.i0 + across, unknowns.j0 + k};
}

/// The equations T z = b - A x of lines; `line` counts among those of the set.
template <class Form, class T, LineDirection direction, class Rows = NineBand<const T>>
struct LineEquations {
  using D = Leading<T>;
  Rows A;
  Field<const T> b, x;
  Lines lines;

  HOST_DEVICE LineNode node(int line, int k) const {
    return line_node<direction>(A.unknowns, lines, line, k);
  }

  HOST_DEVICE LineRow<D> operator()(int line, int k) const {
    const LineNode at = node(line, k);
    const Arithmetic<T> b_here = b(at.i, at.j);
    const auto [product, diagonal] = Form::value(A, x, at.i, at.j);
    const InLine<D> row = in_line(at, diagonal, k);
    return {row.coupling, row.sum, static_cast<D>(b_here - product)};
  }
  HOST_DEVICE D right(int line, int k) const {
    const LineNode at = node(line, k);
    return static_cast<D>(b(at.i, at.j) - Form::product(A, x, at.i, at.j));
  }
  /// Without a right-hand side; b and x are not read.
  HOST_DEVICE LineRow<D> matrix(int line, int k) const {
    const LineNode at = node(line, k);
    const InLine<D> row = in_line(at, Form::leading_diagonal(A, at.i, at.j), k);
    return {row.coupling, row.sum, D(0)};
  }

 private:
  template <class Diagonal>
  HOST_DEVICE InLine<D> in_line(const LineNode& at, const Diagonal& diagonal, int k) const {
    // Beyond its ends the line has no correction, be it for a Dirichlet node or none at all.
    return Form::template in_line<direction == LineDirection::x>(A, diagonal, at.i, at.j, k == 0,
                                                                 k + 1 == lines.length(A.unknowns));
  }
};

/// Segment s of the line `first_line` + line; the systems hold `line`.
template <class Form, class T, LineDirection direction, class Rows = NineBand<const T>>
struct EliminateLines {
  using D = Leading<T>;
  LineEquations<Form, T, direction, Rows> equations;
  LineSystems<D> systems;
  int first_line;

  HOST_DEVICE void operator()(int line, int s) const {
    const int first = s * line_segment;
    systems.reduced().put(
        line, s,
        eliminate_segment<D>(
            segment_size(systems.n, first, line_segment),
            [&](int k) { return equations(first_line + line, first + k); },
            [&](int k, const EliminatedRow<D>& row) { systems.keep(line, first + k, row); }));
  }
};

/// y = x + omega z, z being the solution.
template <class T>
struct AddLineCorrection {
  Leading<T> omega;
  Field<const T> x;
  Field<T> y;

  HOST_DEVICE T before(const LineNode& node) const { return x(node.i, node.j); }
  HOST_DEVICE void put(const LineNode& node, Arithmetic<T> before, Leading<T> z) const {
    y(node.i, node.j) = sum(before, z);
  }
  HOST_DEVICE T sum(Arithmetic<T> before, Leading<T> z) const { return T(fused(omega, z, before)); }
};

/// Of a step from zero along x: the equations T z = b, as right-hand sides alone.
template <class T>
struct LineStartEquations {
  Box unknowns;
  Field<const T> b;
  Lines lines;

  HOST_DEVICE LineNode node(int line, int k) const {
    return line_node<LineDirection::x>(unknowns, lines, line, k);
  }
  HOST_DEVICE Leading<T> right(int line, int k) const {
    const LineNode at = node(line, k);
    return static_cast<Leading<T>>(Arithmetic<T>(b(at.i, at.j)));
  }
};

/// y = omega z on every other line along x, and zero on the line behind each.
template <class T>
struct SetLineStart {
  AddLineCorrection<T> add;  ///< whose x is not read
  int j1;                    ///< of the unknowns

  HOST_DEVICE T before(const LineNode&) const { return T(0); }
  HOST_DEVICE void put(const LineNode& node, Arithmetic<T> zero, Leading<T> z) const {
    add.put(node, zero, z);
    if (node.j + 1 < j1) add.y(node.i, node.j + 1) = T(0);
  }
};

template <class T, LineDirection direction>
struct SubstituteLines {
  using D = Leading<T>;
  Box unknowns;
  Lines lines;
  LineSystems<D> systems;
  int first_line;
  AddLineCorrection<T> add;

  HOST_DEVICE void operator()(int line, int s) const {
    const int first = s * line_segment;
    const ReducedSystems<D> ends = systems.reduced();
    T before[substitution_batch] = {};
    substitute_segment(
        segment_size(systems.n, first, line_segment), ends.solution(line, s - 1),
        ends.solution(line, s), [&](int k) { return systems.kept(line, first + k); },
        [&](int m, int k) { before[m] = add.before(node(line, first + k)); },
        [&](int m, int k, D z) { add.put(node(line, first + k), before[m], z); });
  }

  HOST_DEVICE LineNode node(int line, int k) const {
    return line_node<direction>(unknowns, lines, first_line + line, k);
  }
};

/// Calls run.template operator()<direction>() for the lines' direction.
template <class Run>
void with_direction(const Lines& lines, const Run& run) {
  if (lines.direction == LineDirection::x) {
    run.template operator()<LineDirection::x>();
  } else {
    run.template operator()<LineDirection::y>();
  }
}

}  // namespace ninefold
