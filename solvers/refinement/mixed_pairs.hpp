#pragma once
// The pairs of formats for which operations of mixed precision are compiled.

#include <type_traits>

#include "precision/double_word.hpp"
#include "precision/half.hpp"
#include "precision/number.hpp"
#include "precision/soft_float.hpp"

#include "gpu/backend/backend.hpp"

namespace ninefold {

/// As precision/formats.def lists them.
template <class High, class Low>
inline constexpr bool is_listed_pair = false;
#define NINEFOLD_PAIR(High, Low) \
  template <>                    \
  inline constexpr bool is_listed_pair<High, Low> = true;
#include "precision/formats.def"

template <class T>
inline constexpr bool is_software = std::is_same_v<T, SoftFloat>;

/// True if a solver in Low can serve one in High on the backend: software formats stay on the host.
template <Backend B, Number High, Number Low>
inline constexpr bool is_mixed_pair =
    is_listed_pair<High,
                   Low> && (std::is_same_v<B, Host> || (!is_software<High> && !is_software<Low>));

}  // namespace ninefold
