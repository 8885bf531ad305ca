#pragma once
// Comparisons to the last bit.

#include <cstddef>
#include <cstring>
#include <vector>

#include "tests/support/catch.hpp"

namespace ninefold::testing {

/// True if no bit differs; zeros of different sign do.
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Values that differ in any bit; NaN of the same bits do not.
template <class T>
std::size_t n_differing_values(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(a.size() == b.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += !same_bits(a[k], b[k]);
  return count;
}

/// The same of vectors that must not be empty.
template <class T>
std::size_t n_differing(const std::vector<T>& a, const std::vector<T>& b) {
  REQUIRE(!a.empty());
  return n_differing_values(a, b);
}

/// True if there are as many values and none differs.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && n_differing_values(a, b) == 0;
}

}  // namespace ninefold::testing
