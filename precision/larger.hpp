#pragma once
// The larger of two numbers, and the largest of many: a NaN wins, where std::max would drop it.
//
// Tests.  tests/precision/larger_test.cpp

#include <cmath>

#include "precision/host_device.hpp"

namespace ninefold {

/// NaN if one of them is.
HOST_DEVICE constexpr double larger(double a, double b) {
  return b > a || b != b ? b : a;
}

/// The largest |value| of a range, as a double; 0 of none.
template <class Range>
double largest_size(const Range& values) {
  double most = 0;
  for (const auto& value : values) most = larger(most, std::abs(static_cast<double>(value)));
  return most;
}

}  // namespace ninefold
