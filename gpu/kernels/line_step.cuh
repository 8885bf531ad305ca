#pragma once
// Line relaxation on a device; see gpu/operations/line_operations.hpp.
//
// One block for whole lines: one along x, or a few neighbouring ones along y.  Its threads compute
// the equations in the order of memory and put them into shared memory; then each eliminates a
// segment there, the reduced systems are solved, and the corrections are added in the order of
// memory again.  A line along x that is longer than a tile of shared memory is worked off in
// several, and what is kept of each passes through the scratch memory.
//
// Long lines along y are another matter: gpu/kernels/line_columns.cuh.
//
// Rounding.  The text of gpu/operations/line_systems.hpp and
// gpu/meaning/generic_line_operations.hpp runs in all of them: the host's bits.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "precision/double_word.hpp"

#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/operations/line_operations.hpp"
#include "gpu/operations/line_systems.hpp"

namespace ninefold {

namespace kernels {

/// A stored matrix that is read once and need not stay in caches, which are for x.  Where a warp
/// has every other column only, caches serve the matrix, too.
template <class T>
struct StreamedBand {
  using Value = T;
  NineBand<const T> A;
  int nx;
  OperatorForm form;
  Box unknowns;

  explicit StreamedBand(const NineBand<const T>& stored)
      : A(stored), nx(stored.nx), form(stored.form), unknowns(stored.unknowns) {}

  struct Entries {
    const T* const* band;
    std::ptrdiff_t row;
    int i;
    HOST_DEVICE T operator[](int m) const {
      const T* const at = (band[m] + row) + i;
#ifdef __CUDA_ARCH__
      if constexpr (std::is_arithmetic_v<T>) return __ldcs(at);
#endif
      return *at;
    }
    // As in StoredRow: the middle band is the diagonal in plain form, else the row sum.
    HOST_DEVICE T diagonal() const {
      return (*this)[4];
    }
    HOST_DEVICE T row_sum() const {
      return (*this)[4];
    }
  };
  HOST_DEVICE Entries row(int i, int j) const {
    return {A.band, std::ptrdiff_t{j} * nx, i};
  }
};

/// The rows of a matrix as lines along x read them.
template <class T>
StreamedBand<T> streamed(const NineBand<const T>& A) {
  return StreamedBand<T>(A);
}
template <class Rows>
Rows streamed(const Rows& A) {
  return A;
}

// --- whole lines ------------------------------------------------------------------------------

/// More shared memory than this for a tile would keep a second block from a multiprocessor.
inline constexpr std::size_t tile_bytes = std::size_t{110} << 10;
inline constexpr int tile_threads = 512;  ///< at most, and the most segments of a tile

/// How `lines` lines of n unknowns are cut into tiles of shared memory.
template <class D>
struct LineTiles {
  int n, lines, segments, tiles;  ///< segments: of one line in one tile

  /// All of each line in one tile, if there is room in `limit` bytes of shared memory.
  static LineTiles of(int n, int lines, std::size_t limit) {
    const int all = line_segments(n);
    const std::size_t per_segment = 3 * line_segment * sizeof(D) * lines;
    const std::size_t reduced = (reduced_values(all) + 3 * 8) * sizeof(D) * lines;
    if (limit < reduced + per_segment) {
      throw std::runtime_error("lines of " + std::to_string(n)
                               + " unknowns need more shared memory in this format than the "
                               + std::to_string(limit) + " bytes of the device");
    }
    const std::size_t bytes = std::min(tile_bytes, limit - reduced);
    const int room = std::min(tile_threads / lines, static_cast<int>(bytes / per_segment));
    const int tiles = (all + room - 1) / room;
    return {n, lines, (all + tiles - 1) / tiles, tiles};
  }
  /// One for each segment, and enough to keep memory busy.
  int threads() const {
    const auto whole_warps = [](int threads) { return (threads + 31) / 32 * 32; };
    const int nodes = std::min(n, segments * line_segment) * lines;
    const int wanted = lines == 1 ? 256 : tile_threads;
    return std::min(whole_warps(nodes), std::max(wanted, whole_warps(segments * lines)));
  }

