#pragma once
// Rows of a factored matrix that climb (gpu/launch/climbing.hpp) on a CUDA device: one thread for
// two neighbouring columns of some rows of a large grid.
//
// Why.  What is under way decides the rate, and a multiprocessor has room for so many requests,
// whatever each of them moves: two values of single at once reach the rate of a copy, one does not.
//
// Shape.  Threads begin at even columns, warps at multiples of 64.  At the sides of a box a thread
// computes the column beside it, too, and does not write it.  The factors along y of a block's rows
// lie in shared memory, so that registers hold rows on their way.
//
// Rounding.  The bits of one column at a time, of quotients as well (gpu/kernels/quotients.cuh).

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "precision/number.hpp"

#include "grids/field.hpp"

#include "gpu/backend/device.cuh"
#include "gpu/kernels/quotients.cuh"
#include "gpu/launch/blocks.cuh"
#include "gpu/launch/climbing.cuh"
#include "gpu/launch/climbing.hpp"
#include "gpu/launch/launch.cuh"
#include "gpu/meaning/two_values.hpp"
#include "gpu/operations/relaxation.hpp"

namespace ninefold::kernels {

/// Columns of a thread, and rows of a block at most.
inline constexpr int neighbours = 2, neighbour_rows = 16;

/// Nodes from which on there are threads enough; level 11.
inline constexpr std::int64_t fewest_neighbour_nodes = std::int64_t{1} << 21;

template <class F>
inline constexpr bool has_right = requires(const F& f) {
  f.right();
};

/// Warps begin at multiples of their columns: where rows are aligned, their accesses are, too.
HOST_DEVICE inline int first_neighbours(const Box& box) {
  constexpr int columns = 32 * neighbours;
  return box.i0 / columns * columns;
}

/// True where neighbours pay: of what is computed in single, and in double of what does not divide.
template <class F>
constexpr bool climbs_neighbours() {
  if constexpr (ClimbingWriter<F>) {
    using C = Arithmetic<typename decltype(F::A)::Value>;
    return std::same_as<C, float> || (std::same_as<C, double> && !requires(const F& f) {
             f.relaxation;
           });
  }
  return false;
}

/// Two columns from a row upwards.
template <class F, bool reacts>
class NeighbourColumns {
 public:
  using T = typename decltype(F::A)::Value;
  using C = Arithmetic<T>;
  static constexpr int n = neighbours;
  using Values = AlignedValues<T, n>;

  /// What `count` rows need from memory; their factors along y come from elsewhere.
  template <int count>
  struct RowsRead {
    NeighbourNodes<C, n> north[count];
    std::conditional_t<has_right<F>, Values, NoOperands> right[count];
  };

  /// Columns i and i + 1, i even, before row j; `above` has what lies above row j and those after
  /// it.
  __device__ NeighbourColumns(const F& f, const Box& box, int i, int j, const RowAbove<C>* above)
      : f_(f), box_(box), i_(i), above_(above), y_(row_before(f.A, j)), x_(f.x.row(j + 1) + i) {
    if constexpr (has_right<F>) right_ = f.right().row(j) + i;
    result_ = f.result().row(j) + i;
    const LineFactors<C>& line = f.A.x;
    // Beside the last node there is one cell, and no other.
    const int last = min(i + n, f.A.nx);
    const C stiffness[n + 1]{line.stiffness[i], line.stiffness[i + 1], line.stiffness[last]};
    const C mass[n + 1]{line.mass[i], line.mass[i + 1], line.mass[last]};
    const auto south = NeighbourNodes<C, n>::around(x_ - 2 * f.x.pitch),
               here = NeighbourNodes<C, n>::around(x_ - f.x.pitch);
    const NodeFactors<C> y{y_.after, C(0), y_.mass_after, C(0)};  // of the cell below alone
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const NodeFactors<C> x{stiffness[c], stiffness[c + 1], mass[c], mass[c + 1]};
      column_[c].start(FactoredEntries<T>{x, y, reaction_of<reacts>(f.A)}, south[c], here[c]);
    }
  }

  /// The next rows.
  template <int count>
  __device__ void read(RowsRead<count>& rows) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      rows.north[k] = NeighbourNodes<C, n>::around(x_ + k * f_.x.pitch);
      if constexpr (has_right<F>) {
        rows.right[k] = *reinterpret_cast<const Values*>(right_ + k * f_.x.pitch);
      }
    }
    x_ += count * f_.x.pitch;
    if constexpr (has_right<F>) right_ += count * f_.x.pitch;
  }
  /// Finishes rows in the order in which they were read.
  template <int count>
  __device__ void climb(const RowsRead<count>& rows) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      take_row(y_, above_[k]);
      VisitedRow<T> row[n];
