#include "tests/support/can_run.hpp"

#ifdef NINEFOLD_REHEARSED
#include <iostream>

#include "tests/support/device.hpp"
#elif defined NINEFOLD_TESTS_NEED_CUDA
#include <algorithm>

#include "solvers/solve.hpp"
#endif

namespace ninefold::testing {

bool can_run() {
#ifdef NINEFOLD_REHEARSED
  omp_set_num_threads(threads_of_host);
  std::cout << "rehearsed: the host in place of a device; of kernels this says nothing"
            << std::endl;
#elif defined NINEFOLD_TESTS_NEED_CUDA
  const auto all = devices();
  return std::any_of(all.begin(), all.end(),
                     [](const DeviceInfo& device) { return device.kind == BackendKind::cuda; });
#endif
  return true;
}

}  // namespace ninefold::testing
