#pragma once
// A backend that is one of several ranks.

#include <cstddef>
#include <memory>
#include <type_traits>

#include "gpu/backend/backend.hpp"
#include "gpu/backend/ranks.hpp"

#include "solvers/devices.hpp"

namespace ninefold::testing {

/// With hardly any scratch for sums; on a device of the rank's number.
template <Backend B>
B backend_among(const std::shared_ptr<const Ranks>& ranks) {
  constexpr std::size_t no_sums = 64;  // bytes
  if constexpr (std::is_same_v<B, Host>) {
    return B(no_sums).among(ranks);
  } else {
    return B(no_sums, device_of(ranks.get())).among(ranks);
  }
}

}  // namespace ninefold::testing
