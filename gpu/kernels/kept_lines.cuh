#pragma once
// Relaxation by lines whose elimination was kept, on a device; see gpu/operations/kept_lines.hpp.
//
// One block for whole lines, as in gpu/kernels/line_step.cuh.  A thread has a segment: its factors
// come before the wait for the kernel before, its right-hand sides from shared memory, where all
// threads have put them in the order of grids.
//
// Rounding.  The text of gpu/operations/kept_lines.hpp: the host's bits.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "gpu/kernels/line_step.cuh"
#include "gpu/meaning/generic_line_operations.hpp"
#include "gpu/operations/kept_lines.hpp"

namespace ninefold {

namespace kernels {

// --- keeping ----------------------------------------------------------------------------------

/// One line per block, one segment per thread.
inline constexpr int keeping_threads = 64;
static_assert(line_segments(max_kept_line) <= keeping_threads);

template <class Equations, class D>
__global__ void __launch_bounds__(keeping_threads)
    keep_lines_kernel(const __grid_constant__ Equations equations, int n, D* kept) {
  __shared__ D memory[reduced_matrix_values(line_segments(max_kept_line))];
  begin_kernel();
  const int line = static_cast<int>(blockIdx.x);
  keep_line<BlockTeam>(
      n, [&](int k) { return equations.matrix(line, k); },
      kept + static_cast<std::ptrdiff_t>(line) * kept_line_values(n), &memory[0]);
}

template <class Equations, class D>
void keep_all_lines(const Cuda& on, const Equations& equations, int n, int count, D* kept) {
  launch<keep_lines_kernel<Equations, D>>(on, static_cast<unsigned>(count), keeping_threads, 0,
                                          equations, n, kept);
}

// --- using ------------------------------------------------------------------------------------

/// At most, of one line; of several, whose nodes share what memory brings at once.
template <int lines>
inline constexpr int kept_threads = lines == 1 ? 256 : 512;

/// Longer lines fill a device with fewer threads and wider blocks.
inline constexpr int longest_wide_line = 512;
/// Lines of a block along y of which x is staged.
inline constexpr int staged_lines = 2;

/// At least so many values, whole multiples of 16 bytes.
template <class D>
HOST_DEVICE constexpr int whole_sixteens(int values) {
  constexpr int unit = 16 / static_cast<int>(sizeof(D));
  return (values + unit - 1) / unit * unit;
}

/// Of two lines along y, the columns of x from the one before them to the one behind them, in
/// shared memory: read once, row by row, where each node would ask for nine values of three rows.
template <int lines, class T>
struct StagedColumns {
  static constexpr int pitch = 2 * lines + 3;  ///< odd: rows begin in different banks

  /// If no more than one line of the grid lies between two of them.
  HOST_DEVICE static bool fits(const Lines& set) { return set.stride <= 2; }
  static std::size_t values(int n) { return static_cast<std::size_t>(pitch) * (n + 2); }

