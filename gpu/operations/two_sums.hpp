#pragma once
// Two sums in one pass: each has the bits that it has alone.

#include "precision/host_device.hpp"

namespace ninefold {

template <class C>
struct TwoSums {
  C first, second;

  TwoSums() = default;  ///< Not initialised, as for float and double.
  HOST_DEVICE TwoSums(const C& one, const C& other) : first(one), second(other) {}
  HOST_DEVICE explicit TwoSums(int zero)
      : first(static_cast<C>(zero)), second(static_cast<C>(zero)) {}

  HOST_DEVICE friend TwoSums operator+(const TwoSums& a, const TwoSums& b) {
    return {a.first + b.first, a.second + b.second};
  }
};

}  // namespace ninefold
