#pragma once
// The passes of gpu/operations/fused_operations.hpp as kernels whose warps march upwards
// (gpu/kernels/marching_strip.cuh).
//
// The meaning of a value comes from gpu/meaning/generic_row_operations.hpp and grids/transfer.hpp.

#include <algorithm>

#include "gpu/kernels/marching_strip.cuh"
#include "gpu/kernels/quotients.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_row_operations.hpp"

namespace ninefold::kernels {

inline constexpr int marching_warps = 4;  ///< of a block; they have nothing in common
inline constexpr int marching_threads = marching_warps * warp_lanes;
/// Rows that are on their way from memory.
inline constexpr int rows_ahead = 4;

/// A warp's number, which the compiler is to know as one for all of its lanes.
__device__ inline int warp_of_grid() {
  const int warp = __shfl_sync(all_lanes, static_cast<int>(threadIdx.x) / warp_lanes, 0);
  return static_cast<int>(blockIdx.x) * marching_warps + warp;
}
__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % warp_lanes;
}

/// True if row j holds unknowns.
template <class T>
__device__ bool has_unknowns(const FactoredRows<T>& A, int j) {
  return j >= A.unknowns.j0 && j < A.unknowns.j1;
}

// --- where the rows before the first step come from -------------------------------------------

/// Jacobi steps begin with x.
template <class T>
struct FromVector {
  static constexpr int n = lane_columns<T>;
  static constexpr bool is_zero = false;

  Field<const T> x;

  struct Memory {
    typename RowRing<T, n>::Memory rows;
  };
  class Rows {
   public:
    __device__ Rows(const FromVector& from, Memory& memory, const FactoredRows<T>&,
                    const LaneColumns<T>& lane, int lane_number, int)
        : x_(memory.rows, from.x, lane.first, lane_number) {}
    __device__ void fetch(int j) { x_.fetch(j); }
    /// Row j, without neighbours; called once for each row, upwards.
    __device__ LaneRow<T> row(int j) {
      LaneRow<T> row;
#pragma unroll
      for (int c = 0; c < n; ++c) row.own[c] = x_[j].value[c];
      return row;
    }

   private:
    RowRing<T, n> x_;
  };
};

/// They begin with zero: the first step needs no rows.
template <class T>
struct FromZero {
  static constexpr bool is_zero = true;

  struct Memory {};
  struct Rows {
    __device__ Rows(const FromZero&, Memory&, const FactoredRows<T>&, const LaneColumns<T>&, int,
                    int) {}
    __device__ void fetch(int) {}
  };
};

/// They begin with x + P c.
template <class T>
struct FromSum {
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>, m = n / 2;
  static constexpr bool is_zero = false;

  Field<const T> x, c;
  Transfer<C> transfer;

  /// Two steps need the two columns behind those that are written, of which the last lane then
  /// interpolates the second.
  static constexpr bool to_the_end = n < 3;
  using Coarse = RowRing<T, m, to_the_end>;

  struct Memory {
    typename RowRing<T, n>::Memory fine;
    typename Coarse::Memory coarse;
  };
  class Rows {
   public:
    __device__ Rows(const FromSum& from, Memory& memory, const FactoredRows<T>& A,
                    const LaneColumns<T>& lane, int lane_number, int first_row)
        : A_(A),
          lane_(lane),
          y_weights_(from.transfer.y),
          x_(memory.fine, from.x, lane.first, lane_number),
          c_(memory.coarse, from.c, lane.first / 2, lane_number),
          first_row_(first_row) {
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const int i = lane.first + k;
        weights_[k] = i >= 0 && i < A.nx ? from.transfer.x[i] : TransferWeights<C>{C(0), C(0)};
      }
    }
    __device__ void fetch(int j) {
      x_.fetch(j);
      if (j == first_row_) c_.fetch(j >> 1);
      if ((j & 1) != 0) c_.fetch((j + 1) >> 1);
    }
    __device__ LaneRow<T> row(int j) {
      if (j == first_row_) interpolate(j >> 1, south_);
      C north[n];
      if ((j & 1) != 0) {
        interpolate((j + 1) >> 1, north);
      } else {
#pragma unroll
        for (int k = 0; k < n; ++k) north[k] = south_[k];
      }
      const bool unknowns = has_unknowns(A_, j);
      const TransferWeights<C> wy = unknowns ? y_weights_[j] : TransferWeights<C>{C(0), C(0)};
      LaneRow<T> row;
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const C old = x_[j].value[k];
        const C sum = T(old + fused(wy.upper, north[k], wy.lower * south_[k]));
        row.own[k] = unknowns && lane_.unknown[k] ? sum : old;
        south_[k] = north[k];
      }
      return row;
    }

   private:
    /// Coarse row J at the fine columns, as prolong_at has it.
    __device__ void interpolate(int J, C (&row)[n]) const {
      C coarse[m + 1];
#pragma unroll
      for (int k = 0; k < m; ++k) coarse[k] = c_[J].value[k];
      coarse[m] = __shfl_down_sync(all_lanes, coarse[0], 1);
      if constexpr (to_the_end) {
        if (lane_of_warp() == warp_lanes - 1) coarse[m] = c_.next(J).value[0];
      }
#pragma unroll
      for (int k = 0; k < n; ++k) {
        const C &west = coarse[k / 2], &east = coarse[k / 2 + (k & 1)];
        row[k] = fused(weights_[k].upper, east, weights_[k].lower * west);
      }
    }

    const FactoredRows<T>& A_;
    const LaneColumns<T>& lane_;
    const TransferWeights<C>* y_weights_;
    RowRing<T, n> x_;
    Coarse c_;
    int first_row_;
    TransferWeights<C> weights_[n];
    C south_[n];
  };
};

