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
  static_assert(steps <= 2, "rows of b are those of two pairs");

  using Right = RowReader<T, n>;
  using Lines = LineReader<C, cell_values + Source::line_values>;
  struct Slot {
    typename Right::Row right[2];
    typename Source::Slot source;
    typename Lines::Values line;
  };
  struct Memory {
    typename StagedPairs<Slot>::Memory slots;
    InverseFactors<Leading<T>>
        inverses[divisor == Divisor::bound ? RowInverses<T>::most_rows(steps) : 1];
  };

  /// Before other kernels have ended.  The first row, j0, is even; there are `count` rows.
  __device__ MarchingSteps(const StepsProblem<T>& problem, const Source& source, Memory& memory,
                           const LaneColumns<T>& lane, int j0, int count)
      : problem_(problem),
        lane_(lane),
        slots_(memory.slots),
        b_(problem.b, lane.first, lane_of_warp(), j0),
        lines_(lane_of_warp() < cell_values
                   ? cell_value(problem.A, lane_of_warp())
                   : Source::line_value(source, lane_of_warp() - cell_values),
               j0 / 2),
        rows_(source, problem.A, lane, j0),
        inverses_(&memory.inverses[0], problem.A, j0 - steps, by_bound ? count + steps : 0),
        fetched_(j0 / 2) {
    if constexpr (by_bound) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
        inverse_[c] = {D(0), D(0)};
        if (lane.unknown[c]) inverse_[c] = inverse_factors<D>(lane.factors(c), reaction());
      }
    }
  }

  /// Of these rows j, first <= j < last, all that advance() of rows j and j + 1 asks of nodes, and
  /// fetch() of memory, is inside, as far as rows go.
  __device__ int first_inside() const {
    return problem_.A.unknowns.j0 + steps;
  }
  __device__ int last_inside() const {
    return problem_.A.unknowns.j1 - 2 * pairs_ahead - 2;
  }

  /// Before the first pair is fetched.
  __device__ void fetch_before() {
    rows_.fetch_before(slots_[fetched_ - 1].source);
  }
  /// Before the first rows, the first an even one, when their copies have come.
  __device__ void begin(int j) {
    rows_.begin(slots_[j / 2 - 1].source);
  }

  /// Begins to copy two rows.
  template <bool inside = false>
  __device__ void fetch() {
    Slot& to = slots_[fetched_];
    rows_.template fetch<inside>(to.source);
    b_.template fetch<inside>(to.right);
    lines_.template fetch<inside>(to.line, [&] {
      return lane_of_warp() < cell_values ? has_cell(problem_.A, fetched_, lane_of_warp())
                                          : has_unknowns(problem_.A, 2 * fetched_ + 1);
    });
    __pipeline_commit();
    ++fetched_;
  }

  /// A row after all steps, before the last one, and what that adds: jacobi_start with the residual
  /// as it would be stored; where there is no unknown, only `after` is what it should be.
  struct Stepped {
    Pack<T, n> after, before, change;
  };

  /// Two rows of the source, an even one first.
  struct RowPair {
    const Slot &now, &before;
    int row;  ///< the even one
  };
  __device__ RowPair pair(int row) const {
    return {slots_[row / 2], slots_[row / 2 - 1], row};
  }

  /// Row j of the source, one of a pair; row j - steps is then in `last`.
  template <int parity, bool inside>
  __device__ void advance(const RowPair& pair, Stepped& last) {
    const auto& [now, before, even] = pair;
    const int j = even + parity;
    const CellPair<C>& cells = *reinterpret_cast<const CellPair<C>*>(now.line.value);
    y_.take(cells.stiffness[parity], cells.mass[parity]);
#pragma unroll
    for (int s = steps - 1; s > 0; --s) divisors_[s] = divisors_[s - 1];
    set_divisors(j - 1);
    LaneRow<T> next;
    if constexpr (!Source::is_zero) {
      C weights[Source::line_values + 1];
#pragma unroll
      for (int k = 0; k < Source::line_values; ++k) weights[k] = now.line.value[cell_values + k];
      next = rows_.template row<parity, inside>(j, now.source, weights);
      next.take_neighbours();
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      // Row j - s - 1 is one of this pair or of the one before.
      const int k = parity - s - 1;
      const Pack<T, n> b =
          (k < 0 ? before.right[k + 2] : now.right[k < 0 ? 0 : k]).of(lane_of_warp());
      if (Source::is_zero && s == 0) {
        start<inside>(j - 1, b, last.after);
      } else {
        step<inside>(s, j - s - 1, b, next, last);
      }
      if (s + 1 < steps) {
#pragma unroll
        for (int c = 0; c < n; ++c) next.own[c] = last.after.value[c];
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
  struct Inverses {
    D value[n];
  };

  /// Those of the row below the last cell: inverses of a bound, zero where there is no unknown, or
  /// the diagonal, and then one there.
  __device__ void set_divisors(int row) {
    if constexpr (by_bound) {
      const InverseFactors<D> y = inverses_[row];
#pragma unroll
      for (int c = 0; c < n; ++c) {
        divisors_[0].value[c] = FactoredForm::inverse_bound(inverse_[c], y);
      }
    } else {
      D diagonal[n];
#pragma unroll
      for (int c = 0; c < n; ++c) {
        const FactoredEntries<T> entries{lane_.factors(c), y_.of_row_below(0), reaction()};
        diagonal[c] = lane_.unknown[c] ? FactoredForm::diagonal_in<D>(entries) : D(1);
      }
      divisors_[0] = Divisors<D, n>::of(diagonal);
    }
  }

  /// The first step from zero, of this row.
  template <bool inside>
  __device__ void start(int row, const Pack<T, n>& b, Pack<T, n>& after) const {
    using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
    const bool unknowns = inside || has_unknowns(problem_.A, row);
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
  __device__ void step(int s, int row, const Pack<T, n>& b, const LaneRow<T>& next,
                       Stepped& stepped) {
    using Step = JacobiStep<FactoredForm, T, FactoredRows<T>>;
    using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
    VisitedRow<T> visited[n];
    before_[s].advance(lane_, y_.of_row_below(s), reaction(), next, visited);
    D r[n], stored[n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
      r[c] = Step::residual(b.value[c], visited[c]);
      stored[c] = D(T(C(b.value[c]) - visited[c].product));
    }
    const Weighed weighed = weigh(s, r), changed = weigh(s, stored);
    // By a bound nothing is added where there is no unknown.
    const bool unknowns = inside || has_unknowns(problem_.A, row);
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const T value = Step::value(weighed.part[c], weighed.of[c], visited[c].x);
      stepped.before.value[c] = T(visited[c].x);
      stepped.change.value[c] = Start::value(changed.part[c], changed.of[c]);
      const bool is_stepped = by_bound || (unknowns && lane_.unknown[c]);
      stepped.after.value[c] = is_stepped ? value : stepped.before.value[c];
    }
  }

  const StepsProblem<T>& problem_;
  const LaneColumns<T>& lane_;
  StagedPairs<Slot> slots_;
  Right b_;
  Lines lines_;
  typename Source::Rows rows_;
  RowInverses<T> inverses_;
  int fetched_;                    ///< the pair that is fetched next
  InverseFactors<D> inverse_[n];   ///< of the columns, if by a bound
  MarchingRows<T> before_[steps];  ///< what each step takes
  MarchingFactors<T, steps> y_;
  /// Of the row that each step is at.
  std::conditional_t<by_bound, Inverses, Divisors<D, n>> divisors_[steps];
};

/// y after `steps` steps.  Arguments that the compiler may not copy leave it more registers.
template <class T, int steps, class Source, bool reacts, Divisor divisor>
__global__ void __launch_bounds__(marching_threads, 8)
    marching_steps_kernel(const __grid_constant__ StepsProblem<T> problem,
                          const __grid_constant__ Source source, const Parts parts) {
  using Steps = MarchingSteps<T, steps, Source, reacts, divisor>;
  __shared__ typename Steps::Memory memory[marching_warps];
  let_next_start();
  const FactoredRows<T>& A = problem.A;
  const int warp = warp_of_grid();
  const WarpPart part = parts.of<T>(warp, lane_of_warp(), A.unknowns.j0, A.unknowns.j1);
  const LaneColumns<T> lane(A, part.first);
  const int begin = even_below(part.j0 - steps), end = part.j1 + steps;
  Steps march(problem, source, memory[warp % marching_warps], lane, begin, end + 1 - begin);
  wait_for_kernels_before();
  if (warp >= parts.warps) return;
  march.fetch_before();
  for (int k = 0; k < pairs_ahead; ++k) march.fetch();
  RowWriter<T, Steps::n> y(problem.y, begin - steps, part.first, A.unknowns.i0, A.unknowns.i1,
                           part.writes);
  const auto advance = [&](auto parity, auto is_inside, const typename Steps::RowPair& pair) {
    constexpr int k = decltype(parity)::value;
    typename Steps::Stepped last;
    march.template advance<k, decltype(is_inside)::value>(pair, last);
    const int row = pair.row + k - steps;
    y.write(row >= part.j0 && row < part.j1, last.after);
  };
  const auto advance_two = [&](auto is_inside, int j) {
    march.template fetch<decltype(is_inside)::value>();
    __pipeline_wait_prior(pairs_ahead);
    __syncwarp();  // what lies along y is read across lanes
    const auto pair = march.pair(j);
    advance(std::integral_constant<int, 0>(), is_inside, pair);
    advance(std::integral_constant<int, 1>(), is_inside, pair);
  };
  __pipeline_wait_prior(pairs_ahead - 1);
  __syncwarp();
  march.begin(begin);
  for_pairs(begin, end, march.first_inside(), march.last_inside(), advance_two);
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
