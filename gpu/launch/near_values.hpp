#pragma once
// The values of x that rows of a sparse matrix take which lie beside each other, on the host.

#include <bit>
#include <cstdint>
#include <cstring>

#include "fem/sparse/sparse_rows.hpp"

namespace ninefold {

inline constexpr int near_lanes = 8;
static_assert(slice_rows % near_lanes == 0);

/// True if what lanes have follows each other: places, and columns of neighbours on a grid.
template <class Index>
bool follow_each_other(const Index* index) {
  if (index[near_lanes - 1] - index[0] != near_lanes - 1) return false;
  if constexpr (sizeof(Index) == 2 && std::endian::native == std::endian::little) {
    // Four of 16 bits at once; that nothing is carried from one to the next follows from the above.
    std::uint64_t four[2];
    std::memcpy(four, index, sizeof(four));
    const std::uint64_t first = index[0] * std::uint64_t{0x0001'0001'0001'0001};
    return four[0] == first + 0x0003'0002'0001'0000 && four[1] == first + 0x0007'0006'0005'0004;
  }
  for (int l = 1; l < near_lanes - 1; ++l) {
    if (index[l] - index[0] != l) return false;
  }
  return true;
}

/// Those that follow each other from `first` on ...
template <class T>
struct Following {
  const T* first;
  const T& operator[](int l) const { return first[l]; }
};

/// ... or that lie among near_window values, all of which may be read, lane l's at place[l] ...
inline constexpr int near_window = 2 * near_lanes;
struct NearPlaces {
  alignas(32) std::int32_t place[near_lanes];
};
template <class T>
struct Windowed {
  const T* first;
  const NearPlaces& places;
  const T& operator[](int l) const { return first[places.place[l]]; }
};

/// ... or in columns of their own, counted from `column_0` on.
template <class T, class Index>
struct Gathered {
  const T* x;
  const Index* column;
  std::int32_t column_0 = 0;
  const T& operator[](int l) const { return x[column_0 + std::int32_t{column[l]}]; }
};

/// How the columns of near lanes lie to each other; what is read sooner comes first.
enum class Lie { behind_each_other, within_window, apart };

}  // namespace ninefold
