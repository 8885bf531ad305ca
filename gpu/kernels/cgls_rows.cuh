#pragma once
// Iterations of CGLS for several right-hand sides in three kernels on a CUDA device, where rows are
// sliced and few: a kernel's start then takes as long as its work
// (gpu/operations/cgls_iteration.hpp).
//
// Sums.  The block that ends the last row of a chunk sums the chunk, and the one that sums the last
// chunk adds the chunk sums, in their one order (gpu/backend/summation.hpp): which blocks these are
// changes no bit.  What others have written is read behind a fence, once a count says that it is
// all there.
//
// The step.  A product with A leaves r and q side by side, in pairs, so that one with A' gathers r
// - alpha q by one access for each entry, as many as r alone would take: r is then updated in the
// kernel that updates x and p.  Pairs are written and read beside what an update of its own moves,
// 4 values for each row, of which there must be few.
//
// Several systems.  Blocks of the same rows, one for each system, follow each other: all but the
// first meet the matrix in the cache.

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/least_squares.cuh"
#include "gpu/meaning/generic_cgls_iteration.hpp"

namespace ninefold {

namespace kernels {

/// r - alpha q by its rows, and r of the rows of bounds from x + alpha p.
template <class T, bool has_bounds>
class SteppedResidual {
  using C = Arithmetic<T>;

 public:
  __device__ explicit SteppedResidual(const CglsSystem<T>& of)
      : pairs_(of.places.pairs),
        is_stepping_(of.sums->is_stepping != 0),
        alpha_(of.state->alpha),
        bounds_(of.bounds),
        x_(of.x.data),
        p_(of.p.data) {}

  __device__ T operator[](int k) const {
    if constexpr (has_bounds) {
      if (k >= bounds_.first) {
        const int j = k - bounds_.first;
        return bound_residual(bounds_, j, stepped_unknown(j)).r;
      }
    }
    const BesideEachOther<T> pair = pairs_[k];
    const T next = T(fused(-alpha_, pair.q, pair.r));
    return is_stepping_ ? next : pair.r;
  }

  __device__ T stepped_unknown(int j) const {
    const T before = x_[j], next = T(fused(alpha_, p_[j], before));
    return is_stepping_ ? next : before;
  }

 private:
  const BesideEachOther<T>* pairs_;
  bool is_stepping_;
  C alpha_;
  BoundRows<T> bounds_;
  const T *x_, *p_;
};

/// That of a system, for kernels that open it.
template <class T, bool has_bounds>
struct SteppedResidualOf {
  CglsSystem<T> of;
};
template <class T, bool has_bounds>
__device__ SteppedResidual<T, has_bounds> opened(const SteppedResidualOf<T, has_bounds>& gathered) {
  return SteppedResidual<T, has_bounds>(gathered.of);
}

// What kernels of rows make of a system: take() has row i of the product, term() what it adds to
// the sum, which end() has.

/// q = A p and alpha.
template <class T>
class ProductOfDirection {
  using C = Arithmetic<T>;

 public:
  using Sum = C;
  using Gathered = const T*;

  __device__ explicit ProductOfDirection(const CglsSystem<T>& of) : of_(of) {}
  static Gathered gathered(const CglsSystem<T>& of) { return of.p.data; }
  __device__ const T* gather() const { return of_.p.data; }
  __device__ C* chunk_sums() const { return reinterpret_cast<C*>(of_.places.chunk_sums); }

  __device__ void take(int i, const C& row) const {
    StoreRowAndSquare<T>{of_.bounds, of_.q.data}(i, row);
    if (i < of_.bounds.first) of_.places.pairs[i] = {of_.r.data[i], of_.q.data[i]};
  }
  __device__ C term(int i) const { return SquareOfValue<T>{of_.q.data}.write(i, 0, of_.q.data[i]); }
  __device__ void end(const C& sum) const {
    of_.state->pq = sum;
    of_.sums->is_stepping = of_.state->active;
    CgAlpha<C>{of_.state}(0);
  }

 private:
  const CglsSystem<T>& of_;
};

/// s = c + A'(r - alpha q) and beta; also what x is out of, and the residuals of bounds.
template <class T, bool has_bounds>
class GradientOfStep {
  using C = Arithmetic<T>;

 public:
  using Sum = TwoSums<C>;
  using Gathered = SteppedResidualOf<T, has_bounds>;

  __device__ explicit GradientOfStep(const CglsSystem<T>& of) : of_(of), r_(of) {}
  static Gathered gathered(const CglsSystem<T>& of) { return {of}; }
  __device__ const SteppedResidual<T, has_bounds>& gather() const { return r_; }
  __device__ Sum* chunk_sums() const { return of_.places.chunk_sums; }

  __device__ void take(int i, const C& row) const {
    if constexpr (has_bounds) take_bound(of_.bounds, i, r_.stepped_unknown(i), of_.r.data);
    StoreGradient<T>{of_.bounds, of_.c, of_.s.data}(i, row);
  }
  __device__ Sum term(int i) const { return gradient_term(of_.bounds, i, of_.s.data[i]); }
  __device__ void end(const Sum& sum) const {
    of_.sums->gradient = sum;
    CglsNext<C>{&of_.sums->gradient, of_.state}(0);
  }