  HOST_DEVICE int nodes() const { return segments * line_segment; }
  /// Where node k of a segment is: every second segment begins one place further on and goes
  /// round, so that a warp that works on 32 segments finds them in different banks of memory.
  HOST_DEVICE static int place(int segment, int k) {
    return segment * line_segment + (k + segment / 2) % line_segment;
  }
  /// Of one line; lines begin in different banks, too.
  HOST_DEVICE int places() const { return nodes() + (lines == 1 ? 0 : 8); }
  HOST_DEVICE int numbers() const { return 3 * lines * places(); }

  std::size_t memory() const {
    const std::size_t reduced = reduced_values(line_segments(n)) * lines;
    return (static_cast<std::size_t>(numbers()) + reduced) * sizeof(D);
  }
  /// Values of scratch memory for lines that need several tiles.
  std::size_t scratch() const { return static_cast<std::size_t>(numbers()) * tiles; }
};

/// Nodes that a thread reads before it writes the first.
template <class T>
inline constexpr int nodes_in_flight = is_double_word<Arithmetic<T>> ? 1
                                       : sizeof(Arithmetic<T>) > 4   ? 2
                                                                     : 4;

/// read(line, k) for the nodes of a tile, some at once, then write(line, k, what was read); in the
/// order of memory, which has the lines side by side.
template <int lines, int batch, class Read, class Write>
__device__ void for_tile_nodes(int start, int nodes, int n_lines, const Read& read,
                               const Write& write) {
  const int threads = static_cast<int>(blockDim.x);
  for (int first = static_cast<int>(threadIdx.x); first < nodes * lines; first += batch * threads) {
    decltype(read(0, 0)) values[batch];
#pragma unroll
    for (int m = 0; m < batch; ++m) {
      const int at = first + m * threads, line = at % lines, k = start + at / lines;
      if (at < nodes * lines && line < n_lines) values[m] = read(line, k);
    }
#pragma unroll
    for (int m = 0; m < batch; ++m) {
      const int at = first + m * threads, line = at % lines, k = start + at / lines;
      if (at < nodes * lines && line < n_lines) write(line, k, values[m]);
    }
  }
}

template <int lines, class Equations, class Add, class T>
__global__ void __launch_bounds__(tile_threads, 1)
    solve_lines_kernel(const __grid_constant__ Equations equations, const __grid_constant__ Add add,
                       const LineTiles<Leading<T>> tiles, int first_line, int count,
                       Leading<T>* scratch) {
  using D = Leading<T>;
  extern __shared__ uint4 line_memory_of_block[];  // aligned to 16
  begin_kernel();
  const int in_batch = static_cast<int>(blockIdx.x) * lines;
  const int own = min(lines, count - in_batch), first = first_line + in_batch;
  const int places = tiles.places(), number = lines * places;
  D* const tile = reinterpret_cast<D*>(line_memory_of_block);
  const ReducedSystems<D> ends{tile + tiles.numbers(), lines, line_segments(tiles.n)};
  D* const kept =
      tiles.tiles > 1
          ? scratch + blockIdx.x * static_cast<std::size_t>(tiles.numbers()) * tiles.tiles
          : nullptr;
  const auto start_of = [&](int t) { return t * tiles.nodes(); };
  const auto nodes_of_tile = [&](int t) { return min(tiles.nodes(), tiles.n - start_of(t)); };
  const auto for_numbers = [&](const auto& work) {
    for (int p = static_cast<int>(threadIdx.x); p < tiles.numbers();
         p += static_cast<int>(blockDim.x)) {
      work(p);
    }
    __syncthreads();
  };
  const auto for_segments = [&](int t, const auto& work) {
    for (int own_segment = static_cast<int>(threadIdx.x); own_segment < tiles.segments * lines;
         own_segment += static_cast<int>(blockDim.x)) {
      const int line = own_segment / tiles.segments, in_tile = own_segment % tiles.segments;
      const int s = t * tiles.segments + in_tile;
      if (line < own && s < ends.n) {
        const auto at = [&](int k) { return tile + line * places + tiles.place(in_tile, k); };
        work(line, s, at);
      }
    }
    __syncthreads();
  };
  constexpr int batch = nodes_in_flight<T>;

  for (int t = 0; t < tiles.tiles; ++t) {
    const int start = start_of(t);
    for_tile_nodes<lines, batch>(
        start, nodes_of_tile(t), own, [&](int line, int k) { return equations(first + line, k); },
        [&](int line, int k, const LineRow<D>& row) {
          D* const p = tile + line * places
                       + tiles.place((k - start) / line_segment, (k - start) % line_segment);
          p[0] = row.coupling;
          p[number] = row.sum;
          p[2 * number] = row.right;
        });
    __syncthreads();
    for_segments(t, [&](int line, int s, const auto& at) {
      ends.put(line, s,
               eliminate_segment<D>(
                   segment_size(tiles.n, s * line_segment, line_segment),
                   [&](int k) {
                     const D* const p = at(k);
                     return LineRow<D>{p[0], p[number], p[2 * number]};
                   },
                   [&](int k, const EliminatedRow<D>& row) {
                     D* const p = at(k);
                     p[0] = row.next;
                     p[number] = row.separator;
                     p[2 * number] = row.value;
                   }));
    });
    if (kept != nullptr) for_numbers([&](int p) { kept[t * tiles.numbers() + p] = tile[p]; });
  }

  solve_reduced<BlockTeam>(ends, 0, own);

  for (int t = tiles.tiles - 1; t >= 0; --t) {
    const int start = start_of(t);
    if (t + 1 < tiles.tiles) {  // the last tile is still there
      for_numbers([&](int p) { tile[p] = kept[t * tiles.numbers() + p]; });
    }
    for_segments(t, [&](int line, int s, const auto& at) {
      substitute_segment(
          segment_size(tiles.n, s * line_segment, line_segment), ends.solution(line, s - 1),
          ends.solution(line, s),
          [&](int k) {
            const D* const p = at(k);
            return EliminatedRow<D>{p[0], p[number], p[2 * number]};
          },
          [&](int k, D z) { at(k)[2 * number] = z; });
    });
    for_tile_nodes<lines, batch>(
        start, nodes_of_tile(t), own,
        [&](int line, int k) { return add.before(equations.node(first + line, k)); },
        [&](int line, int k, const T& before) {
          const int place = tiles.place((k - start) / line_segment, (k - start) % line_segment);
          const D z = tile[2 * number + line * places + place];
          add.put(equations.node(first + line, k), before, z);
        });
    __syncthreads();
  }
}

/// All lines of a set, `lines` to a block.
template <int lines, class T, class Equations, class Add>
void solve_lines(const Cuda& on, const Equations& equations, const Add& add, int n_unknowns,
                 int count, const LineScratch<Leading<T>>& scratch) {
  constexpr auto kernel = solve_lines_kernel<lines, Equations, Add, T>;
  const int limit = on.allow_shared_memory(reinterpret_cast<const void*>(kernel));
  const auto tiles = LineTiles<Leading<T>>::of(n_unknowns, lines, static_cast<std::size_t>(limit));
  int batch = count;
  if (tiles.tiles > 1) {
    const std::size_t fit = scratch.values / tiles.scratch() * lines;
    batch = static_cast<int>(std::min(static_cast<std::size_t>(count), fit));
    if (batch < 1) throw std::logic_error("line_step: the scratch memory takes no line");
  }
  for (int first = 0; first < count; first += batch) {
    const int n = std::min(batch, count - first);
    launch<kernel>(on, static_cast<unsigned>((n + lines - 1) / lines), tiles.threads(),
                   tiles.memory(), equations, add, tiles, first, n, scratch.data);
  }
}

}  // namespace kernels

}  // namespace ninefold
