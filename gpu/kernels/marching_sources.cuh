#pragma once
// Where the rows come from that fused Jacobi steps begin with, two at a time: a vector, zero, or a
// vector and its coarse correction.
//
// Shape.  A source is what a kernel is given; its Rows are what a warp makes of it, from an even
// row on, and its Slot what is staged of a pair of rows.  fetch() begins to copy a pair, begin()
// comes before the first one is used, and row<parity>(j) is called once for each row, upwards, and
// has no neighbours yet; with `inside` as gpu/kernels/marching_strip.cuh has it.
//
// The meaning of a value comes from grids/transfer.hpp.

#include <type_traits>

#include "grids/transfer.hpp"

#include "gpu/kernels/line_values.cuh"
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
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>;
  static constexpr bool is_zero = false;
  static constexpr int line_values = 0;

  Field<const T> x;

  using Reader = RowReader<T, n>;
  struct Slot {
    typename Reader::Row rows[2];
  };
  __device__ static LineValue<C> line_value(const FromVector&, int) { return {}; }
  class Rows {
   public:
    __device__ Rows(const FromVector& from, const FactoredRows<T>&, const LaneColumns<T>& lane,
                    int first_row)
        : x_(from.x, lane.first, lane_of_warp(), first_row) {}
    __device__ void fetch_before(Slot&) {}
    __device__ void begin(const Slot&) {}
    template <bool inside>
    __device__ void fetch(Slot& to) {
      x_.template fetch<inside>(to.rows);
    }
    template <int parity, bool inside>
    __device__ LaneRow<T> row(int, const Slot& slot, const C*) {
      LaneRow<T> row;
      const Pack<T, n> values = slot.rows[parity].of(lane_of_warp());
#pragma unroll
      for (int c = 0; c < n; ++c) row.own[c] = values.value[c];
      return row;
    }

   private:
    Reader x_;
  };
};

/// They begin with zero: the first step needs no rows.
template <class T>
struct FromZero {
  static constexpr bool is_zero = true;
  static constexpr int line_values = 0;

  struct Slot {};
  __device__ static LineValue<Arithmetic<T>> line_value(const FromZero&, int) { return {}; }
  struct Rows {
    __device__ Rows(const FromZero&, const FactoredRows<T>&, const LaneColumns<T>&, int) {}
    __device__ void fetch_before(Slot&) {}
    __device__ void begin(const Slot&) {}
    template <bool inside>
    __device__ void fetch(Slot&) {}
  };
};

/// They begin with x + P c, or with P c, x being zero and not read.
template <class T, bool without_x = false>
struct FromSum {
  static constexpr bool x_is_zero = without_x;
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>, m = n / 2;
  static constexpr bool is_zero = false;
  static constexpr int line_values = 2;  ///< the weights of the odd row, where it holds unknowns

  Field<const T> x, c;
  Transfer<C> transfer;

  /// Two steps need the two columns behind those that are written, of which the last lane then
  /// interpolates the second.
  static constexpr bool to_the_end = n < 3;
  using Coarse = RowReader<T, m, to_the_end>;
  using Fine = RowReader<T, n>;

  struct NoRows {};
  struct FineRows {
    typename Fine::Row rows[2];
  };
  /// With the coarse row above the pair.
  struct Slot : std::conditional_t<x_is_zero, NoRows, FineRows> {
    typename Coarse::Row coarse;
  };
  __device__ static LineValue<C> line_value(const FromSum& from, int lane) {
    return {&from.transfer.y[1].lower + lane, 4};
  }
  class Rows {
   public:
    __device__ Rows(const FromSum& from, const FactoredRows<T>& A, const LaneColumns<T>& lane,
                    int first_row)
        : A_(A),
          lane_(lane),
          x_(from.x, lane.first, lane_of_warp(), first_row),
          c_(from.c, lane.first / 2, lane_of_warp(), first_row / 2) {
#pragma unroll
      for (int k = 0; k < m; ++k) {
        const int i = lane.first + 2 * k + 1;
        const bool is_used = x_is_zero ? lane.unknown[2 * k + 1] : i >= 0 && i < A.nx;
        between_[k] = is_used ? from.transfer.x[i] : none;
      }
    }
    /// The coarse row of the first pair.
    __device__ void fetch_before(Slot& to) {
      c_.fetch(to.coarse);
    }
    __device__ void begin(const Slot& before) {
      interpolate(before.coarse, south_);
    }
    template <bool inside>
    __device__ void fetch(Slot& to) {
      if constexpr (!x_is_zero) x_.template fetch<inside>(to.rows);
      c_.template fetch<inside>(to.coarse);
    }
    /// `weights` are the two of the odd row.
    template <int parity, bool inside>
    __device__ LaneRow<T> row(int j, const Slot& slot, const C* weights) {
      const bool unknowns = inside || has_unknowns(A_, j);
      C between[n];
      if constexpr (parity == 1) {
        C north[n];
        interpolate(slot.coarse, north);
        const C lower = weights[0], upper = weights[1];
#pragma unroll
        for (int k = 0; k < n; ++k) {
          between[k] = fused(upper, north[k], lower * south_[k]);
          south_[k] = north[k];
        }
      } else {
#pragma unroll
        for (int k = 0; k < n; ++k) between[k] = south_[k];
      }
      Pack<T, n> x;
      if constexpr (!x_is_zero) x = slot.rows[parity].of(lane_of_warp());
      LaneRow<T> row;
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const C old = x_is_zero ? C(0) : C(x.value[k]);
        const C sum = T(old + between[k]);
        row.own[k] = unknowns && (x_is_zero || lane_.unknown[k]) ? sum : old;
      }
      return row;
    }

   private:
    static constexpr TransferWeights<C> none{C(0), C(0)};

    /// A coarse row at the fine columns, as prolong_at has it: where nodes coincide, 1 x + 0 x is
    /// x, but for infinities.  Without x, zero in columns without unknowns.
    __device__ void interpolate(const typename Coarse::Row& from, C (&row)[n]) const {
      C coarse[m + 1];
      const Pack<T, m> own = from.of(lane_of_warp());
#pragma unroll
      for (int k = 0; k < m; ++k) coarse[k] = own.value[k];
      coarse[m] = __shfl_down_sync(all_lanes, coarse[0], 1);
      if constexpr (to_the_end) {
        if (lane_of_warp() == warp_lanes - 1) coarse[m] = from.of_next().value[0];
      }
#pragma unroll
      for (int k = 0; k < m; ++k) {
        row[2 * k] = !x_is_zero || lane_.unknown[2 * k] ? coarse[k] : C(0);
        row[2 * k + 1] = fused(between_[k].upper, coarse[k + 1], between_[k].lower * coarse[k]);
      }
    }

    const FactoredRows<T>& A_;
    const LaneColumns<T>& lane_;
    Fine x_;
    Coarse c_;
    TransferWeights<C> between_[m];  ///< of the odd columns
    C south_[n];
  };
};

}  // namespace ninefold::kernels
