#pragma once
// Line relaxation on the host; included by the instantiation files.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <omp.h>

#include "gpu/launch/launch_host.hpp"
#include "gpu/launch/team.hpp"
#include "gpu/meaning/divided_lines.hpp"
#include "gpu/meaning/generic_line_operations.hpp"

namespace ninefold {

/// Columns that a thread solves together: segment by segment, what one of them has brought into the
/// cache serves the others.
inline constexpr int columns_at_once = 8;

/// work(memory of own_values for each line, first, number of lines) for all groups of lines that a
/// thread solves together.
template <class D, class Work>
void for_line_groups(const Lines& lines, const Box& unknowns, std::size_t own_values,
                     const Work& work) {
  const int n = lines.length(unknowns), n_lines = lines.count(unknowns);
  const int at_once = lines.direction == LineDirection::x ? 1 : std::min(columns_at_once, n_lines);
  const int groups = (n_lines + at_once - 1) / at_once;
  const bool parallel = groups > 1 && static_cast<long>(n) * n_lines > serial_nodes;
  // Outside of the threads, where a failure could not be reported.
  const std::size_t group_values = own_values * static_cast<std::size_t>(at_once);
  const int threads = parallel ? std::min(omp_get_max_threads(), groups) : 1;
  const auto all_values =
      std::make_unique_for_overwrite<D[]>(group_values * static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    D* const memory =
        all_values.get() + group_values * static_cast<std::size_t>(omp_get_thread_num());
#pragma omp for
    for (int group = 0; group < groups; ++group) {
      const int first = group * at_once;
      work(memory, first, std::min(at_once, n_lines - first));
    }
  }
}

/// work(line, s) for the segments of a range, of all lines.
template <class Work>
void for_own_segments(const RowRange& segments, int lines, const Work& work) {
  const int pieces = (lines + columns_at_once - 1) / columns_at_once;
#pragma omp parallel for collapse(2)
  for (int s = segments.first; s < segments.last; ++s) {
    for (int piece = 0; piece < pieces; ++piece) {
      const int first = piece * columns_at_once, end = std::min(first + columns_at_once, lines);
      for (int line = first; line < end; ++line) work(line, s);
    }
  }
}

/// work(line, k) for n nodes or segments of each line, line fastest.
template <class Work>
void for_lines(int n, int lines, const Work& work) {
  for (int k = 0; k < n; ++k) {
    for (int line = 0; line < lines; ++line) work(line, k);
  }
}

// Of a step the elimination and right-hand sides know the matrix.  What comes behind them is not
// inlined, so that it is compiled once for all matrices.

/// The solution where all segments are eliminated.  By value: through a reference all would be read
/// again after each store.
template <class T, LineDirection direction>
[[gnu::noinline]] void solve_eliminated(SubstituteLines<T, direction> substitute) {
  const LineSystems<Leading<T>>& systems = substitute.systems;
  solve_reduced<OneWorker>(systems.reduced(), 0, systems.lines);
  for_lines(systems.segments(), systems.lines, substitute);
}

/// A step with what was kept of all lines, for `lines` of them from `first_line` of the set on.
template <class T, LineDirection direction>
struct KeptLineStep {
  using D = Leading<T>;
  Box unknowns;
  Lines set;
  const D* kept;
  AddLineCorrection<T> add;
  D* memory;  ///< kept_step_values(n) of each line, line fastest
  int n, lines, first_line;

  template <class Equations>
  void put_rights(const Equations& equations) const {
    const auto put = [&](int line, int k) {
      memory[k * lines + line] = equations.right(first_line + line, k);
    };
    if constexpr (direction == LineDirection::x) {
      for (int line = 0; line < lines; ++line) {
#pragma omp simd
        for (int k = 0; k < n; ++k) put(line, k);
      }
    } else {
      for_lines(n, lines, put);
    }
  }

