#pragma once
// Two values that follow each other, in memory one access.

#include <cstdint>

#include "grids/field.hpp"

namespace ninefold {

template <class T>
struct alignas(2 * sizeof(T)) TwoValues {
  T first, second;
};

/// True if the values at an even column and the next one are such two.
template <class T>
bool is_aligned_for_two(const Field<T>& x) {
  return x.pitch % 2 == 0 && reinterpret_cast<std::uintptr_t>(x.data) % sizeof(TwoValues<T>) == 0;
}

}  // namespace ninefold
