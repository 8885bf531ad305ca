#pragma once
// The vocabulary of line relaxation; for all else see gpu/operations/row_operations.hpp.
//
// Mathematics.  T_l is the tridiagonal part of A that couples the nodes of line l among each other:
// bands W, C, E along x, and S, C, N along y.  One step of relaxation by lines is
//
//     y_l = x_l + omega T_l^-1 (b - A x)_l      for the lines of a set,
//
// with x the values before the step.  The nine-point stencil couples a line to its two neighbours
// only: in a set that leaves out every other line, no line sees another one's new values, so that x
// may be overwritten, and the even lines followed by the odd ones are a Gauss-Seidel step in
// two-colour (zebra) order.
//
// Cost.  Per node of a set of every other line, nine bands, b and twice x (the line's own values,
// and a half of each of its neighbours') are read, and x is written: a whole zebra step moves 13
// values per node, an alternating one along x and along y 26.  All lines at once move 12.
//
// What is kept of lines is not counted: 3.3 values more where a device reads it.
//
// Rounding.  The residual as in gpu/operations/row_operations.hpp; T_l is solved in Leading<T> as
// gpu/operations/line_systems.hpp says.  Host and device agree to the last bit.
//
// Reference.  Goeddeke, Strzodka, Turek 2007, section 3.1 (ADI-TRIGS); Trottenberg, Oosterlee,
// Schueller, Multigrid, 2001, section 5.1 (zebra line relaxation).
// Tests.      tests/gpu/operations/line_operations_test.cpp (50 digits),
// tests/gpu/device/line_same_bits_test.cpp

#include <algorithm>
#include <cstddef>

#include "gpu/operations/kept_lines.hpp"
#include "gpu/operations/lines.hpp"
#include "gpu/operations/row_operations.hpp"

namespace ninefold {

/// Per node of every other line, and where all lines are solved at once.
inline constexpr Traffic line_step_traffic{3, 1};
inline constexpr Traffic all_lines_traffic{2, 1};

/// Memory for line_step on a device; the host needs none.
template <class D>
struct LineScratch {
  D* data = nullptr;
  std::size_t values = 0;
  /// What keep_lines has kept of A's lines of this direction; null where it is computed anew.
  const D* kept = nullptr;
};

/// True where keep_lines is of use, and where its results are used, in words D.
template <class D>
bool keeps_lines(const Box& unknowns, LineDirection direction) {
  return Lines{direction}.length(unknowns) <= longest_kept_line<D>;
}
/// The values that it keeps: kept_line_values() of each line.
inline std::size_t kept_values(const Box& unknowns, LineDirection direction) {
  const Lines lines{direction};
  return static_cast<std::size_t>(kept_line_values(lines.length(unknowns)))
         * static_cast<std::size_t>(lines.count(unknowns));
}

/// kept = what the elimination of all lines of a direction makes of their matrices, see
/// gpu/operations/kept_lines.hpp.  Requires keeps_lines.  Where rows are divided among ranks it is
/// that of lines along x in own rows, and none of lines along y are kept.  Ends when it is there:
/// steps read it before they wait for what was begun before them.
template <Number T, RowsOf<T> Rows>
void keep_lines(const Host& on, const Rows& A, LineDirection direction, Leading<T>* kept);
template <Number T, RowsOf<T> Rows>
void keep_lines(const Cuda& on, const Rows& A, LineDirection direction, Leading<T>* kept);

/// Lines that keep a device busy, whatever their length.
inline constexpr std::size_t busy_lines = 128;
/// More than this, in bytes, speeds nothing up.
inline constexpr std::size_t useful_line_bytes = std::size_t{128} << 20;

/// The values that line_step needs on a device for lines of at most n unknowns: for all of them at
/// once, or for as many as are of use.  Of lines that are divided among ranks all have as many.
template <Number T>
std::size_t line_scratch_values(int n) {
  const std::size_t line = 4 * static_cast<std::size_t>(n) + 2048;  // all kernels, padding included
  const std::size_t useful = useful_line_bytes / (line * sizeof(Leading<T>));
  return line * std::min(static_cast<std::size_t>(n), std::max(busy_lines, useful));
}

/// y = x + omega T^-1 (b - A x) on the lines, of which there is at least one.  y may be x if no two
/// of the lines are neighbours; else they must not overlap, and y is written on the lines only.
template <Number T, RowsOf<T> Rows>
void line_step(const Host& on, const Rows& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>& scratch, const Field<T>& y);
template <Number T, RowsOf<T> Rows>
void line_step(const Cuda& on, const Rows& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>& scratch, const Field<T>& y);

/// The step from zero: y = omega T^-1 b on the lines, of which no two are neighbours, and zero at
/// the other unknowns, with the bits of line_step on zeros.  Where there are no unknowns y is zero
/// before.  Counts what set_zero and line_step do.
template <Number T, RowsOf<T> Rows>
void line_start(const Host& on, const Rows& A, In<Field, T> b,
                std::type_identity_t<Leading<T>> omega, const Lines& lines,
                const LineScratch<Leading<T>>& scratch, const Field<T>& y);
template <Number T, RowsOf<T> Rows>
void line_start(const Cuda& on, const Rows& A, In<Field, T> b,
                std::type_identity_t<Leading<T>> omega, const Lines& lines,
                const LineScratch<Leading<T>>& scratch, const Field<T>& y);

}  // namespace ninefold