  /// The same nodes as in x, of those that are there; by all threads of a block.
  __device__ static Field<const T> stage(const Field<const T>& x, const LineNode& first, int n,
                                         int columns, T* memory) {
    const T* const from = x.row(first.j - 1) + (first.i - 1);
    const int threads = static_cast<int>(blockDim.x), all = (n + 2) * pitch;
    constexpr int batch = 4;
    for (int p = static_cast<int>(threadIdx.x); p < all; p += batch * threads) {
      T values[batch];
#pragma unroll
      for (int m = 0; m < batch; ++m) {
        const int at = p + m * threads, column = at % pitch;
        if (at < all && column < columns) {
          values[m] = from[static_cast<std::ptrdiff_t>(at / pitch) * x.pitch + column];
        }
      }
#pragma unroll
      for (int m = 0; m < batch; ++m) {
        const int at = p + m * threads;
        if (at < all && at % pitch < columns) memory[at] = values[m];
      }
    }
    __syncthreads();
    const std::ptrdiff_t before = std::ptrdiff_t{first.j - 1} * pitch + (first.i - 1);
    return {memory - before, x.nx, x.ny, pitch};
  }
};

template <int lines, class Equations, class Add, class T>
__global__ void __launch_bounds__(kept_threads<lines>)
    kept_lines_kernel(const __grid_constant__ Equations all_equations,
                      const __grid_constant__ Add all_added, const LineTiles<Leading<T>> tiles,
                      int count, const Leading<T>* __restrict__ kept) {
  using D = Leading<T>;
  extern __shared__ uint4 line_memory_of_block[];  // aligned to 16
  let_next_start();
  const int first = static_cast<int>(blockIdx.x) * lines;
  const int own = min(lines, count - first);
  const int places = tiles.places(), n = tiles.n;
  D* const tile = reinterpret_cast<D*>(line_memory_of_block);
  const ReducedRights<D> ends{tile + lines * places, lines, tiles.segments};
  D* const reduced = ends.data + lines * reduced_right_values(tiles.segments);
  const int reduced_values = kept_reduced_values(n);
  // Who stages x needs copies of its own, to point them there.
  constexpr bool stages = lines == staged_lines;
  std::conditional_t<stages, Equations, const Equations&> equations = all_equations;
  std::conditional_t<stages, Add, const Add&> add = all_added;
  const auto kept_of = [&](int line) {
    const int across = equations.lines.first + (first + line) * equations.lines.stride;
    return kept + static_cast<std::ptrdiff_t>(across) * kept_line_values(n);
  };

  const int line = static_cast<int>(threadIdx.x) / tiles.segments;
  const int s = static_cast<int>(threadIdx.x) % tiles.segments;
  const int size = line < own ? segment_size(n, s * line_segment, line_segment) : 0;
  LineFactor<D> factor[line_segment - 1];
  if (size > 0) {
    const auto factors = KeptSystem<const D>::of(kept_of(line), n);
#pragma unroll
    for (int k = 0; k + 1 < line_segment; ++k) {
      if (k + 1 < size) factor[k] = factors.factor(s, k);
    }
  }
  for (int of_line = 0; of_line < own; ++of_line) {
    const D* const from = KeptSystem<const D>::of(kept_of(of_line), n).next().data;
    for_workers<BlockTeam>(reduced_values,
                           [&](int k) { reduced[of_line * reduced_values + k] = from[k]; });
  }
  wait_for_kernels_before();
  if constexpr (stages) {
    if (StagedColumns<lines, T>::fits(equations.lines)) {
      const int columns = (own - 1) * equations.lines.stride + 3;
      add.x = equations.x = StagedColumns<lines, T>::stage(
          equations.x, equations.node(first, 0), n, columns,
          reinterpret_cast<T*>(
              tile
              + whole_sixteens<D>(
                  lines * (places + reduced_right_values(tiles.segments) + reduced_values))));
    }
  }

  const auto place_of = [&](int of_line, int k) {
    return of_line * places + tiles.place(k / line_segment, k % line_segment);
  };
  constexpr int batch = nodes_in_flight<T>;
  for_tile_nodes<lines, batch>(
      0, n, own, [&](int of_line, int k) { return equations.right(first + of_line, k); },
      [&](int of_line, int k, D right) { tile[place_of(of_line, k)] = right; });
  __syncthreads();

  D value[line_segment];
  D* const here = tile + line * places;
  const auto factor_of = [&](int k) { return factor[k]; };
  if (size > 0) {
#pragma unroll
    for (int k = 0; k < line_segment; ++k) {
      if (k < size) value[k] = here[tiles.place(s, k)];
    }
    ends.put(line, s, eliminate_rights(size, factor_of, value));
  }
  __syncthreads();
  // Lines beyond the last one have no factors there, and nobody reads what becomes of them.
  solve_reduced_rights<BlockTeam>(ends, 0, lines, [&](int of_line) {
    return KeptSystem<const D>{reduced + of_line * reduced_values, reduced_segments(tiles.segments),
                               reduced_segment};
  });

  if (size > 0) {
    substitute_values(size, ends.solution(line, s - 1), ends.solution(line, s), factor_of, value);
#pragma unroll
    for (int k = 0; k < line_segment; ++k) {
      if (k < size) here[tiles.place(s, k)] = value[k];
    }
  }
  __syncthreads();
  for_tile_nodes<lines, batch>(
      0, n, own, [&](int of_line, int k) { return add.before(equations.node(first + of_line, k)); },
      [&](int of_line, int k, const T& before) {
        add.put(equations.node(first + of_line, k), before, tile[place_of(of_line, k)]);
      });
}

/// All lines of a set, `lines` to a block; false if a block has too little shared memory for them.
template <int lines, class T, class Equations, class Add>
bool solve_kept_lines(const Cuda& on, const Equations& equations, const Add& add, int n_unknowns,
                      int count, const Leading<T>* kept) {
  constexpr auto kernel = kept_lines_kernel<lines, Equations, Add, T>;
  static_assert(lines * line_segments(max_kept_line) <= kept_threads<lines>);
  const int segments = line_segments(n_unknowns);
  const LineTiles<Leading<T>> tiles{n_unknowns, lines, segments, 1};
  const int values =
      lines * (tiles.places() + reduced_right_values(segments) + kept_reduced_values(n_unknowns));
  auto bytes = static_cast<std::size_t>(whole_sixteens<Leading<T>>(values)) * sizeof(Leading<T>);
  if constexpr (lines == staged_lines) {
    if (StagedColumns<lines, T>::fits(equations.lines)) {
      bytes += StagedColumns<lines, T>::values(n_unknowns) * sizeof(T);
    }
  }
  const int limit = on.allow_shared_memory(reinterpret_cast<const void*>(kernel));
  if (bytes > static_cast<std::size_t>(limit)) return false;
  const auto whole_warps = [](int threads) { return (threads + 31) / 32 * 32; };
  const int most = lines == 1 && n_unknowns > longest_wide_line ? 128 : kept_threads<lines>;
  launch<kernel>(on, static_cast<unsigned>((count + lines - 1) / lines),
                 std::min(whole_warps(n_unknowns * lines), most), bytes, equations, add, tiles,
                 count, kept);
  return true;
}

}  // namespace kernels

}  // namespace ninefold
