#pragma once
// Residuals on large grids, with their norms or without, in double and in pairs of single, on
// devices that copy in bulk, from sm_90 on, and have the memory: blocks march up the columns of a
// chunk (gpu/backend/summation.hpp), and sum its rows on their way.
//
// Why.  Who has the columns of a lane one after the other (gpu/launch/climbing.cuh) climbs few rows
// of each, since their sums stay in registers, and begins anew with each column; rows of two
// neighbouring columns that follow each other (gpu/launch/climbing_neighbours.cuh) come at the rate
// of a copy, but what a lane adds lies 256 columns apart.  So a block's threads tell their squares
// to each other through shared memory, where rows come while those before are computed: on their
// way in registers they are as many as these hold, 0.70 of the rate of a copy
// (docs/performance.md).
//
// Shape.  A thread has two neighbouring columns, and a block those of a chunk.  Where chunks begin
// at an odd column, as beside a Dirichlet side, the nodes around a thread's columns are two
// accesses of two values, and what is written is exchanged with the next lane.  A ring has stages
// of two rows, of x the chunk's columns and those beside them, of b the chunk's, where each thread
// leaves its squares in the place of b.  One warp sums a row while the others go on: a stage is
// filled again when the one after it has been computed by all.  Pairs of words, whose operations
// take the time, share the differences of neighbouring columns.
//
// Rounding.  The order of gpu/backend/summation.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "gpu/backend/device.cuh"
#include "gpu/kernels/summed_residual.cuh"
#include "gpu/launch/bulk_copy.cuh"
#include "gpu/launch/launch_cuda.cuh"

namespace ninefold::kernels {

inline constexpr int march_stages = 4;

/// Two rows in shared memory, from the last even column before a chunk on, and of x from one
/// access before that if the chunk begins with an even one.
template <Marching T>
struct MarchStage {
  T x[march_batch][sum_chunk + 4], right[march_batch][sum_chunk + 2];
};
/// A block's memory, but for the barriers, one for each stage.
template <Marching T>
struct MarchStages {
  MarchStage<T> stage[march_stages];
  RowAbove<Arithmetic<T>> above[most_march_rows];
};
/// All of it: a block has no other shared memory.
inline constexpr int march_ring_bytes =
    static_cast<int>(sizeof(MarchStages<double>) + march_stages * sizeof(std::uint64_t));

#if __CUDA_ARCH__ >= 900

/// Copies the rows first <= row < end of b, and of x those above them, of columns from `begin` on.
template <bool odd, Marching T>
class MarchRing {
 public:
  static constexpr int before = odd ? 1 : 2;        ///< columns of x that lie before the first
  static constexpr int before_right = odd ? 1 : 0;  ///< and of b

  /// Barriers are there, and all have synchronised.
  __device__ MarchRing(MarchStage<T>* stages, BulkBarrier* is_full, const Field<const T>& x,
                       const Field<const T>& b, int begin, int first, int end)
      : stages_(stages),
        is_full_(is_full),
        pitch_(x.pitch),
        right_pitch_(b.pitch),
        rows_(end - first) {
    x_ = x.row(first + 1) + begin - before;
    right_ = b.row(first) + begin - before_right;
    // The margin beside the last column is the one before the next row's first.
    x_bytes_ = bytes_of(sum_chunk + 4, x.pitch + 2 - (begin - before));
    right_bytes_ = bytes_of(sum_chunk + 2, b.pitch - (begin - before_right));
    if (threadIdx.x == 0) {
      for (int s = 0; s < march_stages; ++s) fill(s);
    }
  }
  /// Stage s, rows first + s march_batch and the next, when it is there.
  __device__ MarchStage<T>& wait(int s) const {
    is_full_[s % march_stages].wait(s / march_stages);
    return stages_[s % march_stages];
  }
  /// When all have read and written stage s for the last time.
  __device__ void release(int s) {
    if (threadIdx.x != 0) return;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // it was written, too
    fill(s + march_stages);
  }