// --- Jacobi steps -----------------------------------------------------------------------------

template <class T>
struct StepsProblem {
  FactoredRows<T> A;
  Field<const T> b;
  Leading<T> omega;
  Field<T> y;
};

/// The diagonal of a lane's rows, whose factors along y are given; one where there is no unknown.
template <class T>
__device__ void set_diagonal(const LaneColumns<T>& lane, const NodeFactors<Arithmetic<T>>& y,
                             const Arithmetic<T>& reaction,
                             Divisors<Leading<T>, lane_columns<T>>& diagonal) {
#pragma unroll
  for (int c = 0; c < lane_columns<T>; ++c) {
    const FactoredEntries<T> entries{lane.factors(c), y, reaction};
    const Leading<T> entry = FactoredForm::diagonal_in<Leading<T>>(entries);
    diagonal.value[c] = lane.unknown[c] ? entry : Leading<T>(1);
  }
  diagonal.prepare();
}

/// y after `steps` steps.
template <class T, int steps, class Source>
__global__ void __launch_bounds__(marching_threads, 4)
    marching_steps_kernel(const StepsProblem<T> problem, const Source source, const Parts parts) {
  using C = Arithmetic<T>;
  constexpr int n = lane_columns<T>;
  static_assert(steps <= n, "a neighbour's columns are as many as steps");
  static_assert(rows_ahead + steps + 1 <= RowRing<T, n>::places, "or rows would be overwritten");
  __shared__ typename RowRing<T, n>::Memory right_memory[marching_warps];
  __shared__ typename Source::Memory source_memory[marching_warps];
  begin_kernel();
  const FactoredRows<T>& A = problem.A;
  const int warp = warp_of_grid(), in_block = warp % marching_warps;
  if (warp >= parts.warps) return;
  const WarpPart part = parts.of<T>(warp, lane_of_warp(), A.unknowns.j0, A.unknowns.j1);
  const LaneColumns<T> lane(A, part.first);
  RowRing<T, n> b(right_memory[in_block], problem.b, part.first, lane_of_warp());
  const int begin = part.j0 - steps, end = part.j1 + steps;
  typename Source::Rows rows(source, source_memory[in_block], A, lane, lane_of_warp(), begin);
  const auto fetch = [&](int j) {
    rows.fetch(j);
    b.fetch(j);
    __pipeline_commit();
  };
  for (int j = begin; j < begin + rows_ahead; ++j) fetch(j);

  // Rows come from `before` and go to the next step, or to memory.
  MarchingRows<T> before[steps];
  MarchingFactors<T, steps> y;
  Divisors<Leading<T>, n> diagonal[steps];  // of the row that each step is at
  for (int j = begin; j < end; ++j) {
    fetch(j + rows_ahead);
    __pipeline_wait_prior(rows_ahead);
    y.take(A, j);
#pragma unroll
    for (int s = steps - 1; s > 0; --s) diagonal[s] = diagonal[s - 1];
    set_diagonal(lane, y.of_row_below(0), A.reaction, diagonal[0]);
    LaneRow<T> next;
    if constexpr (!Source::is_zero) {
      next = rows.row(j);
      next.take_neighbours();
    }
    Pack<T, n> after;
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const int row = j - s - 1;
      const bool unknowns = has_unknowns(A, row);
      Leading<T> r[n], quotient[n];
      if (Source::is_zero && s == 0) {
#pragma unroll
        for (int c = 0; c < n; ++c) r[c] = b[row].value[c];
        diagonal[s].quotients(r, quotient);
#pragma unroll
        for (int c = 0; c < n; ++c) {
          using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
          after.value[c] =
              unknowns && lane.unknown[c] ? Start::value(problem.omega, quotient[c]) : T(C(0));
        }
      } else {
        using Step = JacobiStep<FactoredForm, T, FactoredRows<T>>;
        VisitedRow<T> visited[n];
        before[s].advance(lane, y.of_row_below(s), A.reaction, next, visited);
#pragma unroll
        for (int c = 0; c < n; ++c) r[c] = Step::residual(b[row].value[c], visited[c]);
        diagonal[s].quotients(r, quotient);
#pragma unroll
        for (int c = 0; c < n; ++c) {
          after.value[c] = unknowns && lane.unknown[c]
                               ? Step::value(problem.omega, quotient[c], visited[c].x)
                               : T(visited[c].x);
        }
      }
      if (s + 1 < steps) {
#pragma unroll
        for (int c = 0; c < n; ++c) next.own[c] = after.value[c];
        next.take_neighbours();
      }
    }
    const int row = j - steps;
    if (part.writes && row >= part.j0 && row < part.j1) {
      store(problem.y, row, part.first, A.unknowns.i0, A.unknowns.i1, after);
    }
  }
}

