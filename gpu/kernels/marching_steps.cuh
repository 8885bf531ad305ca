#pragma once
// One or two Jacobi steps in a pass, of warps that march up a grid
// (gpu/kernels/marching_strip.cuh).
//
// The meaning of a value comes from gpu/meaning/generic_row_operations.hpp.

#include <type_traits>

#include "gpu/kernels/marching_launch.cuh"
#include "gpu/kernels/marching_sources.cuh"
#include "gpu/kernels/passes.cuh"
#include "gpu/kernels/quotients.cuh"
#include "gpu/meaning/generic_row_operations.hpp"

namespace ninefold::kernels {

/// Steps whose rows follow each other, of one warp.
template <class T, int steps, class Source, bool reacts>
class MarchingSteps {
 public:
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>;
  static_assert(steps <= n, "a neighbour's columns are as many as steps");
  static_assert(2 * pairs_ahead + 2 + steps <= RowRing<T, n>::places,
                "or rows would be overwritten");

  struct Memory {
    typename RowRing<T, n>::Memory right;
    typename Source::Memory source;
  };

  /// The first row, j0, is even.
  __device__ MarchingSteps(const StepsProblem<T>& problem, const Source& source, Memory& memory,
                           const LaneColumns<T>& lane, int j0)
      : problem_(problem),
        lane_(lane),
        b_(memory.right, problem.b, lane.first, lane_of_warp(), j0),
        rows_(source, memory.source, problem.A, lane, j0) {}

  /// Begins to copy two rows.
  __device__ void fetch() {
    rows_.fetch();
    b_.fetch();
    b_.fetch();
    __pipeline_commit();
  }

  /// Row j of the source, with the cell below it; row j - steps is then in `after`.
  template <int parity>
  __device__ void advance(int j, const C& stiffness, const C& mass, Pack<T, n>& after) {
    y_.take(stiffness, mass);
#pragma unroll
    for (int s = steps - 1; s > 0; --s) diagonal_[s] = diagonal_[s - 1];
    set_diagonal(diagonal_[0]);
    LaneRow<T> next;
    if constexpr (!Source::is_zero) {
      next = rows_.template row<parity>(j);
      next.take_neighbours();
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      if (Source::is_zero && s == 0) {
        start(j - 1, after);
      } else {
        step(s, j - s - 1, next, after);
      }
      if (s + 1 < steps) {
#pragma unroll
        for (int c = 0; c < n; ++c) next.own[c] = after.value[c];
        next.take_neighbours();
      }
    }
  }

 private:
  __device__ C reaction() const {
    return reaction_of<reacts>(problem_.A);
  }

  /// That of the row below the last cell; one where there is no unknown.
  __device__ void set_diagonal(Divisors<Leading<T>, n>& diagonal) const {
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const FactoredEntries<T> entries{lane_.factors(c), y_.of_row_below(0), reaction()};
      const Leading<T> entry = FactoredForm::diagonal_in<Leading<T>>(entries);
      diagonal.value[c] = lane_.unknown[c] ? entry : Leading<T>(1);
    }
    diagonal.prepare();
  }

  /// The first step from zero, of this row.
  __device__ void start(int row, Pack<T, n>& after) const {
    using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
    const bool unknowns = has_unknowns(problem_.A, row);
    Leading<T> r[n], quotient[n];
#pragma unroll
    for (int c = 0; c < n; ++c) r[c] = b_[row].value[c];
    diagonal_[0].quotients(r, quotient);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      after.value[c] =
          unknowns && lane_.unknown[c] ? Start::value(problem_.omega, quotient[c]) : T(C(0));
    }
  }

  /// Step s of this row; `next` is the row above it before the step.
  __device__ void step(int s, int row, const LaneRow<T>& next, Pack<T, n>& after) {
    using Step = JacobiStep<FactoredForm, T, FactoredRows<T>>;
    VisitedRow<T> visited[n];
    before_[s].advance(lane_, y_.of_row_below(s), reaction(), next, visited);
    Leading<T> r[n], quotient[n];
#pragma unroll
    for (int c = 0; c < n; ++c) r[c] = Step::residual(b_[row].value[c], visited[c]);
    diagonal_[s].quotients(r, quotient);
    const bool unknowns = has_unknowns(problem_.A, row);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      after.value[c] = unknowns && lane_.unknown[c]
                           ? Step::value(problem_.omega, quotient[c], visited[c].x)
                           : T(visited[c].x);
    }
  }

  const StepsProblem<T>& problem_;
  const LaneColumns<T>& lane_;
  RowRing<T, n> b_;
  typename Source::Rows rows_;
  MarchingRows<T> before_[steps];  ///< what each step takes
  MarchingFactors<T, steps> y_;
  Divisors<Leading<T>, n> diagonal_[steps];  ///< of the row that each step is at
};

/// y after `steps` steps.
template <class T, int steps, class Source, bool reacts>
__global__ void __launch_bounds__(marching_threads, 4)
    marching_steps_kernel(const StepsProblem<T> problem, const Source source, const Parts parts) {
  using Steps = MarchingSteps<T, steps, Source, reacts>;
  __shared__ typename Steps::Memory memory[marching_warps];
  begin_kernel();
  const FactoredRows<T>& A = problem.A;
  const int warp = warp_of_grid();
  if (warp >= parts.warps) return;
  const WarpPart part = parts.of<T>(warp, lane_of_warp(), A.unknowns.j0, A.unknowns.j1);
  const LaneColumns<T> lane(A, part.first);
  const int begin = even_below(part.j0 - steps), end = part.j1 + steps;
  Steps march(problem, source, memory[warp % marching_warps], lane, begin);
  for (int k = 0; k < pairs_ahead; ++k) march.fetch();
  CellPair<T> cells(A, begin);
  const auto advance = [&](auto parity, int j, const CellPair<T>& now) {
    constexpr int k = decltype(parity)::value;
    Pack<T, Steps::n> after;
    march.template advance<k>(j, now.stiffness[k], now.mass[k], after);
    const int row = j - steps;
    if (part.writes && row >= part.j0 && row < part.j1) {
      store(problem.y, row, part.first, A.unknowns.i0, A.unknowns.i1, after);
    }
  };
  for (int j = begin; j < end; j += 2) {
    march.fetch();
    const CellPair<T> now = cells;
    cells = CellPair<T>(A, j + 2);
    __pipeline_wait_prior(pairs_ahead);
    advance(std::integral_constant<int, 0>(), j, now);
    advance(std::integral_constant<int, 1>(), j + 1, now);
  }
}

template <class T, class Source>
void launch_steps(const Cuda& on, const StepsProblem<T>& problem, const Source& source, int steps) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  with_reaction(problem.A, [&](auto reacts) {
    if (steps == 1) {
      launch_marching<marching_steps_kernel<T, 1, Source, reacts()>, T>(on, box.i1, box.height(),
                                                                        problem, source);
    } else {
      launch_marching<marching_steps_kernel<T, 2, Source, reacts()>, T>(on, box.i1, box.height(),
                                                                        problem, source);
    }
  });
}

}  // namespace ninefold::kernels
