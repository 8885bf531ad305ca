#pragma once
// Values that follow each other, in memory one access.

#include <cstdint>

#include "grids/field.hpp"

namespace ninefold {

template <class T>
struct alignas(2 * sizeof(T)) TwoValues {
  T first, second;
};

/// n of them, one access up to 16 bytes.
template <class T, int n>
struct alignas(n * sizeof(T)) AlignedValues {
  T value[n];
};

/// True if the values at a column that n divides and the next ones are such.
template <int n, class T>
bool is_aligned_for(const Field<T>& x) {
  return x.pitch % n == 0 && reinterpret_cast<std::uintptr_t>(x.data) % (n * sizeof(T)) == 0;
}

/// True if the values at an even column and the next one are such two.
template <class T>
bool is_aligned_for_two(const Field<T>& x) {
  return x.pitch % 2 == 0 && reinterpret_cast<std::uintptr_t>(x.data) % sizeof(TwoValues<T>) == 0;
}

}  // namespace ninefold
