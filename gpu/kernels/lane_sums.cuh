#pragma once
// Sums of the entries that lanes of a CUDA device have of rows, and what they read.
//
// Alignment.  Two neighbours are read at once: arrays begin at multiples of 256 bytes, slices at
// multiples of 32 values and columns, and pairs at even lanes.
//
// Tests.  tests/gpu/operations/sparse_operations_test.cpp

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "fem/sparse/sparse_rows.hpp"

#include "gpu/launch/launch_cuda.cuh"
#include "gpu/operations/two_sums.hpp"

namespace ninefold {

/// The value of the lane `distance` above in the warp; found beside its type by sums.
template <class C>
__device__ TwoSums<C> shuffle_down(TwoSums<C> value, int distance) {
  return {kernels::shuffle_down(value.first, distance),
          kernels::shuffle_down(value.second, distance)};
}

namespace kernels {

/// `rows` values that follow each other, read at once and for the last time: caches are left to x.
template <int rows, class V>
__device__ void read_last(const V* from, V (&value)[rows]) {
  constexpr std::size_t bytes = sizeof(value);
  using Word = std::conditional_t<
      bytes == 2, unsigned short,
      std::conditional_t<bytes == 4, unsigned, std::conditional_t<bytes == 8, uint2, uint4>>>;
  static_assert(sizeof(Word) == bytes);
  const Word word = __ldcs(reinterpret_cast<const Word*>(from));
  memcpy(value, &word, bytes);
}

/// What the values of x are compared with in row i; x is a pointer or, where a sum has no use of
/// them, anything else that has values by their columns.
template <class Sum, class T, class X>
__device__ OwnOf<Sum, T> own_of(const SparseRows<T>& A, const X& x, int i) {
  if constexpr (Sum::needs_here) {
    return OwnOf<Sum, T>(A, x, i);
  } else {
    return {};
  }
}

/// x as a kernel reads it, which may be what has been read of it before.
template <class T>
__device__ const T* opened(const T* x) {
  return x;
}

/// How entries are read: so many at once, and of the last batch those that are there or, the last
/// one again, as many as of others.
template <int of_batch, bool again>
struct Reading {
  static constexpr int batch = of_batch;
  static constexpr bool reads_again = again;
};

/// The columns of `rows` neighbouring lanes, each with its own: they lie as the values do, and
/// count from column_0 on.
template <class Column, int rows, int stride>
struct OwnColumns {
  struct Entry {
    Column of_lane[rows];
  };

  const Column* columns;
  int column_0;

  __device__ void read(int k, Entry& entry) const {
    read_last(columns + k * stride, entry.of_lane);
  }
  __device__ int of(const Entry& entry, int row) const { return column_0 + entry.of_lane[row]; }
};

/// The same where one offset tells the columns of all lanes.
template <int rows>
struct DiagonalColumns {
  using Entry = std::int32_t;

  const std::int32_t* offsets;
  int base[rows];

  __device__ void read(int k, Entry& entry) const { entry = __ldg(offsets + k); }
  __device__ int of(Entry entry, int row) const { return base[row] + entry; }
};

/// The sums of n > 0 entries of each of `rows` neighbouring lanes, one after the other: the k-th
/// values lie at k stride.  A batch of entries is read before
/// the first is used, and all of x that they meet: a lane waits twice for a batch.  Several
/// lanes read the last entries again, which takes fewer registers.
template <class Sum, int rows, class Reading, int stride, class V, class Columns, class T,
          class X = const T*>
class LaneSums {
 public:
  using Own = OwnOf<Sum, T>;

  __device__ LaneSums(const V* values, const Columns& columns, int n, const X& x,
                      const Own (&own)[rows])
      : values_(values), columns_(columns), x_(x), own_(own), n_(n) {
    if constexpr (Reading::reads_again) {
      add<true, false>(0);
#pragma unroll 1
      for (int k = batch; k < n; k += batch) add<false, false>(k);
    } else if (n < batch) {
      add<true, false>(0);
    } else {
      add<true, true>(0);
      int k = batch;
#pragma unroll 1
      for (; k + batch <= n; k += batch) add<false, true>(k);
      if (k < n) add<false, false>(k);
    }
  }

  __device__ Sum& of(int row) {
    return sums_[row];
  }

 private:
  using C = Arithmetic<T>;
  static constexpr int batch = Reading::batch;

  /// The entries of a batch from the k-th on, all of them or as many as are left.
  template <bool is_first, bool is_whole>
  __device__ void add(int k) {
    constexpr bool reads_all = is_whole || Reading::reads_again;
    V a[batch][rows];
    typename Columns::Entry j[batch];
    T x[batch][rows];
#pragma unroll
    for (int e = 0; e < batch; ++e) {
      if (!reads_all && k + e >= n_) break;
      const int at = is_whole ? k + e : min(k + e, n_ - 1);
      read_last(values_ + at * stride, a[e]);
      columns_.read(at, j[e]);
    }
#pragma unroll
    for (int e = 0; e < batch; ++e) {
      if (!reads_all && k + e >= n_) break;
#pragma unroll
      for (int row = 0; row < rows; ++row) x[e][row] = x_[columns_.of(j[e], row)];
    }
#pragma unroll
    for (int e = 0; e < batch; ++e) {
      const bool is_there = is_whole || k + e < n_;
      if (!reads_all && !is_there) break;
#pragma unroll
      for (int row = 0; row < rows; ++row) {
        const C entry = held_value<C>(a[e][row]), value = C(x[e][row]);
        const C here = own_[row].at(columns_.of(j[e], row));
        if (is_first && e == 0) {
          sums_[row] = Sum(entry, value, here);
        } else if (is_there) {  // no way out of the loop, or reads would wait behind it
          sums_[row].add(entry, value, here);
        }
      }
    }
  }

  const V* values_;
  const Columns& columns_;
  X x_;
  const Own (&own_)[rows];
  int n_;
  Sum sums_[rows];
};

/// The batch of a lane alone: the best of 2 to 8 on an H200.  Two lanes, or one whose neighbours
/// meet the same x, read as many again: the best of 5 to 9, and of 6 to 12, there.
template <class T>
using OfLane = Reading<(sizeof(T) > 8 ? 4 : 6), false>;
using OfPair = Reading<paired_entries, true>;
using OfNear = Reading<lone_entries, true>;

/// The sum of n > 0 terms, this being lane l of `lanes`.
template <class Sum, int lanes, class Reading, class T, class X>
__device__ Arithmetic<T> sum_of_lane(const T* values, const std::int32_t* columns, int n,
                                     const X& x, const OwnOf<Sum, T>& own, int l) {
  if (l >= n) return Arithmetic<T>(0);
  const OwnOf<Sum, T> of_lane[]{own};
  const OwnColumns<std::int32_t, 1, lanes> own_columns{columns + l, 0};
  return LaneSums<Sum, 1, Reading, lanes, T, OwnColumns<std::int32_t, 1, lanes>, T, X>(
             values + l, own_columns, (n - l + lanes - 1) / lanes, x, of_lane)
      .of(0)
      .value();
}

}  // namespace kernels

}  // namespace ninefold
