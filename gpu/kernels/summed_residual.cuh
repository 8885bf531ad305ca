#pragma once
// Residuals whose squares may be summed as blocks march up the columns of a chunk
// (gpu/kernels/marching_sums.cuh): which they are, what a thread begins with and leaves of them,
// and the sum of a row.
//
// Rounding.  The order of gpu/backend/summation.hpp.

#include <concepts>
#include <cstring>
#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/unnormalised_pair.hpp"

#include "grids/field.hpp"

#include "gpu/backend/summation.hpp"
#include "gpu/kernels/marching_launch.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/climbing.hpp"
#include "gpu/launch/climbing_neighbours.cuh"
#include "gpu/meaning/generic_mixed_operations.hpp"
#include "gpu/meaning/generic_nested_operations.hpp"
#include "gpu/meaning/generic_row_operations.hpp"
#include "gpu/meaning/two_values.hpp"

namespace ninefold::kernels {

using SinglesInMemory = PairInMemory<float>;

/// Numbers of 8 bytes, whose two neighbours are one access.
template <class T>
concept Marching =
    std::same_as<T, double> || std::same_as<T, DoubleSingle> || std::same_as<T, SinglesInMemory>;

/// What a sum leaves at its nodes, in the columns of a thread: nothing ...
template <class F>
struct LeftBySum {
  static constexpr bool is_residual = false;
};
template <Marching T, class Rows>
struct LeftBySum<ResidualSquare<FactoredForm, T, Rows>> {
  static constexpr bool is_residual = true;
  __device__ explicit LeftBySum(const ResidualSquare<FactoredForm, T, Rows>&) {}
  template <bool odd>
  __device__ void write(int, int, int, const T (&)[neighbours]) const {}
};
/// ... or the residual, which becomes a V before it is scaled and rounded.
template <class Low, class V>
struct LeavesRounded {
  static constexpr bool is_residual = true;
  const Field<Low>& r;
  V down;

  /// Of columns i and i + 1, as far as they lie before `end`; by all lanes of a warp.
  template <bool odd, class T>
  __device__ void write(int i, int end, int j, const T (&value)[neighbours]) const {
    using Two = AlignedValues<Low, 2>;
    const Two own{narrowed<Low>(down * static_cast<V>(value[0])),
                  narrowed<Low>(down * static_cast<V>(value[1]))};
    Low* const to = r.row(j) + i;
    if constexpr (!odd) {
      if (i + 1 < end) {
        *reinterpret_cast<Two*>(to) = own;
      } else if (i < end) {
        to[0] = own.value[0];
      }
      return;
    }
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const Two aligned{own.value[1], of_next_lane(own.value[0])};
    if (lane == 0 && i < end) to[0] = own.value[0];
    if (lane < warp_lanes - 1 && i + 2 < end) {
      *reinterpret_cast<Two*>(to + 1) = aligned;
    } else if (i + 1 < end) {
      to[1] = own.value[1];
    }
  }

