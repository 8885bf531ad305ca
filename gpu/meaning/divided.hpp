#pragma once
// What operations do where the rows of a grid are divided among ranks (gpu/backend/ranks.hpp):
// views and boxes are those of the whole grid, and each rank visits its own rows of them.
//
// Ghost rows.  What reads neighbours calls share_borders() before; whoever writes x does not.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/backend/ranks.hpp"
#include "gpu/backend/vector.hpp"

namespace ninefold {

/// True if rows of a grid of so many are divided.
template <Backend B>
bool divides(const B& on, int ny) {
  return on.ranks() != nullptr && on.ranks()->slabs().divide(ny);
}

inline Box rows_of_box(const Box& box, const RowRange& rows) {
  return {box.i0, box.i1, std::max(box.j0, rows.first), std::min(box.j1, rows.last)};
}

/// Of an extent of a grid of ny rows, this rank's part.
template <Backend B>
Extent own_part(const B& on, int ny, const Extent& extent) {
  if (!divides(on, ny)) return extent;
  return rows_of_box(extent.box, on.ranks()->own_rows(ny));
}

/// Of a box of a grid, the rows on this rank's rows of the next finer one, which has ny.
template <Backend B>
Box own_coarse_part(const B& on, int ny, const Box& coarse) {
  if (!divides(on, ny)) return coarse;
  return rows_of_box(coarse, on.ranks()->own_coarse_rows(ny));
}

/// A vector of which an operation reads so many of its neighbours' rows.
template <class T>
struct Bordered {
  Field<const T> x;
  int depth = 1;
};

/// Makes the rows beside this rank's own those of its neighbours, of all vectors at once.
template <Backend B, class... T>
void share_borders(const B& on, const Bordered<T>&... vectors) {
  std::vector<BorderRows> borders;
  const auto add = [&]<class V>(const Bordered<V>& vector) {
    const auto& [x, depth] = vector;
    if (!divides(on, x.ny)) return;
    const RowRange own = on.ranks()->own_rows(x.ny);
    // Rows beside a rank's own are no part of what it is given to read or to write.
    const auto row = [&](int j) { return const_cast<V*>(x.row(j)); };
    borders.push_back(
        {row(own.first), row(own.last - depth), row(own.first - depth), row(own.last),
         static_cast<std::size_t>(depth) * static_cast<std::size_t>(x.pitch) * sizeof(V)});
  };
  (add(vectors), ...);
  if (!borders.empty()) on.exchange(borders);
}
template <Backend B, class T>
void share_borders(const B& on, const Field<const T>& x, int depth = 1) {
  share_borders(on, Bordered<T>{x, depth});
}

/// Makes rows that each rank has, rows(rank) of them, everybody's.
template <Backend B, class T, class Rows>
void gather_rows(const B& on, const Field<T>& x, const Rows& rows) {
  const std::size_t row_bytes = static_cast<std::size_t>(x.pitch) * sizeof(T);
  std::vector<std::size_t> begin;
  for (int r = 0; r < on.ranks()->size(); ++r) {
    begin.push_back(static_cast<std::size_t>(rows(r).first) * row_bytes);
  }
  begin.push_back(static_cast<std::size_t>(x.ny) * row_bytes);
  on.gather(x.data, begin);
}

/// Of a grid whose rows are not divided, while those of the next finer one, which has ny, are:
/// makes everybody's what each has on its rows there.
template <Backend B, class T>
void gather_if_whole(const B& on, int ny, const Field<T>& coarse) {
  if (!divides(on, ny) || divides(on, coarse.ny)) return;
  const Slabs& slabs = on.ranks()->slabs();
  gather_rows(on, coarse, [&](int rank) { return slabs.coarse_rows(ny, rank); });
}

/// The sum over the extent of which this rank takes the given rows of the grid, as others take
/// rows(rank).
template <class T, Backend B, class F, class Rows>
void sum_divided(const B& on, const Extent& extent, const F& f, const Rows& rows, T* result) {
  const Box& box = extent.box;
  // Counted from the extent's first row.
  const auto part = [&](int rank) -> RowRange {
    const RowRange of = rows(rank);
    return {std::clamp(of.first, box.j0, box.j1) - box.j0,
            std::clamp(of.last, box.j0, box.j1) - box.j0};
  };
  const RowRange own = part(on.ranks()->rank());
  if (own.count() > 0) sum_rows<T>(on, extent, f, own.first, own.last);
  const std::size_t row_bytes = static_cast<std::size_t>(sum_chunks(box.width())) * sizeof(T);
  std::vector<std::size_t> begin;
  for (int r = 0; r < on.ranks()->size(); ++r) {
    begin.push_back(static_cast<std::size_t>(part(r).first) * row_bytes);
  }
  begin.push_back(static_cast<std::size_t>(box.height()) * row_bytes);
  on.gather(on.scratch(), begin);
  sum_chunk_sums(on, extent, result);
}

/// *result = sum of f(i, j) over an extent of a grid of ny rows.
template <Backend B, class F, class T>
void sum_own(const B& on, int ny, const Extent& extent, const F& f, T* result) {
  if (!divides(on, ny)) return sum_nodes(on, extent, f, result);
  const Slabs& slabs = on.ranks()->slabs();
  sum_divided<T>(
      on, extent, f, [&](int rank) { return slabs.rows(ny, rank); }, result);
}

/// The same over nodes of the next coarser grid than one of ny rows, of which f reads rows.
template <Backend B, class F, class T>
void sum_own_coarse(const B& on, int ny, const Extent& extent, const F& f, T* result) {
  if (!divides(on, ny)) return sum_nodes(on, extent, f, result);
  const Slabs& slabs = on.ranks()->slabs();
  sum_divided<T>(
      on, extent, f, [&](int rank) { return slabs.coarse_rows(ny, rank); }, result);
}

}  // namespace ninefold
