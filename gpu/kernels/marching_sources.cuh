#pragma once
// Where the rows come from that fused Jacobi steps begin with, two at a time: a vector, zero, or a
// vector and its coarse correction.
//
// Shape.  A source is what a kernel is given; its Rows are what a warp makes of it, from an even
// row on.  fetch() begins to copy two rows, begin(j) comes before the first ones are used, and
// row<parity>(j) is called once for each, upwards, and has no neighbours yet; with `inside` as
// gpu/kernels/marching_strip.cuh has it.
//
// The meaning of a value comes from grids/transfer.hpp.

#include <type_traits>

#include "grids/transfer.hpp"

#include "gpu/kernels/line_ring.cuh"
#include "gpu/kernels/marching_strip.cuh"

namespace ninefold::kernels {

/// True if row j holds unknowns.
template <class T>
__device__ bool has_unknowns(const FactoredRows<T>& A, int j) {
  return j >= A.unknowns.j0 && j < A.unknowns.j1;
}

/// Steps begin with x.
template <class T>
struct FromVector {
  static constexpr int n = lane_columns<T>;
  static constexpr bool is_zero = false;

  Field<const T> x;

  struct Memory {
    typename RowRing<T, n>::Memory rows;
  };
  class Rows {
   public:
    __device__ Rows(const FromVector& from, Memory& memory, const FactoredRows<T>&,
                    const LaneColumns<T>& lane, int first_row)
        : x_(memory.rows, from.x, lane.first, lane_of_warp(), first_row) {}
    __device__ void begin(int) {}
    template <bool inside>
    __device__ void fetch() {
      x_.template fetch<inside>();
      x_.template fetch<inside>();
    }
    template <int parity, bool inside>
    __device__ LaneRow<T> row(int j) {
      LaneRow<T> row;
      const Pack<T, n> values = x_[j];
#pragma unroll
      for (int c = 0; c < n; ++c) row.own[c] = values.value[c];
      return row;
    }

   private:
    RowRing<T, n> x_;
  };
};

/// Stands for the ring of a vector that is not read.
template <class T>
struct NoRows {
  struct Memory {};
  __device__ NoRows(Memory&, const Field<const T>&, int, int, int) {}
  template <bool inside>
  __device__ void fetch() {}
  __device__ Pack<T, lane_columns<T>> operator[](int) const { return {}; }
};

/// They begin with zero: the first step needs no rows.
template <class T>
struct FromZero {
  static constexpr bool is_zero = true;

  struct Memory {};
  struct Rows {
    __device__ Rows(const FromZero&, Memory&, const FactoredRows<T>&, const LaneColumns<T>&, int) {}
    __device__ void begin(int) {}
    template <bool inside>
    __device__ void fetch() {}
  };
};

/// They begin with x + P c, or with P c, x being zero and not read.
template <class T, bool without_x = false>
struct FromSum {
  static constexpr bool x_is_zero = without_x;
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>, m = n / 2;
  static constexpr bool is_zero = false;

  Field<const T> x, c;
  Transfer<C> transfer;

  /// Two steps need the two columns behind those that are written, of which the last lane then
  /// interpolates the second.
  static constexpr bool to_the_end = n < 3;
  using Coarse = RowRing<T, m, to_the_end>;

  using Fine = std::conditional_t<x_is_zero, NoRows<T>, RowRing<T, n>>;

  using Weights = LineRing<C, 2>;

  struct Memory {
    typename Fine::Memory fine;
    typename Coarse::Memory coarse;
    typename Weights::Memory weights;
  };
  class Rows {
   public:
    __device__ Rows(const FromSum& from, Memory& memory, const FactoredRows<T>& A,
                    const LaneColumns<T>& lane, int first_row)
        : A_(A),
          lane_(lane),
          weights_(memory.weights, first_row / 2,
                   &from.transfer.y[first_row + 1].lower + lane_of_warp(), 4),
          x_(memory.fine, from.x, lane.first, lane_of_warp(), first_row),
          c_(memory.coarse, from.c, lane.first / 2, lane_of_warp(), first_row / 2) {
#pragma unroll
      for (int k = 0; k < m; ++k) {
        const int i = lane.first + 2 * k + 1;
        between_[k] = i >= 0 && i < A.nx ? from.transfer.x[i] : none;
      }
      c_.fetch();
    }
    __device__ void begin(int j) {
      interpolate(j / 2, south_);
    }
    template <bool inside>
    __device__ void fetch() {
      x_.template fetch<inside>();
      x_.template fetch<inside>();
      c_.template fetch<inside>();
      weights_.template fetch<inside>(has_unknowns(A_, 2 * weights_.pair() + 1));
    }
    template <int parity, bool inside>
    __device__ LaneRow<T> row(int j) {
      const bool unknowns = inside || has_unknowns(A_, j);
      const Pack<T, n> x = x_[j];
      C between[n];
      if constexpr (parity == 1) {
        C north[n];
        interpolate((j + 1) / 2, north);
        const typename Weights::Values weights = weights_[(j - 1) / 2];
        const C lower = weights.value[0], upper = weights.value[1];
#pragma unroll
        for (int k = 0; k < n; ++k) {
          between[k] = fused(upper, north[k], lower * south_[k]);
          south_[k] = north[k];
        }
      } else {
#pragma unroll
        for (int k = 0; k < n; ++k) between[k] = south_[k];
      }
      LaneRow<T> row;
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const C old = x_is_zero ? C(0) : C(x.value[k]);
        const C sum = T(old + between[k]);
        row.own[k] = unknowns && lane_.unknown[k] ? sum : old;
      }
      return row;
    }

   private:
    static constexpr TransferWeights<C> none{C(0), C(0)};

    /// Coarse row J at the fine columns, as prolong_at has it: where nodes coincide, 1 x + 0 x is
    /// x, but for infinities.
    __device__ void interpolate(int J, C (&row)[n]) const {
      C coarse[m + 1];
      const Pack<T, m> own = c_[J];
#pragma unroll
      for (int k = 0; k < m; ++k) coarse[k] = own.value[k];
      coarse[m] = __shfl_down_sync(all_lanes, coarse[0], 1);
      if constexpr (to_the_end) {
        if (lane_of_warp() == warp_lanes - 1) coarse[m] = c_.next(J).value[0];
      }
#pragma unroll
      for (int k = 0; k < m; ++k) {
        row[2 * k] = coarse[k];
        row[2 * k + 1] = fused(between_[k].upper, coarse[k + 1], between_[k].lower * coarse[k]);
      }
    }

    const FactoredRows<T>& A_;
    const LaneColumns<T>& lane_;
    Weights weights_;  ///< lower and upper, of the odd rows
    Fine x_;
    Coarse c_;
    TransferWeights<C> between_[m];  ///< of the odd columns
    C south_[n];
  };
};

}  // namespace ninefold::kernels