#pragma unroll
      for (int c = 0; c < n; ++c) {
        row[c] = column_[c].climb(f_, y_, reaction_of<reacts>(f_.A), rows.north[k][c]);
      }
      write(result_ + k * f_.x.pitch, values(rows.right[k], row));
    }
    above_ += count;
    result_ += count * f_.x.pitch;
  }

 private:
  template <class Right>
  __device__ Values values(const Right& right, const VisitedRow<T> (&row)[n]) const {
    Values found;
    if constexpr (!has_right<F>) {
#pragma unroll
      for (int c = 0; c < n; ++c) found.value[c] = F::value(row[c]);
      return found;
    } else {
      if constexpr (requires { f_.relaxation; }) {
        if (f_.relaxation.divisor == Divisor::diagonal) return divided(right, row);
      }
#pragma unroll
      for (int c = 0; c < n; ++c) found.value[c] = f_.value(right.value[c], row[c]);
      return found;
    }
  }
  /// The values of a step, all quotients at once.
  __device__ Values divided(const Values& right, const VisitedRow<T> (&row)[n]) const {
    using D = Leading<T>;
    D residual[n], diagonal[n], quotient[n];
#pragma unroll
    for (int c = 0; c < n; ++c) {
      residual[c] = F::residual(right.value[c], row[c]);
      diagonal[c] = row[c].diagonal;
    }
    Divisors<D, n>::of(diagonal).quotients(residual, quotient);
    Values found;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      found.value[c] = F::value(f_.relaxation.damping, quotient[c], row[c].x);
    }
    return found;
  }
  __device__ void write(T* to, const Values& values) const {
    if (i_ >= box_.i0 && i_ + n <= box_.i1) {
      *reinterpret_cast<Values*>(to) = values;
      return;
    }
#pragma unroll
    for (int c = 0; c < n; ++c) {
      if (i_ + c >= box_.i0 && i_ + c < box_.i1) to[c] = values.value[c];
    }
  }

  const F& f_;
  const Box& box_;
  int i_;
  const RowAbove<C>* above_;  ///< of the next row to be finished
  NodeFactors<C> y_;          ///< of the last one
  Climb<T> column_[n];
  const T *x_, *right_;  ///< of the next row to be read; x_ is one above it
  T* result_;
};

/// With one block as the least of a multiprocessor the compiler keeps a batch together; with more
/// in mind it reads some of it late.
template <class F, bool reacts>
__global__ void __launch_bounds__(climb_threads, 1)
    climb_neighbours_kernel(const Box box, const F f, int rows) {
  using Columns = NeighbourColumns<F, reacts>;
  using C = typename Columns::C;
  // In double fewer rows at once fill the registers; those ahead take less time where they fit.
  constexpr bool is_single = std::same_as<C, float>;
  constexpr bool reads_ahead = !is_single && requires {
    F::reads_ahead;
  };
  constexpr int batch = is_single ? 4 : 2;
  __shared__ RowAbove<C> above[neighbour_rows];
  begin_kernel();
  const int first = box.j0 + row_of_block() * rows, end = min(first + rows, box.j1);
  if (first >= end) return;
  const int thread = static_cast<int>(threadIdx.x);
  static_assert(neighbour_rows <= climb_threads);
  if (thread < end - first) above[thread] = row_above(f.A, first + thread);
  __syncthreads();
  const int i =
      first_neighbours(box) + neighbours * (static_cast<int>(blockIdx.x) * climb_threads + thread);
  if (i >= box.i1) return;
  Columns columns(f, box, i, first, above);
  using Batch = typename Columns::template RowsRead<batch>;
  int j = first;
  if constexpr (!reads_ahead) {
    for (; j + batch <= end; j += batch) {
      Batch rows_read;
      columns.read(rows_read);
      columns.climb(rows_read);
    }
  } else {
    Batch rows_read;
    if (j + batch <= end) columns.read(rows_read);
    for (; j + batch <= end; j += batch) {
      Batch next;
      if (j + 2 * batch <= end) columns.read(next);
      columns.climb(rows_read);
      rows_read = next;
    }
  }
  for (; j < end; ++j) {
    typename Columns::template RowsRead<1> row;
    columns.read(row);
    columns.climb(row);
  }
}

/// True if two neighbours are one access in all fields, whose rows are of one length.
template <class F>
bool has_neighbours(const F& f) {
  const auto fits = [&](const auto& field) {
    return field.pitch == f.x.pitch && is_aligned_for<neighbours>(field);
  };
  if constexpr (has_right<F>) {
    if (!fits(f.right())) return false;
  }
  return fits(f.x) && fits(f.result());
}

template <class F>
void climb_neighbours(const Cuda& on, const Box& box, const F& f) {
  // With fewer nodes more blocks keep a device busy.
  const std::int64_t nodes = std::int64_t{box.width()} * box.height();
  const int rows = nodes >= 4 * fewest_neighbour_nodes ? neighbour_rows : neighbour_rows / 2;
  constexpr int columns = neighbours * climb_threads;
  const dim3 blocks = grid_of_rows((box.i1 - first_neighbours(box) + columns - 1) / columns,
                                   (box.height() + rows - 1) / rows);
  with_reaction(f.A, [&](auto reacts) {
    launch<climb_neighbours_kernel<F, reacts()>>(on, blocks, climb_threads, 0, box, f, rows);
  });
}

}  // namespace ninefold::kernels
