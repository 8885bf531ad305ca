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
    typename CellPairs<T>::Memory cells;
    typename Source::Memory source;
  };

  /// The first row, j0, is even.
  __device__ MarchingSteps(const StepsProblem<T>& problem, const Source& source, Memory& memory,
                           const LaneColumns<T>& lane, int j0)
      : problem_(problem),
        lane_(lane),
        b_(memory.right, problem.b, lane.first, lane_of_warp(), j0),
        cells_(memory.cells, problem.A, j0),
        rows_(source, memory.source, problem.A, lane, j0) {}

  /// Of these rows j, first <= j < last, all that advance() of rows j and j + 1 asks of nodes, and
  /// fetch() of memory, is inside, as far as rows go.
  __device__ int first_inside() const { return problem_.A.unknowns.j0 + steps; }
  __device__ int last_inside() const { return problem_.A.unknowns.j1 - 2 * pairs_ahead - 2; }

  /// Before the first rows, when their copies have come.
  __device__ void begin(int j) { rows_.begin(j); }

  /// Begins to copy two rows.
  template <bool inside = false>
  __device__ void fetch() {
    rows_.template fetch<inside>();
    b_.template fetch<inside>();
    b_.template fetch<inside>();
    cells_.template fetch<inside>();
    __pipeline_commit();
  }

  /// Row j of the source; row j - steps is then in `after`.
  template <int parity, bool inside>
  __device__ void advance(int j, Pack<T, n>& after) {
    const typename CellPairs<T>::Pair cells = cells_[j - parity];
    y_.take(cells.stiffness[parity], cells.mass[parity]);
#pragma unroll
    for (int s = steps - 1; s > 0; --s) divisors_[s] = divisors_[s - 1];
    set_divisors<inside>();
    LaneRow<T> next;
    if constexpr (!Source::is_zero) {
      next = rows_.template row<parity, inside>(j);
      next.take_neighbours();
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      if (Source::is_zero && s == 0) {
        start<inside>(j - 1, after);
      } else {
        step<inside>(s, j - s - 1, next, after);
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

  /// Those of the row below the last cell; where there is no unknown, one or what is not used.
  template <bool inside>
  __device__ void set_divisors() {
    D value[n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const FactoredEntries<T> entries{lane_.factors(c), y_.of_row_below(0), reaction()};
      const D entry =
          by_bound ? FactoredForm::bound_in<D>(entries) : FactoredForm::diagonal_in<D>(entries);
      value[c] = (inside && by_bound) || lane_.unknown[c] ? entry : D(1);
    }
    if constexpr (by_bound) {
      divisors_[0] = Inverses<D, n>::template of<inside>(value);
    } else {
      divisors_[0] = Divisors<D, n>::of(value);
    }
  }

  /// The first step from zero, of this row.
  template <bool inside>
  __device__ void start(int row, Pack<T, n>& after) const {
    using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
    const bool unknowns = inside || has_unknowns(problem_.A, row);
    const Pack<T, n> b = b_[row];
    D r[n];
#pragma unroll
    for (int c = 0; c < n; ++c) r[c] = b.value[c];
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
  template <bool inside>
  __device__ void step(int s, int row, const LaneRow<T>& next, Pack<T, n>& after) {
    using Step = JacobiStep<FactoredForm, T, FactoredRows<T>>;
    VisitedRow<T> visited[n];
    before_[s].advance(lane_, y_.of_row_below(s), reaction(), next, visited);
    const Pack<T, n> b = b_[row];
    D r[n];
#pragma unroll
    for (int c = 0; c < n; ++c) r[c] = Step::residual(b.value[c], visited[c]);
    const Weighed weighed = weigh(s, r);
    const bool unknowns = inside || has_unknowns(problem_.A, row);
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
  CellPairs<T> cells_;
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
  RowWriter<T, Steps::n> y(problem.y, begin - steps, part.first, A.unknowns.i0, A.unknowns.i1,
                           part.writes);
  const auto advance = [&](auto parity, auto is_inside, int j) {
    constexpr bool inside = decltype(is_inside)::value;
    constexpr int k = decltype(parity)::value;
    Pack<T, Steps::n> after;
    march.template advance<k, inside>(j, after);
    const int row = j - steps;
    y.write(row >= part.j0 && row < part.j1, after);
  };
  const auto advance_two = [&](auto is_inside, int j) {
    constexpr bool inside = decltype(is_inside)::value;
    march.template fetch<inside>();
    __pipeline_wait_prior(pairs_ahead);
    __syncwarp();  // what lies along y is read across lanes
    advance(std::integral_constant<int, 0>(), is_inside, j);
    advance(std::integral_constant<int, 1>(), is_inside, j + 1);
  };
  __pipeline_wait_prior(pairs_ahead - 1);
  __syncwarp();
  march.begin(begin);
  for_pairs(begin, end, march.first_inside(), A.is_tame ? march.last_inside() : begin, advance_two);
}

/// Calls run with the divisor as a constant.
template <class Run>
void with_divisor(Divisor divisor, const Run& run) {
  if (divisor == Divisor::bound) {
    run(std::integral_constant<Divisor, Divisor::bound>());
  } else {
    run(std::integral_constant<Divisor, Divisor::diagonal>());
  }
}

template <class T, class Source>
void launch_steps(const Cuda& on, const StepsProblem<T>& problem, const Source& source, int steps) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  with_reaction(problem.A, [&](auto reacts) {
    with_divisor(problem.relaxations.divisor, [&](auto divisor) {
      if (steps == 1) {
        launch_marching<marching_steps_kernel<T, 1, Source, reacts(), divisor()>, T>(
            on, box.i1, box.height(), problem, source);
      } else {
        launch_marching<marching_steps_kernel<T, 2, Source, reacts(), divisor()>, T>(
            on, box.i1, box.height(), problem, source);
      }
    });
  });
}

}  // namespace ninefold::kernels
