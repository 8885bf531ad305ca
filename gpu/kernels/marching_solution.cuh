#pragma once
// Rows of a solution in High that is corrected in place, for warps that march up a grid
// (gpu/kernels/marching_strip.cuh).
//
// Shape.  A lane's columns are those of Low, and may be 32 bytes of High: a warp then copies its
// row in two accesses of neighbouring pieces, and lanes find theirs in shared memory.  Of rows and
// columns that others correct nothing is read.

#include <cuda_pipeline.h>

#include "gpu/kernels/marching_strip.cuh"

namespace ninefold::kernels {

template <class T, int columns>
class SolutionRows {
 public:
  using C = Arithmetic<T>;
  static constexpr int n = columns;
  /// Of a pair that is read and those on their way: lanes wait for each other before the next.
  static constexpr int places = 8;
  static constexpr int piece = sizeof(T) * n > 16 ? 16 / static_cast<int>(sizeof(T)) : n;
  static constexpr int pieces = n / piece;  ///< of a lane
  using Piece = Pack<T, piece>;
  using Memory = Piece[places][pieces * warp_lanes];

  /// For the columns of a part before `nx`, from an even row on.
  __device__ SolutionRows(Memory& memory, const Field<const T>& x, int nx, const WarpPart& part,
                          int lane, int first_row)
      : memory_(&memory[0]),
        from_(x.data + std::ptrdiff_t{first_row} * x.pitch),
        pitch_(x.pitch),
        row_(first_row),
        lane_(lane),
        j0_(part.j0),
        j1_(part.j1) {
    const int strip = part.first - lane * n;
#pragma unroll
    for (int k = 0; k < pieces; ++k) {
      const int at = k * warp_lanes + lane, of_lane = at / pieces;
      column_[k] = strip + at * piece;
      is_there_[k] = of_lane > 0 && of_lane < warp_lanes - 1 && column_[k] < nx;
    }
  }

  /// Begins to copy two rows.
  __device__ void fetch() {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const bool is_row = row_ >= j0_ && row_ < j1_;
#pragma unroll
      for (int k = 0; k < pieces; ++k) {
        if (is_row && is_there_[k]) {
          __pipeline_memcpy_async(&memory_[row_ & (places - 1)][k * warp_lanes + lane_],
                                  from_ + column_[k], sizeof(Piece));
        }
      }
      from_ += pitch_;
      ++row_;
    }
  }
  __device__ void row(int j, C (&values)[n]) const {
#pragma unroll
    for (int k = 0; k < pieces; ++k) {
      const Piece at = memory_[j & (places - 1)][lane_ * pieces + k];
#pragma unroll
      for (int c = 0; c < piece; ++c) values[k * piece + c] = C(at.value[c]);
    }
  }

 private:
  Piece (*memory_)[pieces * warp_lanes];
  const T* from_;  ///< column 0 of the next row
  int pitch_, row_, lane_, j0_, j1_;
  int column_[pieces];
  bool is_there_[pieces];
};

}  // namespace ninefold::kernels
