#pragma once
// Relaxation by long lines along y on a device; see gpu/kernels/line_step.cuh for all others, and
// gpu/kernels/segment_columns.cuh for those of factored rows in single.
//
// Long lines along y would leave shared memory for one or two lines, and a transaction of memory
// brings more than that.  Here neighbouring threads take the same segment of neighbouring lines,
// what is kept passes through the scratch memory, and a step is three kernels: eliminate, solve the
// reduced systems, substitute.  (The lines of one colour are every other column: half of what a
// transaction brings is not used.)  So do several devices that have a part of each line, whatever
// its length, each with its own segments, and what these leave is gathered before the second.
//
// Rounding.  The text of gpu/operations/line_systems.hpp and
// gpu/meaning/generic_line_operations.hpp runs in all three: the host's bits.

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "precision/double_word.hpp"

#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/divided_lines.hpp"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/line_systems.hpp"

namespace ninefold {

namespace kernels {

/// Lines along y of more segments than this make too few blocks, or too large ones.
inline constexpr int short_column_segments = 65;
inline constexpr int line_column_threads = 256;
inline constexpr int warp_columns = 32;    ///< neighbouring lines that the threads of a warp take
inline constexpr int reduced_columns = 8;  ///< lines whose reduced systems one block solves

/// work(line, s) for segments first <= s < last of so many lines.
template <class Work>
__global__ void __launch_bounds__(line_column_threads)
    for_segments_kernel(const __grid_constant__ Work work, int lines, int first, int last) {
  begin_kernel();
  const int line =
      static_cast<int>(blockIdx.x) * warp_columns + static_cast<int>(threadIdx.x) % warp_columns;
  const int s = first + static_cast<int>(blockIdx.y) * (line_column_threads / warp_columns)
                + static_cast<int>(threadIdx.x) / warp_columns;
  if (line < lines && s < last) work(line, s);
}

template <class Work>
void for_segments(const Cuda& on, const Work& work, int lines, const RowRange& segments) {
  constexpr int of_block = line_column_threads / warp_columns;
  const dim3 blocks(static_cast<unsigned>((lines + warp_columns - 1) / warp_columns),
                    static_cast<unsigned>((segments.count() + of_block - 1) / of_block));
  launch<for_segments_kernel<Work>>(on, blocks, line_column_threads, 0, work, lines, segments.first,
                                    segments.last);
}

/// The reduced systems of some lines per block, in shared memory if that was given.
template <class D, bool staged>
__global__ void __launch_bounds__(line_column_threads)
    solve_reduced_kernel(const ReducedSystems<D> systems) {
  extern __shared__ uint4 line_memory_of_block[];
  begin_kernel();
  const int first = static_cast<int>(blockIdx.x) * reduced_columns;
  const int own = min(reduced_columns, systems.lines - first);
  if constexpr (!staged) {
    solve_reduced<BlockTeam>(systems, first, first + own);
    return;
  }
  const ReducedSystems<D> here{reinterpret_cast<D*>(line_memory_of_block), reduced_columns,
                               systems.n};
  // Several at once: each thread's numbers are far from each other.
  constexpr int batch = 8;
  const int all = 5 * systems.n * reduced_columns;
  for (int start = static_cast<int>(threadIdx.x); start < all;
       start += batch * line_column_threads) {
    D values[batch];
    for (int m = 0; m < batch; ++m) {
      const int p = start + m * line_column_threads, line = p % reduced_columns;
      if (p < all && line < own) {
        values[m] = systems.data[static_cast<std::ptrdiff_t>(p / reduced_columns) * systems.lines
                                 + first + line];
      }
    }
    for (int m = 0; m < batch; ++m) {
      const int p = start + m * line_column_threads;
      if (p < all && p % reduced_columns < own) here.data[p] = values[m];
    }
  }
  __syncthreads();
  solve_reduced<BlockTeam>(here, 0, own);
  D* const from = here.solutions();
  D* const to = systems.solutions();
  for (int p = static_cast<int>(threadIdx.x); p < systems.n * reduced_columns;
       p += line_column_threads) {
    const int line = p % reduced_columns;
    if (line >= own) continue;
    to[static_cast<std::ptrdiff_t>(p / reduced_columns) * systems.lines + first + line] = from[p];
  }
}

template <class D>
void solve_reduced_of(const Cuda& on, const ReducedSystems<D>& systems) {
  constexpr auto kernel = solve_reduced_kernel<D, true>;
  const int limit = on.allow_shared_memory(reinterpret_cast<const void*>(kernel));
  const auto blocks =
      static_cast<unsigned>((systems.lines + reduced_columns - 1) / reduced_columns);
  const std::size_t memory = reduced_values(systems.n) * reduced_columns * sizeof(D);
  if (memory <= static_cast<std::size_t>(limit)) {
    launch<kernel>(on, blocks, line_column_threads, memory, systems);
  } else {
    launch<solve_reduced_kernel<D, false>>(on, blocks, line_column_threads, 0, systems);
  }
}

/// The lines of so many values each that are worked on at once.
template <class D>
int columns_that_fit(const LineScratch<D>& scratch, std::size_t values) {
  std::size_t fit = scratch.values / values;
  if (fit > warp_columns) fit = fit / warp_columns * warp_columns;
  if (fit < 1) throw std::logic_error("line_step: the scratch memory takes no line");
  return static_cast<int>(std::min<std::size_t>(fit, max_line_unknowns));
}

/// All lines of a set along y; make(systems, first line) is the pair of functors of a batch.
template <class Make, class D>
void solve_columns(const Cuda& on, const Make& make, int n, int count,
                   const LineScratch<D>& scratch) {
  const int fit = columns_that_fit(scratch, line_values(n));
  for (int first = 0; first < count; first += fit) {
    const int lines = std::min(fit, count - first);
    const LineSystems<D> systems{scratch.data, lines, n};
    const auto [eliminate, substitute] = make(systems, first);
    const RowRange all{0, systems.segments()};
    for_segments(on, eliminate, lines, all);
    solve_reduced_of(on, systems.reduced());
    for_segments(on, substitute, lines, all);
  }
}

/// The same where ranks have a part of each line; make(systems, first line) is that of the own
/// segments.  All ranks have as much scratch memory, hence as many batches.
///
/// No rank writes another's memory, and none reads it but while all gather, which ends on each when
/// all have taken what it gives: the numbers of a batch are overwritten after that alone, be it by
/// the solution of the reduced systems or by the next batch.  Of the row above its own, in which a
/// segment may end, a rank writes its copy alone, as the rank above does the row itself.
template <class Make, class D>
void solve_divided_columns(const Cuda& on, const Make& make, const DividedSegments& segments,
                           int count, const LineScratch<D>& scratch) {
  const int n = segments.n;
  const RowRange own = segments.of(on.ranks()->rank()), nodes = segments.nodes(own);
  const int fit = columns_that_fit(scratch, line_values(n, segments.most_nodes()));
  for (int first = 0; first < count; first += fit) {
    const int lines = std::min(fit, count - first);
    // What is gathered then begins at multiples of 16 bytes.  Of the places behind the last line
    // the reduced systems are solved, whatever is there, and nobody asks for it.
    constexpr int at_once = 4;
    const int places = (lines + at_once - 1) / at_once * at_once;
    const LineSystems<D> systems{scratch.data, places <= fit ? places : lines, n, nodes.first,
                                 nodes.count()};
    const auto [eliminate, substitute] = make(systems, first);
    for_segments(on, eliminate, lines, own);
    gather_ends(on, systems.reduced(), segments);
    solve_reduced_of(on, systems.reduced());
    for_segments(on, substitute, lines, own);
  }
}

}  // namespace kernels

}  // namespace ninefold
