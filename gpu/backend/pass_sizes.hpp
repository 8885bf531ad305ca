#pragma once
// Where a CUDA device changes the way in which it goes through a grid: on large grids few workers
// with much to do each, on small ones many with little.
//
// By rule these are so many nodes for each multiprocessor, those that were fastest on an H200, with
// 132 of them, levels 7 to 14.  What was measured on another device is stated by keep_pass_sizes();
// the program does so with what `ninefold tune` has kept (experiments/program/tuning.hpp).
//
// Rounding.  None changes a bit: all ways give those of the operations one by one
// (tests/gpu/device/pass_sizes_test.cpp).

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ninefold {

/// Numbers of nodes from which on ways of large grids are taken.
struct PassSizes {
  /// Beyond all grids: the way is never taken.
  static constexpr std::int64_t never = std::int64_t{1} << 62;

  /// Fused passes (gpu/operations/fused_operations.hpp) march up strips rather than have tiles; of
  /// values of 2, 4 and 8 bytes.
  std::array<std::int64_t, 3> strips{};
  /// A thread climbs two columns (gpu/launch/climbing_neighbours.cuh), from four times as many on
  /// more rows of them; or rows come through shared memory (gpu/launch/climbing_ring.cuh).
  std::int64_t columns = 0;
  /// Residuals and their norms in double have rows in shared memory
  /// (gpu/kernels/marching_sums.cuh).
  std::int64_t sums = 0;

  static constexpr PassSizes by_rule(int multiprocessors) {
    const auto each = [&](int nodes) { return std::int64_t{nodes} * multiprocessors; };
    return {{each(7900), each(7900), each(1500)}, each(15800), each(1500)};
  }
  constexpr std::int64_t strips_of(std::size_t value_bytes) const {
    return strips[value_bytes <= 2 ? 0 : value_bytes <= 4 ? 1 : 2];
  }

  friend bool operator==(const PassSizes&, const PassSizes&) = default;
};

/// What is kept for a device of this name and with so many multiprocessors; nothing for none.  May
/// make backends of other devices.
using KeptPassSizes =
    std::function<std::optional<PassSizes>(const std::string& name, int multiprocessors)>;

/// Names who is asked from here on, once for each device before its next backend; what that throws
/// the backend's constructor throws.  Without one, or with an empty one, sizes are by rule.  For
/// any thread; backends that are there keep theirs.
void keep_pass_sizes(KeptPassSizes kept);

}  // namespace ninefold
