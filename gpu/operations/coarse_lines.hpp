#pragma once
// How what is kept of lines (gpu/operations/kept_lines.hpp) lies in the memory of the kernel of
// coarse levels.
//
// Shape.  Line by line: the factors of a segment's nodes, node by node, as threads read them four
// nodes at a time; segment after segment; then what is kept of the reduced system.  Right-hand
// sides likewise: a line's segments, then those of its reduced system.  All parts begin at a
// multiple of 16 bytes, an odd one from line to line and from segment to segment of factors, so
// that neighbouring threads meet different banks of memory.
//
// Tests.  tests/gpu/operations/coarse_cycle_test.cpp, tests/gpu/device/coarse_cycle_test.cpp

#include <algorithm>

#include "precision/host_device.hpp"

#include "gpu/operations/kept_lines.hpp"

namespace ninefold {

/// Groups that share the lines of a set: a multiprocessor starts instructions of four warps at a
/// time, which wait for something else as long.
inline constexpr int busy_groups = 8;

template <class D>
struct CoarseLines {
  int segments, reduced_values;       ///< of a line
  int kept_of_segment, kept_of_line;  ///< values from one to the next
  int rights_of_line;
  int bits;     ///< for the number of a segment
  int at_once;  ///< lines that a group of workers takes

  /// Of lines of n unknowns, at most reduced_segment segments, `lines` in a set.
  static constexpr CoarseLines of(int n, int lines) {
    const int segments = line_segments(n), segment = odd(3 * line_segment);
    const int reduced = kept_reduced_values(n);
    int bits = 0;
    while (1 << bits < segments) ++bits;
    return {segments,
            reduced,
            segment,
            odd(segments * segment + reduced),
            odd(segments * line_segment + reduced_right_values(segments)),
            bits,
            std::min((lines + busy_groups - 1) / busy_groups, 32 >> bits)};
  }

  /// What is kept of the reduced system of a line.
  HOST_DEVICE int reduced() const { return segments * kept_of_segment; }

 private:
  /// At least so many values, an odd number of 16 bytes.
  static constexpr int odd(int values) {
    constexpr int unit = 16 / static_cast<int>(sizeof(D));
    return ((values + unit - 1) / unit | 1) * unit;
  }
};

/// Some neighbours, read at once.
template <class V>
struct alignas(16) Four {
  V of[4];
};

}  // namespace ninefold
