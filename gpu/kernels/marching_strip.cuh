#pragma once
// Strips of a grid through which warps march upwards, row by row, with several steps on the way at
// once: a row of the second step follows one row behind those of the first.
//
// Shape.  A warp has 32 lanes of 4 columns each (2 of double), whose first and last lane only serve
// the others as neighbours; strips overlap by these.  Each lane reads its columns with one access
// of up to 16 bytes: rows of node vectors begin at multiples of 16 values (gpu/backend/vector.hpp).
// Neighbours in x come from neighbouring lanes, those in y from registers.  Rows are copied ahead
// of their use into a ring in shared memory, a lane's own part of it, so that nobody waits for
// another lane (but for the coarse rows of gpu/kernels/marching_interpolation.cuh).  Rows go in
// pairs, an even one first: registers that pass values from row to row then change places at no
// cost, and what depends on the parity of a row is known to the compiler.  All that is staged of a
// pair lies in one slot, whose place is found once.
//
// Where all rows that are asked for are there and hold unknowns, `inside`, nothing is asked of
// them; the text of a pass is compiled twice.  Of columns everywhere the same is asked: strips at
// the sides must not take longer, and a third text made all others slower.
//
// Rounding.  A row is evaluated by FactoredForm::climb, as where one row is climbed at a time.
//
// Reference.  Frigo, Strumpen, Cache oblivious stencil computations, 2005, for skewed steps.

#include <cstddef>
#include <type_traits>

#include <cuda_pipeline.h>

#include "precision/number.hpp"

#include "grids/field.hpp"

#include "fem/matrix/factored_rows.hpp"

#include "gpu/launch/visited_row.hpp"

namespace ninefold::kernels {

inline constexpr int warp_lanes = 32;
inline constexpr unsigned all_lanes = 0xffffffffU;
/// Pairs of rows that are on their way from memory.
inline constexpr int pairs_ahead = 2;

/// Rows of the largest part of a warp.
inline constexpr int most_part_rows = 256;

/// The columns of a lane; as many as two steps need of a neighbour.
template <class T>
inline constexpr int lane_columns = sizeof(Arithmetic<T>) == 8 ? 2 : 4;

/// The columns that a warp writes.
template <class T>
inline constexpr int strip_columns = (warp_lanes - 2) * lane_columns<T>;

/// n values, in memory one access.
template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T value[n];
};

/// What a lane knows of its columns first <= i < first + n.
template <class T>
struct LaneColumns {
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>;

  int first;
  bool unknown[n];
  C stiffness[n + 1], mass[n + 1];  ///< [c] of the cell before column first + c

  __device__ LaneColumns(const FactoredRows<T>& A, int first_column) : first(first_column) {
#pragma unroll
    for (int c = 0; c < n; ++c) {
      unknown[c] = first + c >= A.unknowns.i0 && first + c < A.unknowns.i1;
    }
#pragma unroll
    for (int c = 0; c <= n; ++c) {
      const bool is_cell = first + c >= 0 && first + c <= A.nx;
      stiffness[c] = is_cell ? A.x.stiffness[first + c] : C(0);
      mass[c] = is_cell ? A.x.mass[first + c] : C(0);
    }
  }
  __device__ NodeFactors<C> factors(int c) const {
    return {stiffness[c], stiffness[c + 1], mass[c], mass[c + 1]};
  }
};

/// A row of one vector in a lane: its own columns and their neighbours'.
template <class T>
struct LaneRow {
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>;

  C own[n], west, east;

  __device__ void take_neighbours() {
    west = __shfl_up_sync(all_lanes, own[n - 1], 1);
    east = __shfl_down_sync(all_lanes, own[0], 1);
  }
  __device__ ThreeNodes<C> around(int c) const {
    return {c == 0 ? west : own[c - 1], own[c], c == n - 1 ? east : own[c + 1]};
  }
};

/// The rows of a vector on their way: of the last one, the row of A times the vector follows when
/// the next one comes.
template <class T>
struct MarchingRows {
  using C = Arithmetic<T>;
  static constexpr int n = lane_columns<T>;

  LaneRow<T> here;
  FactoredColumn<C> column[n];

  __device__ MarchingRows() {
#pragma unroll
    for (int c = 0; c < n; ++c) {
      here.own[c] = C(0);
      column[c] = {C(0), C(0), C(0)};
    }
    here.west = here.east = C(0);
  }

