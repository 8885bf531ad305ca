#pragma once
// Parallel loops that call a user's functions, which may throw.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>

namespace ninefold {

/// f(row) for 0 <= row < n, on all threads, `at_once` rows after each other, in no fixed order.  If
/// a call throws, rows not yet begun are skipped and one of the exceptions is thrown again.
template <class F>
void for_rows(int n, const F& f, int at_once = 4) {
  std::exception_ptr failure;
  std::atomic<bool> failed = false;
#pragma omp parallel for schedule(dynamic, at_once)
  for (int row = 0; row < n; ++row) {
    if (failed.load(std::memory_order_relaxed)) continue;
    try {
      f(row);
    } catch (...) {
      // An exception must not leave the parallel region.
#pragma omp critical(ninefold_for_rows)
      failure = std::current_exception();
      failed = true;
    }
  }
  if (failure) std::rethrow_exception(failure);
}

/// f(k) for 0 <= k < n, each a few calls: on all threads where there are many, in no fixed order.
template <class F>
void for_points(std::size_t n, const F& f) {
  constexpr std::size_t piece = 512;
  if (n <= 2 * piece) {
    for (std::size_t k = 0; k < n; ++k) f(k);
    return;
  }
  for_rows(
      static_cast<int>((n + piece - 1) / piece),
      [&](int row) {
        const std::size_t first = static_cast<std::size_t>(row) * piece;
        for (std::size_t k = first; k < std::min(n, first + piece); ++k) f(k);
      },
      1);
}

}  // namespace ninefold
