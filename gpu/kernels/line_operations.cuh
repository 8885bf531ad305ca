#pragma once
// line_step on a device; included by the generated files that compile it.

#include <type_traits>
#include <utility>

#include "precision/double_word.hpp"
#include "precision/half.hpp"

#include "gpu/kernels/kept_lines.cuh"
#include "gpu/kernels/line_columns.cuh"
#include "gpu/kernels/line_step.cuh"
#include "gpu/kernels/segment_columns.cuh"
#include "gpu/kernels/segment_rows.cuh"
#include "gpu/launch/launch_cuda.cuh"
#include "gpu/meaning/divided_lines.hpp"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold {

namespace kernels {

/// Long lines whose segments threads work off by themselves; false where they cannot.
template <class T>
bool solve_segments(const Cuda& on, const FactoredRows<T>& A, const Field<const T>& b,
                    const AddLineCorrection<T>& add, const Lines& lines, int n, int count) {
  return lines.direction == LineDirection::x
             ? solve_segment_rows<T>(on, A, b, add, lines, n, count)
             : solve_segment_columns<T>(on, A, b, add, lines, n, count);
}

/// Those of one device.
template <Number T, RowsOf<T> Rows>
void solve_all_lines(const Cuda& on, const Rows& A, const Field<const T>& b,
                     const AddLineCorrection<T>& add, const Lines& lines,
                     const LineScratch<Leading<T>>& scratch) {
  const int n = lines.length(A.unknowns), count = lines.count(A.unknowns);
  const bool is_kept =
      scratch.kept != nullptr && keeps_lines<Leading<T>>(A.unknowns, lines.direction);
  const Field<const T>& x = add.x;
  if constexpr (std::is_same_v<Rows, FactoredRows<float>>) {
    if (n >= shortest_segmented_line && solve_segments<T>(on, A, b, add, lines, n, count)) return;
  }
  with_form(A, [&]<class Form>(Form) {
    using D = Leading<T>;
    if (lines.direction == LineDirection::x) {
      const auto rows = streamed(A);
      const LineEquations<Form, T, LineDirection::x, std::remove_const_t<decltype(rows)>> equations{
          rows, b, x, lines};
      if (is_kept && solve_kept_lines<1, T>(on, equations, add, n, count, scratch.kept)) {
        return;
      }
      solve_lines<1, T>(on, equations, add, n, count, scratch);
      return;
    }
    const LineEquations<Form, T, LineDirection::y, Rows> equations{A, b, x, lines};
    constexpr int columns = 4;  // 32 bytes of every other single: what memory brings at once
    if constexpr (std::is_same_v<Rows, FactoredRows<T>>) {
      // They read little but x, and short lines are few.
      if (is_kept && n <= longest_wide_line
          && solve_kept_lines<staged_lines, T>(on, equations, add, n, count, scratch.kept)) {
        return;
      }
    }
    if (is_kept && solve_kept_lines<columns, T>(on, equations, add, n, count, scratch.kept)) {
      return;
    }
    if (line_segments(n) <= short_column_segments) {
      solve_lines<columns, T>(on, equations, add, n, count, scratch);
      return;
    }
    const auto make = [&](const LineSystems<D>& systems, int first) {
      return std::pair(
          EliminateLines<Form, T, LineDirection::y, Rows>{equations, systems, first},
          SubstituteLines<T, LineDirection::y>{A.unknowns, lines, systems, first, add});
    };
    solve_columns(on, make, n, count, scratch);
  });
}

/// A step from zero of every other line along x, the first one included; false where it is to be
/// made of others.
template <Number T, RowsOf<T> Rows>
bool start_lines(const Cuda& on, const Rows& A, const Field<const T>& b,
                 const AddLineCorrection<T>& add, const Lines& lines,
                 const LineScratch<Leading<T>>& scratch) {
  // Others may subtract a zero with a sign from b.
  if constexpr (std::is_same_v<Rows, FactoredRows<T>> && std::is_floating_point_v<T>) {
    const int n = lines.length(A.unknowns), count = lines.count(A.unknowns);
    if (lines.direction != LineDirection::x || lines.first != 0 || lines.stride != 2) return false;
    if constexpr (std::is_same_v<T, float>) {
      if (n >= shortest_segmented_line && start_segment_rows<T>(on, A, b, add, lines, n, count)) {
        return true;
      }
    }
    if (scratch.kept == nullptr || !keeps_lines<T>(A.unknowns, lines.direction)) return false;
    return solve_kept_lines<1, T>(on, LineStartEquations<T>{A.unknowns, b, lines},
                                  SetLineStart<T>{add, A.unknowns.j1}, n, count, scratch.kept);
  } else {
    return false;
  }
}

/// Lines along y, which all ranks have a part of.
template <Number T, RowsOf<T> Rows>
void solve_divided_lines(const Cuda& on, const Rows& A, const Field<const T>& b,
                         const AddLineCorrection<T>& add, const Lines& lines,
                         const LineScratch<Leading<T>>& scratch) {
  const DividedSegments segments{on.ranks()->slabs(), A.ny, lines.length(A.unknowns)};
  const RowRange own = segments.of(on.ranks()->rank()), own_rows = on.ranks()->own_rows(A.ny);
  with_form(A, [&]<class Form>(Form) {
    const LineEquations<Form, T, LineDirection::y, Rows> equations{A, b, add.x, lines};
    const auto make = [&](const LineSystems<Leading<T>>& systems, int first) {
      const SubstituteLines<T, LineDirection::y> substitute{A.unknowns, lines, systems, first, add};
      return std::pair(EliminateLines<Form, T, LineDirection::y, Rows>{equations, systems, first},
                       SubstituteOwnLines<T>(substitute, own, own_rows));
    };
    solve_divided_columns(on, make, segments, lines.count(A.unknowns), scratch);
  });
}

}  // namespace kernels

