#pragma once
// Rows of a factored matrix that climb (gpu/launch/climbing.hpp) on a CUDA device from sm_90 on:
// rows come to a block's shared memory while those before are computed.
//
// Why.  In double precision a thread that computes, divides above all, has few registers for rows
// on their way, and few rows on their way are few bytes under way.  In a ring of shared memory they
// need no registers: a Jacobi step takes 0.86 of the time of two columns with rows in registers.
//
// Shape.  A block has the columns of its threads, and a ring of stages, each of some rows.  One
// thread begins the copies, of whole rows of the block's columns and of those beside them; all
// threads have read a stage before it is filled again.
//
// Rounding.  The bits of one column at a time (gpu/launch/neighbour_columns.cuh).

#include <concepts>
#include <cstdint>

#include "precision/number.hpp"

#include "grids/field.hpp"

#include "gpu/backend/device.cuh"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/bulk_copy.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/launch/neighbour_columns.cuh"

namespace ninefold::kernels {

/// Columns of a block, one for each thread, and its rows; the fastest of those measured on an H200,
/// levels 11 to 14.
inline constexpr int ring_columns = 128, ring_rows = 16;
/// Rows of a stage, and stages.
inline constexpr int stage_rows = 4, ring_stages = 3;

/// True where a ring pays.
template <class F>
constexpr bool climbs_in_ring() {
  if constexpr (ClimbingWriter<F>) {
    return std::same_as<typename decltype(F::A)::Value, double> && has_right<F>;
  }
  return false;
}

#if __CUDA_ARCH__ >= 900

/// The rows first <= row < end of `right`, and of x those above them, of the columns of a block
/// from `column` on.
template <class T>
class StagedRows {
 public:
  static constexpr int beside = bulk_bytes / sizeof(T);  ///< columns copied on either side
  struct Stage {
    T x[stage_rows][ring_columns + 2 * beside], right[stage_rows][ring_columns];
  };
  struct Memory {
    alignas(128) Stage stage[ring_stages];
    BulkBarrier is_full[ring_stages];

    /// By one thread, before all synchronise.
    __device__ void init() {
      for (BulkBarrier& barrier : is_full) barrier.init();
    }
  };

  __device__ StagedRows(Memory& memory, const Field<const T>& x, const Field<const T>& right,
                        int column, int first, int end)
      : memory_(memory), pitch_(x.pitch), rows_(end - first) {
    x_ = x.row(first + 1) + column - beside;
    right_ = right.row(first) + column;
    // The margin beside the last column is the one before the next row's first.
    const int columns = min(ring_columns, x.pitch - column);
    right_bytes_ = static_cast<std::uint32_t>(sizeof(T)) * columns;
    x_bytes_ = right_bytes_ + 2 * bulk_bytes;
    if (threadIdx.x == 0) {
      for (int s = 0; s < ring_stages; ++s) begin(s);
    }
  }
  /// The stage that begins with row s * stage_rows of the block, when it is there.
  __device__ const Stage& wait(int s) const {
    memory_.is_full[s % ring_stages].wait(s / ring_stages);
    return memory_.stage[s % ring_stages];
  }
  /// When a thread has read stage s; by all.
  __device__ void release(int s) {
    if ((s + ring_stages) * stage_rows >= rows_) return;
    __syncthreads();
    if (threadIdx.x == 0) begin(s + ring_stages);
  }

 private:
  __device__ void begin(int s) {
    const int count = min(stage_rows, rows_ - s * stage_rows);
    if (count <= 0) return;
    Stage& stage = memory_.stage[s % ring_stages];
    BulkBarrier& is_full = memory_.is_full[s % ring_stages];
    is_full.expect(static_cast<std::uint32_t>(count) * (x_bytes_ + right_bytes_));
    for (int k = 0; k < count; ++k) {
      is_full.copy(stage.x[k], x_, x_bytes_);
      is_full.copy(stage.right[k], right_, right_bytes_);
      x_ += pitch_;
      right_ += pitch_;
    }
  }

  Memory& memory_;
  int pitch_, rows_;
  const T *x_, *right_;  ///< of the next row to be copied
  std::uint32_t x_bytes_, right_bytes_;
};

#endif

template <class F, bool reacts>
__global__ void __launch_bounds__(ring_columns) climb_ring_kernel(const Box box, const F f) {
#if __CUDA_ARCH__ >= 900
  using T = typename decltype(F::A)::Value;
  using C = Arithmetic<T>;
  using Rows = StagedRows<T>;
  using Columns = NeighbourColumns<F, reacts, 1>;
  __shared__ typename Rows::Memory memory;
  __shared__ RowAbove<C> above[ring_rows];
  let_next_start();
  const int thread = static_cast<int>(threadIdx.x);
  const int first = box.j0 + row_of_block() * ring_rows, end = min(first + ring_rows, box.j1);
  if (thread == 0) memory.init();
  static_assert(ring_rows <= ring_columns);
  if (thread < end - first) above[thread] = row_above(f.A, first + thread);
  __syncthreads();
  wait_for_kernels_before();
  if (first >= end) return;
  const int column = first_column(box, ring_columns) + static_cast<int>(blockIdx.x) * ring_columns;
  Rows staged(memory, f.x, f.right(), column, first, end);
  // Threads beyond the last column wait with the others.
  const bool has_column = column + thread < box.i1;
  Columns columns(f, box, has_column ? column + thread : column, first, above);
  for (int s = 0; first + s * stage_rows < end; ++s) {
    const typename Rows::Stage& stage = staged.wait(s);
    const int left = end - first - s * stage_rows;
    if (has_column) {
#pragma unroll
      for (int k = 0; k < stage_rows; ++k) {
        if (k >= left) break;
        typename Columns::RowRead row;
        row.read(&stage.x[k][Rows::beside + thread], &stage.right[k][thread]);
        columns.climb(row);
      }
    }
    staged.release(s);
  }
#endif
}

/// True if it did: if the device copies in bulk, and rows lie as that needs it.
template <class F>
bool climb_in_ring(const Cuda& on, const Box& box, const F& f) {
  using T = typename decltype(F::A)::Value;
  if (!has_neighbours<bulk_bytes / sizeof(T)>(f)) return false;
  const dim3 blocks =
      grid_of_rows((box.i1 - first_column(box, ring_columns) + ring_columns - 1) / ring_columns,
                   (box.height() + ring_rows - 1) / ring_rows);
  return with_reaction(f.A, [&](auto reacts) {
    constexpr auto kernel = climb_ring_kernel<F, reacts()>;
    if (on.architecture_of(reinterpret_cast<const void*>(kernel)) < 90) return false;
    launch<kernel>(on, blocks, ring_columns, 0, box, f);
    return true;
  });
}

}  // namespace ninefold::kernels
