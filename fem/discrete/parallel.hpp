#pragma once
// A parallel loop over rows that call a user's functions, which may throw.

#include <exception>

namespace ninefold {

/// f(row) for 0 <= row < n, on all threads, `at_once` rows after each other, in no fixed order.  If
/// a call throws, rows not yet begun are skipped and one of the exceptions is thrown again.
template <class F>
void for_rows(int n, const F& f, int at_once = 4) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, at_once)
  for (int row = 0; row < n; ++row) {
    bool failed = false;
#pragma omp critical(ninefold_for_rows)
    failed = failure != nullptr;
    if (failed) continue;
    try {
      f(row);
    } catch (...) {
      // An exception must not leave the parallel region.
#pragma omp critical(ninefold_for_rows)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ninefold
