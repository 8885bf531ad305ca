#pragma once
// The cycle on coarse levels as one kernel of one block; see gpu/operations/coarse_operations.hpp.
//
// The text of the cycle, which is tested on the host too, comes from
// gpu/meaning/generic_coarse_cycle.hpp by way of the instantiation files.

#include "precision/double_word.hpp"

#include "gpu/launch/block_team.cuh"
#include "gpu/launch/launch.cuh"
#include "gpu/operations/coarse_operations.hpp"

namespace ninefold {

namespace kernels {

/// Rows of pairs need more registers than 1024 threads leave.
template <class T>
inline constexpr int coarse_threads = is_double_word<Arithmetic<T>> ? 512 : 1024;

/// Steps by lines, of which a thread takes a segment, keep fewer busy, and all wait for each other.
inline constexpr int line_threads = 512;

template <template <class, class, class, class> class Cycle, class Form, class T, class Rows>
__global__ void __launch_bounds__(coarse_threads<T>, 1)
    coarse_cycle_kernel(const __grid_constant__ CoarseProblem<T, Rows> problem,
                        const __grid_constant__ CoarseSchedule schedule,
                        const __grid_constant__ CycleRelaxations<T> relaxations) {
  extern __shared__ uint4 coarse_memory_of_block[];  // aligned to 16
  let_next_start();
  const Cycle<Form, T, BlockTeam, Rows> cycle{
      problem, relaxations, reinterpret_cast<unsigned char*>(coarse_memory_of_block)};
  cycle.load_matrices();
  wait_for_kernels_before();
  cycle.load_vectors();
  cycle.run(schedule);
  cycle.store(schedule);
}

/// Starts the kernel; `Cycle` is CoarseCycle, whose header only instantiation files may see.
template <template <class, class, class, class> class Cycle, class Form, class T, class Rows>
void launch_coarse_cycle(const Cuda& on, const CoarseProblem<T, Rows>& problem,
                         const CoarseSchedule& schedule, const CycleRelaxations<T>& relaxations) {
  static_assert(sizeof problem + sizeof schedule + sizeof relaxations <= 4096,
                "older devices take parameters of 4 KB");
  constexpr auto kernel = coarse_cycle_kernel<Cycle, Form, T, Rows>;
  if (problem.memory_bytes > on.allow_shared_memory(reinterpret_cast<const void*>(kernel))) {
    throw std::logic_error("visit_coarse: the levels do not fit in shared memory");
  }
  const int threads = problem.line_memory > 0 ? line_threads : coarse_threads<T>;
  launch<kernel>(on, 1, threads, static_cast<std::size_t>(problem.memory_bytes), problem, schedule,
                 relaxations);
}

}  // namespace kernels

}  // namespace ninefold
