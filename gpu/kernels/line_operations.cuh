#pragma once
// line_step on a device; included by the generated files that compile it.

#include <string>
#include <utility>

#include "precision/double_word.hpp"
#include "precision/half.hpp"

#include "gpu/kernels/kept_lines.cuh"
#include "gpu/kernels/line_columns.cuh"
#include "gpu/kernels/line_step.cuh"
#include "gpu/kernels/segment_columns.cuh"
#include "gpu/kernels/segment_rows.cuh"
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

}  // namespace kernels

template <Number T, RowsOf<T> Rows>
void line_step(const Cuda& on, const Rows& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>& scratch, const Field<T>& y) {
  require_line_step<T>(A, b, x, lines, y);
  count_line_step(on, A, lines);
  const int n = lines.length(A.unknowns), count = lines.count(A.unknowns);
  const bool is_kept =
      scratch.kept != nullptr && keeps_lines<Leading<T>>(A.unknowns, lines.direction);
  const AddLineCorrection<T> add{omega, x, y};
  if constexpr (std::is_same_v<Rows, FactoredRows<float>>) {
    if (n > max_kept_line && kernels::solve_segments<T>(on, A, b, add, lines, n, count)) return;
  }
  with_form(A, [&]<class Form>(Form) {
    using D = Leading<T>;
    if (lines.direction == LineDirection::x) {
      const auto rows = kernels::streamed(A);
      const LineEquations<Form, T, LineDirection::x, std::remove_const_t<decltype(rows)>> equations{
          rows, b, x, lines};
      if (is_kept && kernels::solve_kept_lines<1, T>(on, equations, add, n, count, scratch.kept)) {
        return;
      }
      kernels::solve_lines<1, T>(on, equations, add, n, count, scratch);
      return;
    }
    const LineEquations<Form, T, LineDirection::y, Rows> equations{A, b, x, lines};
    constexpr int columns = 4;  // 32 bytes of every other single: what memory brings at once
    if (is_kept
        && kernels::solve_kept_lines<columns, T>(on, equations, add, n, count, scratch.kept)) {
      return;
    }
    if (line_segments(n) <= kernels::short_column_segments) {
      kernels::solve_lines<columns, T>(on, equations, add, n, count, scratch);
      return;
    }
    const auto make = [&](const LineSystems<D>& systems, int first) {
      return std::pair(
          EliminateLines<Form, T, LineDirection::y, Rows>{equations, systems, first},
          SubstituteLines<T, LineDirection::y>{A.unknowns, lines, systems, first, add});
    };
    kernels::solve_columns(on, make, n, count, scratch);
  });
}

template <Number T, RowsOf<T> Rows>
void keep_lines(const Cuda& on, const Rows& A, LineDirection direction, Leading<T>* kept) {
  require_kept_lines<T>(A, direction);
  const Lines lines{direction};
  with_form(A, [&]<class Form>(Form) {
    with_direction(lines, [&]<LineDirection along>() {
      kernels::keep_all_lines(on, LineEquations<Form, T, along, Rows>{A, {}, {}, lines},
                              lines.length(A.unknowns), lines.count(A.unknowns), kept);
    });
  });
  on.wait();
}

}  // namespace ninefold
