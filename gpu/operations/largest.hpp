#pragma once
// The largest of values as a sum: adding two keeps the larger one, so that the order of
// gpu/backend/summation.hpp serves, which for this sum no result depends on.

#include "precision/host_device.hpp"
#include "precision/larger.hpp"

namespace ninefold {

/// A value >= 0; a NaN counts as largest.
struct Largest {
  double value;

  Largest() = default;
  HOST_DEVICE constexpr explicit Largest(double v) : value(v) {}

  HOST_DEVICE friend Largest operator+(Largest a, Largest b) {
    return Largest(larger(a.value, b.value));
  }
};

}  // namespace ninefold
