#pragma once
// Kernels whose warps march up a grid: how a box is cut into their parts, and their launch.

#include <algorithm>

#include "gpu/kernels/marching_strip.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/launch.cuh"

namespace ninefold::kernels {

inline constexpr int marching_warps = 2;  ///< of a block; they have nothing in common
inline constexpr int marching_threads = marching_warps * warp_lanes;

/// A warp's number, which the compiler is to know as one for all of its lanes.
__device__ inline int warp_of_grid() {
  const int warp = __shfl_sync(all_lanes, static_cast<int>(threadIdx.x) / warp_lanes, 0);
  return static_cast<int>(blockIdx.x) * marching_warps + warp;
}

/// The largest even number that is not above j.
__device__ inline int even_below(int j) {
  return j & ~1;
}

/// Parts of `rows` rows whose columns end before `end`: whole waves of warps, of at most 256 rows
/// each, so that all multiprocessors are at work to the end; at least 4, since each part reads rows
/// of its neighbours, too.  Each warp writes `columns`.
inline Parts parts_of(int end, int rows, int resident_warps, int columns) {
  constexpr int most = most_part_rows, least = 4;
  const int strips = (end + columns - 1) / columns;
  const int at_once = std::max(1, resident_warps / strips);
  const int waves = (rows + most * at_once - 1) / (most * at_once);
  const int own = std::max(least, (rows + waves * at_once - 1) / (waves * at_once));
  return {strips, own, strips * ((rows + own - 1) / own)};
}

/// For columns before `end`, of which each warp writes so many, and so many rows.
template <auto kernel, int columns, class... Arguments>
void launch_strips(const Cuda& on, int end, int rows, const Arguments&... arguments) {
  const int blocks_at_once =
      on.resident_blocks(reinterpret_cast<const void*>(kernel), marching_threads);
  const Parts parts = parts_of(end, rows, blocks_at_once * marching_warps, columns);
  const int blocks = (parts.warps + marching_warps - 1) / marching_warps;
  launch<kernel>(on, static_cast<unsigned>(blocks), marching_threads, 0, arguments..., parts);
}
template <auto kernel, class T, class... Arguments>
void launch_marching(const Cuda& on, int end, int rows, const Arguments&... arguments) {
  launch_strips<kernel, strip_columns<T>>(on, end, rows, arguments...);
}

}  // namespace ninefold::kernels