 private:
  /// Of an even number of columns, as many as there are.
  __device__ static std::uint32_t bytes_of(int columns, int there) {
    return static_cast<std::uint32_t>(sizeof(double))
           * static_cast<std::uint32_t>(min(columns, there));
  }
  __device__ void fill(int s) {
    const int count = min(march_batch, rows_ - s * march_batch);
    if (count <= 0) return;
    MarchStage<T>& stage = stages_[s % march_stages];
    BulkBarrier& is_full = is_full_[s % march_stages];
    is_full.expect(static_cast<std::uint32_t>(count) * (x_bytes_ + right_bytes_));
    for (int k = 0; k < count; ++k) {
      is_full.copy(stage.x[k], x_, x_bytes_);
      is_full.copy(stage.right[k], right_, right_bytes_);
      x_ += pitch_;
      right_ += right_pitch_;
    }
  }

  MarchStage<T>* stages_;
  BulkBarrier* is_full_;
  int pitch_, right_pitch_, rows_;
  const T *x_, *right_;  ///< of the next row to be copied
  std::uint32_t x_bytes_, right_bytes_;
};

#endif

/// Of the chunks of rows, each block's `rows` of them; `partial` has the sums of all chunks.
template <SummedResidual F, bool sums, bool reacts, bool odd>
__global__ void __launch_bounds__(march_threads, 1)
    march_in_ring_kernel(const Box box, const F f, int rows, MarchedBy<F>* partial) {
#if __CUDA_ARCH__ >= 900
  using T = MarchedBy<F>;
  using C = Arithmetic<T>;
  using Ring = MarchRing<odd, T>;
  constexpr int n = neighbours, batch = march_batch;
  constexpr int warps = march_threads / warp_lanes;
  extern __shared__ __align__(128) unsigned char ring_memory[];
  MarchStages<T>& memory = *reinterpret_cast<MarchStages<T>*>(ring_memory);
  BulkBarrier* const is_full = reinterpret_cast<BulkBarrier*>(&memory + 1);
  static_assert(sizeof(memory) + march_stages * sizeof(BulkBarrier) == march_ring_bytes);
  let_next_start();
  const int thread = static_cast<int>(threadIdx.x);
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (thread == 0) {
    for (int s = 0; s < march_stages; ++s) is_full[s].init();
  }
  for (int k = thread; k < end - first; k += march_threads) {
    memory.above[k] = row_above(f.A, first + k);
  }
  __syncthreads();
  wait_for_kernels_before();
  if (first >= end) return;
  const int begin = box.i0 + static_cast<int>(blockIdx.x) * sum_chunk;
  const int last = min(begin + sum_chunk, box.i1);
  Ring ring(memory.stage, is_full, f.x, f.b, begin, first, end);
  // Threads that have no column compute what is there, for nobody.
  const int own = begin + n * thread, i = own < last ? own : begin;
  const LeftBySum<F> left(f);
  const C reaction = reaction_of<reacts>(f.A);
  NodeFactors<C> y = row_before(f.A, first);
  Climb<T> climb[n];
  start_climbs<odd>(f, i, first, y, reaction, climb);
  const int stages = (end - first + batch - 1) / batch;
  for (int s = 0; s < stages; ++s) {
    MarchStage<T>& stage = ring.wait(s);
    const int j = first + s * batch;
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      if (j + k >= end) break;
      const auto north =
          nodes_around<odd>(static_cast<const T*>(&stage.x[k][Ring::before + n * thread]));
      T* const right = &stage.right[k][Ring::before_right + n * thread];
      take_row(y, memory.above[j - first + k]);
      C value[n];
#pragma unroll
      for (int c = 0; c < n; ++c) {
        const VisitedRow<T> row = climb[c].climb(f, y, reaction, north[c]);
        value[c] = C(right[c]) - row.product;
        if constexpr (sums) right[c] = value[c] * value[c];
      }
      left.template write<odd>(own, last, j + k, value);
    }
    __syncthreads();
    if constexpr (!sums) {
      ring.release(s);
    } else {
      if (s > 0) ring.release(s - 1);  // all have summed it
      const int row = (thread / warp_lanes - batch * s) & (warps - 1);
      if (row < batch && j + row < end) {
        const T sum = sum_chunk_of_warp(
            static_cast<const T*>(&stage.right[row][Ring::before_right]), last - begin);
        if (thread % warp_lanes == 0) {
          partial[static_cast<std::size_t>(j + row - box.j0) * gridDim.x + blockIdx.x] = sum;
        }
      }
    }
  }
#endif
}

