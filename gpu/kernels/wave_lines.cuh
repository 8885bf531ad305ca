#pragma once
// Sums with waves along lines (gpu/direct/wave_lines.hpp) on a CUDA device: a block has a line in
// its shared memory or, if it does not fit there, in memory of its own.
//
// In shared memory a thread has a set of a transform in its registers; a step is reading, a wait,
// writing, a wait.  The sets of all transforms of a line go at once, as far as there are threads.
//
// Lines lie along memory.  Those of the other direction are turned over before and after: tiles
// that move at the speed of memory cost less than lines whose values lie far apart (level 12, twice
// 80 us instead of 300).  Of a plane that stays in the cache they are read and written as they lie.

#include <cstddef>

#include "gpu/direct/wave_lines.hpp"
#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/operations/tensor_inverse.hpp"

namespace ninefold::kernels {

template <class T>
using BlockRows = WaveRows<T, BankPlaces>;

/// The transforms of all rows, in place.
template <class T>
__device__ void transform_in_place(const BlockRows<T>& rows, const Circle<T>& circle) {
  const WaveBatch batch = rows.batch(0);
  const bool back = rows.is_real_to_complex();
  const int bits = bits_of(batch.length) - 1;  // of the longest
  // The sets of a batch come one after the other, and then those of the next.
  const int of_first = batch.count << (bits - 3);
  const int all = of_first + (rows.batches() > 1 ? rows.batch(1).count << (bits - 4) : 0);
  for (int first = 0; first < all; first += static_cast<int>(blockDim.x)) {
    int set = first + static_cast<int>(threadIdx.x);
    const bool has_set = set < all, is_long = set < of_first;
    if (!is_long) set -= of_first;
    const FourierSteps<T> steps{is_long ? bits : bits - 1, circle};
    const WaveBatch own = rows.batch(is_long ? 0 : 1);
    Complex<T>* const x = reinterpret_cast<Complex<T>*>(rows.work + own.start
                                                        + (set >> (steps.bits - 3)) * own.stride);
    set &= steps.sets() - 1;
    const auto at = [x](int k) -> Complex<T>& { return x[BankPlaces::pair(k)]; };
    const auto write = [at](int k, const Complex<T>& value) { at(k) = value; };
    Complex<T> v[fourier_set];
    if (has_set) {
#pragma unroll
      for (int k = 0; k < fourier_set; ++k) {
        v[k] = first_value<T>(at, back, set + k * steps.sets(), steps.bits, circle);
      }
    }
    __syncthreads();
    if (has_set) steps.first_step(set, v, write);
    __syncthreads();
    for (int done = steps.first_bits(), step = 3; step < bits; done += 3, step += 3) {
      typename FourierSteps<T>::Factors factors;
      const bool has_step = has_set && done < steps.bits;
      if (has_step) {
        factors = steps.factors(done, set);
#pragma unroll
        for (int k = 0; k < fourier_set; ++k) v[k] = at(set + k * steps.sets());
      }
      __syncthreads();
      if (has_step) steps.step(done, set, factors, v, write);
      __syncthreads();
    }
    if (back) {
      const int N = 1 << steps.bits;
      if (has_set) {
        for (int k = set; k <= N / 2; k += steps.sets()) {
          const Complex<T> here = at(k), there = at((N - k) & (N - 1));
          at(k) = real_bin<T>(here, there, k, steps.bits, circle);
          at(N - k) = real_bin<T>(there, here, N - k, steps.bits, circle);
        }
      }
      __syncthreads();
    }
  }
}

/// One way along all lines, from end to end.
template <class T>
struct LinePass {
  LineWaves<T> waves;
  bool back;
  PlaneLines<const T> from;
  PlaneLines<T> to;
  SpectralSums<T> sums;  ///< what the sums are divided by, if there is anything

