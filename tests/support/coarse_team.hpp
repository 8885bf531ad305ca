#pragma once
// The meaning of the one kernel of coarse levels, run by a team of the host's.
//
// Brings the operations' definitions for Host: not for files that call those of Cuda.

#include <cstdint>
#include <vector>

#include "gpu/compiled/elsewhere.hpp"
#include "gpu/launch/launch_host.hpp"
#include "gpu/launch/team.hpp"
#include "gpu/meaning/generic_coarse_cycle.hpp"
#include "gpu/operations/coarse_operations.hpp"

#include "tests/support/catch.hpp"

namespace ninefold::testing {

/// Memory as a device gives it: aligned to 16, with values left behind by others.
template <class T, class Rows>
std::vector<unsigned char> used_memory(const CoarseProblem<T, Rows>& problem) {
  std::vector<unsigned char> memory(static_cast<std::size_t>(problem.memory_bytes), 0xff);
  REQUIRE(reinterpret_cast<std::uintptr_t>(memory.data()) % 16 == 0);
  return memory;
}

template <class Team, class T, class Rows>
void work_through(const CoarseProblem<T, Rows>& problem, const CoarseSchedule& schedule,
                  const CycleRelaxations<T>& relaxations, unsigned char* memory) {
  with_form(problem.level[0].A, [&]<class Form>(Form) {
    const CoarseCycle<Form, T, Team, Rows> cycle{problem, relaxations, memory};
    cycle.load_matrices();
    cycle.load_vectors();
    cycle.run(schedule);
    cycle.store(schedule);
  });
}

}  // namespace ninefold::testing