  ReducedRights<D> ends() const {
    return {memory + n * lines, lines, line_segments(n)};
  }
  KeptSystem<const D> kept_of(int line) const {
    const int across = set.first + (first_line + line) * set.stride;
    return KeptSystem<const D>::of(kept + static_cast<std::ptrdiff_t>(across) * kept_line_values(n),
                                   n);
  }
  void eliminate(int line, int s) const {
    const int first = s * line_segment, left = segment_size(n, first, line_segment) - 1;
    const KeptSystem<const D> factors = kept_of(line);
    D* const value = memory + (first * lines + line);
    RightEnd<D> end{value[0]};
    for (int k = 0; k < left; ++k) {
      value[k * lines] = end.eliminate(factors.factor(s, k), value[(k + 1) * lines]);
    }
    ends().put(line, s, end);
  }
  void substitute(int line, int s) const {
    const int first = s * line_segment;
    const KeptSystem<const D> factors = kept_of(line);
    const auto node = [&](int k) {
      return line_node<direction>(unknowns, set, first_line + line, first + k);
    };
    T before[substitution_batch] = {};
    substitute_segment(
        segment_size(n, first, line_segment), ends().solution(line, s - 1),
        ends().solution(line, s),
        [&](int k) {
          const LineFactor<D> factor = factors.factor(s, k);
          return EliminatedRow<D>{factor.next, factor.separator,
                                  memory[(first + k) * lines + line]};
        },
        [&](int m, int k) { before[m] = add.before(node(k)); },
        [&](int m, int k, D z) { add.put(node(k), before[m], z); });
  }
};

/// The solution where all right-hand sides are put.
template <class T, LineDirection direction>
[[gnu::noinline]] void solve_kept(KeptLineStep<T, direction> step) {
  const int segments = line_segments(step.n);
  for_lines(segments, step.lines, [&](int line, int s) { step.eliminate(line, s); });
  solve_reduced_rights<OneWorker>(step.ends(), 0, step.lines,
                                  [&](int line) { return step.kept_of(line).next(); });
  for_lines(segments, step.lines, [&](int line, int s) { step.substitute(line, s); });
}

template <Number T, RowsOf<T> Rows>
void line_step(const Host& on, const Rows& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>& scratch, const Field<T>& y);

/// The lines along x among this rank's own rows.
template <Number T, RowsOf<T> Rows>
void step_along_own_rows(const Host& on, const Rows& A, In<Field, T> b,
                         std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
                         const Field<T>& y) {
  Rows own = A;
  own.unknowns = own_part(on, A.ny, A.unknowns).box;
  // Counted is what all ranks do, as by all other operations.
  count_line_step(on, A, lines);
  if (on.only_counts()) return;
  const Lines own_lines = lines_of_part(lines, A.unknowns, own.unknowns);
  if (own_lines.count(own.unknowns) < 1) return;
  const Work all = on.work();
  line_step<T>(on.among(nullptr), own, b, omega, own_lines, x, {}, y);
  on.count(all - on.work());
}

/// Lines along y, which all ranks have a part of.
template <Number T, RowsOf<T> Rows>
void step_across_ranks(const Host& on, const Rows& A, In<Field, T> b,
                       std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
                       const Field<T>& y) {
  using D = Leading<T>;
  const int n = lines.length(A.unknowns), count = lines.count(A.unknowns);
  count_line_step(on, A, lines);
  if (on.only_counts()) return;
  const DividedSegments segments{on.ranks()->slabs(), A.ny, n};
  const RowRange own = segments.of(on.ranks()->rank()), nodes = segments.nodes(own);
  const auto memory = std::make_unique_for_overwrite<D[]>(line_values(n, nodes.count())
                                                          * static_cast<std::size_t>(count));
  const LineSystems<D> systems{memory.get(), count, n, nodes.first, nodes.count()};
  const ReducedSystems<D> ends = systems.reduced();
  with_form(A, [&]<class Form>(Form) {
    const LineEquations<Form, T, LineDirection::y, Rows> equations{A, b, x, lines};
    for_own_segments(own, count,
                     EliminateLines<Form, T, LineDirection::y, Rows>{equations, systems, 0});
  });
  gather_ends(on, ends, segments);
  const int pieces = (count + columns_at_once - 1) / columns_at_once;
#pragma omp parallel for
  for (int piece = 0; piece < pieces; ++piece) {
    const int first = piece * columns_at_once;
    solve_reduced<OneWorker>(ends, first, std::min(first + columns_at_once, count));
  }
  const SubstituteLines<T, LineDirection::y> substitute{
      A.unknowns, lines, systems, 0, {omega, x, y}};
  for_own_segments(own, count, SubstituteOwnLines<T>(substitute, own, on.ranks()->own_rows(A.ny)));
}

template <Number T, RowsOf<T> Rows>
void line_step(const Host& on, const Rows& A, In<Field, T> b,
               std::type_identity_t<Leading<T>> omega, const Lines& lines, In<Field, T> x,
               const LineScratch<Leading<T>>& scratch, const Field<T>& y) {
  require_line_step<T>(A, b, x, lines, y);
  if (divides(on, A.ny)) {
    if (lines.direction == LineDirection::x) {
      share_borders(on, x);
      return step_along_own_rows<T>(on, A, b, omega, lines, x, y);
    }
    share_borders(on, Bordered<T>{x, 2}, Bordered<T>{b});
    return step_across_ranks<T>(on, A, b, omega, lines, x, y);
  }
  const int n = lines.length(A.unknowns);
  count_line_step(on, A, lines);
  if (on.only_counts()) return;
  using D = Leading<T>;
  const bool is_kept = scratch.kept != nullptr && keeps_lines<D>(A.unknowns, lines.direction);
  const auto own_values = is_kept ? static_cast<std::size_t>(kept_step_values(n)) : line_values(n);
  const AddLineCorrection<T> add{omega, x, y};
  with_form(A, [&]<class Form>(Form) {
    with_direction(lines, [&]<LineDirection direction>() {
      const LineEquations<Form, T, direction, Rows> equations{A, b, x, lines};
      for_line_groups<D>(lines, A.unknowns, own_values, [&](D* memory, int first, int own) {
        if (is_kept) {
          const KeptLineStep<T, direction> step{A.unknowns, lines, scratch.kept, add,
                                                memory,     n,     own,          first};
          step.put_rights(equations);
          solve_kept(step);
        } else {
          const LineSystems<D> systems{memory, own, n};
          for_lines(systems.segments(), own,
                    EliminateLines<Form, T, direction, Rows>{equations, systems, first});
          solve_eliminated(SubstituteLines<T, direction>{A.unknowns, lines, systems, first, add});
        }
      });
    });
  });
}

template <Number T, RowsOf<T> Rows>
void line_start(const Host& on, const Rows& A, In<Field, T> b,
                std::type_identity_t<Leading<T>> omega, const Lines& lines,
                const LineScratch<Leading<T>>& scratch, const Field<T>& y) {
  require_line_step<T>(A, b, Field<const T>(y), lines, y);
  set_zero(on, y);
  line_step<T>(on, A, b, omega, lines, y, scratch, y);
}

template <Number T, RowsOf<T> Rows>
void keep_lines(const Host& on, const Rows& A, LineDirection direction, Leading<T>* kept) {
  const Rows own = rows_of_kept_lines<T>(on, A, direction);
  if (on.only_counts()) return;
  using D = Leading<T>;
  const Lines lines{direction};
  const int n = lines.length(own.unknowns), count = lines.count(own.unknowns);
  with_form(A, [&]<class Form>(Form) {
    with_direction(lines, [&]<LineDirection along>() {
      const LineEquations<Form, T, along, Rows> equations{own, {}, {}, lines};
#pragma omp parallel for if (std::int64_t{n} * count > serial_nodes)
      for (int line = 0; line < count; ++line) {
        D memory[reduced_matrix_values(line_segments(max_kept_line))];
        keep_line<OneWorker>(
            n, [&](int k) { return equations.matrix(line, k); },
            kept + static_cast<std::ptrdiff_t>(line) * kept_line_values(n), memory);
      }
    });
  });
}

}  // namespace ninefold