// --- the restricted residual ------------------------------------------------------------------

template <class T>
struct RestrictionProblem {
  FactoredRows<T> A;
  Field<const T> b, x;
  Transfer<Arithmetic<T>> transfer;
  Box coarse_box;
  Field<T> b_coarse;
};

/// What the residual's rows, one after the other, are for the coarse nodes of a lane: in the order
/// of restrict_at.
template <class T>
class LaneRestriction {
 public:
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>, m = n / 2;

  __device__ LaneRestriction(const Transfer<C>& transfer, const Box& fine, int first)
      : y_(transfer.y), fine_(fine) {
#pragma unroll
    for (int k = 0; k < m; ++k) {
      const int i = first + 2 * k;
      has_west_[k] = i - 1 >= fine.i0 && i - 1 < fine.i1;
      has_east_[k] = i + 1 >= fine.i0 && i + 1 < fine.i1;
      west_[k] = has_west_[k] ? transfer.x[i - 1].upper : C(0);
      east_[k] = has_east_[k] ? transfer.x[i + 1].lower : C(0);
      south_[k] = middle_[k] = C(0);
    }
  }

  /// Row j of the residual, upwards from any odd one; true if coarse row (j - 1) / 2 is then in
  /// `coarse`: at odd j.
  __device__ bool add(int j, const C (&r)[n], Pack<T, m>& coarse) {
    const C before = __shfl_up_sync(all_lanes, r[n - 1], 1);
    C row[m];
#pragma unroll
    for (int k = 0; k < m; ++k) {
      row[k] = r[2 * k];
      if (has_west_[k]) row[k] = fused(west_[k], k == 0 ? before : r[2 * k - 1], row[k]);
      if (has_east_[k]) row[k] = fused(east_[k], r[2 * k + 1], row[k]);
    }
    if ((j & 1) == 0) {
#pragma unroll
      for (int k = 0; k < m; ++k) middle_[k] = row[k];
      return false;
    }
    const bool has_south = j - 2 >= fine_.j0 && j - 2 < fine_.j1;
    const bool has_north = j >= fine_.j0 && j < fine_.j1;
    const C south = has_south ? y_[j - 2].upper : C(0), north = has_north ? y_[j].lower : C(0);
#pragma unroll
    for (int k = 0; k < m; ++k) {
      C sum = middle_[k];
      if (has_south) sum = fused(south, south_[k], sum);
      if (has_north) sum = fused(north, row[k], sum);
      coarse.value[k] = T(sum);
      south_[k] = row[k];
    }
    return true;
  }

 private:
  const TransferWeights<C>* y_;
  Box fine_;
  bool has_west_[m], has_east_[m];
  C west_[m], east_[m];
  C south_[m], middle_[m];  ///< of the last odd and the last even row
};