  /// The rows of A here, whose factors along y are given; then `next` is here.  Right when two rows
  /// have come before.
  __device__ void advance(const LaneColumns<T>& lane, const NodeFactors<C>& y, const C& reaction,
                          const LaneRow<T>& next, VisitedRow<T> (&rows)[n]) {
#pragma unroll
    for (int c = 0; c < n; ++c) {
      const FactoredEntries<T> row{lane.factors(c), y, reaction};
      rows[c] = {FactoredForm::climb(row, here.around(c), next.around(c), column[c]),
                 FactoredForm::diagonal_in<Leading<T>>(row), here.own[c]};
    }
    here = next;
  }
};

/// The factors along y of the last rows, one cell at a time.
template <class T, int depth>
class MarchingFactors {
 public:
  using C = Arithmetic<T>;

  __device__ MarchingFactors() {
#pragma unroll
    for (int k = 0; k <= depth; ++k) stiffness_[k] = mass_[k] = C(0);
  }
  /// The next cell.
  __device__ void take(const C& stiffness, const C& mass) {
#pragma unroll
    for (int k = depth; k > 0; --k) {
      stiffness_[k] = stiffness_[k - 1];
      mass_[k] = mass_[k - 1];
    }
    stiffness_[0] = stiffness;
    mass_[0] = mass;
  }
  /// Of the row k below the last cell, k < depth.
  __device__ NodeFactors<C> of_row_below(int k) const {
    return {stiffness_[k + 1], stiffness_[k], mass_[k + 1], mass_[k]};
  }

 private:
  C stiffness_[depth + 1], mass_[depth + 1];
};

/// Pairs of rows that lie in shared memory at once: the one at hand, the one before it, and those
/// on their way.
inline constexpr int staged_pairs = 4;
static_assert(pairs_ahead + 2 <= staged_pairs, "or rows would be overwritten");

/// Their places; a Slot has all that is staged of a pair.
template <class Slot>
class StagedPairs {
 public:
  using Memory = Slot[staged_pairs];
  __device__ explicit StagedPairs(Memory& memory) : memory_(&memory[0]) {}
  __device__ Slot& operator[](int pair) const { return memory_[pair & (staged_pairs - 1)]; }

 private:
  Slot* memory_;
};

/// A row as it is staged, n values of each lane, where lanes lie side by side; `behind` and
/// `before` say whether there are those of a lane behind the last one and before the first one.
template <class T, int n, bool behind = false, bool before = false>
struct StagedRow {
  using Values = Pack<T, n>;
  Values value[warp_lanes + (behind ? 1 : 0) + (before ? 1 : 0)];

  __device__ Values* own(int lane) { return &value[lane + (before ? 1 : 0)]; }
  __device__ const Values& of(int lane) const { return value[lane + (before ? 1 : 0)]; }
  /// The same of all lanes, one after the other, from the first lane's on; lanes wait for each
  /// other before they read it.
  __device__ const T* of_all_lanes() const { return of(0).value; }
  /// Those of the lane behind the last one.
  __device__ const Values& of_next() const requires behind { return of(warp_lanes); }
};

/// Copies rows of a field to shared memory, one after the other, n values of each for a lane.
/// `has_next`: the last lane copies those that a lane behind it would have, too; `has_before`: the
/// first one those of a lane before it.
template <class T, int n, bool has_next = false, bool has_before = false>
class RowReader {
 public:
  using Values = Pack<T, n>;
  using Row = StagedRow<T, n, has_next, has_before>;

  /// From row `row` on, columns first <= i < first + n, `first` a multiple of n; beyond the memory
  /// of a row, others of it.
  __device__ RowReader(const Field<const T>& x, int first, int lane, int row)
      : from_(x.data + std::ptrdiff_t{row} * x.pitch + (first < x.pitch ? first : 0)),
        pitch_(x.pitch),
        ny_(x.ny),
        row_(row),
        lane_(lane),
        side_(has_before && lane == 0 ? -1 : 1),
        beyond_(side_ < 0             ? -n
                : first + n < x.pitch ? n
                                      : 0),
        is_side_((has_before && lane == 0) || (has_next && lane == warp_lanes - 1)) {}

