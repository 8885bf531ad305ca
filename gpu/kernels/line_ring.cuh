#pragma once
// What rows need of lines along y, for warps that march up a grid
// (gpu/kernels/marching_strip.cuh): the same for all lanes.
//
// Why.  Read into registers ahead of its use, it would be moved at the end of each turn of the loop
// to where the next turn looks for it, which waits for the memory: a third of the time of a pass.
// So it goes through shared memory with the rows.

#include <cuda_pipeline.h>

#include "fem/matrix/factored_rows.hpp"

#include "gpu/kernels/marching_strip.cuh"

namespace ninefold::kernels {

/// A lane's number in its warp.
__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % warp_lanes;
}

/// `count` values for each pair of rows, each copied by a lane of its own; pair p in place p modulo
/// `places`.  Lanes wait for each other before they read them.
template <class C, int count>
class LineRing {
 public:
  static constexpr int places = 4;
  static_assert(pairs_ahead + 2 <= places, "or slower lanes would read what is overwritten");
  struct alignas(sizeof(C) * count < 16 ? sizeof(C) * count : 16) Values {
    C value[count];
  };
  using Memory = Values[places];

  /// From pair `pair` on, of which a lane copies *from, and of each next one what lies `stride`
  /// values further.  Places are as many as pairs are on their way, one that is read, and one that
  /// slower lanes still read.
  __device__ LineRing(Memory& memory, int pair, const C* from, int stride)
      : memory_(&memory[0]), from_(from), stride_(stride), pair_(pair) {}

  /// The pair that is copied next.
  __device__ int pair() const { return pair_; }
  /// Begins to copy it; zero where `is_there` is not so for a lane.
  template <bool inside>
  __device__ void fetch(bool is_there) {
    if (lane_of_warp() < count) {
      C* const to = &memory_[pair_ & (places - 1)].value[lane_of_warp()];
      if constexpr (inside) {
        __pipeline_memcpy_async(to, from_, sizeof(C));
      } else {
        __pipeline_memcpy_async(to, from_, sizeof(C), is_there ? 0 : sizeof(C));
      }
    }
    from_ += stride_;
    ++pair_;
  }
  __device__ const Values& operator[](int pair) const { return memory_[pair & (places - 1)]; }

 private:
  Values* memory_;
  const C* from_;
  int stride_, pair_;
};

/// The factors along y of the cells below rows j and j + 1, j even.
template <class T>
class CellPairs {
 public:
  using C = Arithmetic<T>;
  using Ring = LineRing<C, 4>;
  using Memory = typename Ring::Memory;
  struct Pair {
    C stiffness[2], mass[2];
  };

  /// From rows j and j + 1 on.
  __device__ CellPairs(Memory& memory, const FactoredRows<T>& A, int j)
      : ny_(A.ny),
        ring_(memory, j / 2,
              (lane_of_warp() < 2 ? A.y.stiffness : A.y.mass) + (j + lane_of_warp() % 2), 2) {}

  template <bool inside = false>
  __device__ void fetch() {
    const int cell = 2 * ring_.pair() + lane_of_warp() % 2;
    ring_.template fetch<inside>(cell >= 0 && cell <= ny_);
  }
  __device__ Pair operator[](int j) const {
    const typename Ring::Values& at = ring_[j / 2];
    return {{at.value[0], at.value[1]}, {at.value[2], at.value[3]}};
  }

 private:
  int ny_;
  Ring ring_;
};

}  // namespace ninefold::kernels
