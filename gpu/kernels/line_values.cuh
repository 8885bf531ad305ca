#pragma once
// What rows need of lines along y, for warps that march up a grid
// (gpu/kernels/marching_strip.cuh): the same for all lanes.
//
// Why.  Read into registers ahead of its use, it would be moved at the end of each turn of the loop
// to where the next turn looks for it, which waits for the memory: a third of the time of a pass.
// So it goes through shared memory with the rows; what is computed from it, once for a part.

#include <cuda_pipeline.h>

#include "fem/matrix/factored_rows.hpp"

#include "gpu/kernels/marching_strip.cuh"
#include "gpu/kernels/quotients.cuh"

namespace ninefold::kernels {

/// A lane's number in its warp.
__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % warp_lanes;
}

/// A value for each pair of rows: that of pair p lies `stride` p values behind `from`.
template <class C>
struct LineValue {
  const C* from;
  int stride;
};

/// `count` of them, each copied by a lane of its own.  Lanes wait for each other before they read
/// them.
template <class C, int count>
class LineReader {
 public:
  static_assert(count <= warp_lanes);
  struct alignas(16) Values {
    C value[count];
  };

  /// What this lane copies, from a pair on.
  __device__ LineReader(const LineValue<C>& mine, int pair)
      : from_(mine.from + pair * std::ptrdiff_t{mine.stride}), stride_(mine.stride) {}

  /// Begins to copy those of the next pair; zero where is_there() is not so for a lane.
  template <bool inside, class IsThere>
  __device__ void fetch(Values& to, const IsThere& is_there) {
    if (lane_of_warp() < count) {
      C* const own = &to.value[lane_of_warp()];
      if constexpr (inside) {
        __pipeline_memcpy_async(own, from_, sizeof(C));
      } else {
        __pipeline_memcpy_async(own, from_, sizeof(C), is_there() ? 0 : sizeof(C));
      }
    }
    from_ += stride_;
  }

 private:
  const C* from_;  ///< of the next pair
  int stride_;
};

/// The factors along y of the cells below rows 2 p and 2 p + 1: of four lanes that follow each
/// other, the stiffnesses of both and their masses.
inline constexpr int cell_values = 4;
template <class T>
__device__ LineValue<Arithmetic<T>> cell_value(const FactoredRows<T>& A, int lane) {
  return {(lane < 2 ? A.y.stiffness : A.y.mass) + lane % 2, 2};
}
template <class T>
__device__ bool has_cell(const FactoredRows<T>& A, int pair, int lane) {
  const int cell = 2 * pair + lane % 2;
  return cell >= 0 && cell <= A.ny;
}
/// As they are staged.
template <class C>
struct CellPair {
  C stiffness[2], mass[2];
};

/// What Jacobi steps by a bound take of the rows of a part and of those around it, computed by its
/// warp before it marches; zero where there are no unknowns.
template <class T>
class RowInverses {
 public:
  using D = Leading<T>;
  /// With so many steps: each needs a row more on both sides, the first ones are those of an even
  /// row, and what is below it is found with it.
  static constexpr int most_rows(int steps) { return most_part_rows + 3 * steps + 2; }

  /// For `count` rows from `first` on; lanes wait for each other before they read them.
  __device__ RowInverses(InverseFactors<D>* memory, const FactoredRows<T>& A, int first, int count)
      : from_first_(memory), first_(first) {
    for (int k = lane_of_warp(); k < count; k += warp_lanes) {
      const int j = first + k;
      const bool unknown = j >= A.unknowns.j0 && j < A.unknowns.j1;
      memory[k] = {D(0), D(0)};
      if (unknown) memory[k] = inverse_factors<D>(A.y[j], A.reaction);
    }
  }
  __device__ const InverseFactors<D>& operator[](int j) const { return from_first_[j - first_]; }

 private:
  const InverseFactors<D>* from_first_;
  int first_;
};

}  // namespace ninefold::kernels
