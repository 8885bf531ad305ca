#pragma once
// Large vectors of zeros.
//
// Why.  The system gives memory page by page when it is first written to: 134 MB, a grid of level
// 12 in double, take one thread 50 ms, as long as several solves.  In huge pages, and by 16
// threads, they take less than 20.
//
// Tests.  tests/fem/discrete/zeros_test.cpp

#include <cstddef>
#include <vector>

namespace ninefold {

/// Has the system give these bytes, in huge pages where it can.  Writes to some of them: what they
/// held is lost.
void prepare_pages(void* memory, std::size_t bytes);

template <class W>
std::vector<W> zeros(std::size_t n) {
  std::vector<W> values;
  values.reserve(n);
  prepare_pages(values.data(), n * sizeof(W));
  values.resize(n, W(0));
  return values;
}

}  // namespace ninefold