template <Number T, RowsOf<T> Rows>
void line_step(const Cuda& on, const Rows& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>& scratch, const Field<T>& y) {
  require_line_step<T>(A, b, x, lines, y);
  count_line_step(on, A, lines);
  const AddLineCorrection<T> add{omega, x, y};
  if (!divides(on, A.ny)) return kernels::solve_all_lines<T>(on, A, b, add, lines, scratch);
  if (lines.direction == LineDirection::y) {
    share_borders(on, Bordered<T>{x, 2}, Bordered<T>{b});
    return kernels::solve_divided_lines<T>(on, A, b, add, lines, scratch);
  }
  share_borders(on, x);
  Rows own = A;
  own.unknowns = own_part(on, A.ny, A.unknowns).box;
  const Lines own_lines = lines_of_part(lines, A.unknowns, own.unknowns);
  if (own_lines.count(own.unknowns) < 1) return;
  kernels::solve_all_lines<T>(on, own, b, add, own_lines, scratch);
}

template <Number T, RowsOf<T> Rows>
void line_start(const Cuda& on, const Rows& A, In<Field, T> b,
                std::type_identity_t<Leading<T>> omega, const Lines& lines,
                const LineScratch<Leading<T>>& scratch, const Field<T>& y) {
  require_line_step<T>(A, b, Field<const T>(y), lines, y);
  if (!divides(on, A.ny)
      && kernels::start_lines<T>(on, A, b, AddLineCorrection<T>{omega, y, y}, lines, scratch)) {
    count(on, set_zero_traffic, Box{0, y.nx, 0, y.ny}, sizeof(T));
    count_line_step(on, A, lines);  // as of the two that it is made of
    return;
  }
  set_zero(on, y);
  line_step<T>(on, A, b, omega, lines, y, scratch, y);
}

template <Number T, RowsOf<T> Rows>
void keep_lines(const Cuda& on, const Rows& A, LineDirection direction, Leading<T>* kept) {
  const Rows own = rows_of_kept_lines<T>(on, A, direction);
  const Lines lines{direction};
  with_form(A, [&]<class Form>(Form) {
    with_direction(lines, [&]<LineDirection along>() {
      kernels::keep_all_lines(on, LineEquations<Form, T, along, Rows>{own, {}, {}, lines},
                              lines.length(own.unknowns), lines.count(own.unknowns), kept);
    });
  });
  on.wait();
}

}  // namespace ninefold
