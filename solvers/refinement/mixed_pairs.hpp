#pragma once
// The pairs of formats for which operations of mixed precision are compiled.

#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/number.hpp"
#include "precision/soft_float.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// The formats of machines, by their unit roundoff.
template <class T>
inline constexpr int precision_rank = std::is_same_v<T, BFloat16>       ? 0
                                      : std::is_same_v<T, Half>         ? 1
                                      : std::is_same_v<T, float>        ? 2
                                      : std::is_same_v<T, DoubleSingle> ? 3
                                      : std::is_same_v<T, double>       ? 4
                                                                        : 5;

/// True if a solver in Low can serve one in High on the backend: if High is at least as precise, or
/// can be, one of them being a software format.
template <Backend B, Number High, Number Low>
consteval bool is_mixed_pair_of() {
  constexpr bool soft_high = std::is_same_v<High, SoftFloat>;
  constexpr bool soft_low = std::is_same_v<Low, SoftFloat>;
  if (soft_high || soft_low) {
    if (!std::is_same_v<B, Host>) return false;
    return soft_low ? !std::is_same_v<High, BFloat16> : !std::is_same_v<Low, DoubleDouble>;
  }
  return precision_rank<High> >= precision_rank<Low>;
}
template <Backend B, Number High, Number Low>
inline constexpr bool is_mixed_pair = is_mixed_pair_of<B, High, Low>();

}  // namespace ninefold