 private:
  __device__ static Low of_next_lane(const Low& value) {
    using Bits = std::conditional_t<sizeof(Low) == 8, double,
                                    std::conditional_t<sizeof(Low) == 4, float, unsigned short>>;
    static_assert(sizeof(Bits) == sizeof(Low));
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits = static_cast<Bits>(__shfl_down_sync(all_lanes, bits, 1));
    Low next;
    std::memcpy(&next, &bits, sizeof bits);
    return next;
  }
};
template <Marching T, class Low, class Rows>
struct LeftBySum<ResidualRounded<FactoredForm, T, Low, Rows>> : LeavesRounded<Low, T> {
  __device__ explicit LeftBySum(const ResidualRounded<FactoredForm, T, Low, Rows>& f)
      : LeavesRounded<Low, T>{f.r, f.state->down} {}
};
template <class Low>
struct LeftBySum<UnnormalisedResidual<float, Low>> : LeavesRounded<Low, float> {
  __device__ explicit LeftBySum(const UnnormalisedResidual<float, Low>& f)
      : LeavesRounded<Low, float>{f.r, f.state->down.high} {}
};

template <class F>
concept SummedResidual = LeftBySum<F>::is_residual;
/// What its rows are of.
template <SummedResidual F>
using MarchedBy = typename decltype(F::A)::Value;

inline constexpr int march_threads = sum_chunk / neighbours;
/// Rows that are summed at once, and those of a block at most.
inline constexpr int march_batch = 2, most_march_rows = most_part_rows;

/// The nodes around columns i and i + 1 of a row, i odd or even.
template <bool odd, Marching T>
__device__ NeighbourNodes<Arithmetic<T>, neighbours> nodes_around(const T* at) {
  if constexpr (odd) {
    using Two = AlignedValues<T, 2>;
    const Two west = *reinterpret_cast<const Two*>(at - 1),
              east = *reinterpret_cast<const Two*>(at + 1);
    return {{west.value[0], west.value[1], east.value[0], east.value[1]}};
  } else {
    return NeighbourNodes<Arithmetic<T>, neighbours>::around(at);
  }
}

/// Columns i and i + 1 before row j, whose factors along y are those of the row before.
template <bool odd, class F, Marching T>
__device__ void start_climbs(const F& f, int i, int j, const NodeFactors<Arithmetic<T>>& y,
                             const Arithmetic<T>& reaction, Climb<T> (&climb)[neighbours]) {
  using C = Arithmetic<T>;
  const auto south = nodes_around<odd>(f.x.row(j - 1) + i),
             here = nodes_around<odd>(f.x.row(j) + i);
  const LineFactors<C>& line = f.A.x;
  // Beside the last node there is one cell, and no other.
  const int beside = min(i + neighbours, f.A.nx);
  const C stiffness[neighbours + 1]{line.stiffness[i], line.stiffness[i + 1],
                                    line.stiffness[beside]};
  const C mass[neighbours + 1]{line.mass[i], line.mass[i + 1], line.mass[beside]};
  const NodeFactors<C> below{y.after, C(0), y.mass_after, C(0)};
#pragma unroll
  for (int c = 0; c < neighbours; ++c) {
    const NodeFactors<C> x{stiffness[c], stiffness[c + 1], mass[c], mass[c + 1]};
    climb[c].start(FactoredEntries<T>{x, below, reaction}, south[c], here[c]);
  }
}

/// The sum of a row's squares, of which a chunk has `count`, by a warp; its lane 0 has it.
template <Marching T>
__device__ T sum_chunk_of_warp(const T* square, int count) {
  constexpr int held = sum_lanes / warp_lanes;
  T lanes[held];
#pragma unroll
  for (int m = 0; m < held; ++m) {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes + m * warp_lanes;
    lanes[m] = lane < count ? square[lane] : T(0);
#pragma unroll
    for (int k = sum_lanes; k < sum_chunk; k += sum_lanes) {
      if (lane + k < count) lanes[m] = lanes[m] + square[lane + k];
    }
  }
#pragma unroll
  for (int half = held / 2; half > 0; half /= 2) {
#pragma unroll
    for (int m = 0; m < half; ++m) lanes[m] = lanes[m] + lanes[m + half];
  }
  T sum = lanes[0];
#pragma unroll
  for (int half = warp_lanes / 2; half > 0; half /= 2) sum = sum + shuffle_down(sum, half);
  return sum;
}

/// run(reacts, odd), constants, for a matrix and a box.
template <class Rows, class Run>
void with_march(const Rows& A, const Box& box, const Run& run) {
  with_reaction(A, [&](auto reacts) {
    if (box.i0 % 2 != 0) {
      run(reacts, std::true_type());
    } else {
      run(reacts, std::false_type());
    }
  });
}

}  // namespace ninefold::kernels
