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
template <class T, int steps, class Source, bool reacts, Divisor divisor>
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
    for (int s = steps - 1; s > 0; --s) divisors_[s] = divisors_[s - 1];
    set_divisors();
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

  using D = Leading<T>;
  static constexpr bool by_bound = divisor == Divisor::bound;

  /// Those of the row below the last cell; one where there is no unknown.
  __device__ void set_divisors() {
    D value[n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const FactoredEntries<T> entries{lane_.factors(c), y_.of_row_below(0), reaction()};
      const D entry =
          by_bound ? FactoredForm::bound_in<D>(entries) : FactoredForm::diagonal_in<D>(entries);
      value[c] = lane_.unknown[c] ? entry : D(1);
    }
    if constexpr (by_bound) {
      divisors_[0] = Inverses<D, n>::of(value);
    } else {
      divisors_[0] = Divisors<D, n>::of(value);
    }
  }

  /// The first step from zero, of this row.
  __device__ void start(int row, Pack<T, n>& after) const {
    using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
    const bool unknowns = has_unknowns(problem_.A, row);
    D r[n];
#pragma unroll
    for (int c = 0; c < n; ++c) r[c] = b_[row].value[c];
    const Weighed weighed = weigh(0, r);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      after.value[c] =
          unknowns && lane_.unknown[c] ? Start::value(weighed.part[c], weighed.of[c]) : T(C(0));
    }
  }

  /// The correction as a product.
  struct Weighed {
    D part[n], of[n];
  };
  /// The residual r of step s.
  __device__ Weighed weigh(int s, const D (&r)[n]) const {
    Weighed weighed;
    if constexpr (by_bound) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
        weighed.part[c] = problem_.relaxations.damping[s] * divisors_[s].value[c];
        weighed.of[c] = r[c];
      }
    } else {
#pragma unroll
      for (int c = 0; c < n; ++c) weighed.part[c] = problem_.relaxations.damping[s];
      divisors_[s].quotients(r, weighed.of);
    }
    return weighed;
  }

  /// Step s of this row; `next` is the row above it before the step.
  __device__ void step(int s, int row, const LaneRow<T>& next, Pack<T, n>& after) {
    using Step = JacobiStep<FactoredForm, T, FactoredRows<T>>;
    VisitedRow<T> visited[n];
    before_[s].advance(lane_, y_.of_row_below(s), reaction(), next, visited);
    D r[n];
#pragma unroll
    for (int c = 0; c < n; ++c) r[c] = Step::residual(b_[row].value[c], visited[c]);
    const Weighed weighed = weigh(s, r);
    const bool unknowns = has_unknowns(problem_.A, row);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      after.value[c] = unknowns && lane_.unknown[c]
                           ? Step::value(weighed.part[c], weighed.of[c], visited[c].x)
                           : T(visited[c].x);
    }
  }

  const StepsProblem<T>& problem_;
  const LaneColumns<T>& lane_;
  RowRing<T, n> b_;
  typename Source::Rows rows_;
  MarchingRows<T> before_[steps];  ///< what each step takes
  MarchingFactors<T, steps> y_;
  /// Of the row that each step is at.
  std::conditional_t<by_bound, Inverses<D, n>, Divisors<D, n>> divisors_[steps];
};

/// y after `steps` steps.
template <class T, int steps, class Source, bool reacts, Divisor divisor>
__global__ void __launch_bounds__(marching_threads, 4)
    marching_steps_kernel(const StepsProblem<T> problem, const Source source, const Parts parts) {
  using Steps = MarchingSteps<T, steps, Source, reacts, divisor>;
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
    const auto run = [&](auto divisor) {
      if (steps == 1) {
        launch_marching<marching_steps_kernel<T, 1, Source, reacts(), divisor()>, T>(
            on, box.i1, box.height(), problem, source);
      } else {
        launch_marching<marching_steps_kernel<T, 2, Source, reacts(), divisor()>, T>(
            on, box.i1, box.height(), problem, source);
      }
    };
    if (problem.relaxations.divisor == Divisor::bound) {
      run(std::integral_constant<Divisor, Divisor::bound>());
    } else {
      run(std::integral_constant<Divisor, Divisor::diagonal>());
    }
  });
}

}  // namespace ninefold::kernels