/// True if it did: if nodes are enough, and the device copies in bulk.
template <bool sums, SummedResidual F>
bool march_in_ring(const Cuda& on, const Box& box, const F& f, MarchedBy<F>* partial) {
  if (std::int64_t{box.width()} * box.height() < on.pass_sizes().sums) return false;
  bool does = false;
  with_march(f.A, box, [&](auto reacts, auto odd) {
    constexpr auto kernel = march_in_ring_kernel<F, sums, reacts(), odd()>;
    const auto* const address = reinterpret_cast<const void*>(kernel);
    does = on.architecture_of(address) >= 90 && on.shared_memory() >= march_ring_bytes;
    if (!does) return;
    (void)on.allow_shared_memory(address);
    int at_once = 0;  // of blocks with so much memory
    NINEFOLD_CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &at_once, kernel, march_threads, march_ring_bytes));
    const int rows =
        parts_of(box.width(), box.height(), at_once * on.multiprocessors(), sum_chunk).rows;
    launch<kernel>(on, grid_of_rows(sum_chunks(box.width()), (box.height() + rows - 1) / rows),
                   march_threads, march_ring_bytes, box, f, rows, partial);
  });
  return does;
}

/// True where rows are read two values at a time.
template <SummedResidual F>
bool may_march(const Extent& extent, const F& f) {
  if (!extent.is_box()) return false;
  if constexpr (requires { f.r; }) {
    if (!is_aligned_for<neighbours>(f.r)) return false;
  }
  return is_aligned_for<neighbours>(f.x) && is_aligned_for<neighbours>(f.b);
}

}  // namespace ninefold::kernels

namespace ninefold {

/// The first round of the sums that march where they can.
template <class T, kernels::SummedResidual F>
requires std::same_as<T, kernels::MarchedBy<F>>
void sum_rows(const Cuda& on, const Extent& extent, const F& f, int first, int last) {
  require_scratch(on, extent, sizeof(T));
  const Extent rows = extent.rows(first, last);
  T* const partial = static_cast<T*>(on.scratch())
                     + static_cast<std::ptrdiff_t>(first) * sum_chunks(extent.box.width());
  if (!kernels::may_march(rows, f) || !kernels::march_in_ring<true>(on, rows.box, f, partial)) {
    kernels::sum_box(on, rows.box, f, partial);  // residuals are of a grid's box
  }
}

namespace kernels {

/// The sums that march where they can; else as all others.
template <SummedResidual F, class T>
void sum_marching(const Cuda& on, const Extent& extent, const F& f, T* result) {
  require_scratch(on, extent, sizeof(T));
  if (chunk_sums(extent) == 1 || !may_march(extent, f)
      || !march_in_ring<true>(on, extent.box, f, static_cast<T*>(on.scratch()))) {
    return sum_nodes<F, T>(on, extent, f, result);
  }
  sum_chunk_sums(on, extent, result);
}

}  // namespace kernels

template <kernels::SummedResidual F>
void sum_nodes(const Cuda& on, const Extent& extent, const F& f, double* result) {
  kernels::sum_marching(on, extent, f, result);
}
template <kernels::SummedResidual F>
void sum_nodes(const Cuda& on, const Extent& extent, const F& f, DoubleSingle* result) {
  kernels::sum_marching(on, extent, f, result);
}

/// The residuals alone, likewise.
template <kernels::SummedResidual F>
void for_nodes(const Cuda& on, const Extent& extent, const F& f) {
  if (kernels::may_march(extent, f) && kernels::march_in_ring<false>(on, extent.box, f, nullptr)) {
    return;
  }
  kernels::for_box(on, extent.full_rows(), f);
  kernels::for_box(on, extent.short_row(), f);
}

}  // namespace ninefold
