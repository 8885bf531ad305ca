#pragma once
// The fused passes on grids that are too small for warps that march
// (gpu/kernels/marching_strip.cuh) to be many: a block does the steps of a tile of nodes, one after
// the other.
//
// Shape.  A tile is 32 x 32 nodes (gpu/kernels/tile_rows.cuh), of which those inside a frame of two
// are written: each step is computed on as much around them as the steps after it need, so that
// blocks do not wait for each other.
//
// The meaning of a value comes from gpu/meaning/generic_row_operations.hpp and grids/transfer.hpp.

#include <type_traits>

#include "gpu/kernels/marching_sources.cuh"
#include "gpu/kernels/passes.cuh"
#include "gpu/kernels/quotients.cuh"
#include "gpu/kernels/tile_rows.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/generic_row_operations.hpp"

namespace ninefold::kernels {

/// What Jacobi steps divide by, at the two nodes of a thread.
template <class T>
class TileDivisors {
 public:
  using C = Arithmetic<T>;
  using D = Leading<T>;

  __device__ TileDivisors(const TileFactors<T>& factors, Divisor divisor)
      : by_bound_(divisor == Divisor::bound) {
    if (by_bound_) {
      const auto x = inverse_factors<D>(factors.x, factors.reaction);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        value_[k] =
            FactoredForm::inverse_bound(x, inverse_factors<D>(factors.y[k], factors.reaction));
      }
    } else {
#pragma unroll
      for (int k = 0; k < 2; ++k) value_[k] = FactoredForm::diagonal_in<D>(factors.row(k));
    }
  }

  /// What a step at node k adds, as JacobiStep::value takes it.
  struct Weighed {
    D part, of;
  };
  __device__ Weighed weigh(int k, const D& damping, const D& r) const {
    return by_bound_ ? Weighed{damping * value_[k], r} : Weighed{damping, r / value_[k]};
  }
  /// The first step from zero.
  __device__ T start(int k, const D& damping, const T& b) const {
    using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
    return by_bound_ ? Start::value(damping * value_[k], C(b))
                     : Start::value(damping, D(b) / value_[k]);
  }

 private:
  bool by_bound_;
  D value_[2];  ///< the inverse of a bound
};

template <class Source>
inline constexpr bool is_sum = false;
template <class T, bool x_is_zero>
inline constexpr bool is_sum<FromSum<T, x_is_zero>> = true;

/// Where the steps of a thread's nodes begin; what is there before other kernels have ended is read
/// at once, the rest by read().
template <class T, class Source>
class TileStart {
 public:
  using C = Arithmetic<T>;

  __device__ TileStart(const Source& source, const TilePlace& at, const bool (&unknown)[2])
      : source_(source) {
    if constexpr (is_sum<Source>) {
      if (unknown[0] || unknown[1]) x_ = source.transfer.x[at.i];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (unknown[k]) y_[k] = source.transfer.y[at.j + k];
      }
    }
  }

  __device__ void read(const TilePlace& at, const bool (&unknown)[2]) {
    if constexpr (std::is_same_v<Source, FromVector<T>>) {
      read_tile(source_.x, at, old_);
    } else if constexpr (is_sum<Source>) {
      if constexpr (!Source::x_is_zero) read_tile(source_.x, at, old_);
      // As in prolong_at: both rows of a thread begin at one coarse row.
      const int I = at.i / 2, east = I + (at.i & 1), J = at.j / 2;
      if (unknown[0] || unknown[1]) {
        coarse_[0] = source_.c(I, J);
        coarse_[1] = source_.c(east, J);
      }
      if (unknown[1]) {
        coarse_[2] = source_.c(I, J + 1);
        coarse_[3] = source_.c(east, J + 1);
      }
    }
  }

  __device__ void values(const bool (&unknown)[2], C (&x)[2]) const {
    x[0] = C(old_[0]);
    x[1] = C(old_[1]);
    if constexpr (is_sum<Source>) {
      const C south = fused(x_.upper, C(coarse_[1]), x_.lower * C(coarse_[0]));
      const C north = fused(x_.upper, C(coarse_[3]), x_.lower * C(coarse_[2]));
      const C sum[2] = {x[0] + fused(y_[0].upper, south, y_[0].lower * south),
                        x[1] + fused(y_[1].upper, north, y_[1].lower * south)};
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        if (unknown[k]) x[k] = C(T(sum[k]));
      }
    }
  }

 private:
  const Source& source_;
  TransferWeights<C> x_{C(0), C(0)}, y_[2]{{C(0), C(0)}, {C(0), C(0)}};
  T old_[2]{T(C(0)), T(C(0))}, coarse_[4]{T(C(0)), T(C(0)), T(C(0)), T(C(0))};
};

/// Steps on a tile, of one thread.
template <class T, int steps, class Source>
class TileSteps {
 public:
  using C = Arithmetic<T>;
  struct Memory {
    TileRows<C> rows[2];
  };

