#pragma once
// What ends a visit for a solution in High, in one pass: the coarse correction in Low, prolongated,
// two Jacobi steps on it, and the solution that is corrected by it: the interpolated one of the
// coarser level, to which both steps are added by themselves, or one that is there.
//
// Shape.  Warps march up a grid (gpu/kernels/marching_strip.cuh), a lane's columns being those of
// Low: the steps are two rows behind the prolongation, and the solution keeps up with them. On
// smaller grids blocks have tiles (gpu/kernels/tile_passes.cuh).
//
// The meaning of a value comes from gpu/meaning/generic_row_operations.hpp, grids/transfer.hpp and
// gpu/meaning/generic_nested_operations.hpp.

#include "gpu/kernels/marching_interpolation.cuh"
#include "gpu/kernels/marching_solution.cuh"
#include "gpu/kernels/marching_steps.cuh"
#include "gpu/kernels/tile_interpolation.cuh"
#include "gpu/kernels/tile_passes.cuh"
#include "gpu/meaning/generic_nested_operations.hpp"

namespace ninefold::kernels {

inline constexpr int correction_steps = 2;

/// What is corrected: I c.
template <class High>
struct FromInterpolated {
  using C = Arithmetic<High>;
  /// Pairs of rows on their way: with two, registers are missed.
  static constexpr int ahead = 1;

  /// The correction is the value before the last step and what that adds, each with its own
  /// rounding: see nested_correction of gpu/operations/nested_operations.hpp.
  template <class Low>
  __device__ static High corrected(const C& up, const Low& e, const Low& change, const Low&,
                                   const High& before) {
    using Corrected = InterpolatedAndCorrected<High, Low>;
    return Corrected::value(up, change, Corrected::value(up, e, before));
  }

  Field<const High> c;
  CubicTransfer<C> cubic;

  /// Of a warp that marches, n columns in a lane.
  template <int n>
  class Rows {
    using Interpolated = InterpolatedRows<High, n, (n < 4), false, false>;

   public:
    using Memory = typename Interpolated::Memory;
    __device__ Rows(Memory& memory, const FromInterpolated& from, const Field<High>&,
                    const Box& unknowns, const bool (&unknown)[n], const WarpPart& part, int row)
        : rows_(memory, unknowns, unknown, from.c, from.cubic, part.first, row) {}
    __device__ void fetch_before() { rows_.fetch_before(); }
    template <bool inside>
    __device__ void fetch() {
      rows_.template fetch<inside>();
    }
    __device__ void begin(int row) { rows_.begin(row); }
    /// Before the next two rows are fetched.
    __device__ void wait_for_lanes() const {}
    template <int parity, bool inside>
    __device__ void row(int j, C (&values)[n]) {
      if constexpr (parity == 0) {
        rows_.template even_row<inside>(j, values);
      } else {
        rows_.template odd_row<inside>(j, values);
      }
    }

   private:
    Interpolated rows_;
  };

  /// Of a thread of a tile.
  class Tile {
   public:
    using Memory = typename TileInterpolation<High>::Memory;
    __device__ Tile(Memory& memory, const FromInterpolated& from, const TilePlace& at)
        : interpolation_(memory, from.c, from.cubic, at) {}
    __device__ void read(const Field<High>&, const TilePlace&, const bool (&)[2]) {
      interpolation_.read();
    }
    __device__ void values(const bool (&unknown)[2], C (&before)[2]) const {
      interpolation_.values(unknown, before);
    }

   private:
    TileInterpolation<High> interpolation_;
  };
};

/// The same: x as it is.
template <class High>
struct FromSolution {
  using C = Arithmetic<High>;
  static constexpr int ahead = 2;

  template <class Low>
  __device__ static High corrected(const C& up, const Low&, const Low&, const Low& after,
                                   const High& before) {
    return InterpolatedAndCorrected<High, Low>::value(up, after, before);
  }

  template <int n>
  class Rows {
    using Solution = SolutionRows<High, n>;
    static_assert(Solution::places >= 2 * (ahead + 1));

   public:
    using Memory = typename Solution::Memory;
    __device__ Rows(Memory& memory, const FromSolution&, const Field<High>& x, const Box& unknowns,
                    const bool (&)[n], const WarpPart& part, int row)
        : rows_(memory, x, unknowns.i1, part, lane_of_warp(), row) {}
    __device__ void fetch_before() {}
    template <bool inside>
    __device__ void fetch() {
      rows_.fetch();
    }
    __device__ void begin(int) {}
    __device__ void wait_for_lanes() const { __syncwarp(); }
    template <int parity, bool inside>
    __device__ void row(int j, C (&values)[n]) const {
      rows_.row(j, values);
    }

   private:
    Solution rows_;
  };

  class Tile {
   public:
    struct Memory {};
    __device__ Tile(Memory&, const FromSolution&, const TilePlace&) {}
    /// Nothing of what other blocks correct.
    __device__ void read(const Field<High>& x, const TilePlace& at, const bool (&unknown)[2]) {
      const bool own[2] = {unknown[0] && at.writes(), unknown[1] && at.writes()};
      High values[2];
      read_unknowns<High>(x, at, own, values);
#pragma unroll
      for (int k = 0; k < 2; ++k) before_[k] = C(values[k]);
    }
    __device__ void values(const bool (&)[2], C (&before)[2]) const {
      before[0] = before_[0];
      before[1] = before_[1];
    }