  /// Begins to copy the next row, or two, zeros where there is no memory.
  template <bool inside = false>
  __device__ void fetch(Row& to) {
    begin<inside>(to, from_, row_);
    from_ += pitch_;
    ++row_;
  }
  template <bool inside = false>
  __device__ void fetch(Row (&to)[2]) {
    begin<inside>(to[0], from_, row_);
    begin<inside>(to[1], from_ + pitch_, row_ + 1);
    from_ += 2 * std::ptrdiff_t{pitch_};
    row_ += 2;
  }

 private:
  template <bool inside>
  __device__ void begin(Row& to, const T* from, int row) const {
    const bool is_there = inside || (row >= -1 && row <= ny_);
    Values* const own = to.own(lane_);
    copy<inside>(own[0], from, is_there);
    if constexpr (has_next || has_before) {
      if (is_side_) copy<inside>(own[side_], from + beyond_, is_there);
    }
  }
  /// Nothing is read where nothing is.
  template <bool inside>
  __device__ static void copy(Values& to, const T* from, bool is_there) {
    if constexpr (inside) {
      __pipeline_memcpy_async(&to, from, sizeof(Values));
    } else {
      __pipeline_memcpy_async(&to, from, sizeof(Values), is_there ? 0 : sizeof(Values));
    }
  }

  const T* from_;  ///< of the next row
  int pitch_, ny_, row_, lane_;
  int side_, beyond_;  ///< to the place and the columns of the lane behind, or before
  bool is_side_;       ///< has those, too
};

/// Writes rows that follow each other, of a lane's n columns from `first`, a multiple of n, on
/// those in [begin, end); of lanes that `writes` says.
template <class T, int n>
class RowWriter {
 public:
  /// From row `row` on.
  __device__ RowWriter(const Field<T>& y, int row, int first, int begin, int end, bool writes)
      : to_(y.data + std::ptrdiff_t{row} * y.pitch + first), pitch_(y.pitch) {
    const bool is_whole = first >= begin && first + n <= end;
    writes_whole_ = writes && is_whole;
    unsigned columns = 0;
#pragma unroll
    for (int c = 0; c < n; ++c) {
      if (first + c >= begin && first + c < end) columns |= 1U << c;
    }
    columns_ = writes && !is_whole ? columns : 0;
  }

  /// The next row, if it is wanted.
  __device__ void write(bool is_wanted, const Pack<T, n>& values) {
    T* const to = to_;
    to_ += pitch_;
    if (is_wanted && writes_whole_) *reinterpret_cast<Pack<T, n>*>(to) = values;
    // Of strips at the sides alone.
    const unsigned columns = is_wanted ? columns_ : 0;
    if (__any_sync(all_lanes, columns != 0)) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
        if ((columns >> c & 1U) != 0) to[c] = values.value[c];
      }
    }
  }

 private:
  T* to_;  ///< of the next row
  int pitch_;
  bool writes_whole_;
  unsigned columns_;  ///< that are written one by one
};

/// Pairs of rows from begin on to end, which is not reached: those first <= j < last by
/// run(std::true_type, j), the others by run(std::false_type, j).  Each of both has a loop of its
/// own, so that nothing need be moved to where the other would look for it.
template <class Run>
__device__ void for_pairs(int begin, int end, int first, int last, const Run& run) {
  for (int j = begin; j < end;) {
    if (j >= first && j < last) {
      const int stop = min(last, end);
      for (; j < stop; j += 2) run(std::true_type(), j);
    } else {
      run(std::false_type(), j);
      j += 2;
    }
  }
}

/// The part of a box that is a warp's: a strip of columns and some of its rows.
struct WarpPart {
  int first;   ///< column of the lane
  int j0, j1;  ///< rows
  bool writes;
};

/// How a box is cut into parts of warps.
struct Parts {
  int strips;  ///< from column 0 on
  int rows;    ///< of each part
  int warps;   ///< in all

  /// Of columns end - 1 and less, and rows j0 <= j < j1; j0 is that of the first part.
  template <class T>
  __device__ WarpPart of(int warp, int lane, int j0, int j1) const {
    const int strip = warp % strips, part = warp / strips;
    const int first = j0 + part * rows;
    return {strip * strip_columns<T> + (lane - 1) * lane_columns<T>, first, min(first + rows, j1),
            lane > 0 && lane < warp_lanes - 1};
  }
};

}  // namespace ninefold::kernels