  __device__ BlockRows<T> rows(T* memory) const {
    return waves.template rows<T, BankPlaces>(back, 1, memory);
  }
  HOST_DEVICE int unknowns() const { return unknowns_of(waves.wave, waves.cells); }
};

/// The pairs of the line whose values are x(p).
template <class T, class Values>
__device__ void load(const BlockRows<T>& rows, const Values& x) {
  const bool all = !rows.is_quarter();
  for (int group = BlockTeam::index(); group < rows.groups(); group += BlockTeam::size()) {
    Complex<T> pairs[BlockRows<T>::most_lists];
    rows.make_pairs(group, x, pairs);
#pragma unroll
    for (int list = 0; list < BlockRows<T>::most_lists; ++list) {
      if (list == 0 || all) *rows.place(list, group, 0) = pairs[list];
    }
  }
  __syncthreads();
}
template <class T>
__device__ void load(const BlockRows<T>& rows, const LinePass<T>& pass, int line) {
  const T* const x = pass.from.data + line * pass.from.line_stride;
  load(rows, [x](int p) { return x[p]; });
}

/// f(p, value) for the sums of a line.
template <class T, class F>
__device__ void for_block_sums(const BlockRows<T>& rows, int unknowns, const F& f) {
  rows.for_sums(0, BlockTeam::index(), BlockTeam::size(), unknowns, f);
}
template <class T>
__device__ void store(const BlockRows<T>& rows, const LinePass<T>& pass, int line) {
  T* const y = pass.to.data + line * pass.to.line_stride;
  const SpectralSums<T>& sums = pass.sums;
  for_block_sums(rows, pass.unknowns(), [&](int p, T value) {
    y[p] = sums.x == nullptr ? value : divided(sums, line, p, value);
  });
}

template <int threads, int blocks, class T>
__global__ void __launch_bounds__(threads, blocks)
    lines_in_shared_memory_kernel(const __grid_constant__ LinePass<T> pass) {
  extern __shared__ uint4 wave_line_of_block[];  // aligned to 16
  begin_kernel();
  const int line = static_cast<int>(blockIdx.x);
  const BlockRows<T> rows = pass.rows(reinterpret_cast<T*>(wave_line_of_block));
  load(rows, pass, line);
  transform_in_place(rows, pass.waves.circle);
  store(rows, pass, line);
}

/// The way there, the division and the way back: what lies between them has its place in shared
/// memory beside the transforms.  Strides are any.
template <int threads, int blocks, class T>
__global__ void __launch_bounds__(threads, blocks)
    divided_lines_kernel(const __grid_constant__ LinePass<T> pass) {
  extern __shared__ uint4 wave_line_of_block[];
  begin_kernel();
  const int line = static_cast<int>(blockIdx.x);
  T* const memory = reinterpret_cast<T*>(wave_line_of_block);
  BlockRows<T> rows = pass.rows(memory);
  T* const between = memory + rows.values();
  const T* const x = pass.from.data + line * pass.from.line_stride;
  load(rows, [x, step = pass.from.stride](int p) { return x[p * step]; });
  transform_in_place(rows, pass.waves.circle);
  for_block_sums(rows, pass.unknowns(),
                 [&](int p, T value) { between[p] = divided(pass.sums, line, p, value); });
  __syncthreads();
  rows.back = true;
  load(rows, [between](int p) { return between[p]; });
  transform_in_place(rows, pass.waves.circle);
  T* const y = pass.to.data + line * pass.to.line_stride;
  for_block_sums(rows, pass.unknowns(),
                 [y, step = pass.to.stride](int p, T value) { y[p * step] = value; });
}

inline constexpr int own_line_threads = 512;

/// Blocks take lines in turn.
template <class T>
__global__ void __launch_bounds__(own_line_threads)
    lines_in_own_memory_kernel(const __grid_constant__ LinePass<T> pass) {
  begin_kernel();
  const OwnMemory<T> own = pass.waves.own;
  const BlockRows<T> rows = pass.rows(own.data + blockIdx.x * own.values_of_block);
  Complex<T>* const other = reinterpret_cast<Complex<T>*>(rows.work + rows.values());
  for (int line = static_cast<int>(blockIdx.x); line < pass.from.count;
       line += static_cast<int>(gridDim.x)) {
    load(rows, pass, line);
    transform_by_way_of<BlockTeam>(other, rows, pass.waves.circle);
    store(rows, pass, line);
    __syncthreads();
  }
}

inline constexpr int turned_tile = 32, turned_rows = 8;

/// Row j, column i of `from`, with so many columns, to row i, column j of `to`.
template <class T>
__global__ void __launch_bounds__(turned_tile* turned_rows)
    turn_over_kernel(const PlaneLines<const T> from, int columns, const PlaneLines<T> to) {
  __shared__ T tile[turned_tile][turned_tile + 1];
  begin_kernel();
  const int lane = static_cast<int>(threadIdx.x) % turned_tile;
  const int first = static_cast<int>(threadIdx.x) / turned_tile;
  const int i0 = static_cast<int>(blockIdx.x) * turned_tile;
  const int j0 = static_cast<int>(blockIdx.y) * turned_tile;
#pragma unroll
  for (int m = 0; m < turned_tile; m += turned_rows) {
    const int k = first + m;
    if (j0 + k < from.count && i0 + lane < columns) {
      tile[k][lane] = from.data[(j0 + k) * from.line_stride + i0 + lane];
    }
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < turned_tile; m += turned_rows) {
    const int k = first + m;
    if (i0 + k < columns && j0 + lane < from.count) {
      to.data[(i0 + k) * to.line_stride + j0 + lane] = tile[lane][k];
    }
  }
}

}  // namespace ninefold::kernels
