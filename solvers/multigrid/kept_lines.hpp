#pragma once
// The memory of what is kept of a level's lines; see gpu/operations/kept_lines.hpp.

#include "gpu/backend/vector.hpp"
#include "gpu/operations/any_rows.hpp"
#include "gpu/operations/line_operations.hpp"

namespace ninefold {

template <Backend B, Number T>
class KeptLines {
 public:
  KeptLines() = default;
  /// Of the lines of A that are solved along, but for long ones (keeps_lines).
  KeptLines(const B& on, const Operator<T>& A, const LineSweep& sweep) {
    for (const auto direction : {LineDirection::x, LineDirection::y}) {
      if (!sweep.alternates && direction != sweep.direction) continue;
      if (!keeps_lines<Leading<T>>(A.unknowns, direction)) continue;
      Array<B, Leading<T>>& values = values_[direction == LineDirection::y];
      values = Array<B, Leading<T>>(on, kept_values(A.unknowns, direction));
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
