#pragma once
// Who plays the device in the tests of tests/gpu/device, which compare it with Host bit by bit.
//
// In gpu_tests it is Cuda.  In device_rehearsal, compiled from the same sources with
// NINEFOLD_REHEARSED, it is Host with another number of threads: what is wrong in the tests
// themselves (options that are refused, solves that overflow, a forecast for another format) shows
// without a GPU.  Of kernels it says nothing.
//
// Usage.
//     const Device device;
//     CHECK(difference(outputs_on(host), on_device([&] { return outputs_on(device); })) == "");

#include <vector>

#include <omp.h>

#include "gpu/backend/backend.hpp"

#include "solvers/solve.hpp"

namespace ninefold::testing {

#ifdef NINEFOLD_REHEARSED
inline constexpr bool rehearsed = true;
using Device = Host;
inline constexpr BackendKind device_kind = BackendKind::host;
#else
inline constexpr bool rehearsed = false;
using Device = Cuda;
inline constexpr BackendKind device_kind = BackendKind::cuda;
#endif

/// Threads of the two sides in a rehearsal; can_run() sets those of the host.
inline constexpr int threads_of_host = 1, threads_of_device = 3;

/// task(), which works on a Device: in a rehearsal with the device's number of threads.
template <class Task>
auto on_device(const Task& task) {
  if constexpr (rehearsed) {
    struct Threads {
      int before = omp_get_max_threads();
      Threads() { omp_set_num_threads(threads_of_device); }
      ~Threads() { omp_set_num_threads(before); }
    } const threads;
    return task();
  } else {
    return task();
  }
}

inline Solved solve_on_device(const Problem& problem, const std::vector<TensorGrid>& grids,
                              const SolverOptions& options) {
  return on_device([&] { return solve(problem, grids, options, device_kind); });
}

/// Whether cases take sizes that suit any machine, rather than all at which a device changes its
/// way.
inline constexpr bool small = rehearsed;

template <class T>
constexpr T full_or_small(T full, T if_small) {
  return small ? if_small : full;
}

}  // namespace ninefold::testing
