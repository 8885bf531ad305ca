#pragma once
// The memory of what is kept of a level's lines; see gpu/operations/kept_lines.hpp.

#include <algorithm>

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/line_operations.hpp"

namespace ninefold {

template <Backend B, Number T>
class KeptLines {
 public:
  KeptLines() = default;
  /// Of the lines of A that are solved along, but for long ones (keeps_lines).  Of rows that are
  /// divided among ranks, the own ones.
  KeptLines(const B& on, const Operator<T>& A, const LineSweep& sweep) {
    const RowRange rows = own_rows(on, A.ny);
    const Box own{A.unknowns.i0, A.unknowns.i1, std::max(A.unknowns.j0, rows.first),
                  std::min(A.unknowns.j1, rows.last)};
    for (const auto direction : {LineDirection::x, LineDirection::y}) {
      if (!sweep.alternates && direction != sweep.direction) continue;
      if (!keeps_lines<Leading<T>>(A.unknowns, direction)) continue;
      if (direction == LineDirection::y && rows != RowRange{0, A.ny}) continue;  // across ranks
      Array<B, Leading<T>>& values = values_[direction == LineDirection::y];
      values = Array<B, Leading<T>>(on, kept_values(own, direction));
      keep_lines<T>(on, A, direction, values.data());
    }
  }

  /// Null where nothing is kept.
  const Leading<T>* along(LineDirection direction) const {
    return values_[direction == LineDirection::y].data();
  }

 private:
  Array<B, Leading<T>> values_[2];
};

}  // namespace ninefold