  /// Before other kernels have ended.
  __device__ TileSteps(const StepsProblem<T>& problem, const Source& source, Memory& memory,
                       const TilePlace& at)
      : factors(problem.A, at),
        problem_(problem),
        memory_(memory),
        at_(at),
        divisors_(factors, problem.relaxations.divisor),
        start_(source, at, factors.unknown) {
    memory.rows[0].clear_sides();
    memory.rows[1].clear_sides();
  }

  /// Reads what there is, when they have.
  __device__ void read() {
    start_.read(at_, factors.unknown);
    read_unknowns(problem_.b, at_, factors.unknown, b_);
  }
  /// As MarchingSteps has it.
  struct Stepped {
    C after[2];
    T before[2], change[2];
  };
  __device__ void run(Stepped& last) {
    C(&x)[2] = last.after;
    if constexpr (Source::is_zero) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const C first = C(divisors_.start(k, problem_.relaxations.damping[0], b_[k]));
        x[k] = factors.unknown[k] ? first : C(0);
      }
    } else {
      start_.values(factors.unknown, x);
    }
#pragma unroll
    for (int s = Source::is_zero ? 1 : 0; s < steps; ++s) {
      C product[2];
      factors.products(memory_.rows[s].around(at_, x), product);
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        using Step = JacobiStep<FactoredForm, T, FactoredRows<T>>;
        using Start = JacobiStart<FactoredForm, T, FactoredRows<T>>;
        const VisitedRow<T> row{product[k], Leading<T>(0), x[k]};
        const Leading<T> r = Step::residual(C(b_[k]), row);
        const auto [part, of] = divisors_.weigh(k, problem_.relaxations.damping[s], r);
        const C next = C(Step::value(part, of, x[k]));
        last.before[k] = T(x[k]);
        const auto changed = divisors_.weigh(k, problem_.relaxations.damping[s],
                                             Leading<T>(T(C(b_[k]) - product[k])));
        last.change[k] = Start::value(changed.part, changed.of);
        x[k] = factors.unknown[k] ? next : x[k];
      }
    }
  }

  const TileFactors<T> factors;

 private:
  const StepsProblem<T>& problem_;
  Memory& memory_;
  const TilePlace at_;
  TileDivisors<T> divisors_;
  TileStart<T, Source> start_;
  T b_[2];
};

/// y after `steps` steps.
template <class T, int steps, class Source>
__global__ void __launch_bounds__(tile_threads)
    tile_steps_kernel(const __grid_constant__ StepsProblem<T> problem,
                      const __grid_constant__ Source source) {
  using Steps = TileSteps<T, steps, Source>;
  __shared__ typename Steps::Memory memory;
  let_next_start();
  const TilePlace at = TilePlace::of_thread();
  Steps tile(problem, source, memory, at);
  wait_for_kernels_before();
  tile.read();
  typename Steps::Stepped x;
  tile.run(x);
  const T y[2] = {T(x.after[0]), T(x.after[1])};
  write_tile(problem.y, at, tile.factors.unknown, y);
}

template <class T>
__global__ void __launch_bounds__(tile_threads)
    tile_restriction_kernel(const __grid_constant__ RestrictionProblem<T> problem) {
  using C = Arithmetic<T>;
  __shared__ TileRows<C> rows;
  __shared__ typename TileRestriction<T>::Memory sums;
  let_next_start();
  const TilePlace at = TilePlace::of_thread();
  const TileFactors<T> factors(problem.A, at);
  const TileRestriction<T> restriction(problem.transfer, problem.A.unknowns, at);
  rows.clear_sides();
  wait_for_kernels_before();
  T b[2], old[2];
  read_unknowns(problem.b, at, factors.unknown, b);
  read_tile(problem.x, at, old);
  const C x[2] = {C(old[0]), C(old[1])};
  C product[2], r[2];
  factors.products(rows.around(at, x), product);
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const VisitedRow<T> row{product[k], Leading<T>(0), x[k]};
    r[k] = C(Residual<FactoredForm, T, FactoredRows<T>>::value(C(b[k]), row));
  }
  restriction.write(sums, at, r, problem.coarse_box, problem.b_coarse);
}

template <class T, class Source>
void launch_tile_steps(const Cuda& on, const StepsProblem<T>& problem, const Source& source,
                       int steps) {
  const Box& box = problem.A.unknowns;
  if (box.empty()) return;
  if (steps == 1) {
    launch<tile_steps_kernel<T, 1, Source>>(on, tiles_of(box), tile_threads, 0, problem, source);
  } else {
    launch<tile_steps_kernel<T, 2, Source>>(on, tiles_of(box), tile_threads, 0, problem, source);
  }
}

template <class T>
void launch_tile_restriction(const Cuda& on, const RestrictionProblem<T>& problem) {
  if (problem.coarse_box.empty()) return;
  launch<tile_restriction_kernel<T>>(on, tiles_of(problem.A.unknowns), tile_threads, 0, problem);
}

}  // namespace ninefold::kernels