   private:
    C before_[2];
  };
};

/// x = what is corrected + up e, e being what steps end in.
template <class High, class Low, class Before>
struct CorrectionProblem {
  StepsProblem<Low> steps;  ///< without y
  FromSum<Low, true> sum;
  Before before;
  const RefinementState<Arithmetic<High>>* state;
  Field<High> x;
};

template <class High, class Low, class Before, bool reacts, Divisor divisor>
__global__ void __launch_bounds__(marching_threads, 6)  // with 8 blocks most values would spill
    nested_correction_kernel(const CorrectionProblem<High, Low, Before> problem,
                             const Parts parts) {
  using Steps = MarchingSteps<Low, correction_steps, FromSum<Low, true>, reacts, divisor>;
  constexpr int n = Steps::n, ahead = Before::ahead;
  static_assert(ahead <= pairs_ahead, "for which slots have places");
  using Solution = typename Before::template Rows<n>;
  __shared__ typename Steps::Memory steps_memory[marching_warps];
  __shared__ typename Solution::Memory solution_memory[marching_warps];
  let_next_start();
  const FactoredRows<Low>& A = problem.steps.A;
  const int warp = warp_of_grid(), in_block = warp % marching_warps;
  const WarpPart part = parts.of<Low>(warp, lane_of_warp(), A.unknowns.j0, A.unknowns.j1);
  const LaneColumns<Low> lane(A, part.first);
  // Rows of the prolongation; those of the solution are two below.
  const int begin = even_below(part.j0 - correction_steps), end = part.j1 + correction_steps;
  Steps march(problem.steps, problem.sum, steps_memory[in_block], lane, begin, end + 1 - begin);
  Solution solution(solution_memory[in_block], problem.before, problem.x, A.unknowns, lane.unknown,
                    part, begin - correction_steps);
  wait_for_kernels_before();
  if (warp >= parts.warps) return;
  const auto fetch = [&](auto is_inside) {
    constexpr bool inside = decltype(is_inside)::value;
    solution.template fetch<inside>();
    march.template fetch<inside>();
  };
  solution.fetch_before();
  march.fetch_before();
  for (int k = 0; k < ahead; ++k) fetch(std::false_type());
  const Arithmetic<High> up = problem.state->up;
  RowWriter<High, n> x(problem.x, begin - correction_steps, part.first, A.unknowns.i0,
                       A.unknowns.i1, part.writes);
  const auto advance = [&](auto parity, auto is_inside, const typename Steps::RowPair& pair) {
    constexpr int k = decltype(parity)::value;
    constexpr bool inside = decltype(is_inside)::value;
    typename Steps::Stepped e;
    march.template advance<k, inside>(pair, e);
    const int row = pair.row + k - correction_steps;
    Arithmetic<High> before[n];
    solution.template row<k, inside>(row, before);
    Pack<High, n> after;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      after.value[c] = Before::corrected(up, e.before.value[c], e.change.value[c], e.after.value[c],
                                         High(before[c]));
    }
    x.write(row >= part.j0 && row < part.j1, after);
  };
  const auto advance_two = [&](auto is_inside, int j) {
    solution.wait_for_lanes();
    fetch(is_inside);
    __pipeline_wait_prior(ahead);
    __syncwarp();  // coarse rows, solutions and what lies along y are read across lanes
    const auto pair = march.pair(j);
    advance(std::integral_constant<int, 0>(), is_inside, pair);
    advance(std::integral_constant<int, 1>(), is_inside, pair);
  };
  __pipeline_wait_prior(ahead - 1);
  __syncwarp();
  solution.begin(begin - correction_steps);
  march.begin(begin);
  // Odd rows of the solution are inside where they are not in the first coarse cell.
  for_pairs(begin, end, march.first_inside() + correction_steps, march.last_inside(), advance_two);
}

template <class High, class Low, class Before>
__global__ void __launch_bounds__(tile_threads) tile_nested_correction_kernel(
    const __grid_constant__ CorrectionProblem<High, Low, Before> problem) {
  using Steps = TileSteps<Low, correction_steps, FromSum<Low, true>>;
  using C = Arithmetic<High>;
  __shared__ typename Steps::Memory memory;
  __shared__ typename Before::Tile::Memory solution_memory;
  let_next_start();
  const TilePlace at = TilePlace::of_thread();
  Steps steps(problem.steps, problem.sum, memory, at);
  typename Before::Tile solution(solution_memory, problem.before, at);
  wait_for_kernels_before();
  solution.read(problem.x, at, steps.factors.unknown);
  steps.read();
  const C up = problem.state->up;
  C before[2];
  solution.values(steps.factors.unknown, before);
  typename Steps::Stepped e;
  steps.run(e);
  High x[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    x[k] = Before::corrected(up, e.before[k], e.change[k], Low(e.after[k]), High(before[k]));
  }
  write_tile(problem.x, at, steps.factors.unknown, x);
}

template <class High, class Low, class Before>
void launch_nested_correction(const Cuda& on, FusedBy by,
                              const CorrectionProblem<High, Low, Before>& problem) {
  const FactoredRows<Low>& A = problem.steps.A;
  const Box& box = A.unknowns;
  if (box.empty()) return;
  if (by == FusedBy::size) by = fused_by<Low>(on, A.nx, A.ny);
  if (by == FusedBy::tiles) {
    return launch<tile_nested_correction_kernel<High, Low, Before>>(on, tiles_of(box), tile_threads,
                                                                    0, problem);
  }
  with_reaction(A, [&](auto reacts) {
    with_divisor(problem.steps.relaxations.divisor, [&](auto divisor) {
      launch_marching<nested_correction_kernel<High, Low, Before, reacts(), divisor()>, Low>(
          on, box.i1, box.height(), problem);
    });
  });
}

}  // namespace ninefold::kernels
