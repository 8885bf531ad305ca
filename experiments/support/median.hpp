#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace ninefold {

/// The middle one of the values, of an even number the upper of the two; there must be one.
template <class Value, class Less = std::less<>>
Value median_of(std::vector<Value> values, const Less& less = {}) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end(), less);
  return std::move(*middle);
}

}  // namespace ninefold