template <class T>
__global__ void __launch_bounds__(marching_threads, 4)
    marching_restriction_kernel(const RestrictionProblem<T> problem, const Parts parts) {
  using C = Arithmetic<T>;
  constexpr int n = lane_columns<T>;
  __shared__ typename RowRing<T, n>::Memory right_memory[marching_warps], x_memory[marching_warps];
  begin_kernel();
  const FactoredRows<T>& A = problem.A;
  const int warp = warp_of_grid(), in_block = warp % marching_warps;
  if (warp >= parts.warps) return;
  // Its rows are coarse ones.
  const Box& box = problem.coarse_box;
  const WarpPart part = parts.of<T>(warp, lane_of_warp(), box.j0, box.j1);
  const LaneColumns<T> lane(A, part.first);
  RowRing<T, n> b(right_memory[in_block], problem.b, part.first, lane_of_warp());
  RowRing<T, n> x(x_memory[in_block], problem.x, part.first, lane_of_warp());
  const auto fetch = [&](int j) {
    x.fetch(j);
    b.fetch(j);
    __pipeline_commit();
  };
  const int begin = 2 * part.j0 - 2, end = 2 * part.j1 + 1;  // from two rows before
  for (int j = begin; j < begin + rows_ahead; ++j) fetch(j);

  MarchingRows<T> before;
  MarchingFactors<T, 1> y;
  LaneRestriction<T> restriction(problem.transfer, A.unknowns, part.first);
  for (int j = begin; j < end; ++j) {
    fetch(j + rows_ahead);
    __pipeline_wait_prior(rows_ahead);
    y.take(A, j);
    LaneRow<T> next;
#pragma unroll
    for (int c = 0; c < n; ++c) next.own[c] = x[j].value[c];
    next.take_neighbours();
    VisitedRow<T> visited[n];
    before.advance(lane, y.of_row_below(0), A.reaction, next, visited);
    const int row = j - 1;
    if (row < 2 * part.j0 - 1) continue;
    C r[n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
      r[c] = Residual<FactoredForm, T, FactoredRows<T>>::value(b[row].value[c], visited[c]);
    }
    Pack<T, n / 2> coarse;
    if (!restriction.add(row, r, coarse)) continue;
    const int J = (row - 1) / 2;
    if (part.writes && J >= part.j0 && J < part.j1) {
      store(problem.b_coarse, J, part.first / 2, box.i0, box.i1, coarse);
    }
  }
}

// --- launches ---------------------------------------------------------------------------------

/// Parts of `rows` rows whose columns end before `end`: whole waves of warps, of at most 256 rows
/// each, so that all multiprocessors are at work to the end; at least 8, since each part reads rows
/// of its neighbours, too.
template <class T>
Parts parts_of(int end, int rows, int resident_warps) {
  constexpr int most = 256, least = 8;
  const int strips = (end + strip_columns<T> - 1) / strip_columns<T>;
  const int at_once = std::max(1, resident_warps / strips);
  const int waves = (rows + most * at_once - 1) / (most * at_once);
  const int own = std::max(least, (rows + waves * at_once - 1) / (waves * at_once));
  return {strips, own, strips * ((rows + own - 1) / own)};
}

template <auto kernel, class T, class... Arguments>
void launch_marching(const Cuda& on, int end, int rows, const Arguments&... arguments) {
  const int blocks_at_once =
      on.resident_blocks(reinterpret_cast<const void*>(kernel), marching_threads);
  const Parts parts = parts_of<T>(end, rows, blocks_at_once * marching_warps);
  const int blocks = (parts.warps + marching_warps - 1) / marching_warps;
  launch<kernel>(on, static_cast<unsigned>(blocks), marching_threads, 0, arguments..., parts);
}

template <class T, class Source>
void launch_steps(const Cuda& on, const StepsProblem<T>& problem, const Source& source, int steps) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  if (steps == 1) {
    launch_marching<marching_steps_kernel<T, 1, Source>, T>(on, box.i1, box.height(), problem,
                                                            source);
  } else {
    launch_marching<marching_steps_kernel<T, 2, Source>, T>(on, box.i1, box.height(), problem,
                                                            source);
  }
}

template <class T>
void launch_restriction(const Cuda& on, const RestrictionProblem<T>& problem) {
  const Box& box = problem.coarse_box;
  if (box.empty()) return;
  launch_marching<marching_restriction_kernel<T>, T>(on, 2 * box.i1, box.height(), problem);
}

}  // namespace ninefold::kernels
