#pragma once
// Line relaxation on the host; included by the instantiation files.

#include <algorithm>
#include <cstddef>
#include <memory>

#include <omp.h>

#include "gpu/launch/launch_host.hpp"
#include "gpu/launch/team.hpp"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold {

/// Columns that a thread solves together: segment by segment, what one of them has brought into the
/// cache serves the others.
inline constexpr int columns_at_once = 8;

template <Number T, RowsOf<T> Rows>
void line_step(const Host& on, const Rows& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>&, const Field<T>& y) {
  require_line_step<T>(A, b, x, lines, y);
  const int n = lines.length(A.unknowns), n_lines = lines.count(A.unknowns);
  count_line_step(on, A, lines);
  if (on.only_counts()) return;
  const int at_once = lines.direction == LineDirection::x ? 1 : std::min(columns_at_once, n_lines);
  const int groups = (n_lines + at_once - 1) / at_once;
  const bool parallel = groups > 1 && static_cast<long>(n) * n_lines > serial_nodes;
  using D = Leading<T>;
  with_form(A, [&]<class Form>(Form) {
    with_direction(lines, [&]<LineDirection direction>() {
      // Outside of the threads, where a failure could not be reported.
      const std::size_t own_values = line_values(n) * static_cast<std::size_t>(at_once);
      const int threads = parallel ? std::min(omp_get_max_threads(), groups) : 1;
      const auto all_values =
          std::make_unique_for_overwrite<D[]>(own_values * static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
      {
        D* const memory =
            all_values.get() + own_values * static_cast<std::size_t>(omp_get_thread_num());
#pragma omp for
        for (int group = 0; group < groups; ++group) {
          const int first = group * at_once, own = std::min(at_once, n_lines - first);
          const LineSystems<D> systems{memory, own, n};
          const EliminateLines<Form, T, direction, Rows> eliminate{
              {A, b, x, lines}, systems, first};
          const SubstituteLines<T, direction> substitute{
              A.unknowns, lines, systems, first, {omega, x, y}};
          const auto for_segments = [&](const auto& work) {
            for (int s = 0; s < systems.segments(); ++s) {
              for (int line = 0; line < own; ++line) work(line, s);
            }
          };
          for_segments(eliminate);
          solve_reduced<OneWorker>(systems.reduced(), 0, own);
          for_segments(substitute);
        }
      }
    });
  });
}

}  // namespace ninefold
