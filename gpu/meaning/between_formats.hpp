#pragma once
// What operations with two formats have in common.

#include <concepts>
#include <cstdint>

#include "gpu/operations/vector_operations.hpp"

namespace ninefold {

/// Counts the bytes of `high` values of High and `low` values of Low at each node.
template <class High, class Low, Backend B>
void count_mixed(const B& on, const Extent& extent, int high, int low) {
  on.count(
      {0, extent.values() * static_cast<std::int64_t>(high * sizeof(High) + low * sizeof(Low))});
}

/// Rounded once to Low: software-rounded numbers go to storage formats by double, which holds them.
template <class Low, class C>
HOST_DEVICE Low narrowed(const C& value) {
  if constexpr (std::constructible_from<Low, C>) {
    return static_cast<Low>(value);
  } else {
    return static_cast<Low>(static_cast<double>(value));
  }
}

/// The value as a number to compute with in Arithmetic<High>.
template <class High, class Low>
HOST_DEVICE Arithmetic<High> widened(const Low& value) {
  return static_cast<Arithmetic<High>>(static_cast<Arithmetic<Low>>(value));
}

}  // namespace ninefold