 private:
  const CglsSystem<T>& of_;
  SteppedResidual<T, has_bounds> r_;
};

/// The sum of at most a chunk's values read(k), 0 <= k < n, by half as many threads as there are
/// lanes, in thread 0; also of chunk sums, of which a round takes more.
template <class C, class Read>
__device__ C sum_by_half_block(int n, const Read& read) {
  constexpr int threads = sum_lanes / 2;
  static_assert(slice_threads == threads);
  const int l = static_cast<int>(threadIdx.x);
  const auto lane = [&](int first) {
    C sum(0);
    if (first >= n) return sum;
    sum = read(first);
#pragma unroll 4
    for (int k = first + sum_lanes; k < n; k += sum_lanes) sum = sum + read(k);
    return sum;
  };
  __shared__ C lanes[threads];
  C sum = lane(l);
  sum = sum + lane(l + threads);
  lanes[l] = sum;
  __syncthreads();
  for (int half = threads / 2; half >= 32; half /= 2) {
    if (l < half) lanes[l] = lanes[l] + lanes[l + half];
    __syncthreads();
  }
  if (l < 32) {
    sum = lanes[l];
    for (int half = 16; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  }
  return sum;
}

inline constexpr int slice_warps = slice_threads / row_lanes;

/// Sums the chunk, all of whose rows are there, and if it is the last one ends the sum of all.
template <class Part>
__device__ void end_chunk(const Part& part, unsigned* finished, int n, int chunk) {
  using C = typename Part::Sum;
  const int first = chunk * sum_chunk, chunks = (n + sum_chunk - 1) / sum_chunk;
  C* const sums = part.chunk_sums();
  const C sum =
      sum_by_half_block<C>(min(sum_chunk, n - first), [&](int k) { return part.term(first + k); });
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    finished[1 + chunk] = 0;
    if (chunks == 1) {
      part.end(sum);
      is_last = false;
    } else {
      sums[chunk] = sum;
      __threadfence();
      is_last = atomicAdd(finished, 1u) == static_cast<unsigned>(chunks - 1);
    }
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  const C all = sum_by_half_block<C>(chunks, [&](int k) { return sums[k]; });
  if (threadIdx.x != 0) return;
  *finished = 0;
  part.end(all);
}

/// After a warp has taken `rows` rows of a chunk, by all threads of a block, whose warps' chunks
/// ascend: sums what is complete.
template <class Part>
__device__ void end_rows(const Part& part, unsigned* finished, int n, int chunk, int rows) {
  __shared__ int chunks[slice_warps], counts[slice_warps];
  __shared__ bool are_complete[slice_warps];
  const int warp = static_cast<int>(threadIdx.x) / row_lanes;
  if (threadIdx.x % row_lanes == 0) {
    chunks[warp] = chunk;
    counts[warp] = rows;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // of all that the block has written
    for (int w = 0; w < slice_warps; ++w) {
      are_complete[w] = false;
      if (w + 1 < slice_warps && chunks[w + 1] == chunks[w]) {
        counts[w + 1] += counts[w];
      } else if (counts[w] > 0) {
        const unsigned of_chunk = static_cast<unsigned>(min(sum_chunk, n - chunks[w] * sum_chunk));
        const unsigned more = static_cast<unsigned>(counts[w]);
        are_complete[w] = atomicAdd(finished + 1 + chunks[w], more) + more == of_chunk;
      }
    }
  }
  __syncthreads();
  for (int w = 0; w < slice_warps; ++w) {
    if (!are_complete[w]) continue;
    __threadfence();
    end_chunk(part, finished, n, chunks[w]);
  }
}

/// Rows of a system and their sum: first slices, a thread a row, then laned rows, a warp a row;
/// chunked ones must be summed.
template <class Sum, class Part, class T>
__global__ void __launch_bounds__(slice_threads)
    sum_rows_then_kernel(const SlicedRows<T> A, int slice_blocks,
                         const __grid_constant__ CglsSystems<T> systems) {
  begin_kernel();
  const int column = static_cast<int>(blockIdx.x) % systems.count;
  const int block = static_cast<int>(blockIdx.x) / systems.count;
  const int thread = static_cast<int>(threadIdx.x);
  const CglsSystem<T>& of = systems.of[column];
  const Part part(of);
  const auto& x = part.gather();
  const LongRows<T>& longer = A.longer;
  int chunk = 0, rows = 0;  // of the warp
  if (block < slice_blocks) {
    const int k = block * slice_threads + thread, s = k / slice_rows;
    bool is_row = false;
    chunk = k / sorted_rows;
    if (s * slice_rows < A.nx) {
      const int i = chunk * sorted_rows + A.places[k];
      is_row = i < A.nx && position_of(longer, i) < 0;
      if (is_row) part.take(i, row_of_slice<Sum>(A, x, s, k % slice_rows, i));
    }
    rows = __popc(__ballot_sync(0xffffffffu, is_row));
  } else {
    const int k = ((block - slice_blocks) * slice_threads + thread) / row_lanes;
    const int i = longer.rows[min(k, longer.count - 1)];
    chunk = i / sum_chunk;
    if (k < longer.count) {
      const int lane = thread % row_lanes;
      const Arithmetic<T> sum = row_class(longer.lengths[k]) == RowClass::laned
                                    ? laned_row<Sum>(A, x, k, lane)
                                    : longer.products[k];
      if (lane == 0) part.take(i, Sum::finished(sum, A, i, own_of<Sum>(A, x, i)));
      rows = 1;
    }
  }
  end_rows(part, of.places.finished, A.nx, chunk, rows);
}

/// Part of each system, from the rows of A.
template <class Part, class T>
void sum_rows_then(const Cuda& on, const SlicedRows<T>& A, const CglsSystems<T>& systems) {
  using Sum = TermSum<OperatorForm::plain, Arithmetic<T>>;
  // The sums of chunked rows have one place, hence one system at a time.
  if (A.longer.chunked_rows > 0 && systems.count > 1) {
    for (int k = 0; k < systems.count; ++k) {
      sum_rows_then<Part>(on, A, CglsSystems<T>{1, {systems.of[k]}});
    }
    return;
  }
  sum_chunked_rows<Sum>(on, A, Part::gathered(systems.of[0]));
  const int slices = blocks_of(A.nx, slice_threads);
  const int all = slices + blocks_of(std::int64_t{A.longer.count} * row_lanes, slice_threads);
  launch<sum_rows_then_kernel<Sum, Part, T>>(on, static_cast<unsigned>(all * systems.count),
                                             slice_threads, 0, A, slices, systems);
}

/// x += alpha p, r -= alpha q, p = s + beta p of each system.
template <class T>
__global__ void __launch_bounds__(block_threads)
    take_step_kernel(const __grid_constant__ CglsSystems<T> systems) {
  using C = Arithmetic<T>;
  begin_kernel();
  const int column = static_cast<int>(blockIdx.x) % systems.count;
  const int block = static_cast<int>(blockIdx.x) / systems.count;
  const CglsSystem<T>& of = systems.of[column];
  const int k = block * block_threads + static_cast<int>(threadIdx.x);
  const bool is_stepping = of.sums->is_stepping != 0, goes_on = of.state->active != 0;
  const C alpha = of.state->alpha, beta = of.state->beta;
  if (k < of.x.nx) {
    const T x = of.x.data[k], p = of.p.data[k];
    const T next_x = T(fused(alpha, p, x)), next_p = T(fused(beta, p, of.s.data[k]));
    of.x.data[k] = is_stepping ? next_x : x;
    of.p.data[k] = goes_on ? next_p : p;
  }
  if (k < of.bounds.first) {
    const T r = of.r.data[k], next = T(fused(-alpha, of.q.data[k], r));
    of.r.data[k] = is_stepping ? next : r;
  }
}

}  // namespace kernels

/// An iteration of each system, or false where other kernels take less time.
template <class T>
bool iterate_in_few_kernels(const Cuda& on, const SlicedRows<T>& A, const SlicedRows<T>& transposed,
                            const CglsSystems<T>& systems) {
  static_assert(most_paired_bytes / 2 / sum_chunk <= sum_partial_chunk);  // one round of chunk sums
  const CglsSystem<T>& first = systems.of[0];
  if (first.places.finished == nullptr || has_near_rows(A) || has_near_rows(transposed))
    return false;
  const int m = first.bounds.first, n = transposed.nx;
  // Values that are read and written of so many places, by all systems.
  const auto count_values = [&](const Traffic& of_each, int places) {
    count(on, Traffic{of_each.reads * systems.count, of_each.writes * systems.count},
          Box{0, places, 0, 1}, sizeof(T));
  };
  on.count({0, A.moved_bytes + transposed.moved_bytes});
  count_values({1, 0}, n);
  count_values({1, 3}, A.nx);
  kernels::sum_rows_then<kernels::ProductOfDirection<T>>(on, A, systems);
  count_values({2, 0}, A.nx);
  count_values({first.c == nullptr ? 0 : 1, 1}, n);
  if (first.bounds.used()) {
    kernels::sum_rows_then<kernels::GradientOfStep<T, true>>(on, transposed, systems);
  } else {
    kernels::sum_rows_then<kernels::GradientOfStep<T, false>>(on, transposed, systems);
  }
  count_values({3, 2}, n);
  count_values({2, 1}, m);
  const int blocks = blocks_of(std::max(m, n), kernels::block_threads);
  kernels::launch<kernels::take_step_kernel<T>>(on, static_cast<unsigned>(blocks * systems.count),
                                                kernels::block_threads, 0, systems);
  return true;
}

}  // namespace ninefold
